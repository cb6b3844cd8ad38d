import { brierScore } from './brier.ts';
import { frequencyAt, recalibrate, type Level } from './recalibration.ts';

/** Parts of a Brier score: `score = miscalibration - discrimination + uncertainty`. */
export interface ScoreParts {
  readonly score: number;
  /** Improvement by recalibration; 0 when stated probabilities equal frequencies. */
  readonly miscalibration: number;
  /** Improvement of the recalibrated forecasts over the mean frequency. */
  readonly discrimination: number;
  /** Score of forecasting the mean frequency for every case. */
  readonly uncertainty: number;
  /** Recalibrated frequency by forecast: the line of a reliability diagram. */
  readonly levels: readonly Level[];
}

/**
 * CORP decomposition (consistent, optimally binned, reproducible, by pooling adjacent violators) of a Brier score.
 * @throws RangeError as `brierScore`
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
  return { score, miscalibration: score - best, discrimination: uncertainty - best, uncertainty, levels };
}
