import { recalibrate } from './accuracy/recalibration.ts';

/**
 * Points of a non-decreasing piecewise linear function, in ascending x. Beyond the first and the last point it is
 * constant.
 */
export type Knots = readonly (readonly [x: number, y: number])[];

/**
 * Isotonic regression: the non-decreasing function of x with the smallest sum of squared differences from y. It is
 * constant within each pool of observations and linear between pools.
 * @param leastCount minimum size of a pool: pools of fewer observations are merged with their neighbours, so that
 *   no value depends on a few observations
 * @throws RangeError when the lengths differ or there are no observations
 */
export function isotonicFit(x: ArrayLike<number>, y: ArrayLike<number>, leastCount = 1): Knots {
  return recalibrate(x, y, undefined, leastCount).flatMap(({ from, to, frequency }) =>
    from === to ? [[from, frequency] as const] : [[from, frequency] as const, [to, frequency] as const],
  );
}

/** Value of the piecewise linear function at x. */
export function knotsAt(knots: Knots, x: number): number {
  const first = knots[0]!;
  if (!(x > first[0])) return first[1];
  for (let i = 1; i < knots.length; i++) {
    const to = knots[i]!; // read by index, because destructuring the tuple is slower here
    if (x > to[0]) continue;
    const from = knots[i - 1]!;
    return from[1] + ((x - from[0]) / (to[0] - from[0])) * (to[1] - from[1]);
  }
  return knots[knots.length - 1]![1];
}
