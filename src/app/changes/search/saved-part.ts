import { crc32 } from 'node:zlib';
import type { SavedState } from './saved-state.ts';

export type Bytes = Uint8Array<ArrayBuffer>;

/** Room that a part's checksum takes: a CRC-32. */
export const SEAL_BYTES = 4;

/** Puts the checksum of a part into its last `SEAL_BYTES`, which are room for it. */
export function seal(part: Bytes): Bytes {
  const end = part.byteLength - SEAL_BYTES;
  new DataView(part.buffer, part.byteOffset).setUint32(end, crc32(part.subarray(0, end)), true);
  return part;
}

/** A part of a saved state, without its checksum. @throws RangeError when it is not what was kept */
export async function savedPart(state: SavedState, name: string): Promise<Bytes> {
  const sealed = await state.part(name);
  const end = sealed.byteLength - SEAL_BYTES;
  const bytes = sealed.subarray(0, Math.max(0, end));
  if (end < 0 || new DataView(sealed.buffer, sealed.byteOffset).getUint32(end, true) !== crc32(bytes))
    throw new RangeError(`the saved state is damaged: ${name} fails its checksum`);
  return bytes;
}
