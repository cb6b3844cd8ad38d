import { brierScore } from './brier.ts';
import { frequencyAt, recalibrate, type Level } from './recalibration.ts';

/** Parts of a Brier score: `score = miscalibration - discrimination + uncertainty`. */
export interface ScoreParts {
  readonly score: number;
  /** Score minus the score of the recalibrated forecasts; 0 when the probabilities equal the observed frequencies. */
  readonly miscalibration: number;
  /** Score of a constant forecast of the mean frequency, minus the score of the recalibrated forecasts. */
  readonly discrimination: number;
  /** Score if the forecast for every case is the mean frequency. */
  readonly uncertainty: number;
  /** Recalibrated frequency for each forecast: the curve of a reliability diagram. */
  readonly levels: readonly Level[];
}

/**
 * CORP decomposition (consistent, optimally binned, reproducible, by pooling adjacent violators) of a Brier
 * score.
 * @throws RangeError in the same cases as `brierScore`
 * @see doi:10.1073/pnas.2016191118 (Dimitriadis, Gneiting & Jordan 2021)
 */
export function scoreParts(
  probabilities: ArrayLike<number>,
  outcomes: ArrayLike<number>,
  weights?: ArrayLike<number>,
): ScoreParts {
  const score = brierScore(probabilities, outcomes, weights);
  const levels = recalibrate(probabilities, outcomes, weights);
  const recalibrated = Float64Array.from(probabilities, (p) => frequencyAt(levels, p));
  const total = levels.reduce((sum, { weight }) => sum + weight, 0);
  const mean = levels.reduce((sum, { weight, frequency }) => sum + weight * frequency, 0) / total;
  const best = brierScore(recalibrated, outcomes, weights);
  const uncertainty = mean * (1 - mean);
  // Both parts are at least 0. Rounding errors could make them slightly negative.
  return {
    score,
    miscalibration: Math.max(0, score - best),
    discrimination: Math.max(0, uncertainty - best),
    uncertainty,
    levels,
  };
}
