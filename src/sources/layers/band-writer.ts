import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, statfs } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { syncFolder } from '../../base/durable-file.ts';
import {
  bandBytes,
  encodeBandHeader,
  encodeChecksums,
  TILE_EDGE,
  tileBytes,
  tileCount,
  tilePosition,
  tilesAcross,
} from './band-file.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { BandHeader } from './band-file.ts';
import { BLOCK_ARRAYS } from '../../formats/tiff/block.ts';
import type { BlockSamples } from '../../formats/tiff/block.ts';

/** Free disk space that must remain after writing [bytes]: 64 MiB. */
const DISK_RESERVE_BYTES = 64 * 1024 * 1024;

async function checkRoom(path: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path));
  const free = bavail * bsize;
  if (needed + DISK_RESERVE_BYTES > free) {
    throw new InvalidInput(
      `the layer needs ${(needed / 1e9).toFixed(1)} GB of disk; the data folder has ${(free / 1e9).toFixed(1)} GB free`,
    );
  }
}

/** Fills the tiles of one tile row. The tiles are stored one after another, each in row-major order. */
export type FillTiles = (tiles: BlockSamples, tileRow: number) => Promise<void> | void;

/**
 * Writes a served band, one row of tiles at a time. The file appears only when it is complete and durable.
 * @param empty raw value of samples beyond the grid's edge
 * @param fill called with the tiles of each tile row, in which all samples are set to `empty`
 * @throws InvalidInput when the disk has too little space
 */
export async function writeBand(
  path: string,
  header: BandHeader,
  empty: number,
  fill: FillTiles,
): Promise<void> {
  const { grid, kind } = header;
  const temporary = `${path}.${randomUUID()}.tmp`; // random, because two containers may have the same process id
  await mkdir(dirname(path), { recursive: true });
  await checkRoom(path, bandBytes(kind, grid));
  try {
    const target = await open(temporary, 'w');
    try {
      const head = encodeBandHeader(header);
      await writeAll(target, head, 0);
      const across = tilesAcross(grid.width);
      const tiles = new BLOCK_ARRAYS[kind](across * TILE_EDGE * TILE_EDGE);
      const bytes = new Uint8Array(tiles.buffer);
      const sums = new Uint32Array(tileCount(grid));
      const size = tileBytes(kind);
      const zeros = new Uint8Array(size);
      for (let first = 0; first < sums.length; first += across) {
        tiles.fill(empty);
        await fill(tiles, first / across);
        for (let k = 0; k < across; k++) sums[first + k] = crc32(bytes.subarray(k * size, (k + 1) * size));
        for (let k = 0; k < across; k++) {
          const tile = bytes.subarray(k * size, (k + 1) * size);
          // A tile of zeros is left out: the file has a hole there, which reads as zeros and takes no disk.
          if (Buffer.compare(tile, zeros) !== 0) await writeAll(target, tile, tilePosition(kind, first + k));
        }
      }
      await writeAll(target, encodeChecksums(head, sums), tilePosition(kind, sums.length));
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

async function writeAll(target: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  let done = 0;
  while (done < bytes.byteLength) {
    done += (await target.write(bytes, done, bytes.byteLength - done, at + done)).bytesWritten;
  }
}
