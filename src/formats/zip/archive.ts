import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32, createInflateRaw, inflateRaw } from 'node:zlib';
import { InvalidInput } from '../../base/errors.ts';
import { filePart, memoryFile, readBytes } from '../memory-file.ts';
import type { RandomAccess } from '../random-access.ts';

const inflate = promisify(inflateRaw);

const END_BYTES = 22; // size of the record at the end, without its comment
const MOST_COMMENT = 65_535; // maximum length of that comment [bytes]
const MOST_DIRECTORY = 1 << 26; // maximum size of the list of entries [bytes]
const MOST_ENTRIES = 100_000; // maximum number of entries; a Sentinel-2 product has a hundred
const PIECE_BYTES = 1 << 20; // read at once of a packed file
const STORED = 0;
const DEFLATED = 8;
const IN_ZIP64 = 0xffff_ffff; // value of a size or offset that stands in the 64-bit fields
const ENCRYPTED = 1; // bit of the flags

/** One file in an archive. */
export interface ZipEntry {
  /** Name with its folders, as it stands in the archive. */
  readonly name: string;
  readonly method: number;
  readonly isEncrypted: boolean;
  /** Size in the archive [bytes]. */
  readonly packedBytes: number;
  /** Size after unpacking [bytes], as the archive states it. */
  readonly sizeBytes: number;
  readonly offset: number;
  /** CRC-32 of the unpacked content, as the archive states it. */
  readonly crc: number;
}

/**
 * Reads the list of the files in a ZIP archive, with the extension for 64 bits.
 * @param name name of the archive, for messages
 * @throws InvalidInput when it is not an archive, is cut short, or has too many entries
 * @see https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
 */
export async function zipEntries(file: RandomAccess, name: string): Promise<readonly ZipEntry[]> {
  const { size } = await file.stat();
  const { at, bytes, count } = await directoryPlace(file, size, name);
  if (count > MOST_ENTRIES || bytes > MOST_DIRECTORY)
    throw new InvalidInput(`${name} has ${count} entries; expected at most ${MOST_ENTRIES}`);
  const directory = await readBytes(file, at, bytes);
  if (directory.length < bytes || at + bytes > size) throw damaged(name, 'its list of files ends early');
  const entries: ZipEntry[] = [];
  for (let i = 0, p = 0; i < count; i++) {
    if (p + 46 > directory.length || directory.readUInt32LE(p) !== 0x0201_4b50)
      throw damaged(name, `entry ${i + 1} of its list cannot be read`);
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((o) => directory.readUInt16LE(p + o)) as [
      number,
      number,
      number,
    ];
    const end = p + 46 + nameBytes + extraBytes + commentBytes;
    if (end > directory.length) throw damaged(name, `entry ${i + 1} of its list cannot be read`);
    const entry = {
      name: directory.toString('utf8', p + 46, p + 46 + nameBytes),
      method: directory.readUInt16LE(p + 10),
      isEncrypted: (directory.readUInt16LE(p + 8) & ENCRYPTED) !== 0,
      crc: directory.readUInt32LE(p + 16),
      packedBytes: directory.readUInt32LE(p + 20),
      sizeBytes: directory.readUInt32LE(p + 24),
      offset: directory.readUInt32LE(p + 42),
    };
    const extra = directory.subarray(p + 46 + nameBytes, p + 46 + nameBytes + extraBytes);
    entries.push({ ...entry, ...wide(entry, extra) });
    p = end;
  }
  return entries;
}

/**
 * Opens one file of an archive. A stored file is read in place; a packed one is unpacked whole.
 * @param most maximum size of a packed file after unpacking [bytes]
 * @throws InvalidInput when it is packed in an unknown way, is larger, or its size is not as stated
 */
export async function openZipEntry(
  file: RandomAccess,
  archive: string,
  entry: ZipEntry,
  most: number,
): Promise<RandomAccess> {
  const packedPart = await contentOf(file, archive, entry);
  if (entry.method === STORED) return packedPart;
  if (entry.sizeBytes > most)
    throw new InvalidInput(
      `${archive}/${entry.name} has ${entry.sizeBytes} bytes after unpacking; expected at most ${most}: unpack the archive first`,
    );
  const packed = await readBytes(packedPart, 0, entry.packedBytes);
  try {
    const bytes = await inflate(packed, { maxOutputLength: Math.max(1, entry.sizeBytes) });
    if (bytes.length === entry.sizeBytes) return memoryFile(bytes);
  } catch (error) {
    throw damaged(archive, `${entry.name} cannot be unpacked: ${(error as Error).message}`, error);
  }
  throw damaged(archive, `${entry.name} has another size than the list says`);
}

