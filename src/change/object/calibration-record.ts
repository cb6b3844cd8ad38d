import type { Level } from '../../numerics/accuracy/recalibration.ts';

/** How the confidence of one type of change was calibrated, and how well it then held on other cases. */
export interface ChangeCalibration {
  /** Share of claims that were real and lasting, by their score; ascending. */
  readonly levels: readonly Level[];
  /** Claims that the levels rest on. */
  readonly cases: number;
  /** Claims that the figures below rest on: none of those. */
  readonly checked: number;
  readonly brier: number;
  readonly miscalibration: number;
  readonly discrimination: number;
  readonly uncertainty: number;
}
