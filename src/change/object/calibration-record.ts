import type { Level } from '../../numerics/accuracy/recalibration.ts';

/** Calibration of the confidence of one type of change, and its quality on other cases. */
export interface ChangeCalibration {
  /** Share of claims that were real and lasting, by score; ascending. */
  readonly levels: readonly Level[];
  /** Number of claims that the levels rest on. */
  readonly cases: number;
  /** Number of other claims, which the following figures rest on. */
  readonly checked: number;
  readonly brier: number;
  readonly miscalibration: number;
  readonly discrimination: number;
  readonly uncertainty: number;
}
