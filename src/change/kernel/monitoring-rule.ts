import { PARAMETERS } from '../parameters.ts';
import { OLS_CUSUM_CRITICAL } from '../statistics/cusum.ts';
import { MOSUM_WINDOW, OLS_MOSUM_CRITICAL } from '../statistics/mosum.ts';

/** Rule of monitoring. Residuals are observed minus expected, in standard deviations of the history's residuals. */
export interface MonitoringRule {
  /** Maximum absolute value of a residual: larger ones are clipped to it. */
  readonly clip: number;
  /** Weight of a new residual in the EWMA, and control limit of the EWMA [standard deviations of the EWMA]. */
  readonly ewmaWeight: number;
  readonly ewmaSigmas: number;
  /** Absolute residual beyond which an observation is an outlier. */
  readonly outlierSigmas: number;
  /** Number of consecutive outliers on one side that flag a pixel, and number that confirm its change. */
  readonly flagRun: number;
  readonly confirmRun: number;
  /** Length of the moving window as a share of the history, and critical value of the MOSUM boundary. */
  readonly windowShare: number;
  readonly mosumCritical: number;
  /** Critical value of the CUSUM boundary. */
  readonly cusumCritical: number;
  /** A new fit is due when the number of observations has grown by this factor since the last fit. */
  readonly refitGrowth: number;
}

/** The published constants, except `clip` and `refitGrowth` (our choice). */
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

/** Bits of a pixel's flags after a scene. */
export const FLAGS = {
  /** The pixel is monitored and was observed in this scene. If this bit is 0, all other bits are 0. */
  observed: 1,
  ewma: 2,
  runFlags: 4,
  runConfirms: 8,
  mosum: 16,
  cusum: 32,
  refitDue: 64,
} as const;
