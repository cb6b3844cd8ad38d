import type { Peril } from './assessment.ts';
import { CALIBRATIONS, INFORMATION } from './calibration-figures.ts';
import type { Calibration, Information } from './calibration-record.ts';
import { knotsAt } from '../numerics/isotonic.ts';

/**
 * Returns the calibrations of a peril, one for each kind of evidence that was checked; empty if none was checked.
 */
export function calibrationsOf(peril: Peril): readonly Calibration[] {
  return CALIBRATIONS[peril] ?? [];
}

/** Returns the information of the kinds of evidence of a peril, in ascending order; empty if it was not measured. */
export function informationOf(peril: Peril): readonly Information[] {
  return INFORMATION[peril] ?? [];
}

/**
 * Returns the function that corrects the raw confidence of answers based on one kind of evidence. It is the
 * identity if that kind has no correction curve.
 */
export function confidenceCorrection(peril: Peril, basis: string): (raw: number) => number {
  const curve = calibrationsOf(peril).find((calibration) => calibration.basis === basis)?.curve;
  return curve === undefined || curve.length === 0 ? (raw) => raw : (raw) => knotsAt(curve, raw);
}
