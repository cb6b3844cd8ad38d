/**
 * Critical value of the OLS-MOSUM boundary at alpha .05, h .25, period 10, max (Zeileis et al. 2005, their simulated
 * table).
 */
export const OLS_MOSUM_CRITICAL = 1.341825;
/** Share of the history that the window spans: h of that critical value. */
export const MOSUM_WINDOW = 0.25;

/** Number of residuals in the moving window of a history. */
export function mosumWindow(history: number, share = MOSUM_WINDOW): number {
  return Math.floor(history * share);
}

/**
 * OLS-MOSUM: moving sums of the residuals of a fit to a history, over the square root of the history's length.
 * @param residuals of the history and of what follows it [standard deviations of the history's residuals]
 * @param history number of observations in the history
 * @param share of the history that the window spans
 * @returns one value for each residual; the windows of the first ones are shorter
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
 * Boundary of the OLS-MOSUM in monitoring: `critical sqrt(2 log+ (n / h))`, where log+ is 1 up to e
 * (Leisch, Hornik & Kuan 2000, doi:10.1017/S0266466600166022; Zeileis et al. 2005, doi:10.1002/jae.776).
 * @param seen n, observations in the history and since
 * @param history h
 */
export function olsMosumBoundary(seen: number, history: number, critical = OLS_MOSUM_CRITICAL): number {
  return critical * Math.sqrt(2 * Math.max(1, Math.log(seen / history)));
}
