import { MAD_TO_SIGMA } from '../../numerics/median.ts';

/** How baselines are fitted: one rule for all pixels of a run. */
export interface FitRule {
  /** Design columns to fit, ascending. */
  readonly columns: readonly number[];
  /** Fewest observations for a fit; always at least one more than columns. */
  readonly minObservations: number;
  /** Residual beyond which an observation is left out [robust standard deviations]. */
  readonly rejectBeyond: number;
  /** Rounds of rejecting and refitting; 0: plain least squares. */
  readonly rejectRounds: number;
  /** Fewest observations per column after rejection; with fewer, nothing is rejected. */
  readonly observationsPerColumn: number;
  /**
   * Critical value of the reverse-ordered CUSUM that selects the stable end of a history; null: the fit uses all of
   * it.
   */
  readonly historyCritical: number | null;
}

/** Plain least squares on all columns of a design over all of the history. */
export function plainRule(columns: number): FitRule {
  return {
    columns: Array.from({ length: columns }, (_, c) => c),
    minObservations: columns + 1,
    rejectBeyond: 0,
    rejectRounds: 0,
    observationsPerColumn: 0,
    historyCritical: null,
  };
}

/**
 * Largest absolute residual that is kept, given the median absolute residual [same unit]; never below the rounding
 * floor.
 */
export function rejectionLimit(rule: FitRule, medianResidual: number): number {
  return Math.max(ROUNDING_FLOOR, rule.rejectBeyond * MAD_TO_SIGMA * medianResidual);
}

/** Residuals below this are rounding errors [sample unit]; the kernel has the same constant. */
const ROUNDING_FLOOR = 1e-9;
