import type { ScoreRange } from './assessment.ts';
import { CONFIDENCE_BAND, EDGE } from './confidence.ts';
import { type Knots, knotsAt } from '../numerics/isotonic.ts';

/**
 * Probabilities of the quantiles of a shape [1], ascending from 0 to 1. The range of the contract ends at two of them.
 */
export const SHAPE_PROBABILITIES = [
  0, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8,
  0.85, 0.9, 0.95, 0.975, 0.99, 1,
] as const;

/** Distribution of (true score - given score) / scale for answers whose score is near `score`. */
export interface ScoreShape {
  /** Given score of these answers [score]. */
  readonly score: number;
  /** Quantiles at SHAPE_PROBABILITIES [1], never decreasing. */
  readonly quantiles: readonly number[];
}

/**
 * Distribution of the true score about the given one, for the answers of one basis. It is a family with one scale: at one
 * given score a narrower range always has a higher confidence.
 */
export interface ScoreDistribution {
  /** Scale [score] by the confidence that the draws of the model give by themselves [1]; never increasing. */
  readonly scale: Knots;
  /** Shapes in ascending order of score; between their scores, the quantiles are interpolated linearly. */
  readonly shapes: readonly ScoreShape[];
}

/** A range always extends this far from its score, within [0, 1]: truths are not known any finer [score] (our choice). */
const RESOLUTION = 0.005;

/** Probability of the range that an explanation states [1]. */
const STATED_LEVEL = 0.9;

/** Upper limit of a scale [score]: all of [0, 1] lies within it. */
const MAX_SCALE = 4;
const BISECTIONS = 40;

const P = Float64Array.from(SHAPE_PROBABILITIES);

/** The distribution of the true score of one answer: confidence, ranges and quantiles follow from it. */
export class ScoreOutlook {
  readonly #score: number;
  readonly #scale: number;
  readonly #low: ArrayLike<number>;
  readonly #high: ArrayLike<number>;
  /** Share of `#high` in the shape [0-1]. */
  readonly #share: number;

  /**
   * @param score given score
   * @param raw confidence that the draws of the model give by themselves
   * @param highest upper limit of the confidence; a scale that would give more is raised until it does not
   */
  constructor({ scale, shapes }: ScoreDistribution, score: number, raw: number, highest = 1) {
    let k = 1;
    while (k < shapes.length && shapes[k]!.score < score) k++;
    const before = shapes[k - 1]!;
    const after = shapes[Math.min(k, shapes.length - 1)]!;
    const span = after.score - before.score;
    this.#score = score;
    this.#low = before.quantiles;
    this.#high = after.quantiles;
    this.#share = span > 0 ? Math.min(1, Math.max(0, (score - before.score) / span)) : 0;
    const found = knotsAt(scale, raw);
    this.#scale = this.#confidenceAt(found) > highest ? this.#scaleOf(highest, found) : found;
  }

  /** Probability that the true score lies within 0.1 of the given one [1]. */
  get confidence(): number {
    return this.#confidenceAt(this.#scale);
  }

  /** Score that the true one is below with probability `p`. */
  quantile(p: number): number {
    let k = 1;
    while (k < P.length - 1 && P[k]! < p) k++;
    const t = (p - P[k - 1]!) / (P[k]! - P[k - 1]!);
    const at = this.#quantile(k - 1) + t * (this.#quantile(k) - this.#quantile(k - 1));
    return Math.min(1, Math.max(0, this.#score + this.#scale * at));
  }

  /** Central range that holds the true score with the given probability. It always holds the given score. */
  range(level = STATED_LEVEL): ScoreRange {
    return {
      low: Math.max(0, Math.min(this.#score - RESOLUTION, this.quantile((1 - level) / 2))),
      high: Math.min(1, Math.max(this.#score + RESOLUTION, this.quantile((1 + level) / 2))),
    };
  }

  #quantile(k: number): number {
    const low = this.#low[k]!;
    return low + this.#share * (this.#high[k]! - low);
  }

  #confidenceAt(scale: number): number {
    const edge = (CONFIDENCE_BAND + EDGE) / scale;
    return this.#shareUpTo(edge) - this.#shareBelow(-edge);
  }

  /** Probability that the scaled difference is at most `edge`. */
  #shareUpTo(edge: number): number {
    let before = this.#quantile(0);
    if (before > edge) return 0;
    for (let k = 1; k < P.length; k++) {
      const here = this.#quantile(k);
      if (here > edge) return P[k - 1]! + ((edge - before) / (here - before)) * (P[k]! - P[k - 1]!);
      before = here;
    }
    return 1;
  }

  /** Probability that the scaled difference is below `edge`. */
  #shareBelow(edge: number): number {
    let before = this.#quantile(0);
    if (before >= edge) return 0;
    for (let k = 1; k < P.length; k++) {
      const here = this.#quantile(k);
      if (here >= edge) return P[k - 1]! + ((edge - before) / (here - before)) * (P[k]! - P[k - 1]!);
      before = here;
    }
    return 1;
  }

  /** Smallest scale above `from` whose confidence is not above `highest`; MAX_SCALE if there is none. */
  #scaleOf(highest: number, from: number): number {
    let low = from;
    let high = MAX_SCALE;
    for (let step = 0; step < BISECTIONS; step++) {
      const middle = (low + high) / 2;
      if (this.#confidenceAt(middle) > highest) low = middle;
      else high = middle;
    }
    return high;
  }
}
