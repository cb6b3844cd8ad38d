// Constants of the statistics, set once. Residuals are observed minus expected, in standard deviations.

/** Residuals are clipped to this. */
export let clip: f32 = 0;
/** Weight and limit of the EWMA. */
export let weight: f32 = 0;
export let ewmaLimit: f32 = 0;
/**
 * An observation with a residual beyond this is an outlier; numbers of consecutive outliers that flag and that
 * confirm.
 */
export let outlier: f32 = 0;
export let flagRun: i32 = 0;
export let confirmRun: i32 = 0;
/** Share of the history in the moving window, and squared critical value of its sum. */
export let windowShare: f64 = 0;
export let movingSquared: f32 = 0;
/** Squared critical value of the boundary of the sum. */
export let sumSquared: f32 = 0;
/** A new fit is due when the observations have grown by this factor. */
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
