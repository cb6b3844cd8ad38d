import { RowTriangle } from './row-triangle.ts';

/**
 * Computes the recursive residuals of a regression. A recursive residual is the error of the forecast of an
 * observation from the observations before it, divided by the ratio of the standard deviation of this error to that
 * of one observation. While the coefficients do not change, recursive residuals are independent and have equal
 * variance (Brown, Durbin & Evans 1975, doi:10.1111/j.2517-6161.1975.tb01532.x, eq. 2).
 * @param rows rows of the design, one for each observation
 * @param first number of observations that start the regression; at least the number of columns of the design
 * @returns one residual for each observation from `first` on
 */
export function recursiveResiduals(
  rows: readonly ArrayLike<number>[],
  values: readonly number[],
  first = rows[0]?.length ?? 0,
): Float64Array {
  const triangle = new RowTriangle(rows[0]?.length ?? 0);
  const residuals = Float64Array.from(rows, (row, i) => triangle.add(row, values[i]!));
  return residuals.subarray(first);
}
