import type { Level } from '../../numerics/accuracy/recalibration.ts';

/** Calibration of the confidence of one type of change, and measures of its quality on other cases. */
export interface ChangeCalibration {
  /** Share of the reported changes that were real and lasting, by ranges of the score in ascending order. */
  readonly levels: readonly Level[];
  /** Number of reported changes from which `levels` was estimated. */
  readonly cases: number;
  /** Number of other reported changes, from which `brier` and `miscalibration` were computed. */
  readonly checked: number;
  readonly brier: number;
  readonly miscalibration: number;
  readonly discrimination: number;
  readonly uncertainty: number;
}
