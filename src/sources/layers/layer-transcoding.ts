import type { FileHandle } from 'node:fs/promises';
import { SQUARE_EDGE, writeBand } from './band-writer.ts';
import { type BandContent, BandMeter } from './band-content.ts';
import type { LayerSource } from './layer-source.ts';
import { checkBlocks, readBlocks, releaseBlock, storedRows } from '../../formats/tiff/block.ts';
import type { BlockSamples } from '../../formats/tiff/block.ts';
import type { TiffImage } from '../../formats/tiff/image.ts';

/** Decoded blocks of the rows that are being written. Blocks above these rows are dropped. */
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

  /** Checks all blocks before memory is taken for them. @throws InvalidInput naming one that cannot be whole */
  check(): void {
    checkBlocks(this.#image, this.#all());
  }

  *#all(): Generator<{ readonly index: number; readonly rows: number }> {
    const down = Math.ceil(this.#image.height / this.#image.blockHeight);
    for (let row = 0; row < down; row++)
      for (let col = 0; col < this.#across; col++)
        yield { index: this.#start + row * this.#across + col, rows: storedRows(this.#image, row) };
  }

  async at(blockRow: number): Promise<readonly (BlockSamples | null)[]> {
    const known = this.#rows.get(blockRow);
    if (known !== undefined) return known;
    const rows = storedRows(this.#image, blockRow);
    const first = this.#start + blockRow * this.#across;
    const blocks: (BlockSamples | null)[] = Array.from({ length: this.#across }, () => null);
    const wanted = blocks.map((_, col) => ({ index: first + col, rows }));
    await readBlocks(this.#file, this.#image, wanted, (samples, col) => (blocks[col] = samples));
    this.#rows.set(blockRow, blocks);
    return blocks;
  }

  dropAbove(row: number): void {
    for (const [blockRow, blocks] of this.#rows) {
      if ((blockRow + 1) * this.#image.blockHeight > row) continue;
      this.#rows.delete(blockRow);
      for (const block of blocks) if (block !== null) releaseBlock(block);
    }
  }
}

/** Copies one row of one block into the squares of a square row. */
function copyRow(
  image: TiffImage,
  block: BlockSamples | null,
  blockCol: number,
  rowInBlock: number,
  band: number,
  empty: number,
  squares: BlockSamples,
  rowInSquare: number,
): void {
  const step = image.interleaved ? image.bandCount : 1;
  const left = blockCol * image.blockWidth;
  const columns = Math.min(image.blockWidth, image.width - left);
  const source = rowInBlock * image.blockWidth * step + (image.interleaved ? band : 0);
  for (let x = left; x < left + columns;) {
    const end = Math.min(left + columns, x - (x % SQUARE_EDGE) + SQUARE_EDGE);
    const square = Math.floor(x / SQUARE_EDGE);
    const target = (square * SQUARE_EDGE + rowInSquare) * SQUARE_EDGE + (x % SQUARE_EDGE);
    const from = source + (x - left) * step;
    if (block === null) squares.fill(empty, target, target + end - x);
    else if (step === 1) squares.set(block.subarray(from, from + end - x), target);
    else for (let i = 0; i < end - x; i++) squares[target + i] = block[from + i * step]!;
    x = end;
  }
}

/** Copies rows of blocks that have the size of squares: one copy for each block instead of one for each row. */
function copySquares(blocks: readonly (BlockSamples | null)[], rows: number, squares: BlockSamples): void {
  for (const [col, block] of blocks.entries())
    // The square is already empty where the file omits the block.
    if (block !== null) squares.set(block.subarray(0, rows * SQUARE_EDGE), col * SQUARE_EDGE * SQUARE_EDGE);
}

/** Sets the masked pixels of a row to nodata. If the file omits a block of the mask, all its pixels are masked. */
function clearRow(
  mask: TiffImage,
  blocks: readonly (BlockSamples | null)[],
  rowInBlock: number,
  width: number,
  empty: number,
  squares: BlockSamples,
  rowInSquare: number,
): void {
  for (let x = 0; x < width; x++) {
    const byte = x >> 3;
    const block = blocks[Math.floor(byte / mask.blockWidth)];
    const bits = block?.[rowInBlock * mask.blockWidth + (byte % mask.blockWidth)] ?? 0;
    if (((bits >> (7 - (x & 7))) & 1) === 1) continue;
    squares[(Math.floor(x / SQUARE_EDGE) * SQUARE_EDGE + rowInSquare) * SQUARE_EDGE + (x % SQUARE_EDGE)] =
      empty;
  }
}

/** Sets the fully transparent pixels of a row to nodata. */
function clearTransparent(
  image: TiffImage,
  alpha: number,
  blocks: readonly (BlockSamples | null)[],
  rowInBlock: number,
  empty: number,
  squares: BlockSamples,
  rowInSquare: number,
): void {
  const step = image.interleaved ? image.bandCount : 1;
  const row = rowInBlock * image.blockWidth;
  for (let x = 0; x < image.width; x++) {
    const block = blocks[Math.floor(x / image.blockWidth)];
    const opacity = block?.[(row + (x % image.blockWidth)) * step + (image.interleaved ? alpha : 0)] ?? 0;
    if (opacity !== 0) continue;
    squares[(Math.floor(x / SQUARE_EDGE) * SQUARE_EDGE + rowInSquare) * SQUARE_EDGE + (x % SQUARE_EDGE)] =
      empty;
  }
}

/**
 * Transcodes one band of a GeoTIFF to a band file, the format from which layers are served. The file appears only
 * when it is complete. Yields to the event loop every few squares. Needs memory for one row of squares and one row of the file's blocks.
 * @param origin text that identifies the source file; it is stored in the header
 * @throws InvalidInput when a block cannot be decoded, or the disk has too little space
 */
export async function transcodeLayer(
  source: LayerSource,
  path: string,
  origin: string,
): Promise<BandContent> {
  const { image, mask, alpha, kind, grid, nodata, band } = source;
  const rows = new BlockRows(source.file, image, band);
  const maskRows = mask === null ? null : new BlockRows(source.file, mask, 0);
  const alphaRows = alpha === null || image.interleaved ? rows : new BlockRows(source.file, image, alpha);
  for (const each of [rows, maskRows, alphaRows]) each?.check();
  const empty = nodata ?? 0;
  const header = { grid, kind, nodata: Number.isNaN(empty) ? null : nodata, origin };
  const areSquares =
    image.blockWidth === SQUARE_EDGE && image.blockHeight === SQUARE_EDGE && !image.interleaved;
  const wholeSquares = areSquares ? Math.floor(image.width / SQUARE_EDGE) : 0;
  const meter = new BandMeter(grid, nodata);
  await writeBand(path, header, empty, async (squares, squareRow) => {
    const top = squareRow * SQUARE_EDGE;
    const bottom = Math.min(image.height, top + SQUARE_EDGE);
    if (wholeSquares > 0)
      copySquares((await rows.at(squareRow)).slice(0, wholeSquares), bottom - top, squares);
    for (let row = top; row < bottom; row++) {
      const blockRow = Math.floor(row / image.blockHeight);
      const blocks = await rows.at(blockRow);
      for (let col = wholeSquares; col < blocks.length; col++) {
        copyRow(
          image,
          blocks[col]!,
          col,
          row - blockRow * image.blockHeight,
          band,
          empty,
          squares,
          row - top,
        );
      }
      if (alpha !== null) {
        const opacity = await alphaRows.at(blockRow);
        clearTransparent(
          image,
          alpha,
          opacity,
          row - blockRow * image.blockHeight,
          empty,
          squares,
          row - top,
        );
      }
      if (mask === null || maskRows === null) continue;
      const maskRow = Math.floor(row / mask.blockHeight);
      const bits = await maskRows.at(maskRow);
      clearRow(mask, bits, row - maskRow * mask.blockHeight, image.width, empty, squares, row - top);
    }
    rows.dropAbove(bottom);
    alphaRows.dropAbove(bottom);
    maskRows?.dropAbove(bottom);
    await meter.add(squares, top, bottom);
  });
  return meter.content();
}
