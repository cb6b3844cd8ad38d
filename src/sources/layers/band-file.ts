import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Grid } from '../../geo/grid.ts';
import type { BlockSamples } from '../../formats/tiff/block.ts';
import { BLOCK_ARRAYS } from '../../formats/tiff/block.ts';
import { KIND_BYTES } from '../../formats/tiff/image.ts';
import type { SampleKind } from '../../formats/tiff/image.ts';

/**
 * First bytes of a band file, the format from which layers are served. The file is a header, then
 * uncompressed row-major tiles of 256 x 256 samples in the layer's own type, then one CRC-32 for each tile, and one
 * CRC-32 for the header and the other checksums. Edge tiles have full size. Sampling a point needs one read of at most
 * 512 kB, and no decompression.
 */
const MAGIC = Buffer.from('GWLAYER2', 'latin1');
/** Width and height of a tile [pixels]. */
export const TILE_EDGE = 256;
/** Size of the header [bytes]: one memory page, so that the tiles start on a page boundary. */
const HEADER_BYTES = 4096;

/** Header of a served band. */
export interface BandHeader {
  readonly grid: Grid;
  readonly kind: SampleKind;
  /** Raw nodata value. NaN is written as null, because NaN samples are always nodata. */
  readonly nodata: number | null;
  /** Identifies the file that the band was made from. */
  readonly origin: string;
}

/** Number of tiles in a row of a band. @param width [pixels] */
export function tilesAcross(width: number): number {
  return Math.ceil(width / TILE_EDGE);
}

/** Size of a tile [bytes]. */
export function tileBytes(kind: SampleKind): number {
  return TILE_EDGE * TILE_EDGE * KIND_BYTES[kind];
}

/** Position of a tile in the file [bytes]. */
export function tilePosition(kind: SampleKind, tile: number): number {
  return HEADER_BYTES + tile * tileBytes(kind);
}

/** Number of tiles in a band. */
export function tileCount({ width, height }: Grid): number {
  return tilesAcross(width) * Math.ceil(height / TILE_EDGE);
}

/** Size of a served band [bytes]. */
export function bandBytes(kind: SampleKind, grid: Grid): number {
  return tilePosition(kind, tileCount(grid)) + checksumBytes(grid);
}

function checksumBytes(grid: Grid): number {
  return 4 * (tileCount(grid) + 1);
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

/** The bytes after the tiles: the CRC-32 of each tile, then the CRC-32 of the header and these checksums together. */
export function encodeChecksums(header: Buffer, tiles: Uint32Array): Buffer {
  const bytes = Buffer.alloc(4 * (tiles.length + 1));
  for (const [i, sum] of tiles.entries()) bytes.writeUInt32LE(sum, 4 * i);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4), crc32(header)), bytes.length - 4);
  return bytes;
}

/** Error: the bytes of a served band have changed since it was written. */
export class DamagedBand extends Error {
  override readonly name = 'DamagedBand';
}

/** An open band whose tiles can be read, from a `BandFile` or from another kind of file. */
export type ServedBand = Pick<BandFile, 'header' | 'tileCount' | 'readTile' | 'close'>;

/** An open band file, the format from which layers are served. The checksum of a tile is verified when it is read. */
export class BandFile {
  readonly header: BandHeader;
  readonly #path: string;
  readonly #fd: number;
  readonly #sums: Uint32Array;
  #open = true;

  private constructor(path: string, fd: number, header: BandHeader, sums: Uint32Array) {
    this.#path = path;
    this.#fd = fd;
    this.header = header;
    this.#sums = sums;
  }

  /**
   * Opens a served band; null when the file does not exist.
   * @throws DamagedBand when it is truncated, its header or checksums have changed, or another version wrote it
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
      const { header, sums } = readHead(path, fd);
      return new BandFile(path, fd, header, sums);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** Reads one tile from the disk or the page cache. @throws DamagedBand when its checksum does not match */
  readTile(tile: number): BlockSamples {
    // After close, the file descriptor may already belong to another file.
    if (!this.#open) throw new RangeError('the layer was closed');
    const { kind } = this.header;
    const bytes = new Uint8Array(tileBytes(kind));
    const got = readSync(this.#fd, bytes, 0, bytes.byteLength, tilePosition(kind, tile));
    if (got !== bytes.byteLength || crc32(bytes) !== this.#sums[tile]) {
      throw new DamagedBand(`${this.#path}: tile ${tile + 1} of ${this.#sums.length} is damaged`);
    }
    return new BLOCK_ARRAYS[kind](bytes.buffer);
  }

  /** Number of tiles in the file. */
  get tileCount(): number {
    return this.#sums.length;
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }
}

function readHead(
  path: string,
  fd: number,
): { readonly header: BandHeader; readonly sums: Uint32Array<ArrayBuffer> } {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const got = readSync(fd, bytes, 0, HEADER_BYTES, 0);
  const length = bytes.readUInt32LE(8);
  if (got < HEADER_BYTES || !MAGIC.equals(bytes.subarray(0, 8)) || length > HEADER_BYTES - 12) {
    throw new DamagedBand(`${path} does not begin as a served layer of this version does`);
  }
  let header: BandHeader;
  try {
    header = JSON.parse(bytes.toString('utf8', 12, 12 + length)) as BandHeader;
  } catch (error) {
    throw new DamagedBand(`${path}: the header is damaged`, { cause: error });
  }
  const { size } = fstatSync(fd);
  const wanted = bandBytes(header.kind, header.grid);
  if (size !== wanted) throw new DamagedBand(`${path} has ${size} bytes; its header says ${wanted}`);
  const tail = Buffer.alloc(checksumBytes(header.grid));
  readSync(fd, tail, 0, tail.length, size - tail.length);
  const sums = Uint32Array.from({ length: tail.length / 4 - 1 }, (_, i) => tail.readUInt32LE(4 * i));
  if (!encodeChecksums(bytes, sums).equals(tail)) {
    throw new DamagedBand(`${path}: the header or the checksums are damaged`);
  }
  return { header, sums };
}
