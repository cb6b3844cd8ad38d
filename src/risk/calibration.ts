import type { Peril } from './assessment.ts';
import { CALIBRATIONS, INFORMATION } from './calibration-figures.ts';
import type { Calibration, Information } from './calibration-record.ts';
import type { ScoreDistribution } from './score-distribution.ts';

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

/** Returns the distribution of the true score for answers of one basis; undefined if none was fitted. */
export function distributionOf(peril: Peril, basis: string): ScoreDistribution | undefined {
  return calibrationsOf(peril).find((calibration) => calibration.basis === basis)?.distribution ?? undefined;
}
