import type { Peril } from './assessment.ts';
import { CALIBRATIONS } from './calibration-figures.ts';
import type { Calibration } from './calibration-record.ts';
import { knotsAt } from '../numerics/isotonic.ts';

/** Calibrations of a peril, one for each kind of evidence that was checked; empty when none was. */
export function calibrationsOf(peril: Peril): readonly Calibration[] {
  return CALIBRATIONS[peril] ?? [];
}

/**
 * Function that corrects the raw confidence of answers on one kind of evidence; the identity where none was
 * checked.
 */
export function confidenceCorrection(peril: Peril, basis: string): (raw: number) => number {
  const curve = calibrationsOf(peril).find((calibration) => calibration.basis === basis)?.curve;
  return curve === undefined || curve.length === 0 ? (raw) => raw : (raw) => knotsAt(curve, raw);
}
