import { frequencyAt, type Level } from '../../numerics/accuracy/recalibration.ts';
import { CHANGE_CALIBRATIONS } from './calibration-figures.ts';
import type { ChangeType } from '../metric.ts';

/** How the confidence of one type of change was calibrated, and how well it then held on other cases. */
export interface ChangeCalibration {
  /** Share of claims that were real and lasting, by their score; ascending. */
  readonly levels: readonly Level[];
  /** Claims that the levels rest on. */
  readonly cases: number;
  /** Claims that the figures below rest on: none of those. */
  readonly checked: number;
  readonly brier: number;
  readonly miscalibration: number;
  readonly discrimination: number;
  readonly uncertainty: number;
}

/** Probability that a change of a type is real and lasting, by its score in [0, 1]; the score itself where nothing is known of the type. */
export function calibratedConfidence(type: ChangeType, score: number): number {
  const calibration = CHANGE_CALIBRATIONS[type];
  return calibration === undefined ? score : frequencyAt(calibration.levels, score);
}
