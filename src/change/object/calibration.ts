import { frequencyAt } from '../../numerics/accuracy/recalibration.ts';
import { CHANGE_CALIBRATIONS } from './calibration-figures.ts';
import type { ChangeType } from '../metric.ts';

/**
 * Returns the probability that a change is real and lasting, given its type and its score in [0, 1]. For a type
 * without calibration this is the score.
 */
export function calibratedConfidence(type: ChangeType, score: number): number {
  const calibration = CHANGE_CALIBRATIONS[type];
  return calibration === undefined ? score : frequencyAt(calibration.levels, score);
}
