import { RowTriangle } from './row-triangle.ts';

/**
 * Recursive residuals of a regression: the error of each observation's forecast from those before it, over the square
 * root of the forecast's variance in units of one observation's. Independent and of equal variance while the
 * coefficients do not change (Brown, Durbin & Evans 1975, doi:10.1111/j.2517-6161.1975.tb01532.x, eq. 2).
 * @param rows of the design, one for each observation
 * @param first observations that start the regression; at least the design's columns
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
