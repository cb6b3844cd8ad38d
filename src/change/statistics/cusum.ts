/** Critical value of the OLS-CUSUM boundary at alpha .05 (Chu, Stinchcombe & White 1996, doi:10.2307/2171955). */
export const OLS_CUSUM_CRITICAL = 2.7954835;
/** Critical value of the Rec-CUSUM boundary at alpha .05 (Brown, Durbin & Evans 1975; strucchange's efp). */
export const REC_CUSUM_CRITICAL = 0.9478982340418134;

/**
 * Computes the OLS-CUSUM: running sums of the residuals of a fit to a history, divided by the square root of the
 * length of the history.
 * @param residuals residuals of the history and of later observations [standard deviations of the history's residuals]
 * @param history number of observations in the history
 * @returns one value for each residual
 */
export function olsCusum(residuals: ArrayLike<number>, history: number): Float64Array {
  const root = Math.sqrt(history);
  let sum = 0;
  return Float64Array.from(residuals, (z) => (sum += z) / root);
}

/**
 * Boundary of the OLS-CUSUM in monitoring: `sqrt(x (x - 1) (a^2 + ln(x / (x - 1))))`, x = n / h (Chu, Stinchcombe &
 * White 1996, doi:10.2307/2171955, eq. 3.4; Zeileis et al. 2005, doi:10.1002/jae.776).
 * @param seen n, number of observations in the history and since; must be greater than `history`
 * @param history h, number of observations in the history
 * @param critical a, the critical value
 */
export function olsCusumBoundary(seen: number, history: number, critical = OLS_CUSUM_CRITICAL): number {
  const x = seen / history;
  return Math.sqrt(x * (x - 1) * (critical * critical + Math.log(x / (x - 1))));
}

/**
 * Computes the Rec-CUSUM: running sums of recursive residuals, divided by their standard deviation and by the square
 * root of their number (Brown, Durbin & Evans 1975, doi:10.1111/j.2517-6161.1975.tb01532.x; strucchange's efp without
 * its leading 0).
 * @param residuals see `recursiveResiduals`
 * @returns one value for each residual
 */
export function recCusum(residuals: Float64Array): Float64Array {
  const n = residuals.length;
  let mean = 0;
  for (const w of residuals) mean += w / n;
  let squares = 0;
  for (const w of residuals) squares += (w - mean) ** 2;
  const unit = Math.sqrt((squares / (n - 1)) * n);
  let sum = 0;
  return residuals.map((w) => (sum += w) / unit);
}

/**
 * Boundary of the Rec-CUSUM: `a (1 + 2 t)`.
 * @param time t, share of the residuals that are summed so far, in (0, 1]
 * @param critical a, the critical value
 */
export function recCusumBoundary(time: number, critical = REC_CUSUM_CRITICAL): number {
  return critical * (1 + 2 * time);
}
