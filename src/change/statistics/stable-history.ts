import { REC_CUSUM_CRITICAL, recCusum, recCusumBoundary } from './cusum.ts';
import { recursiveResiduals } from './recursive-residuals.ts';

/**
 * Where the stable history of a series begins, by a reverse-ordered CUSUM: a Rec-CUSUM runs from the latest observation
 * backwards, and the history begins after the one at which it first crosses its boundary (Pesaran & Timmermann 2002,
 * doi:10.1016/S0927-5398(02)00007-5).
 * @param rows of the design, one for each observation, in order of time
 * @param critical critical value of the Rec-CUSUM
 * @param first observations that start the regression; at least the design's columns
 * @returns index of an observation; 0 without a crossing, or when fewer than two residuals can be tested
 */
export function stableHistoryStart(
  rows: readonly ArrayLike<number>[],
  values: readonly number[],
  critical = REC_CUSUM_CRITICAL,
  first = rows[0]?.length ?? 0,
): number {
  const n = rows.length;
  if (n < first + 2) return 0;
  const process = recCusum(recursiveResiduals(rows.toReversed(), values.toReversed(), first));
  const crossing = process.findIndex(
    (value, i) => Math.abs(value) > recCusumBoundary((i + 1) / process.length, critical),
  );
  return crossing < 0 ? 0 : n - (first + crossing);
}
