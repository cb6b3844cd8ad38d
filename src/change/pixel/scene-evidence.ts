import type { JudgeBaseline } from './judge-baseline.ts';
import { PARAMETERS } from '../parameters.ts';

/**
 * What the metrics of one scene say together: their standardised residuals, turned so that all point the way of the first
 * metric, summed and divided by the standard deviation of such a sum. Indices share bands and so their noise: a sum that
 * took them for independent would be too sure. With one metric this is its own residual. Where they contradict each other
 * plainly, as NDVI and NBR do over water and snow, they do not tell of the same thing: the first speaks for itself.
 */
export class SceneEvidence {
  /** Metrics that take part. */
  count = 0;
  /** Whether all rest on a seasonal baseline, and whether any has seen the season before. */
  isSeasonal = true;
  isSupported = false;
  #sum = 0;
  #rho = 0;
  #first = 0;
  #falls = false;
  #rises = false;

  clear(): void {
    this.count = 0;
    this.isSeasonal = true;
    this.isSupported = false;
    this.#sum = 0;
    this.#rho = 0;
    this.#falls = false;
    this.#rises = false;
  }

  /** Adds a judged metric; `weight` is 1 or -1. */
  add(z: number, { rho, kind, supported }: JudgeBaseline, weight: number): void {
    const turned = weight * z;
    if (this.count === 0) this.#first = turned;
    this.count += 1;
    this.#sum += turned;
    if (turned < -PARAMETERS.outlierSigmas) this.#falls = true;
    if (turned > PARAMETERS.outlierSigmas) this.#rises = true;
    this.#rho += rho;
    if (kind !== 'harmonic') this.isSeasonal = false;
    if (supported) this.isSupported = true;
  }

  /** Standardised residual of all together. */
  get z(): number {
    const n = this.count;
    if (this.#falls && this.#rises) return this.#first;
    const z = this.#sum / Math.sqrt(n + n * (n - 1) * PARAMETERS.indexCorrelation);
    return Math.max(-PARAMETERS.clip, Math.min(PARAMETERS.clip, z));
  }

  /** Lag-one autocorrelation, the mean of the metrics'. */
  get rho(): number {
    return this.#rho / this.count;
  }
}
