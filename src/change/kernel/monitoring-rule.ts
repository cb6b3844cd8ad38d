import { PARAMETERS } from '../parameters.ts';
import { OLS_CUSUM_CRITICAL } from '../statistics/cusum.ts';
import { MOSUM_WINDOW, OLS_MOSUM_CRITICAL } from '../statistics/mosum.ts';

/** Rule of monitoring. Residuals are observed minus expected, in standard deviations of the history's residuals. */
export interface MonitoringRule {
  /** Residuals are clipped to this. */
  readonly clip: number;
  /** Weight of a new residual in the EWMA, and its limit in standard deviations of the EWMA. */
  readonly ewmaWeight: number;
  readonly ewmaSigmas: number;
  /** An observation whose residual is beyond this is an outlier. */
  readonly outlierSigmas: number;
  /** Consecutive outliers on one side that flag, and that confirm. */
  readonly flagRun: number;
  readonly confirmRun: number;
  /** Share of the history that the moving sum spans, and the critical value of its boundary. */
  readonly windowShare: number;
  readonly mosumCritical: number;
  /** Critical value of the CUSUM boundary. */
  readonly cusumCritical: number;
  /** A new fit is due when the observations have grown by this factor since the last one. */
  readonly refitGrowth: number;
}

/** The published constants; `clip` and `refitGrowth` are ours. */
export const MONITORING_RULE: MonitoringRule = {
  clip: PARAMETERS.clip,
  ewmaWeight: PARAMETERS.ewmaWeight,
  ewmaSigmas: PARAMETERS.ewmaSigmas,
  outlierSigmas: PARAMETERS.outlierSigmas,
  flagRun: PARAMETERS.flagRun.other,
  confirmRun: PARAMETERS.confirmOutliers, // Zhu & Woodcock 2014, doi:10.1016/j.rse.2014.01.011
  windowShare: MOSUM_WINDOW,
  mosumCritical: OLS_MOSUM_CRITICAL,
  cusumCritical: OLS_CUSUM_CRITICAL,
  refitGrowth: 1.125, // exact in binary, so that comparisons with it are exact
};

/** Flags of a pixel after a scene, as bits. */
export const FLAGS = {
  /** Observed in this scene, and monitored; without it all other bits are 0. */
  observed: 1,
  ewma: 2,
  runFlags: 4,
  runConfirms: 8,
  mosum: 16,
  cusum: 32,
  refitDue: 64,
} as const;
