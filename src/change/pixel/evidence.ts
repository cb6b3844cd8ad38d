import { PARAMETERS } from '../parameters.ts';
import * as ewma from '../statistics/ewma.ts';

const logOdds = (probability: number): number => Math.log(probability / (1 - probability));

/** Log-odds of a change before any evidence. */
export const PRIOR_LOG_ODDS = logOdds(PARAMETERS.priorProbability);
/** Largest log-odds. */
export const CAP_LOG_ODDS = logOdds(PARAMETERS.posteriorCap);
/** Largest and smallest change of the log-odds with one observation. */
export const MAX_STEP = logOdds(PARAMETERS.maxProbability);
export const MIN_STEP = logOdds(PARAMETERS.minProbability);
/** Minimum log-odds to flag a change, and to confirm it. */
export const FLAG_LOG_ODDS = logOdds(PARAMETERS.flagPosterior);
export const CONFIRM_LOG_ODDS = logOdds(PARAMETERS.confirmPosterior);

/** Tolerance for log-odds that count as equal to the prior. It is well above the rounding errors of doubles. */
const ROUNDING = 1e-9;
/** Log-odds up to which no evidence is left. */
export const SPENT_LOG_ODDS = PRIOR_LOG_ODDS + ROUNDING;

/** Whether no evidence of a change is left. */
export function isSpent(odds: number): boolean {
  return odds <= SPENT_LOG_ODDS;
}

/** Converts log-odds to a probability. */
export function probability(odds: number): number {
  return 1 / (1 + Math.exp(-odds));
}

/** Returns a residual in standard deviations, clipped so that a huge departure does not outweigh the next ones. */
export function standardised(residual: number, scale: number): number {
  return Math.max(-PARAMETERS.clip, Math.min(PARAMETERS.clip, residual / scale));
}

/**
 * Updates the log-odds of a change in one direction with an observation. The probability from one observation is bounded.
 * The log-odds never fall below the prior, so that old normal observations do not outweigh new evidence. The likelihoods
 * are normal, and the noise is an AR(1) process, because producers may have smoothed the series. The evidence is the innovation: the
 * observation minus `rho` times the previous observation. The mean of the innovation is 0 without a change, `shift` at
 * the first scene of a change and later `shift (1 - rho)`; its variance is `1 - rho^2` (Box & Jenkins 1970).
 * @param before standardised residual of the previous observation, positive in the direction of the change
 * @param rho correlation with the previous observation
 * @param isFirst whether the change would begin with this observation
 */
export function updateFromInnovation(
  odds: number,
  z: number,
  before: number,
  rho: number,
  shift: number,
  isFirst: boolean,
): number {
  const deviation = Math.sqrt(1 - rho * rho);
  const innovation = (z - rho * before) / deviation;
  const mean = ((isFirst ? 1 : 1 - rho) * shift) / deviation;
  const ratio = logLikelihoodRatio(innovation, mean);
  if (ratio <= 0 && odds === PRIOR_LOG_ODDS) return odds; // the most frequent case
  const step = Math.max(MIN_STEP, Math.min(MAX_STEP, ratio));
  return Math.max(PRIOR_LOG_ODDS, Math.min(CAP_LOG_ODDS, odds + step));
}

/** Log-likelihood ratio of a standardised value: normal distributions with mean `shift` and with mean 0. */
export function logLikelihoodRatio(z: number, shift: number): number {
  return shift * (z - shift / 2);
}

/**
 * Returns how clearly an observation is evidence against a change: 0 not at all, 1 somewhat, 2 clearly. A sum of
 * comparisons avoids unpredictable branches.
 */
export function speaksAgainst(z: number, shift: number): number {
  const step = logLikelihoodRatio(z, shift);
  return Number(step < 0) + Number(step <= MIN_STEP);
}

/** Exponentially weighted moving average after one more standardised residual. */
export function updateEwma(before: number, z: number): number {
  return ewma.nextEwma(before, z, PARAMETERS.ewmaWeight);
}

/** Control limit of this moving average [standard deviations], for residuals with lag-one autocorrelation `rho`. */
export function ewmaLimit(rho: number): number {
  return ewma.ewmaLimit(PARAMETERS.ewmaWeight, PARAMETERS.ewmaSigmas, rho);
}

/**
 * Returns the value in `[low, high]` that is nearest to an observed value. One end is the baseline of a pixel, the
 * other end is this baseline corrected for its surroundings. A value between the two is not a departure, because a
 * pixel need not follow its surroundings: a pond does not become green like the meadows around it.
 */
export function nearest(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

/**
 * Expected value of an observation.
 * @param level value of the baseline
 * @param around median departure of other pixels in the scene; NaN where it is unknown
 * @param fall common fall, negative or 0
 */
export function expectedOf(value: number, level: number, around: number, fall = 0): number {
  const shift = Number.isNaN(around) ? 0 : around;
  return nearest(value, level + Math.min(0, shift, fall), level + Math.max(0, shift));
}
