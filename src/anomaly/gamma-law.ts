import { LOG_GAMMAS, nodeOf, ROOTS, SHAPES } from './gamma-shapes.ts';
import { gammaTails } from './gamma-tails.ts';
import { NEAR_DEVIATIONS, NEAR_VARIATION, nearScore } from './near-score.ts';
import { normalDeviate } from '../numerics/normal.ts';

const TINY = 1e-300; // replaces a probability of 0, so that its deviate is finite
/**
 * Share of dry observations below which a dry observation counts as rare (our choice): half of a two-sided tail
 * probability of .1.
 */
const RARE = 0.05;
/**
 * Maximum coefficient of variation of the cube roots for the normal approximation. Within `NEAR` deviations of the
 * mean, the approximate score then differs from the exact score by at most a tenth of a deviation.
 */
const NEARLY_NORMAL = 0.5;
/**
 * Maximum distance from the mean for the normal approximation [deviations] (our choice). Within this distance, the
 * absolute score is below 1.28, the score at which the tail probability is `END_PROBABILITY` (judgement.ts).
 */
const NEAR = 1.1;
/** Probability that a normal deviate is between 0 and 1.1 (Abramowitz & Stegun 1964, table 26.1). */
const NEAR_PROBABILITY = 0.3643339;
const LEAST_TAIL = 0.0287166; // probability of a normal deviate above 1.9, `NEAR_DEVIATIONS` (the same table)
/** Coefficients of an approximation of the normal tail probability. @see Abramowitz & Stegun 1964, 26.2.16 */
const P = 0.33267;
const B = [0.4361836, -0.1201676, 0.937298] as const;

/**
 * Gamma distribution with a probability mass at zero, described by the cube roots of its values. The cube roots are
 * nearly normal (Wilson & Hilferty 1931), so the seasonal climatology is fitted to them, and the distribution follows
 * from their mean and standard deviation by the method of moments. The score of a value is its standardised
 * precipitation index (McKee, Doesken & Kleist 1993).
 */
export class GammaLaw {
  #zeroScore = 0;
  #deviation = Number.NaN;
  #dry = 0;
  #medianDeviate = 0;

  /**
   * @param deviation standard deviation of the cube roots of the non-zero values
   * @param dry probability of zero
   */
  enter(deviation: number, dry: number): void {
    this.#deviation = deviation;
    if (dry === this.#dry) return;
    this.#dry = dry;
    this.#zeroScore = dry < 0.5 && dry > 0 ? -normalDeviate(dry) : 0;
    this.#medianDeviate = dry < 0.5 ? normalDeviate((0.5 - dry) / (1 - dry)) : Number.POSITIVE_INFINITY;
  }

  /** Cube root of the median. @param mean mean cube root of the non-zero values, also in the methods below */
  medianRoot(mean: number): number {
    return this.#dry === 0 ? mean : Math.max(0, mean - this.#deviation * this.#medianDeviate);
  }

  /**
   * Approximate score of a non-zero value from its cube root. The absolute error is at most .1 for scores between
   * -1.1 and 1.1, and at most .02 for other scores between -1.9 and 1.9. NaN where the approximation is not accurate
   * enough, so that `score` is needed.
   * @param root the value's cube root
   */
  nearScore(root: number, mean: number): number {
    const z = (root - mean) / this.#deviation;
    const size = Math.abs(z);
    const variation = this.#deviation / mean;
    const most = z < 0 ? NEAR_VARIATION.below : NEAR_VARIATION.above;
    const isKnown = size < NEAR_DEVIATIONS && variation > 0 && variation < most;
    const isNormal = size < NEAR && variation > 0 && variation < NEARLY_NORMAL;
    if (this.#dry === 0) return isNormal ? z : isKnown ? nearScore(z, variation) : Number.NaN;
    return isKnown ? this.#amongDry(nearScore(z, variation)) : isNormal ? this.#amongDry(z) : Number.NaN;
  }

  /** Converts the score of a value among the non-zero values to its score among all values. */
  #amongDry(z: number): number {
    const w = 1 / (1 + P * Math.abs(z));
    const tail = Math.exp(-0.5 * z * z) * (1 / Math.sqrt(2 * Math.PI)) * w * (B[0] + w * (B[1] + w * B[2]));
    const over = (1 - this.#dry) * (z > 0 ? tail : 1 - tail);
    const q = 0.5 - over;
    if (Math.abs(q) > NEAR_PROBABILITY) {
      if (over < LEAST_TAIL || 1 - over < LEAST_TAIL) return Number.NaN;
      return q > 0 ? normalDeviate(over) : -normalDeviate(1 - over);
    }
    // Power series of the normal deviate about the median, with an error of at most .006 in this range.
    const y2 = 2 * Math.PI * q * q;
    return Math.sqrt(2 * Math.PI) * q * (1 + y2 * (1 / 6 + y2 * (7 / 120 + (y2 * 127) / 5040)));
  }

  /**
   * Score of a value that is too small to be measured. If such values are rare (`RARE`), the score is that of
   * `trace`, so it includes the probability that the gamma distribution assigns to smaller values. When the first
   * such value occurs, the history has no other estimate of this probability.
   * @param trace smallest measurable value, in the unit of the cubed roots
   */
  zeroScore(trace: number, mean: number): number {
    return this.#dry < RARE ? this.score(trace, mean) : this.#zeroScore;
  }

  /**
   * Exact score: normal deviate of a value, computed from the smaller of its two tail probabilities.
   * @param value in the unit of the cubed roots; a value at or below 0 counts as zero
   */
  score(value: number, mean: number): number {
    if (!(value > 0)) return this.#dry > 0 ? this.#zeroScore : -normalDeviate(TINY);
    const node = nodeOf(mean > 0 ? this.#deviation / mean : Number.POSITIVE_INFINITY);
    const root = Math.max(mean, this.#deviation) / ROOTS[node]!;
    const [below, above] = gammaTails(value / (root * root * root), SHAPES[node]!, LOG_GAMMAS[node]!);
    const under = this.#dry + (1 - this.#dry) * below;
    const over = (1 - this.#dry) * above;
    return under < over ? -normalDeviate(Math.max(under, TINY)) : normalDeviate(Math.max(over, TINY));
  }
}
