/** Rule for the fits of baselines, the same for all pixels of a run. */
export interface FitRule {
  /** Design columns to fit, ascending. */
  readonly columns: readonly number[];
  /** Minimum number of observations for a fit. A fit always needs more observations than columns. */
  readonly minObservations: number;
  /** Absolute residual beyond which an observation is rejected [robust standard deviations]. */
  readonly rejectBeyond: number;
  /** Maximum number of rounds of rejecting and refitting; 0: plain least squares. */
  readonly rejectRounds: number;
  /** Minimum number of observations per column after rejection; with fewer, nothing is rejected. */
  readonly observationsPerColumn: number;
  /**
   * Critical value of the reverse-ordered CUSUM that selects the stable end of a history; null: the fit uses the
   * whole history.
   */
  readonly historyCritical: number | null;
}

/** Returns the rule for plain least squares on all columns of a design and the whole history. */
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
