import { percentile } from './percentile.ts';
import { fitLeastSquares, type LinearFit, residualsOf } from './least-squares.ts';

export interface WeightedFit extends LinearFit {
  readonly residuals: Float64Array;
  /** Weight of each observation in [0, 1]; an observation with weight 1 counts in full. */
  readonly weights: Float64Array;
  /** Standard deviation of one observation [unit of the values], from n - p degrees of freedom. */
  readonly deviation: number;
}

/**
 * Number of standard deviations up to which a residual has full weight [1]: 95 % efficiency for normal errors.
 * @see doi:10.1214/aoms/1177703732 (Huber 1964)
 */
export const HUBER_K = 1.345;
/** Ratio of the standard deviation of a normal variate to its median absolute deviation [1]: 1 / Phi^-1(3/4). */
export const MAD_TO_DEVIATION = 1.482602218505602;
/**
 * Maximum number of iterations. They end earlier when no coefficient changes by more than CONVERGED standard
 * errors (our choice).
 */
const MAX_ITERATIONS = 50;
const CONVERGED = 1e-6;

/**
 * Spread of a sample about its median, scaled so that it equals the standard deviation if the distribution is
 * normal. The sample array is not modified.
 */
export function robustDeviation(sample: Float64Array): number {
  const centre = percentile(sample.slice(), 0.5);
  return (
    MAD_TO_DEVIATION *
    percentile(
      sample.map((value) => Math.abs(value - centre)),
      0.5,
    )
  );
}

/**
 * Ordinary least squares: every observation has full weight.
 * @throws RangeError in the same cases as `fitLeastSquares`, or when n <= p
 */
export function plainFit(rows: Float64Array, values: Float64Array, p: number): WeightedFit {
  const n = values.length;
  if (n <= p) throw new RangeError(`${n} observations cannot tell ${p} terms and their error`);
  const weights = new Float64Array(n).fill(1);
  const fit = fitLeastSquares(rows, values, weights, p);
  const residuals = residualsOf(rows, values, fit.coefficients);
  const squares = residuals.reduce((sum, r) => sum + r * r, 0);
  return { ...fit, residuals, weights, deviation: Math.sqrt(squares / (n - p)) };
}

/**
 * Robust regression by iteratively reweighted least squares with Huber's weights; the scale is the median
 * absolute deviation. Standard errors follow Huber 1981, section 7.6: the cofactors are those of the unweighted
 * design, and `deviation` is `K sqrt(sum psi^2 / (n - p)) / m`, where m is the share of observations with full
 * weight.
 * @throws RangeError in the same cases as `plainFit`
 */
export function huberFit(rows: Float64Array, values: Float64Array, p: number): WeightedFit {
  const n = values.length;
  const start = plainFit(rows, values, p);
  const weights = start.weights.slice();
  let { coefficients, residuals } = start;
  let scale = robustDeviation(residuals);
  for (let k = 0; k < MAX_ITERATIONS && scale > 0; k++) {
    for (let i = 0; i < n; i++) weights[i] = Math.min(1, (HUBER_K * scale) / Math.abs(residuals[i]!));
    const fit = fitLeastSquares(rows, values, weights, p);
    const moved = fit.coefficients.some(
      (b, j) => Math.abs(b - coefficients[j]!) > CONVERGED * scale * Math.sqrt(start.cofactors[j * p + j]!),
    );
    coefficients = fit.coefficients;
    residuals = residualsOf(rows, values, coefficients);
    scale = robustDeviation(residuals);
    if (!moved) break;
  }
  if (!(scale > 0)) return { ...start, coefficients, residuals, weights };
  const bend = HUBER_K * scale;
  let squares = 0;
  let within = 0;
  for (const r of residuals) {
    squares += Math.min(Math.abs(r), bend) ** 2;
    if (Math.abs(r) <= bend) within++;
  }
  const share = within / n;
  const correction = 1 + (p / n) * ((1 - share) / share);
  const deviation = (correction * Math.sqrt(squares / (n - p))) / share;
  return { coefficients, cofactors: start.cofactors, residuals, weights, deviation };
}
