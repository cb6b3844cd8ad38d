/** Coefficients of Acklam's rational approximation to the normal quantile (relative error below 1.15e-9). */
const A = [
  -3.969683028665376e1, 2.209460984245205e2, -2.759285104469687e2, 1.38357751867269e2, -3.066479806614716e1,
  2.506628277459239,
] as const;
const B = [
  -5.447609879822406e1, 1.615858368580409e2, -1.556989798598866e2, 6.680131188771972e1, -1.328068155288572e1,
] as const;
const C = [
  -7.784894002430293e-3, -3.223964580411365e-1, -2.400758277161838, -2.549732539343734, 4.374664141464968,
  2.938163982698783,
] as const;
const D = [7.784695709041462e-3, 3.224671290700398e-1, 2.445134137142996, 3.754408661907416] as const;
const TAIL = 0.02425; // below this probability, and above its complement, the formula for the tails is used

/** Quantile of the standard normal distribution. @throws RangeError for p outside (0, 1) */
export function normalQuantile(p: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`probability ${p}, expected within (0, 1)`);
  if (p < TAIL) return tailQuantile(p);
  if (p > 1 - TAIL) return -tailQuantile(1 - p);
  const q = p - 0.5;
  const r = q * q;
  return (
    ((((((A[0] * r + A[1]) * r + A[2]) * r + A[3]) * r + A[4]) * r + A[5]) * q) /
    (((((B[0] * r + B[1]) * r + B[2]) * r + B[3]) * r + B[4]) * r + 1)
  );
}

/** Value that a standard normal variate exceeds with probability `tail`; Infinity for a tail of 0. */
export function normalDeviate(tail: number): number {
  return tail > 0 ? -normalQuantile(tail) : Number.POSITIVE_INFINITY;
}

function tailQuantile(p: number): number {
  const q = Math.sqrt(-2 * Math.log(p));
  return (
    (((((C[0] * q + C[1]) * q + C[2]) * q + C[3]) * q + C[4]) * q + C[5]) /
    ((((D[0] * q + D[1]) * q + D[2]) * q + D[3]) * q + 1)
  );
}

/** Maximum number of terms of the series: enough for |z| up to 6. */
const MAX_TERMS = 120;

/**
 * Cumulative distribution function of the standard normal distribution.
 * @see Marsaglia 2004, doi:10.18637/jss.v011.i04
 */
export function normalProbability(z: number): number {
  if (z < -8) return 0;
  if (z > 8) return 1;
  let sum = z;
  let term = z;
  for (let k = 3; k < 2 * MAX_TERMS && Math.abs(term) > 1e-17; k += 2) {
    term *= (z * z) / k;
    sum += term;
  }
  return 0.5 + (sum * Math.exp(-0.5 * z * z)) / Math.sqrt(2 * Math.PI);
}
