import { plainRule } from './kernel/fit-rule.ts';
import { harmonicDesign } from './statistics/harmonic-design.ts';
import { FLAGS, MONITORING_RULE } from './kernel/monitoring-rule.ts';
import { StripKernel } from './kernel/strip-kernel.ts';

const UNCLIPPED = 1e6; // clip [standard deviations] that has no effect, because bfast does not clip residuals
const HARMONICS = 1; // as in the published comparisons with BFAST Monitor

/**
 * BFAST Monitor as published, only for comparison with the change monitor. For each pixel alone, it fits an intercept
 * and one harmonic by least squares to all observations before monitoring begins, then computes the OLS-MOSUM of the
 * later observations (h = .25, alpha = .05; Verbesselt, Zeileis & Herold 2012, doi:10.1016/j.rse.2012.02.022).
 */
export class StructuralBreaks {
  readonly #timesMs: readonly number[];
  readonly #from: number;
  readonly #kernel: StripKernel;
  readonly #crossings: Float64Array;

  /**
   * @param timesMs acquisition times [ms since the Unix epoch], ascending
   * @param fromMs start of monitoring [ms since the Unix epoch]
   * @param capacity maximum number of pixels per call
   */
  constructor(timesMs: readonly number[], fromMs: number, capacity: number) {
    const design = harmonicDesign(timesMs.map(decimalYear), HARMONICS, false);
    const from = timesMs.findIndex((time) => time >= fromMs);
    this.#timesMs = timesMs;
    this.#from = from < 0 ? timesMs.length : from;
    this.#kernel = new StripKernel(
      { design, kind: 'float32', capacity },
      { fit: plainRule(design.columns), monitoring: { ...MONITORING_RULE, clip: UNCLIPPED } },
    );
    this.#crossings = new Float64Array(capacity);
  }

  /**
   * Returns the time at which the moving sum of each pixel first crosses its boundary [ms since the Unix epoch]; NaN
   * if it never does.
   * @param series `series[pixel * times + t]`, NaN where nothing was observed; in any unit
   * @returns one time per pixel; the next call overwrites this array
   */
  of(series: Float32Array | Float64Array): Float64Array {
    const times = this.#timesMs.length;
    const pixels = series.length / times;
    const { views, state } = this.#kernel;
    const { scene, flags } = state!;
    const crossings = this.#crossings.fill(Number.NaN).subarray(0, pixels);
    views.samples.set(series);
    this.#kernel.fit(pixels, 0, this.#from, true);
    for (let t = this.#from; t < times; t++) {
      for (let p = 0; p < pixels; p++) scene[p] = series[p * times + t]!;
      this.#kernel.update(pixels, t, true);
      for (let p = 0; p < pixels; p++)
        if ((flags[p]! & FLAGS.mosum) !== 0 && Number.isNaN(crossings[p])) crossings[p] = this.#timesMs[t]!;
    }
    return crossings;
  }
}

/** Decimal year of a time. Every year has length 1, with 365 or with 366 days. */
function decimalYear(ms: number): number {
  const year = new Date(ms).getUTCFullYear();
  const [start, end] = [Date.UTC(year, 0), Date.UTC(year + 1, 0)];
  return year + (ms - start) / (end - start);
}
