import { frequencyAt } from '../../numerics/accuracy/recalibration.ts';
import { CHANGE_CALIBRATIONS } from './calibration-figures.ts';
import type { ChangeType } from '../metric.ts';

/**
 * Probability that a change is real and lasting, by its type and score in [0, 1]; the score itself for a type without
 * calibration.
 */
export function calibratedConfidence(type: ChangeType, score: number): number {
  const calibration = CHANGE_CALIBRATIONS[type];
  return calibration === undefined ? score : frequencyAt(calibration.levels, score);
}
