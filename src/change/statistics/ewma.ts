/**
 * Updates an exponentially weighted moving average with a residual (Roberts 1959, doi:10.1080/00401706.1959.10489860).
 * @param before average before the update; 0 at the beginning
 * @param weight weight of the new residual, in (0, 1]
 */
export function nextEwma(before: number, residual: number, weight: number): number {
  return (1 - weight) * before + weight * residual;
}

/** Computes the exponentially weighted moving average of residuals, starting from 0: one value per residual. */
export function ewma(residuals: ArrayLike<number>, weight: number): Float64Array {
  let average = 0;
  return Float64Array.from(residuals, (z) => (average = nextEwma(average, z, weight)));
}

/**
 * Control limit of the EWMA: `s sqrt(l / (2 - l))`, widened for residuals that are an AR(1) process.
 * @param weight l, the weight of a new residual
 * @param sigmas s, the limit in standard deviations of the average
 * @param rho lag-one autocorrelation of the residuals
 * @returns limit [standard deviations of one residual]
 */
export function ewmaLimit(weight: number, sigmas: number, rho = 0): number {
  const carried = rho * (1 - weight);
  return sigmas * Math.sqrt((weight / (2 - weight)) * ((1 + carried) / (1 - carried)));
}
