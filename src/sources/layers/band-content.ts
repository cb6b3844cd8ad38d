import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Grid } from '../../geo/grid.ts';
import type { BlockSamples } from '../../formats/tiff/block.ts';
import { SQUARE_EDGE } from './band-writer.ts';

/** Number of squares that are processed before yielding to the event loop. They take about one millisecond. */
const SQUARES_A_TURN = 4;

/** Statistics of a band's raw samples. */
export interface BandContent {
  /** Number of samples that are not nodata. */
  readonly validCount: number;
  /** Lowest and highest of the valid samples; Infinity and -Infinity when there are none. */
  readonly lowest: number;
  readonly highest: number;
  /** Evenly spaced valid samples, about SAMPLED of them where the band has as many. */
  readonly sample: readonly number[];
}

/** Number of pixels that stand for the distribution of a band (our choice). */
const SAMPLED = 10_000;

/** Every how many rows and columns of a grid a pixel is sampled, so that about SAMPLED pixels are. */
export function sampleStep(width: number, height: number): number {
  return Math.max(1, Math.floor(Math.sqrt((width * height) / SAMPLED)));
}

/** Takes the statistics of a band while its squares are written. Yields to the event loop every few squares. */
export class BandMeter {
  readonly #width: number;
  readonly #nodata: number | null;
  readonly #step: number;
  readonly #content: Content = { validCount: 0, lowest: Infinity, highest: -Infinity };
  readonly #sample: number[] = [];

  /** @param nodata raw value that is left out; null for none */
  constructor({ width, height }: Pick<Grid, 'width' | 'height'>, nodata: number | null) {
    this.#width = width;
    this.#nodata = nodata;
    this.#step = sampleStep(width, height);
  }

  /** Adds a row of squares, which holds the rows `[top, bottom)` of the band. Infinite samples in it become NaN. */
  async add(squares: BlockSamples, top: number, bottom: number): Promise<void> {
    const [nodata, step, content] = [this.#nodata, this.#step, this.#content];
    for (let squareCol = 0; squareCol * SQUARE_EDGE < this.#width; squareCol++) {
      const columns = Math.min(SQUARE_EDGE, this.#width - squareCol * SQUARE_EDGE);
      const first = squareCol * SQUARE_EDGE * SQUARE_EDGE;
      // A separate function for int16, the usual type: the compiler specialises its loop, which is five times as fast.
      if (squares instanceof Int16Array)
        addInt16Samples(squares, first, bottom - top, columns, nodata, content);
      else addSamples(squares, first, bottom - top, columns, nodata, content);
      const left = squareCol * SQUARE_EDGE;
      for (let row = (step - (top % step)) % step; row < bottom - top; row += step)
        for (let col = (step - (left % step)) % step; col < columns; col += step) {
          const value = squares[first + row * SQUARE_EDGE + col]!;
          if (value !== nodata && Number.isFinite(value)) this.#sample.push(value);
        }
      if (squareCol % SQUARES_A_TURN === SQUARES_A_TURN - 1) await nextTurn();
    }
  }

  /** The statistics of what was added. */
  content(): BandContent {
    return { ...this.#content, sample: this.#sample };
  }
}

/** Adds samples of a square to the statistics. Infinite samples become NaN, because they would spoil interpolation. */
function addSamples(
  squares: BlockSamples,
  from: number,
  rows: number,
  columns: number,
  nodata: number | null,
  content: Content,
): void {
  for (let row = 0; row < rows; row++) {
    const start = from + row * SQUARE_EDGE;
    for (let i = start; i < start + columns; i++) {
      const value = squares[i]!;
      if (value === nodata || Number.isNaN(value)) continue;
      if (!Number.isFinite(value)) {
        squares[i] = Number.NaN;
        continue;
      }
      content.validCount++;
      if (value < content.lowest) content.lowest = value;
      if (value > content.highest) content.highest = value;
    }
  }
}

/** Adds int16 samples of a square to the statistics; `addSamples` does this for the other types. */
function addInt16Samples(
  squares: Int16Array,
  from: number,
  rows: number,
  columns: number,
  nodata: number | null,
  content: Content,
): void {
  const missing = nodata ?? Number.NaN;
  let { validCount, lowest, highest } = content;
  for (let row = 0; row < rows; row++) {
    const start = from + row * SQUARE_EDGE;
    for (let i = start; i < start + columns; i++) {
      const value = squares[i]!;
      if (value === missing) continue;
      validCount++;
      if (value < lowest) lowest = value;
      if (value > highest) highest = value;
    }
  }
  Object.assign(content, { validCount, lowest, highest });
}

/** A BandContent while it is computed. */
type Content = { -readonly [K in keyof Omit<BandContent, 'sample'>]: BandContent[K] };
