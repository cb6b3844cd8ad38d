import { gunzipSync } from 'node:zlib';

/** The parts of an archive of map tiles that are needed to find a tile. */
export interface TileArchive {
  readonly bytes: Buffer;
  /** Numbers of tiles, ascending. */
  readonly numbers: Float64Array;
  /** How many tiles from the number on share the bytes. */
  readonly runs: Float64Array;
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
}

/** Codes of the format: compressions, and what tiles are. */
export const NONE = 1;
export const GZIP = 2;
export const BROTLI = 3;
export const VECTOR = 1;
export const PNG = 2;

/**
 * Reads an archive of tiles in the format PMTiles 3 with one directory: vector tiles that are compressed with Brotli, or
 * PNG.
 * @throws RangeError when the bytes are something else
 * @see https://github.com/protomaps/PMTiles/blob/main/spec/v3/spec.md
 */
export function readTileArchive(bytes: Buffer, kind: 'vector' | 'png' = 'vector'): TileArchive {
  const [compression, type] = kind === 'vector' ? [BROTLI, VECTOR] : [NONE, PNG];
  if (bytes.toString('latin1', 0, 7) !== 'PMTiles' || bytes[7] !== 3)
    throw new RangeError('not an archive of PMTiles 3');
  const count = (i: number): number => Number(bytes.readBigUInt64LE(8 + 8 * i));
  if (count(5) !== 0 || bytes[97] !== GZIP || bytes[98] !== compression || bytes[99] !== type)
    throw new RangeError(`not an archive of one directory of ${kind} tiles`);
  const directory = gunzipSync(bytes.subarray(count(0), count(0) + count(1)));
  let at = 0;
  const read = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = directory[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  };
  const entries = read();
  const column = (): Float64Array => Float64Array.from({ length: entries }, read);
  const numbers = column();
  for (let i = 1; i < entries; i++) numbers[i]! += numbers[i - 1]!;
  const [runs, lengths, offsets] = [column(), column(), column()];
  for (let i = 0; i < entries; i++)
    offsets[i] = offsets[i] === 0 ? offsets[i - 1]! + lengths[i - 1]! : offsets[i]! - 1 + count(6);
  return { bytes, numbers, runs, lengths, offsets };
}

/** Returns the bytes of a tile, compressed with Brotli; undefined when the archive does not have it. */
export function findTile(
  archive: TileArchive,
  tile: { readonly z: number; readonly x: number; readonly y: number },
): Buffer | undefined {
  const number = tileNumber(tile);
  const { numbers, runs, offsets, lengths, bytes } = archive;
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! <= number) low = middle + 1;
    else high = middle;
  }
  const found = low - 1;
  if (found < 0 || number >= numbers[found]! + runs[found]!) return undefined;
  return bytes.subarray(offsets[found], offsets[found]! + lengths[found]!);
}

/** Number of a tile: all tiles of lower zooms come first, those of one zoom in the order of a Hilbert curve. */
export function tileNumber({
  z,
  x,
  y,
}: {
  readonly z: number;
  readonly x: number;
  readonly y: number;
}): number {
  let number = (4 ** z - 1) / 3;
  let [column, row] = [x, y];
  for (let side = 2 ** (z - 1); side >= 1; side /= 2) {
    const right = (column & side) === 0 ? 0 : 1;
    const below = (row & side) === 0 ? 0 : 1;
    number += side * side * ((3 * right) ^ below);
    if (below === 0) {
      if (right === 1) [column, row] = [side - 1 - column, side - 1 - row];
      [column, row] = [row, column];
    }
  }
  return number;
}
