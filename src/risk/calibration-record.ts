import type { Knots } from '../numerics/isotonic.ts';
import type { EvidenceClass } from '../contract/vocabulary.ts';

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
  /**
   * Share of the nominal 90 % intervals of the hazard curve that contain the true intensity [1]; null if the
   * answers have no hazard curve.
   */
  readonly coverage90: number | null;
  /**
   * Amount that the range of the draws is widened by at both ends [score], fitted with the curve; 0 if the check
   * used the correction of another basis.
   */
  readonly margin: number;
  /** Share of the 90 % ranges of the score that contain the true score [1]. */
  readonly rangeCoverage90: number;
}

/** Expected information of one kind of evidence about the score. */
export interface Information {
  /** Name of the kind of evidence. */
  readonly name: string;
  readonly class: EvidenceClass;
  /**
   * Information [bits] by the decimal logarithm of the cell size [m]: never increasing with the cell size, and never
   * below that of a lower kind.
   */
  readonly bits: Knots;
  /** Number of cases measured. */
  readonly cases: number;
}
