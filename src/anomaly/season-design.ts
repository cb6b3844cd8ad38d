import { JULIAN_YEAR_MS } from '../base/time.ts';

/** Number of blocks per year, of five days each. */
export const YEAR_BLOCKS = 73;
/** Maximum number of harmonics (two or three are usual; docs/methods/anomaly.md). */
export const MAX_HARMONICS = 3;
/**
 * Number of columns of a row: the time in years, the constant 1, then the cosine and sine of each harmonic. In this
 * order, the columns of a fit are consecutive, with or without the trend.
 */
export const STRIDE = 2 + 2 * MAX_HARMONICS;

/** Rows of a seasonal regression, and the five-day calendar block that each time belongs to. */
export interface SeasonDesign {
  /** One row of `STRIDE` columns per time; phases count from the Unix epoch, years from the first time. */
  readonly rows: Float64Array;
  /** Block of each time, numbered from the Unix epoch; ascending like the times. */
  readonly blocks: Int32Array;
  /** For each time, the five-day bin of the year that contains it, in [0, `YEAR_BLOCKS`). */
  readonly bins: Uint8Array;
  /** For each time, the index of its block among the blocks that contain a time. */
  readonly places: Int32Array;
  /** For each block that contains a time, the number of times and the mean of their rows. */
  readonly blockSizes: Int32Array;
  readonly blockRows: Float64Array;
}

/** The latest design, cached because the series of an area often have the same dates. */
let latest: { readonly timesMs: Float64Array; readonly design: SeasonDesign } | undefined;

/** Returns the design of a series. @param timesMs ascending, milliseconds since the Unix epoch */
export function seasonDesign(timesMs: Float64Array): SeasonDesign {
  if (latest === undefined || !areSame(latest.timesMs, timesMs))
    latest = { timesMs: timesMs.slice(), design: newDesign(timesMs) };
  return latest.design;
}

function areSame(a: Float64Array, b: Float64Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function newDesign(timesMs: Float64Array): SeasonDesign {
  const n = timesMs.length;
  const rows = new Float64Array(n * STRIDE);
  const blocks = new Int32Array(n);
  const bins = new Uint8Array(n);
  const start = n === 0 ? 0 : timesMs[0]!;
  for (let i = 0; i < n; i++) {
    const years = timesMs[i]! / JULIAN_YEAR_MS;
    const block = Math.floor(years * YEAR_BLOCKS);
    blocks[i] = block;
    bins[i] = block - Math.floor(block / YEAR_BLOCKS) * YEAR_BLOCKS;
    const angle = 2 * Math.PI * (years - Math.floor(years));
    const cos = Math.cos(angle);
    const sin = Math.sin(angle);
    const at = i * STRIDE;
    rows[at] = (timesMs[i]! - start) / JULIAN_YEAR_MS;
    rows[at + 1] = 1;
    let c = cos;
    let s = sin;
    for (let k = 1; k <= MAX_HARMONICS; k++) {
      rows[at + 2 * k] = c;
      rows[at + 2 * k + 1] = s;
      const next = c * cos - s * sin;
      s = s * cos + c * sin;
      c = next;
    }
  }
  return { rows, blocks, bins, ...blockMeans(rows, blocks) };
}

function blockMeans(
  rows: Float64Array,
  blocks: Int32Array,
): Pick<SeasonDesign, 'places' | 'blockSizes' | 'blockRows'> {
  const n = blocks.length;
  const places = new Int32Array(n);
  for (let i = 1; i < n; i++) places[i] = places[i - 1]! + (blocks[i] === blocks[i - 1] ? 0 : 1);
  const count = n === 0 ? 0 : places[n - 1]! + 1;
  const blockSizes = new Int32Array(count);
  const blockRows = new Float64Array(count * STRIDE);
  for (let i = 0; i < n; i++) {
    blockSizes[places[i]!]! += 1;
    addRow(blockRows, places[i]!, rows, i);
  }
  for (let b = 0; b < count; b++) scaleRow(blockRows, b, 1 / blockSizes[b]!);
  return { places, blockSizes, blockRows };
}

/** Adds row `row` of a design to row `sum` of `sums`. */
export function addRow(sums: Float64Array, sum: number, rows: Float64Array, row: number): void {
  const to = sum * STRIDE;
  const from = row * STRIDE;
  for (let c = 0; c < STRIDE; c++) sums[to + c] = sums[to + c]! + rows[from + c]!;
}

export function scaleRow(rows: Float64Array, row: number, factor: number): void {
  for (let at = row * STRIDE; at < (row + 1) * STRIDE; at++) rows[at] = rows[at]! * factor;
}
