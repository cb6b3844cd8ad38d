/**
 * Critical value of the OLS-MOSUM boundary at alpha .05, h .25, period 10, max (Zeileis et al. 2005, their simulated
 * table).
 */
export const OLS_MOSUM_CRITICAL = 1.341825;
/** Length of the moving window as a share of the history: the h for which `OLS_MOSUM_CRITICAL` is valid. */
export const MOSUM_WINDOW = 0.25;

/** Returns the number of residuals in the moving window for a history of a given length. */
export function mosumWindow(history: number, share = MOSUM_WINDOW): number {
  return Math.floor(history * share);
}

/**
 * Computes the OLS-MOSUM: moving sums of the residuals of a fit to a history, divided by the square root of the length
 * of the history.
 * @param residuals residuals of the history and of later observations [standard deviations of the history's residuals]
 * @param history number of observations in the history
 * @param share length of the window as a share of the history
 * @returns one value for each residual; the windows of the first residuals are shorter
 */
export function olsMosum(residuals: ArrayLike<number>, history: number, share = MOSUM_WINDOW): Float64Array {
  const window = mosumWindow(history, share);
  const root = Math.sqrt(history);
  return Float64Array.from(residuals, (_, i) => {
    let sum = 0;
    for (let k = Math.max(0, i + 1 - window); k <= i; k++) sum += residuals[k]!;
    return sum / root;
  });
}

/**
 * Boundary of the OLS-MOSUM in monitoring: `critical sqrt(2 log+ (n / h))`, where log+(x) is 1 up to x = e
 * (Leisch, Hornik & Kuan 2000, doi:10.1017/S0266466600166022; Zeileis et al. 2005, doi:10.1002/jae.776).
 * @param seen n, number of observations in the history and since
 * @param history h, number of observations in the history
 */
export function olsMosumBoundary(seen: number, history: number, critical = OLS_MOSUM_CRITICAL): number {
  return critical * Math.sqrt(2 * Math.max(1, Math.log(seen / history)));
}
