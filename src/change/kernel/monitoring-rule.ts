/** How scenes are monitored. Residuals are observed less expected, in standard deviations of the history's. */
export interface MonitoringRule {
  /** Residuals are clipped to this. */
  readonly clip: number;
  /** Weight of a new residual in the EWMA, and its limit in multiples of its own standard deviation. */
  readonly ewmaWeight: number;
  readonly ewmaSigmas: number;
  /** Beyond this an observation is an outlier. */
  readonly outlierSigmas: number;
  /** Outliers in a row, all on one side, that flag and that confirm. */
  readonly flagRun: number;
  readonly confirmRun: number;
  /** Share of the history that the moving sum spans, and the critical value of its boundary. */
  readonly windowShare: number;
  readonly mosumCritical: number;
  /** Constant a of the boundary of the sum. */
  readonly cusumCritical: number;
  /** Growth of the observations over those of the fit after which a new fit is due. */
  readonly refitGrowth: number;
}

/** The published constants; `clip` and `refitGrowth` are ours. */
export const MONITORING_RULE: MonitoringRule = {
  clip: 6,
  ewmaWeight: 0.3, // Roberts 1959, doi:10.1080/00401706.1959.10489860
  ewmaSigmas: 3, // the same
  outlierSigmas: 2.575829, // square root of the .99 quantile of chi-square with one degree of freedom
  flagRun: 3, // a first flag
  confirmRun: 6, // Zhu & Woodcock 2014, doi:10.1016/j.rse.2014.01.011
  windowShare: 0.25, // Zeileis et al. 2005, doi:10.1002/jae.776
  mosumCritical: 1.341825, // the same, their simulated table: alpha .05, h .25, period 10, max
  cusumCritical: 2.7954835, // alpha .05, Chu, Stinchcombe & White 1996, doi:10.2307/2171955
  refitGrowth: 1.125, // exact in binary, so that the comparison is
};

/** Limit of the EWMA [standard deviations of one residual]. */
export function ewmaLimit({ ewmaWeight, ewmaSigmas }: MonitoringRule): number {
  return ewmaSigmas * Math.sqrt(ewmaWeight / (2 - ewmaWeight));
}

/** Bits of the flags of a pixel after a scene. */
export const FLAGS = {
  /** Observed in this scene, and monitored; the other bits are 0 without it. */
  observed: 1,
  ewma: 2,
  runFlags: 4,
  runConfirms: 8,
  mosum: 16,
  cusum: 32,
  refitDue: 64,
} as const;
