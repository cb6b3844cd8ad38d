import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, statfs } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolder } from '../../base/durable-file.ts';
import { mappedRoom } from '../../base/mapped-room.ts';
import {
  bandBytes,
  encodeBandHeader,
  encodeIndex,
  tileBytes,
  tileCount,
  tileEdgeOf,
  tilePosition,
} from './band-file.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { BandHeader } from './band-file.ts';
import { BLOCK_ARRAYS } from '../../formats/tiff/block.ts';
import type { BlockSamples } from '../../formats/tiff/block.ts';
import { KIND_BYTES } from '../../formats/tiff/image.ts';

/** Free disk space that must remain after writing [bytes]: 64 MiB. */
const DISK_RESERVE_BYTES = 64 * 1024 * 1024;

/** Free disk space that a folder has for layers [bytes]. */
export async function roomIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize - DISK_RESERVE_BYTES;
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1e6);

async function checkRoom(path: string, needed: number): Promise<void> {
  const room = await roomIn(dirname(path));
  if (needed > room) {
    const [wanted, free] = [needed, room].map((bytes) => bytes + DISK_RESERVE_BYTES).map(megabytes);
    throw new InvalidInput(
      `the layer ${basename(path)} needs ${wanted} MB of free disk, of which ${megabytes(DISK_RESERVE_BYTES)} stay free; ${dirname(path)} has ${free} MB`,
    );
  }
}

/** Width and height of the squares in which a band is given to the writer [pixels]: a multiple of every tile's. */
export const SQUARE_EDGE = 256;

/** Fills the squares of one row of squares. The squares are stored one after another, each in row-major order. */
export type FillSquares = (squares: BlockSamples, squareRow: number) => Promise<void> | void;

/**
 * Writes a served band, one row of squares at a time. The file appears only when it is complete and durable.
 * @param empty raw value of samples beyond the grid's edge
 * @param fill called with each row of squares of `SQUARE_EDGE` x `SQUARE_EDGE` samples, all set to `empty`
 * @throws InvalidInput when the disk has too little space
 */
export async function writeBand(
  path: string,
  described: Omit<BandHeader, 'tileEdge'>,
  empty: number,
  fill: FillSquares,
): Promise<void> {
  const { grid, kind } = described;
  const header = { ...described, tileEdge: tileEdgeOf(grid) };
  const temporary = `${path}.${randomUUID()}.tmp`; // random, because two containers may have the same process id
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await checkRoom(path, bandBytes(kind, grid));
  try {
    const target = await open(temporary, 'w');
    try {
      const head = encodeBandHeader(header);
      await writeAll(target, head, 0);
      const samples = Math.ceil(grid.width / SQUARE_EDGE) * SQUARE_EDGE * SQUARE_EDGE;
      const squares = new BLOCK_ARRAYS[kind](mappedRoom(samples * KIND_BYTES[kind]), 0, samples);
      const tiles = new StoredTiles(header);
      for (let squareRow = 0; squareRow * SQUARE_EDGE < grid.height; squareRow++) {
        squares.fill(empty);
        await fill(squares, squareRow);
        const first = tiles.sums.length;
        await writeAll(target, tiles.take(squares), tilePosition(header, first));
      }
      const index = encodeIndex(head, tiles.slots, tiles.sums);
      await writeAll(target, index, tilePosition(header, tiles.sums.length));
      squares.buffer.transfer(0); // one row of squares of a layer of the whole earth has some megabytes
      tiles.free();
      await target.sync();
    } finally {
      await target.close();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Cuts squares into tiles, and gives each tile its position among the stored tiles. */
class StoredTiles {
  readonly slots: Uint32Array;
  /** CRC-32 of each stored tile. */
  readonly sums: number[] = [];
  readonly #header: BandHeader;
  /** Positions of the tiles of a single value, by the bytes of that value. */
  readonly #constant = new Map<string, number>();
  /** Tiles of the current row of squares that have to be stored. */
  #words: Int32Array<ArrayBuffer> = new Int32Array(0);
  #rows = 0;

  constructor(header: BandHeader) {
    this.#header = header;
    this.slots = new Uint32Array(tileCount(header.grid, header.tileEdge));
  }

  /**
   * Takes the next row of squares.
   * @returns the bytes of those of its tiles that were not stored before; they are valid until the next call
   */
  take(squares: BlockSamples): Uint8Array {
    const { grid, tileEdge, kind } = this.#header;
    const across = Math.ceil(grid.width / tileEdge);
    const size = tileBytes(kind, tileEdge);
    const from = new Int32Array(squares.buffer, squares.byteOffset, squares.byteLength / 4);
    if (this.#words.length < from.length)
      this.#words = new Int32Array(mappedRoom(from.byteLength), 0, from.length);
    const words = this.#words;
    const bytes = new Uint8Array(words.buffer);
    const rowWords = (SQUARE_EDGE * KIND_BYTES[kind]) / 4;
    let length = 0;
    for (let y = 0; y < SQUARE_EDGE && this.#rows * tileEdge < grid.height; y += tileEdge, this.#rows++) {
      for (let col = 0; col < across; col++) {
        const x = (col * tileEdge) % SQUARE_EDGE;
        const square = (col * tileEdge - x) * rowWords;
        const start = square + y * rowWords + (x / SQUARE_EDGE) * rowWords;
        copyTile(from, start, rowWords, words, length / 4, tileEdge);
        const tile = bytes.subarray(length, length + size);
        const slot = this.#slotOf(tile, KIND_BYTES[kind]);
        if (slot === this.sums.length) {
          this.sums.push(crc32(tile));
          length += size;
        }
        this.slots[this.#rows * across + col] = slot;
      }
    }
    return bytes.subarray(0, length);
  }

  /** Frees the memory of the bytes that `take` returned. */
  free(): void {
    this.#words.buffer.transfer(0);
  }

  /** Position of a tile; that after the last stored tile if it has to be stored. */
  #slotOf(tile: Uint8Array, sampleBytes: number): number {
    const isConstant = Buffer.compare(tile.subarray(sampleBytes), tile.subarray(0, -sampleBytes)) === 0;
    if (!isConstant) return this.sums.length;
    const value = tile.subarray(0, sampleBytes).join();
    const known = this.#constant.get(value);
    if (known === undefined) this.#constant.set(value, this.sums.length);
    return known ?? this.sums.length;
  }
}

/** Copies a tile out of its square. Words are of 4 bytes; a loop over them is faster than a call per row. */
function copyTile(
  square: Int32Array,
  start: number,
  rowWords: number,
  into: Int32Array,
  at: number,
  tileEdge: number,
): void {
  const words = (rowWords / SQUARE_EDGE) * tileEdge;
  for (let row = 0; row < tileEdge; row++)
    for (let i = 0; i < words; i++) into[at + row * words + i] = square[start + row * rowWords + i]!;
}

async function writeAll(target: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  let done = 0;
  while (done < bytes.byteLength) {
    done += (await target.write(bytes, done, bytes.byteLength - done, at + done)).bytesWritten;
  }
}
