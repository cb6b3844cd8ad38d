// Constants of the statistics. Residuals are observed - expected, in standard deviations.

/** Maximum absolute value of a residual: larger ones are clipped to it. */
export let clip: f32 = 0;
/** Weight of a new residual in the EWMA, and control limit of the EWMA. */
export let weight: f32 = 0;
export let ewmaLimit: f32 = 0;
/**
 * Absolute residual beyond which an observation is an outlier, and numbers of consecutive outliers that flag a pixel
 * and that confirm it.
 */
export let outlier: f32 = 0;
export let flagRun: i32 = 0;
export let confirmRun: i32 = 0;
/** Length of the moving window as a share of the history, and squared critical value of the moving sum. */
export let windowShare: f64 = 0;
export let movingSquared: f32 = 0;
/** Squared critical value of the cumulative sum. */
export let sumSquared: f32 = 0;
/** A new fit is due when the number of observations has grown by this factor. */
export let growth: f32 = 0;

export function setStatistics(
  clipNow: f32,
  weightNow: f32,
  ewmaLimitNow: f32,
  outlierNow: f32,
  flagRunNow: i32,
  confirmRunNow: i32,
  windowShareNow: f64,
  movingCritical: f32,
  sumCritical: f32,
  growthNow: f32,
): void {
  clip = clipNow;
  weight = weightNow;
  ewmaLimit = ewmaLimitNow;
  outlier = outlierNow;
  flagRun = flagRunNow;
  confirmRun = confirmRunNow;
  windowShare = windowShareNow;
  movingSquared = movingCritical * movingCritical;
  sumSquared = sumCritical * sumCritical;
  growth = growthNow;
}
