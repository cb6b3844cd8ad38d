import { PARAMETERS } from '../parameters.ts';
import { bounded } from './claim-model.ts';

/** What came of the claims of one kind, and how far it moves the confidence of further claims of this kind. */
export interface Experience {
  /** Number of claims whose fate is known. */
  readonly claims: number;
  /** Number of these that stood. */
  readonly stood: number;
  /** Mean confidence that the model alone stated when they were confirmed. */
  readonly stated: number;
  /** What is added to the log-odds of a confidence. */
  readonly shift: number;
}

/** What is assumed before the first fate. */
export interface ExperiencePrior {
  /** Variance of the shift between installations [squared log-odds]. */
  readonly variance: number;
  /** Share of the false claims that stand, in [0, 1). */
  readonly falseStanding: number;
}

/** Number of bisections: the shift is then exact to the last digits of its type. */
const HALVINGS = 64;

/**
 * Computes what the fates of claims tell about the confidence of further claims.
 *
 * A fate is an imperfect test: a real change stands, but of the claims that are false, `falseStanding` stand as well.
 * So `stated + (1 - stated) * falseStanding` of the claims are expected to stand. The shift is the most probable
 * difference between the log-odds with which claims stand here and those of the expected share: a logistic regression
 * on the intercept alone, with a normal prior of mean 0. Without claims it is 0.
 *
 * Where a share s of the claims is expected to stand, the prior is worth `1 / (variance * s * (1 - s))` claims.
 * @param stated mean confidence of the claims by the model alone, in (0, 1); not used without claims
 * @throws RangeError for more claims that stood than claims, or a confidence of 0 or 1
 */
export function experienceOf(
  claims: number,
  stood: number,
  stated: number,
  { variance, falseStanding }: ExperiencePrior = PARAMETERS.experience,
): Experience {
  if (!(stood >= 0 && stood <= claims)) throw new RangeError(`${stood} of ${claims} claims cannot stand`);
  if (claims === 0) return { claims, stood, stated: 0, shift: 0 };
  if (!(stated > 0 && stated < 1)) throw new RangeError(`${stated} is not a confidence between 0 and 1`);
  const expected = stated + (1 - stated) * falseStanding;
  // The shift is the root of this decreasing function, the derivative of the log posterior. It is at most the number of
  // claims times the variance.
  const slope = (shift: number): number => stood - claims * shifted(expected, shift) - shift / variance;
  let [low, high] = [-claims * variance, claims * variance];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (slope(middle) > 0) low = middle;
    else high = middle;
  }
  return { claims, stood, stated, shift: (low + high) / 2 };
}

/** Adds a shift to the log-odds of a probability. */
function shifted(probability: number, shift: number): number {
  return 1 / (1 + ((1 - probability) / probability) * Math.exp(-shift));
}

/**
 * Adds a shift to the log-odds of a confidence. A shift of 0 changes nothing; otherwise the result keeps the bounds of
 * a stated confidence.
 */
export function movedBy(confidence: number, shift: number): number {
  return shift === 0 ? confidence : bounded(shifted(confidence, shift));
}
