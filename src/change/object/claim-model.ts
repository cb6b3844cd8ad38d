import type { ChangeType } from '../metric.ts';
import { DAY_MS } from '../../base/time.ts';
import { CLAIM_COEFFICIENTS } from './claim-figures.ts';

/** What the confidence of a change of greenness depends on. */
export interface ClaimFeatures {
  readonly type: ChangeType;
  readonly isConfirmed: boolean;
  /** Number of pixels of the object. */
  readonly pixels: number;
  /** Absolute size of the departure [noise floors]. */
  readonly floors: number;
  /** Duration of the departure [ms]. */
  readonly lastedMs: number;
}

/** Smallest size of a departure [noise floors] and shortest duration [days] that still lower the confidence. */
const LEAST_FLOORS = 0.5;
const SETTLING_DAYS = 30;
/** Bounds of a stated confidence: the labelled claims cannot show rarer cases (our choice). */
const [LOWEST, HIGHEST] = [0.01, 0.99];

/** Returns the values that the coefficients of the model multiply, in their order. */
export function claimTerms({ type, isConfirmed, pixels, floors, lastedMs }: ClaimFeatures): number[] {
  const size = Math.log(Math.max(LEAST_FLOORS, floors));
  return [
    1,
    isConfirmed ? 1 : 0,
    Math.log(pixels),
    size,
    // A deep departure that was not confirmed has come and gone more often than a deep one that was.
    isConfirmed ? 0 : size,
    Math.log(SETTLING_DAYS + lastedMs / DAY_MS),
    type === 'vegetation_gain' ? 1 : 0,
    type === 'conversion' ? 1 : 0,
  ];
}

/**
 * Returns the probability that a change of greenness is real and lasting: a logistic regression on claims whose truth
 * is known, as the mean over kinds of ground (bench/claim-calibration.ts). The number of pixels counts most: neighbours that changed together are evidence that no single series has.
 */
export function claimConfidence(features: ClaimFeatures): number {
  const odds = claimTerms(features).reduce((sum, term, i) => sum + term * CLAIM_COEFFICIENTS[i]!, 0);
  return bounded(1 / (1 + Math.exp(-odds)));
}

/** Keeps a confidence within the bounds of what is stated. */
export function bounded(confidence: number): number {
  return Math.max(LOWEST, Math.min(HIGHEST, confidence));
}
