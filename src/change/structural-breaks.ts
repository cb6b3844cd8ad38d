import { plainRule } from './kernel/fit-rule.ts';
import { harmonicDesign } from './statistics/harmonic-design.ts';
import { FLAGS, MONITORING_RULE } from './kernel/monitoring-rule.ts';
import { StripKernel } from './kernel/strip-kernel.ts';

const UNCLIPPED = 1e6; // clip [standard deviations] that has no effect, because the published methods do not clip
const HARMONICS = 1; // as in the published comparisons with BFAST Monitor
// Weight of a new residual, and control limit [standard deviations of the EWMA]: the defaults of EWMACD in Earth Engine
// (ee.Algorithms.TemporalSegmentation.Ewmacd; Brooks et al. 2014, doi:10.1109/TGRS.2013.2272545).
const EWMA_WEIGHT = 0.3;
const EWMA_SIGMAS = 3;

/** A statistic that a reference method compares with its boundary. */
export type ReferenceStatistic = 'mosum' | 'ewma' | 'cusum';

/** A time in which a statistic of one pixel was over its boundary. */
export interface Excursion {
  /** Time of the observation at which the statistic went over its boundary [ms since the Unix epoch]. */
  readonly startMs: number;
  /** Time of the first observation after it [ms since the Unix epoch]; null if it lasts to the last observation. */
  readonly endMs: number | null;
}

const NEVER: readonly Excursion[] = [];

/**
 * Published methods that test each pixel alone, only for comparison with the change monitor. All three fit an
 * intercept and one harmonic by least squares to all observations before monitoring begins, and test the residuals of
 * the later observations [standard deviations of the history's residuals]:
 * - `mosum`: BFAST Monitor, an OLS-MOSUM with h = .25 and alpha = .05 (Verbesselt, Zeileis & Herold 2012,
 *   doi:10.1016/j.rse.2012.02.022).
 * - `ewma`: EWMA chart with weight .3 and limits of 3 standard deviations (Roberts 1959,
 *   doi:10.1080/00401706.1959.10489860).
 * - `cusum`: OLS-CUSUM with alpha = .05 (Chu, Stinchcombe & White 1996, doi:10.2307/2171955).
 */
export class StructuralBreaks {
  readonly #timesMs: readonly number[];
  readonly #from: number;
  readonly #kernel: StripKernel;

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
    const monitoring = {
      ...MONITORING_RULE,
      clip: UNCLIPPED,
      ewmaWeight: EWMA_WEIGHT,
      ewmaSigmas: EWMA_SIGMAS,
    };
    this.#kernel = new StripKernel(
      { design, kind: 'float32', capacity },
      { fit: plainRule(design.columns), monitoring },
    );
  }

  /**
   * Returns the time at which the moving sum of each pixel first crosses its boundary [ms since the Unix epoch]; NaN
   * if it never does. This is the break of BFAST Monitor.
   * @param series see `excursions`
   */
  of(series: Float32Array | Float64Array): Float64Array {
    return Float64Array.from(this.excursions(series).mosum, ([first]) => first?.startMs ?? Number.NaN);
  }

  /**
   * Returns the excursions of each statistic, in order of time: one list per pixel.
   * @param series `series[pixel * times + t]`, NaN where nothing was observed; in any unit
   */
  excursions(
    series: Float32Array | Float64Array,
  ): Readonly<Record<ReferenceStatistic, readonly (readonly Excursion[])[]>> {
    const times = this.#timesMs.length;
    const pixels = series.length / times;
    const { views, state } = this.#kernel;
    const { scene, flags } = state!;
    const logs = {
      mosum: new ExcursionLog(FLAGS.mosum, pixels),
      ewma: new ExcursionLog(FLAGS.ewma, pixels),
      cusum: new ExcursionLog(FLAGS.cusum, pixels),
    };
    views.samples.set(series);
    this.#kernel.fit(pixels, 0, this.#from, true);
    for (let t = this.#from; t < times; t++) {
      for (let p = 0; p < pixels; p++) scene[p] = series[p * times + t]!;
      this.#kernel.update(pixels, t, true);
      for (const log of Object.values(logs)) log.add(flags, this.#timesMs[t]!);
    }
    return { mosum: logs.mosum.all(), ewma: logs.ewma.all(), cusum: logs.cusum.all() };
  }
}

/** Collects the excursions of one statistic, scene by scene. */
class ExcursionLog {
  readonly #bit: number;
  readonly #lists: (Excursion[] | undefined)[];
  readonly #isOver: Uint8Array;

  constructor(bit: number, pixels: number) {
    this.#bit = bit;
    this.#lists = Array.from({ length: pixels });
    this.#isOver = new Uint8Array(pixels);
  }

  /** Adds a scene by its flags. Pixels that were not observed keep their state. */
  add(flags: Uint8Array, timeMs: number): void {
    for (let p = 0; p < this.#isOver.length; p++) {
      if ((flags[p]! & FLAGS.observed) === 0) continue;
      const isOver = (flags[p]! & this.#bit) === 0 ? 0 : 1;
      if (isOver === this.#isOver[p]) continue;
      const list = (this.#lists[p] ??= []);
      if (isOver === 1) list.push({ startMs: timeMs, endMs: null });
      else list.push({ ...list.pop()!, endMs: timeMs });
      this.#isOver[p] = isOver;
    }
  }

  all(): readonly (readonly Excursion[])[] {
    return this.#lists.map((list) => list ?? NEVER);
  }
}

/** Decimal year of a time. Every year has length 1, with 365 or with 366 days. */
function decimalYear(ms: number): number {
  const year = new Date(ms).getUTCFullYear();
  const [start, end] = [Date.UTC(year, 0), Date.UTC(year + 1, 0)];
  return year + (ms - start) / (end - start);
}
