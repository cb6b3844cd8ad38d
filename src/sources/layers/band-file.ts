import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Grid } from '../../geo/grid.ts';
import type { BlockSamples } from '../../formats/tiff/block.ts';
import { BLOCK_ARRAYS } from '../../formats/tiff/block.ts';
import { KIND_BYTES } from '../../formats/tiff/image.ts';
import type { SampleKind } from '../../formats/tiff/image.ts';

/**
 * First bytes of a band file, the format from which layers are served. The file is a header, then uncompressed
 * row-major tiles of samples in the layer's own type, then the index: for each tile of the grid its position among the
 * stored tiles, one CRC-32 for each stored tile, and one CRC-32 for the header and the index. Tiles of a single value
 * are stored once for each value. Edge tiles have full size. Sampling a point needs one read, usually of 8 kB, and no
 * decompression.
 */
const MAGIC = Buffer.from('GWLAYER3', 'latin1');
/** First bytes of the files of version 1.3 and before: their tiles are all stored, in order, and the index has no positions. */
const EARLIER_MAGIC = Buffer.from('GWLAYER2', 'latin1');
const EARLIER_TILE_EDGE = 256;
/** Width and height of a tile [pixels]: small, because a point needs four samples of it. */
const TILE_EDGE = 64;
/** Width and height of a tile [pixels] of a grid that has more than `MAX_TILES` of the small ones. */
const LARGE_TILE_EDGE = 256;
/** Maximum number of small tiles: the index of a band takes at most 4 MB of memory. */
const MAX_TILES = 2 ** 18;
/** Size of the header [bytes]: one memory page, so that the tiles start on a page boundary. */
const HEADER_BYTES = 4096;

/** Header of a served band. */
export interface BandHeader {
  readonly grid: Grid;
  /** Width and height of a tile [pixels]: a power of 2. */
  readonly tileEdge: number;
  readonly kind: SampleKind;
  /** Raw nodata value. NaN is written as null, because NaN samples are always nodata. */
  readonly nodata: number | null;
  /** Identifies the file that the band was made from. */
  readonly origin: string;
}

/** Width and height of the tiles of a new band [pixels]. */
export function tileEdgeOf(grid: Grid): number {
  return tileCount(grid, TILE_EDGE) > MAX_TILES ? LARGE_TILE_EDGE : TILE_EDGE;
}

/** Size of a tile [bytes]. */
export function tileBytes(kind: SampleKind, tileEdge: number): number {
  return tileEdge * tileEdge * KIND_BYTES[kind];
}

/** Position of a stored tile in the file [bytes]. */
export function tilePosition({ kind, tileEdge }: BandHeader, slot: number): number {
  return HEADER_BYTES + slot * tileBytes(kind, tileEdge);
}

/** Number of tiles in a band. */
export function tileCount({ width, height }: Grid, tileEdge: number): number {
  return Math.ceil(width / tileEdge) * Math.ceil(height / tileEdge);
}

/** Maximum size of a new band [bytes], if no two of its tiles are equal. */
export function bandBytes(kind: SampleKind, grid: Grid): number {
  const tileEdge = tileEdgeOf(grid);
  const count = tileCount(grid, tileEdge);
  return HEADER_BYTES + count * (tileBytes(kind, tileEdge) + 8) + 4;
}

/** @throws RangeError when the definition of the reference system does not fit */
export function encodeBandHeader(header: BandHeader): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  if (json.length > HEADER_BYTES - 12) throw new RangeError('the header of a layer is too long');
  const bytes = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(json.length, 8);
  json.copy(bytes, 12);
  return bytes;
}

/**
 * The bytes after the tiles.
 * @param slots for each tile of the grid, its position among the stored tiles
 * @param sums CRC-32 of each stored tile
 */
export function encodeIndex(header: Buffer, slots: Uint32Array, sums: readonly number[]): Uint8Array {
  const numbers = new Uint32Array(slots.length + sums.length + 1);
  numbers.set(slots);
  numbers.set(sums, slots.length);
  numbers[numbers.length - 1] = checksumOf(header, numbers);
  return new Uint8Array(numbers.buffer);
}

/** CRC-32 of the header and of all numbers of the index but the last, which is this checksum. */
function checksumOf(header: Buffer, index: Uint32Array): number {
  return crc32(new Uint8Array(index.buffer, 0, index.byteLength - 4), crc32(header));
}

