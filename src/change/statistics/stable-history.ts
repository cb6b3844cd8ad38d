import type { Design } from '../../src/change/kernel/design-tables.ts';
import { recursiveResiduals } from './recursive-residuals.ts';

/**
 * Rec-CUSUM: running sums of recursive residuals over their standard deviation and the square root of their number,
 * `[0]` the first residual's (Brown, Durbin & Evans 1975; strucchange's efp without its leading 0).
 */
export function recursiveCusum(residuals: Float64Array): Float64Array {
  const n = residuals.length;
  let mean = 0;
  for (const w of residuals) mean += w / n;
  let squares = 0;
  for (const w of residuals) squares += (w - mean) ** 2;
  const unit = Math.sqrt((squares / (n - 1)) * n);
  let sum = 0;
  return residuals.map((w) => (sum += w) / unit);
}

/** First place at which a Rec-CUSUM is beyond `critical (1 + 2 t)`, t in (0, 1]; -1 where it never is. */
export function firstCrossing(process: Float64Array, critical: number): number {
  const n = process.length;
  return process.findIndex((value, i) => Math.abs(value) > critical * (1 + (2 * (i + 1)) / n));
}

/**
 * Where the stable history of a series begins: the observation after the latest at which the CUSUM of the series in
 * reverse leaves its boundary; the first where none does, or where fewer than two can be tested (reverse-ordered CUSUM:
 * Pesaran & Timmermann 2002, doi:10.1016/S0927-5398(02)00007-5).
 * @param history observed scenes, ascending
 * @param size observations that start the regression
 * @returns a scene; 0 of an empty history
 */
export function stableStart(
  design: Design,
  values: ArrayLike<number>,
  history: readonly number[],
  columns: readonly number[],
  critical: number,
  size: number = columns.length,
): number {
  const first = history[0] ?? 0;
  if (history.length < size + 2) return first;
  const reversed = history.toReversed();
  const residuals = recursiveResiduals(
    reversed.map((t) => columns.map((c) => design.rows[t * design.columns + c]!)),
    reversed.map((t) => values[t]!),
    size,
  );
  const crossing = firstCrossing(recursiveCusum(residuals), critical);
  return crossing < 0 ? first : reversed[size + crossing - 1]!;
}
