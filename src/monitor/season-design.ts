const YEAR_MS = 365.25 * 86_400_000; // Julian year [ms]
/** Blocks of a year: five days each. */
export const YEAR_BLOCKS = 73;
/** Most harmonics (methods.md: two or three). */
export const MAX_HARMONICS = 3;
/** Columns of a row: years, 1, and cosine and sine of each harmonic; so a fit with or without trend is a run of columns. */
export const STRIDE = 2 + 2 * MAX_HARMONICS;

/** Rows of a seasonal regression, and the five-day block of the calendar that each time falls in. */
export interface SeasonDesign {
  /** Row-major, times x `STRIDE`; the phase counts from the Unix epoch, the years from the first time. */
  readonly rows: Float64Array;
  /** Blocks since the Unix epoch; ascending as the times do. */
  readonly blocks: Int32Array;
  /** Bin of the year of each block, in [0, `YEAR_BLOCKS`). */
  readonly bins: Uint8Array;
}

/** The design made last: the feeds of an area are often of the same dates. */
let latest: { readonly timesMs: Float64Array; readonly design: SeasonDesign } | undefined;

/** @param timesMs ascending, milliseconds since the Unix epoch */
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
    const years = timesMs[i]! / YEAR_MS;
    const block = Math.floor(years * YEAR_BLOCKS);
    blocks[i] = block;
    bins[i] = block - Math.floor(block / YEAR_BLOCKS) * YEAR_BLOCKS;
    const angle = 2 * Math.PI * (years - Math.floor(years));
    const cos = Math.cos(angle);
    const sin = Math.sin(angle);
    const at = i * STRIDE;
    rows[at] = (timesMs[i]! - start) / YEAR_MS;
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
  return { rows, blocks, bins };
}
