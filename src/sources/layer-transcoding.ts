import { mkdir, open, rename, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { InvalidInput } from '../app/errors.ts';
import { encodeBandHeader, TILE_EDGE, tileBytes, tilePosition, tilesAcross } from './band-file.ts';
import type { CatalogueEntry } from './layer-catalogue.ts';
import { BLOCK_ARRAYS, readBlock, storedRows } from './tiff-block.ts';
import type { BlockSamples } from './tiff-block.ts';
import { readTiffFile } from './tiff-directory.ts';
import { readGdalNodata } from './tiff-gdal-tags.ts';
import { readGrid } from './tiff-georeference.ts';
import { describeImage } from './tiff-image.ts';
import type { TiffImage } from './tiff-image.ts';

/** Pixels of a layer: the land of the Earth at 30 m in one file. It is read row of tiles by row of tiles. */
const MAX_LAYER_PIXELS = 2 ** 38;

/** Decoded blocks of the rows that are being written; those above are dropped. */
class BlockRows {
  readonly #file: FileHandle;
  readonly #image: TiffImage;
  readonly #start: number;
  readonly #across: number;
  readonly #rows = new Map<number, readonly (BlockSamples | null)[]>();

  constructor(file: FileHandle, image: TiffImage, band: number) {
    this.#file = file;
    this.#image = image;
    this.#across = Math.ceil(image.width / image.blockWidth);
    const perBand = this.#across * Math.ceil(image.height / image.blockHeight);
    this.#start = image.interleaved ? 0 : band * perBand;
  }

  async at(blockRow: number): Promise<readonly (BlockSamples | null)[]> {
    const known = this.#rows.get(blockRow);
    if (known !== undefined) return known;
    const rows = storedRows(this.#image, blockRow);
    const first = this.#start + blockRow * this.#across;
    // Together, so that the pool of threads inflates several at once.
    const blocks = await Promise.all(
      Array.from({ length: this.#across }, (_, col) => readBlock(this.#file, this.#image, first + col, rows)),
    );
    this.#rows.set(blockRow, blocks);
    return blocks;
  }

  dropAbove(row: number): void {
    for (const blockRow of this.#rows.keys()) {
      if ((blockRow + 1) * this.#image.blockHeight <= row) this.#rows.delete(blockRow);
    }
  }
}

/** Copies one row of one block into the tiles of a tile row. */
function copyRow(
  image: TiffImage,
  block: BlockSamples | null,
  blockCol: number,
  rowInBlock: number,
  band: number,
  empty: number,
  tiles: BlockSamples,
  rowInTile: number,
): void {
  const step = image.interleaved ? image.bandCount : 1;
  const left = blockCol * image.blockWidth;
  const columns = Math.min(image.blockWidth, image.width - left);
  const source = rowInBlock * image.blockWidth * step + (image.interleaved ? band : 0);
  for (let x = left; x < left + columns;) {
    const end = Math.min(left + columns, x - (x % TILE_EDGE) + TILE_EDGE);
    const tile = Math.floor(x / TILE_EDGE);
    const target = (tile * TILE_EDGE + rowInTile) * TILE_EDGE + (x % TILE_EDGE);
    const from = source + (x - left) * step;
    if (block === null) tiles.fill(empty, target, target + end - x);
    else if (step === 1) tiles.set(block.subarray(from, from + end - x), target);
    else for (let i = 0; i < end - x; i++) tiles[target + i] = block[from + i * step]!;
    x = end;
  }
}

/**
 * Turns one band of a GeoTIFF into the form in which it is served, whole or not at all.
 * Gives the event loop back between tiles; needs memory for one row of tiles.
 * @param origin kept in the header, to tell later whether the source is still the same
 * @throws InvalidInput when the source cannot be read as a georeferenced raster
 */
export async function transcodeLayer(entry: CatalogueEntry, path: string, origin: string): Promise<void> {
  const name = basename(entry.path);
  const source = await open(entry.path, 'r');
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const image = describeImage(await readTiffFile(source, name), name, MAX_LAYER_PIXELS);
    if (entry.band >= image.bandCount) {
      throw new InvalidInput(
        `${name} has ${image.bandCount} bands; the catalogue asks for band ${entry.band}, from 0`,
      );
    }
    const grid = readGrid(name, image.directory, image.width, image.height);
    const stated = entry.nodata ?? readGdalNodata(image);
    const nodata = stated !== null && image.kind === 'float32' ? Math.fround(stated) : stated;
    const header = encodeBandHeader({
      grid,
      kind: image.kind,
      nodata: nodata === null || Number.isNaN(nodata) ? null : nodata,
      origin,
    });
    await mkdir(dirname(path), { recursive: true });
    const target = await open(temporary, 'w');
    try {
      await target.write(header, 0, header.byteLength, 0);
      await writeTiles(source, image, entry.band, nodata ?? 0, target);
      await target.sync();
    } finally {
      await target.close();
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
    await source.close();
  }
}

async function writeTiles(
  source: FileHandle,
  image: TiffImage,
  band: number,
  empty: number,
  target: FileHandle,
): Promise<void> {
  const across = tilesAcross(image.width);
  const rows = new BlockRows(source, image, band);
  const tiles = new BLOCK_ARRAYS[image.kind](across * TILE_EDGE * TILE_EDGE);
  const bytes = new Uint8Array(tiles.buffer);
  for (let top = 0; top < image.height; top += TILE_EDGE) {
    tiles.fill(empty);
    const bottom = Math.min(image.height, top + TILE_EDGE);
    for (let row = top; row < bottom; row++) {
      const blockRow = Math.floor(row / image.blockHeight);
      const blocks = await rows.at(blockRow);
      for (const [blockCol, block] of blocks.entries()) {
        copyRow(image, block, blockCol, row - blockRow * image.blockHeight, band, empty, tiles, row - top);
      }
    }
    rows.dropAbove(bottom);
    const position = tilePosition(image.kind, (top / TILE_EDGE) * across);
    let done = 0;
    while (done < across * tileBytes(image.kind)) {
      done += (await target.write(bytes, done, bytes.byteLength - done, position + done)).bytesWritten;
    }
  }
}
