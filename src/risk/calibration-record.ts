import type { Knots } from '../numerics/isotonic.ts';

/**
 * Check of the confidences that a model states for answers from one kind of evidence, and the curve that
 * corrects these confidences.
 */
export interface Calibration {
  /** Kind of evidence that the answers are based on: `map`, `terrain`, ... */
  readonly basis: string;
  /**
   * Correction curve, fitted to an equal number of other cases; empty if the check used the curve of another
   * basis.
   */
  readonly curve: Knots;
  /** Basis whose cases include these cases. */
  readonly partOf?: string;
  /** Number of cases checked. */
  readonly cases: number;
  /** Expected calibration error of the corrected confidence, computed with ten bins [1]. */
  readonly ece: number;
  /** Expected calibration error before the correction [1]. */
  readonly rawEce: number;
  /** Share of the nominal 90 % intervals of the hazard curve that contain the true intensity [1]. */
  readonly coverage90: number;
}
