import { gzipSync } from 'node:zlib';
import { BROTLI, GZIP, NONE, PNG, tileNumber, VECTOR } from '../../../src/http/console/tile-archive.ts';
import type { CutTile } from './tiles.ts';

const HEADER_BYTES = 127;
/** The root directory lies within the first 16 kB of an archive. */
const ROOT_BYTES = 16_384 - HEADER_BYTES;

/**
 * Writes an archive of tiles in the format PMTiles 3; tiles of the same bytes are stored once.
 * @param tiles their bytes: vector tiles compressed with Brotli, or PNG @throws RangeError when there are too many tiles for a single directory
 * @see https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md
 */
export function writePmtiles(
  tiles: readonly CutTile[],
  metadata: object,
  kind: 'vector' | 'png' = 'vector',
): Buffer {
  const ordered = tiles
    .map((tile) => ({ number: tileNumber(tile), ...tile }))
    .toSorted((a, b) => a.number - b.number);
  const places = new Map<string, { readonly offset: number; readonly length: number }>();
  const data: Uint8Array[] = [];
  let end = 0;
  const entries: { number: number; run: number; offset: number; length: number }[] = [];
  for (const { number, bytes } of ordered) {
    const key = Buffer.from(bytes).toString('base64');
    let place = places.get(key);
    if (place === undefined) {
      place = { offset: end, length: bytes.length };
      places.set(key, place);
      data.push(bytes);
      end += bytes.length;
    }
    const last = entries.at(-1);
    if (last !== undefined && last.number + last.run === number && last.offset === place.offset) last.run++;
    else entries.push({ number, run: 1, ...place });
  }
  const directory = gzipSync(directoryBytes(entries), { level: 9 });
  if (directory.length > ROOT_BYTES) throw new RangeError(`the directory has ${directory.length} bytes`);
  const described = gzipSync(JSON.stringify(metadata), { level: 9 });
  const maxZoom = Math.max(...tiles.map(({ z }) => z));
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('PMTiles', 'latin1');
  header.writeUInt8(3, 7);
  const start = HEADER_BYTES + directory.length;
  const body = start + described.length;
  const counts = [HEADER_BYTES, directory.length, start, described.length, body, 0, body, end];
  for (const [i, value] of [...counts, tiles.length, entries.length, data.length].entries())
    header.writeBigUInt64LE(BigInt(value), 8 + 8 * i);
  // Clustered, gzip within, compression of the tiles, what they are, lowest and highest zoom.
  const [compression, type] = kind === 'vector' ? [BROTLI, VECTOR] : [NONE, PNG];
  header.set([1, GZIP, compression, type, 0, maxZoom], 96);
  for (const [i, degrees] of [-180, -85, 180, 85].entries()) header.writeInt32LE(degrees * 1e7, 102 + 4 * i);
  return Buffer.concat([header, directory, described, ...data]);
}

function directoryBytes(
  entries: readonly { number: number; run: number; offset: number; length: number }[],
): Buffer {
  const bytes: number[] = [];
  const write = (value: number): void => {
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
    bytes.push(rest);
  };
  write(entries.length);
  for (const [i, { number }] of entries.entries()) write(number - (entries[i - 1]?.number ?? 0));
  for (const { run } of entries) write(run);
  for (const { length } of entries) write(length);
  for (const [i, { offset }] of entries.entries()) {
    const before = entries[i - 1];
    write(before !== undefined && before.offset + before.length === offset ? 0 : offset + 1);
  }
  return Buffer.from(bytes);
}
