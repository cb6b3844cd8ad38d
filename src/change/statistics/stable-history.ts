import { REC_CUSUM_CRITICAL, recCusum, recCusumBoundary } from './cusum.ts';
import { recursiveResiduals } from './recursive-residuals.ts';

/**
 * Finds the beginning of the stable history of a series by a reverse-ordered CUSUM. A Rec-CUSUM is computed backwards
 * from the latest observation. The stable history begins with the observation that follows, in time, the one at which
 * the Rec-CUSUM first crosses its boundary (Pesaran & Timmermann 2002, doi:10.1016/S0927-5398(02)00007-5).
 * @param rows rows of the design, one for each observation, in order of time
 * @param critical critical value of the Rec-CUSUM
 * @param first number of observations that start the regression; at least the number of columns of the design
 * @throws RangeError when a value is not finite
 * @returns index of an observation; 0 without a crossing, or when fewer than two residuals can be tested
 */
export function stableHistoryStart(
  rows: readonly ArrayLike<number>[],
  values: readonly number[],
  critical = REC_CUSUM_CRITICAL,
  first = rows[0]?.length ?? 0,
): number {
  if (!values.every(Number.isFinite)) throw new RangeError('the values must be finite: leave out gaps');
  const n = rows.length;
  if (n < first + 2) return 0;
  const process = recCusum(recursiveResiduals(rows.toReversed(), values.toReversed(), first));
  const crossing = process.findIndex(
    (value, i) => Math.abs(value) > recCusumBoundary((i + 1) / process.length, critical),
  );
  return crossing < 0 ? 0 : n - (first + crossing);
}
