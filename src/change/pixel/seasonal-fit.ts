import type { Design } from '../kernel/design-tables.ts';
import { type FitRule } from '../kernel/fit-rule.ts';
import { REC_CUSUM_CRITICAL } from '../statistics/cusum.ts';
import { PixelFitter } from '../kernel/pixel-fitter.ts';
import type { Exchange, TrackArrays } from '../kernel/track-arrays.ts';
import { PARAMETERS } from '../parameters.ts';
import type { StateStream } from '../state/state-stream.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter } from '../state/state-writer.ts';
import { JULIAN_YEAR_MS } from '../../base/time.ts';

/** Number of columns of the design: constant 1, years since the first scene, then cosine and sine of each harmonic. */
export const DESIGN_COLUMNS = 2 + 2 * PARAMETERS.maxHarmonics;
const TREND = 1;

/** Returns the design of a stack: one row of `DESIGN_COLUMNS` per scene. The phase is counted from the Unix epoch. */
export function seasonalDesign(timesMs: Float64Array): Float64Array {
  const design = new Float64Array(timesMs.length * DESIGN_COLUMNS);
  for (let t = 0; t < timesMs.length; t++) {
    const row = t * DESIGN_COLUMNS;
    const phase = (2 * Math.PI * timesMs[t]!) / JULIAN_YEAR_MS;
    design[row] = 1;
    design[row + TREND] = (timesMs[t]! - timesMs[0]!) / JULIAN_YEAR_MS;
    for (let k = 1; k <= PARAMETERS.maxHarmonics; k++) {
      design[row + 2 * k] = Math.cos(k * phase);
      design[row + 2 * k + 1] = Math.sin(k * phase);
    }
  }
  return design;
}

/** Ridge of each column; 0 for the intercept. */
const RIDGE = Array.from({ length: DESIGN_COLUMNS }, (_, column) => {
  if (column === 0) return 0;
  return column === TREND ? PARAMETERS.trendRidge : PARAMETERS.ridge;
});

/** Returns the design of seasonal fits, given its rows. */
export function asDesign(rows: Float64Array): Design {
  return { rows, columns: DESIGN_COLUMNS, ridge: RIDGE };
}

/** Returns the rule for a fit with the given terms, to the stable end of a history or to the whole history. */
function ruleOf(harmonics: number, withTrend: boolean, isStable: boolean): FitRule {
  const columns = Array.from({ length: 2 + 2 * harmonics }, (_, column) => column);
  return {
    columns: withTrend ? columns : columns.filter((column) => column !== TREND),
    minObservations: 0,
    rejectBeyond: PARAMETERS.rejectBeyond,
    rejectRounds: PARAMETERS.rejectRounds,
    observationsPerColumn: PARAMETERS.observationsPerCoefficient,
    historyCritical: isStable ? REC_CUSUM_CRITICAL : null,
  };
}

/**
 * Four rules for each number of harmonics: whole history without and with trend, stable end without and with trend.
 */
const RULES = Array.from({ length: 4 * (PARAMETERS.maxHarmonics + 1) }, (_, i) =>
  ruleOf(i >> 2, (i & 1) === 1, (i & 2) === 2),
);

/** Robust fit of intercept, trend and harmonics by the kernel: ridge least squares, refitted without outliers. */
export class SeasonalFit extends PixelFitter {
  harmonics = 0;
  hasTrend = false;

  /** @param arrays where coefficients and kept scenes are, if given */
  constructor(design: Float64Array, arrays?: Pick<TrackArrays, 'coefficients' | 'kept'>) {
    super(asDesign(design), arrays);
  }

  override exchange(record: Exchange): void {
    super.exchange(record);
    this.harmonics = record.whole(this.harmonics);
    this.hasTrend = record.flag(this.hasTrend);
  }

  override save(writer: StateWriter, scenes: ArrayLike<number> | null, from: number, to: number): void {
    super.save(writer, scenes, from, to);
    this.#fields(writer);
  }

  override load(reader: StateReader, scenes: ArrayLike<number> | null, from: number, to: number): void {
    super.load(reader, scenes, from, to);
    this.#fields(reader);
  }

  /** Writes or reads the saved fields, always in the same order. */
  #fields(stream: StateStream): void {
    this.harmonics = stream.byte(this.harmonics);
    this.hasTrend = stream.flag(this.hasTrend);
  }

  /**
   * Fits `values[i]` at scene `scenes[i]` for i in `[from, to)`.
   * @param isStable whether to fit only the stable end, which a reverse-ordered CUSUM selects (Pesaran & Timmermann
   *   2002, doi:10.1016/S0927-5398(02)00007-5); `start` is then its first scene
   * @returns false when there are too few observations for one harmonic, or the system is singular
   */
  fitHistory(
    scenes: Int32Array,
    values: Float64Array,
    from: number,
    to: number,
    withTrend: boolean,
    isStable = false,
  ): boolean {
    const affordable = Math.floor((to - from) / PARAMETERS.observationsPerCoefficient);
    const harmonics = Math.floor((affordable - (withTrend ? 2 : 1)) / 2);
    this.harmonics = Math.max(0, Math.min(PARAMETERS.maxHarmonics, harmonics));
    this.hasTrend = withTrend;
    if (this.harmonics === 0) return false;
    const rule = RULES[4 * this.harmonics + (isStable ? 2 : 0) + (withTrend ? 1 : 0)]!;
    const isFitted = this.fit(rule, scenes, values, from, to);
    // Rounds to single precision, as when saved. No index is more accurate than that.
    for (let c = 0; c < this.coefficients.length; c++)
      this.coefficients[c] = Math.fround(this.coefficients[c]!);
    this.sigma = Math.fround(this.sigma);
    return isFitted;
  }
}
