import type { Level } from '../../numerics/accuracy/recalibration.ts';

/** Calibration of the confidence of one type of change, and measures of its quality on other cases. */
export interface ChangeCalibration {
  /** For ascending scores, the share of claims that were real and lasting. */
  readonly levels: readonly Level[];
  /** Number of claims from which `levels` was estimated. */
  readonly cases: number;
  /** Number of other claims, from which `brier` and `miscalibration` were computed. */
  readonly checked: number;
  readonly brier: number;
  readonly miscalibration: number;
  readonly discrimination: number;
  readonly uncertainty: number;
}
