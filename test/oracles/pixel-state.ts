import { olsCusumBoundary } from '../../src/change/statistics/cusum.ts';
import { ewmaLimit, nextEwma } from '../../src/change/statistics/ewma.ts';
import type { Design } from '../../src/change/kernel/design-tables.ts';
import { expectedAt, type Fit } from './least-squares.ts';
import { FLAGS, type MonitoringRule } from '../../src/change/kernel/monitoring-rule.ts';
import { mosumWindow, olsMosumBoundary } from '../../src/change/statistics/mosum.ts';

/**
 * Returns the number of successive outliers on one side: negative for low outliers, positive for high outliers, 0 after
 * an observation that is not an outlier.
 */
function nextRun(before: number, z: number, outlierSigmas: number): number {
  if (Math.abs(z) <= outlierSigmas) return 0;
  const sign = Math.sign(z);
  return before * sign > 0 ? before + sign : sign;
}

/**
 * Monitoring state of one pixel after its fit. This is plain TypeScript and serves as the reference for the scene
 * update of the kernel.
 */
export class PixelState {
  ewma = 0;
  run = 0;
  /** Residuals in the moving window, oldest first [standard deviations]. `sum`: sum of all residuals so far. */
  readonly window: number[] = [];
  sum = 0;
  seen = 0;
  readonly #design: Design;
  readonly #rule: MonitoringRule;
  readonly #fit: Fit;
  readonly #history: number;

  /**
   * Starts from a history. All its observations are processed as if they had been monitored, including the outliers
   * that the fit rejected; their residuals are clipped.
   */
  constructor(design: Design, rule: MonitoringRule, fit: Fit, values: ArrayLike<number>) {
    this.#design = design;
    this.#rule = rule;
    this.#fit = fit;
    this.#history = fit.history.length;
    for (const t of fit.history) this.#take(t, values[t]!);
  }

  get mosum(): number {
    return this.window.reduce((sum, z) => sum + z, 0) / Math.sqrt(this.#history);
  }

  get cusum(): number {
    return this.sum / Math.sqrt(this.#history);
  }

  /** Adds the value of a scene; NaN if nothing was observed. @returns a combination of the bits in `FLAGS` */
  update(scene: number, value: number): number {
    if (Number.isNaN(value)) return 0;
    this.#take(scene, value);
    const rule = this.#rule;
    const [seen, history] = [this.seen, this.#history];
    const bits: [number, boolean][] = [
      [FLAGS.observed, true],
      [FLAGS.ewma, Math.abs(this.ewma) > ewmaLimit(rule.ewmaWeight, rule.ewmaSigmas)],
      [FLAGS.runFlags, Math.abs(this.run) >= rule.flagRun],
      [FLAGS.runConfirms, Math.abs(this.run) >= rule.confirmRun],
      [FLAGS.mosum, Math.abs(this.mosum) > olsMosumBoundary(seen, history, rule.mosumCritical)],
      [FLAGS.cusum, Math.abs(this.cusum) > olsCusumBoundary(seen, history, rule.cusumCritical)],
      [FLAGS.refitDue, seen >= rule.refitGrowth * history],
    ];
    return bits.reduce((flags, [bit, isSet]) => (isSet ? flags | bit : flags), 0);
  }

  #take(scene: number, value: number): void {
    const { clip, ewmaWeight, outlierSigmas, windowShare } = this.#rule;
    const residual = (value - expectedAt(this.#design, this.#fit.coefficients, scene)) / this.#fit.sigma;
    const z = Math.max(-clip, Math.min(clip, residual));
    this.ewma = nextEwma(this.ewma, z, ewmaWeight);
    this.run = nextRun(this.run, z, outlierSigmas);
    this.sum += z;
    this.seen += 1;
    this.window.push(z);
    if (this.window.length > mosumWindow(this.#history, windowShare)) this.window.shift();
  }
}
