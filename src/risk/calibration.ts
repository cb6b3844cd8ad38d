import type { Peril } from './assessment.ts';
import { CALIBRATIONS } from './calibration-figures.ts';
import { type Knots, knotsAt } from '../numerics/isotonic.ts';

/** How a model's stated confidence was checked on one kind of evidence, and the curve that corrects it. */
export interface Calibration {
  /** What answers these are: `map`, `terrain`, ... */
  readonly basis: string;
  /** As many other cases made it; empty where the check was made with another basis' curve. */
  readonly curve: Knots;
  /** The basis whose cases it is a stratum of. */
  readonly partOf?: string;
  /** Cases that the figures are of. */
  readonly cases: number;
  /** Expected calibration error of the stated confidence, ten bins [1]. */
  readonly ece: number;
  /** The same before the correction. */
  readonly rawEce: number;
  /** Share of the nominal 90 % intervals of the hazard curve that hold the true intensity. */
  readonly coverage90: number;
}

/** The figures of a peril, one for each kind of evidence that was checked; empty when none was. */
export function calibrationsOf(peril: Peril): readonly Calibration[] {
  return CALIBRATIONS[peril];
}

/** Makes the correction of a raw confidence for answers on one kind of evidence; none where none was checked. */
export function confidenceCorrection(peril: Peril, basis: string): (raw: number) => number {
  const curve = CALIBRATIONS[peril].find((calibration) => calibration.basis === basis)?.curve;
  return curve === undefined || curve.length === 0 ? (raw) => raw : (raw) => knotsAt(curve, raw);
}