/**
 * Reads one file of an archive from its beginning to its end, whatever its size, in the memory of some pieces.
 * @throws InvalidInput when it is packed in an unknown way, or its size or checksum is not as stated
 */
export async function* zipEntryPieces(
  file: RandomAccess,
  archive: string,
  entry: ZipEntry,
): AsyncGenerator<Buffer> {
  const content = await contentOf(file, archive, entry);
  const stored = Readable.from(piecesOf(content, entry.packedBytes));
  const unpacking = entry.method === STORED ? stored : stored.compose(createInflateRaw());
  let [size, crc] = [0, 0];
  try {
    for await (const piece of unpacking as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > entry.sizeBytes) break;
      crc = crc32(piece, crc);
      yield piece;
    }
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    throw damaged(archive, `${entry.name} cannot be unpacked: ${(error as Error).message}`, error);
  }
  if (size !== entry.sizeBytes) throw damaged(archive, `${entry.name} has another size than the list says`);
  if (crc !== entry.crc) throw damaged(archive, `${entry.name} has another checksum than the list says`);
}

async function* piecesOf(file: RandomAccess, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; at += PIECE_BYTES) {
    const piece = await readBytes(file, at, Math.min(PIECE_BYTES, size - at));
    if (piece.length === 0) return;
    yield piece;
  }
}

/** The content of an entry as it stands in the archive: stored or deflated. @throws InvalidInput */
async function contentOf(file: RandomAccess, archive: string, entry: ZipEntry): Promise<RandomAccess> {
  const title = `${archive}/${entry.name}`;
  if (entry.isEncrypted) throw new InvalidInput(`${title} is encrypted`);
  const head = await readBytes(file, entry.offset, 30);
  if (head.length < 30 || head.readUInt32LE(0) !== 0x0403_4b50)
    throw damaged(archive, `${entry.name} does not begin where the list says`);
  const from = entry.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  const { size } = await file.stat();
  if (from + entry.packedBytes > size) throw damaged(archive, `${entry.name} ends behind it`);
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new InvalidInput(
      `${title} is packed by method ${entry.method}; expected DEFLATE: unpack the archive first`,
    );
  return filePart(file, from, entry.packedBytes);
}

/** Finds the list of entries by the record at the end. */
async function directoryPlace(
  file: RandomAccess,
  size: number,
  name: string,
): Promise<{ readonly at: number; readonly bytes: number; readonly count: number }> {
  const from = Math.max(0, size - END_BYTES - MOST_COMMENT);
  const tail = await readBytes(file, from, size - from);
  let end = tail.length - END_BYTES;
  while (end >= 0 && tail.readUInt32LE(end) !== 0x0605_4b50) end--;
  if (end < 0) throw new InvalidInput(`${name} is no ZIP archive, or it is cut short`);
  const place = {
    count: tail.readUInt16LE(end + 10),
    bytes: tail.readUInt32LE(end + 12),
    at: tail.readUInt32LE(end + 16),
  };
  if (place.at !== IN_ZIP64 && place.bytes !== IN_ZIP64 && place.count !== 0xffff) return place;
  const locator = end - 20;
  if (locator < 0 || tail.readUInt32LE(locator) !== 0x0706_4b50) return place;
  const record = await readBytes(file, whole(tail.readBigUInt64LE(locator + 8)), 56);
  if (record.length < 56 || record.readUInt32LE(0) !== 0x0606_4b50)
    throw damaged(name, 'its record of 64 bits cannot be read');
  const [count, bytes, at] = [32, 40, 48].map((o) => whole(record.readBigUInt64LE(o))) as [
    number,
    number,
    number,
  ];
  return { count, bytes, at };
}

/** Sizes and offset from the 64-bit fields of an entry, which has those that do not fit in 32 bits. */
function wide(
  entry: Pick<ZipEntry, 'packedBytes' | 'sizeBytes' | 'offset'>,
  extra: Buffer,
): Partial<ZipEntry> {
  for (let p = 0; p + 4 <= extra.length;) {
    const [id, length] = [extra.readUInt16LE(p), extra.readUInt16LE(p + 2)];
    p += 4;
    if (id === 1) {
      const found: Record<string, number> = {};
      for (const field of ['sizeBytes', 'packedBytes', 'offset'] as const) {
        if (entry[field] !== IN_ZIP64 || p + 8 > extra.length) continue;
        found[field] = whole(extra.readBigUInt64LE(p));
        p += 8;
      }
      return found;
    }
    p += length;
  }
  return {};
}

const whole = (value: bigint): number => Number(value < 2n ** 53n ? value : 2n ** 53n);

function damaged(name: string, why: string, cause?: unknown): InvalidInput {
  return new InvalidInput(`${name} is damaged: ${why}`, { cause });
}
