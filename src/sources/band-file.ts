import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { Grid } from '../geo/grid.ts';
import type { BlockSamples } from './tiff-block.ts';
import { BLOCK_ARRAYS } from './tiff-block.ts';
import { KIND_BYTES } from './tiff-image.ts';
import type { SampleKind } from './tiff-image.ts';

/**
 * The form in which a layer is served: a header, then uncompressed tiles of 256 x 256 samples in the layer's own type,
 * row-major, edge tiles in full size; so that one read of at most 512 kB answers a point, and nothing is inflated.
 */
const MAGIC = Buffer.from('GWLAYER1', 'latin1');
/** Edge of a tile [pixels]. */
export const TILE_EDGE = 256;
/** Room of the header; tiles begin at a page [bytes]. */
const HEADER_BYTES = 4096;

/** What a served band's header says. */
export interface BandHeader {
  readonly grid: Grid;
  readonly kind: SampleKind;
  /** Raw value that means nothing is known there; `NaN` is written as null, since NaN samples always are. */
  readonly nodata: number | null;
  /** Which file, and which band of it, this was made from: when it changes, the band is made again. */
  readonly origin: string;
}

/** Tiles beside each other in a band of that width [pixels]. */
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

/** @throws RangeError when the definition of the reference system is too long to fit */
export function encodeBandHeader(header: BandHeader): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  if (json.length > HEADER_BYTES - 12) throw new RangeError('the header of a layer is too long');
  const bytes = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(bytes);
  bytes.writeUInt32LE(json.length, 8);
  json.copy(bytes, 12);
  return bytes;
}

/** One served band, open. */
export class BandFile {
  readonly header: BandHeader;
  readonly #fd: number;
  #open = true;

  private constructor(fd: number, header: BandHeader) {
    this.#fd = fd;
    this.header = header;
  }

  /** Opens a served band; null when it is missing, cut, or not one that this version wrote, so that it is made again. */
  static open(path: string): BandFile | null {
    let fd: number;
    try {
      fd = openSync(path, 'r');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    const header = readHeader(fd);
    if (header !== null) return new BandFile(fd, header);
    closeSync(fd);
    return null;
  }

  /** Reads one tile from the disk or the page cache. */
  readTile(tile: number): BlockSamples {
    // The number of a closed file may already be another file's.
    if (!this.#open) throw new RangeError('the layer was closed');
    const { kind } = this.header;
    const bytes = new Uint8Array(tileBytes(kind));
    const got = readSync(this.#fd, bytes, 0, bytes.byteLength, tilePosition(kind, tile));
    if (got !== bytes.byteLength) throw new RangeError(`tile ${tile} of a layer ends after ${got} bytes`);
    return new BLOCK_ARRAYS[kind](bytes.buffer);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }
}

function readHeader(fd: number): BandHeader | null {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const got = readSync(fd, bytes, 0, HEADER_BYTES, 0);
  const length = bytes.readUInt32LE(8);
  if (got < HEADER_BYTES || !MAGIC.equals(bytes.subarray(0, 8)) || length > HEADER_BYTES - 12) return null;
  try {
    const header = JSON.parse(bytes.toString('utf8', 12, 12 + length)) as BandHeader;
    const tiles = tilesAcross(header.grid.width) * Math.ceil(header.grid.height / TILE_EDGE);
    return fstatSync(fd).size === tilePosition(header.kind, tiles) ? header : null;
  } catch {
    return null;
  }
}
