import type { EvidenceClass } from '../contract/vocabulary.ts';
import type { Knots } from '../numerics/isotonic.ts';
import type { ScoreDistribution } from './score-distribution.ts';

/**
 * Check of the distributions of the true score that a model states for answers of one basis, and the distribution
 * itself where it was fitted to answers of this basis.
 */
export interface Calibration {
  /** Kind of evidence that the answers are based on: `map`, `terrain`, ... */
  readonly basis: string;
  /** Distribution of the true score, fitted to other cases; null if the check used those of other bases. */
  readonly distribution: ScoreDistribution | null;
  /** Basis whose cases include these cases. */
  readonly partOf?: string;
  /** Number of cases checked. */
  readonly cases: number;
  /** Expected calibration error of the stated confidence, computed with ten bins [1]. */
  readonly ece: number;
  /** Expected calibration error of the confidence that the draws give by themselves [1]. */
  readonly rawEce: number;
  /** Stated confidence and share of the answers that hold, in each tenth of the confidence with 100 cases or more [1]. */
  readonly reliability: Knots;
  /**
   * Share of the nominal 90 % intervals of the hazard curve that contain the true intensity [1]; null if the
   * answers have no hazard curve.
   */
  readonly coverage90: number | null;
  /**
   * Share of the 90 % ranges of the score that contain the true score [1]. A range that ends at 0 or 1 can be missed
   * at one end only, so that it holds 95 % if it is right.
   */
  readonly rangeCoverage90: number;
  /** Shares of the true scores below and above their range [1]: at most 0.05 and 0.05 if the ranges are right. */
  readonly rangeMisses: readonly [below: number, above: number];
  /** The same with distributions fitted without the places of the case's block; null where none was fitted. */
  readonly crossValidated: CrossValidated | null;
}

/** Figures of distributions that were fitted to the other blocks of places. */
export interface CrossValidated {
  readonly blocks: number;
  readonly ece: number;
  readonly rangeCoverage90: number;
  readonly rangeMisses: readonly [below: number, above: number];
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