/** Error: the bytes of a served band have changed since it was written. */
export class DamagedBand extends Error {
  override readonly name = 'DamagedBand';
}

/** An open band whose tiles can be read, from a `BandFile` or from another kind of file. */
export type ServedBand = Pick<BandFile, 'header' | 'slots' | 'readTile' | 'close'>;

/** An open band file, the format from which layers are served. The checksum of a tile is verified when it is read. */
export class BandFile {
  readonly header: BandHeader;
  /** For each tile of the grid, its position among the stored tiles. Tiles with the same position are equal. */
  readonly slots: Uint32Array;
  readonly #path: string;
  readonly #fd: number;
  readonly #sums: Uint32Array;
  #open = true;

  private constructor(path: string, fd: number, { header, slots, sums }: Head) {
    this.#path = path;
    this.#fd = fd;
    this.header = header;
    this.slots = slots;
    this.#sums = sums;
  }

  /**
   * Opens a served band; null when the file does not exist.
   * @throws DamagedBand when it is truncated, its header or index has changed, or another version wrote it
   */
  static open(path: string): BandFile | null {
    let fd: number;
    try {
      fd = openSync(path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    try {
      return new BandFile(path, fd, readHead(path, fd));
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** Reads one tile from the disk or the page cache. @throws DamagedBand when its checksum does not match */
  readTile(tile: number): BlockSamples {
    // After close, the file descriptor may already belong to another file.
    if (!this.#open) throw new RangeError('the layer was closed');
    const { kind, tileEdge } = this.header;
    const slot = this.slots[tile]!;
    const bytes = new Uint8Array(tileBytes(kind, tileEdge));
    const got = readSync(this.#fd, bytes, 0, bytes.byteLength, tilePosition(this.header, slot));
    if (got !== bytes.byteLength || crc32(bytes) !== this.#sums[slot]) {
      throw new DamagedBand(`${this.#path}: tile ${tile + 1} of ${this.slots.length} is damaged`);
    }
    return new BLOCK_ARRAYS[kind](bytes.buffer);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }
}

/** Header and index of a band file. */
interface Head {
  readonly header: BandHeader;
  readonly slots: Uint32Array;
  readonly sums: Uint32Array;
}

function readHead(path: string, fd: number): Head {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const got = readSync(fd, bytes, 0, HEADER_BYTES, 0);
  const length = bytes.readUInt32LE(8);
  const isEarlier = EARLIER_MAGIC.equals(bytes.subarray(0, 8));
  if (
    got < HEADER_BYTES ||
    !(isEarlier || MAGIC.equals(bytes.subarray(0, 8))) ||
    length > HEADER_BYTES - 12
  ) {
    throw new DamagedBand(`${path} does not begin as a served layer of this version does`);
  }
  let header: BandHeader;
  try {
    const stored = JSON.parse(bytes.toString('utf8', 12, 12 + length)) as BandHeader;
    header = isEarlier ? { ...stored, tileEdge: EARLIER_TILE_EDGE } : stored;
  } catch (error) {
    throw new DamagedBand(`${path}: the header is damaged`, { cause: error });
  }
  const { size } = fstatSync(fd);
  const count = tileCount(header.grid, header.tileEdge);
  const positions = isEarlier ? 0 : count;
  // Every stored tile takes its own bytes and those of its checksum.
  const stored = (size - HEADER_BYTES - 4 * (positions + 1)) / (tileBytes(header.kind, header.tileEdge) + 4);
  if (!Number.isInteger(stored) || (isEarlier ? stored !== count : stored < 1 || stored > count)) {
    throw new DamagedBand(`${path} has ${size} bytes, which do not fit the ${count} tiles of its header`);
  }
  const index = new Uint32Array(positions + stored + 1);
  readSync(fd, index, 0, index.byteLength, size - index.byteLength);
  if (index.at(-1) !== checksumOf(bytes, index)) {
    throw new DamagedBand(`${path}: the header or the index is damaged`);
  }
  const [slots, sums] = [index.subarray(0, positions), index.subarray(positions, -1)];
  return { header, slots: isEarlier ? allSlots(count) : slots, sums };
}

/** Positions of tiles that are all stored, in order. */
export function allSlots(count: number): Uint32Array {
  return new Uint32Array(count).map((_, tile) => tile);
}
