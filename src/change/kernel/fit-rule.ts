import { MAD_TO_SIGMA } from '../../numerics/median.ts';

/** Critical value of the Rec-CUSUM boundary at alpha .05 (Brown, Durbin & Evans 1975; strucchange's efp). */
export const HISTORY_CRITICAL = 0.9478982340418134;

/** How baselines are fitted: one rule for all pixels of a run. */
export interface FitRule {
  /** Design columns to fit, ascending. */
  readonly columns: readonly number[];
  /** Observations without which nothing is fitted; always at least one more than columns. */
  readonly minObservations: number;
  /** Residual beyond which an observation is left out [robust standard deviations]. */
  readonly rejectBeyond: number;
  /** Rounds of leaving out and fitting again; 0: plain least squares. */
  readonly rejectRounds: number;
  /** Observations for each column that rejection must leave, else it does not happen. */
  readonly observationsPerColumn: number;
  /** Critical value that selects a stable history by reverse-ordered CUSUM; null: all of the history. */
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

/** Largest absolute residual that is kept, from the median of all [same unit]. What is below the floor is rounding. */
export function rejectionLimit(rule: FitRule, medianResidual: number): number {
  return Math.max(ROUNDING_FLOOR, rule.rejectBeyond * MAD_TO_SIGMA * medianResidual);
}

/** Residuals below this are rounding, not scatter [sample unit]; the kernel has the same. */
const ROUNDING_FLOOR = 1e-9;
