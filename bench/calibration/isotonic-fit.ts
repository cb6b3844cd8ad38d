import { recalibrate } from '../../src/numerics/accuracy/recalibration.ts';
import type { Knots } from '../../src/numerics/isotonic.ts';

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
