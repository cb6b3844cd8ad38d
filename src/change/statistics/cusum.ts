/** OLS-CUSUM: sum of all residuals from the history's first on [standard deviations] over the root of its length. */
export function cusum(sum: number, history: number): number {
  return sum / Math.sqrt(history);
}

/**
 * Boundary of the OLS-CUSUM: `sqrt(x (x - 1) (a^2 + ln(x / (x - 1))))`, x = n / h
 * (Chu, Stinchcombe & White 1996, doi:10.2307/2171955, eq. 3.4; Zeileis et al. 2005, doi:10.1002/jae.776).
 * @param seen n, observations of the history and since; more than the history's
 * @param history h
 */
export function cusumBoundary(seen: number, history: number, a: number): number {
  const x = seen / history;
  return Math.sqrt(x * (x - 1) * (a * a + Math.log(x / (x - 1))));
}
