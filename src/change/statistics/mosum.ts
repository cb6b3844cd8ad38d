/** Observations in the moving window of a history. */
export function windowSize(history: number, share: number): number {
  return Math.floor(history * share);
}

/** OLS-MOSUM: sum of the latest residuals [standard deviations] over the square root of the history's length. */
export function mosum(latest: readonly number[], history: number): number {
  return latest.reduce((sum, z) => sum + z, 0) / Math.sqrt(history);
}

/**
 * Boundary of the OLS-MOSUM: `critical sqrt(2 log+ (n / h))`, where log+ is 1 up to e
 * (Leisch, Hornik & Kuan 2000, doi:10.1017/S0266466600166022; Zeileis et al. 2005, doi:10.1002/jae.776).
 * @param seen n, observations of the history and since
 * @param history h
 */
export function mosumBoundary(seen: number, history: number, critical: number): number {
  return critical * Math.sqrt(2 * Math.max(1, Math.log(seen / history)));
}
