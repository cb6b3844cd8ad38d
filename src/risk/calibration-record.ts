import type { Knots } from '../numerics/isotonic.ts';

/** The check of a model's stated confidence on one kind of evidence, and the curve that corrects it. */
export interface Calibration {
  /** Kind of evidence that the answers rest on: `map`, `terrain`, ... */
  readonly basis: string;
  /** Fitted to as many other cases; empty where the check was made with the curve of another basis. */
  readonly curve: Knots;
  /** The basis whose cases these are a subset of. */
  readonly partOf?: string;
  /** Number of cases checked. */
  readonly cases: number;
  /** Expected calibration error of the stated confidence, ten bins [1]. */
  readonly ece: number;
  /** The same before the correction. */
  readonly rawEce: number;
  /** Share of the nominal 90 % intervals of the hazard curve that contain the true intensity [1]. */
  readonly coverage90: number;
}
