import { brierScore } from './brier.ts';
import { frequencyAt, recalibrate, type Level } from './recalibration.ts';

/** What makes a Brier score: `score = miscalibration - discrimination + uncertainty`. */
export interface ScoreParts {
  readonly score: number;
  /** What recalibration would gain; 0 when stated probabilities are frequencies. */
  readonly miscalibration: number;
  /** What the forecasts know beyond the mean frequency. */
  readonly discrimination: number;
  /** Score of the mean frequency, given for every case. */
  readonly uncertainty: number;
  /** Frequency by forecast: the line of a reliability diagram. */
  readonly levels: readonly Level[];
}

/**
 * CORP decomposition: consistent, optimally binned, reproducible, by pooling adjacent violators.
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
