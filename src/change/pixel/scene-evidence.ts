import type { JudgeBaseline } from './judge-baseline.ts';
import { PARAMETERS } from '../parameters.ts';

/**
 * Joint evidence of the metrics of a scene: the sum of their standardised residuals, with signs relative to the first
 * metric, divided by the standard deviation of this sum. The standard deviation includes the correlation of the
 * indices: they share bands and so also noise. For a single metric the joint evidence is its residual. When metrics
 * clearly contradict each other, as NDVI and NBR do over water and snow, they do not show the same change, and only
 * the first metric counts.
 */
export class SceneEvidence {
  /** Number of metrics that were added. */
  count = 0;
  /** Whether all added metrics have a seasonal baseline. */
  isSeasonal = true;
  /** Whether the history of at least one added metric covers the season of the scene. */
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

  /** Adds a judged metric. @param weight 1 if the metric moves like the first metric, -1 if it moves oppositely */
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

  /** Joint standardised residual. */
  get z(): number {
    const n = this.count;
    if (this.#falls && this.#rises) return this.#first;
    const z = this.#sum / Math.sqrt(n + n * (n - 1) * PARAMETERS.indexCorrelation);
    return Math.max(-PARAMETERS.clip, Math.min(PARAMETERS.clip, z));
  }

  /** Lag-one autocorrelation: the mean over the metrics. */
  get rho(): number {
    return this.#rho / this.count;
  }
}
