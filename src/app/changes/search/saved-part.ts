import { crc32 } from 'node:zlib';
import type { SavedState } from './saved-state.ts';

export type Bytes = Uint8Array<ArrayBuffer>;

/** Size of the checksum at the end of a part [bytes]: a CRC-32. */
export const CHECKSUM_BYTES = 4;

/** Writes the checksum of a part into the last `CHECKSUM_BYTES` bytes of the part. */
export function writeChecksum(part: Bytes): Bytes {
  const end = part.byteLength - CHECKSUM_BYTES;
  new DataView(part.buffer, part.byteOffset).setUint32(end, crc32(part.subarray(0, end)), true);
  return part;
}

/** Reads a part of a saved state, without its checksum. @throws RangeError when the checksum does not match */
export async function readPart(state: SavedState, name: string): Promise<Bytes> {
  const bytes = checked(await state.part(name));
  if (bytes === undefined) throw new RangeError(`the saved state is damaged: ${name} fails its checksum`);
  return bytes;
}

/** A part without its checksum; undefined when the checksum does not match. */
export function checked(sealed: Bytes): Bytes | undefined {
  const end = sealed.byteLength - CHECKSUM_BYTES;
  const bytes = sealed.subarray(0, Math.max(0, end));
  const isWhole =
    end >= 0 && new DataView(sealed.buffer, sealed.byteOffset).getUint32(end, true) === crc32(bytes);
  return isWhole ? bytes : undefined;
}

/** Copies bytes, with room for a checksum at the end. */
export function sealed(bytes: Uint8Array): Bytes {
  const part = new Uint8Array(bytes.byteLength + CHECKSUM_BYTES);
  part.set(bytes);
  return part;
}
