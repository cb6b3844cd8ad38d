import { normalProbability } from '../../numerics/normal.ts';

/** Above the rarest mapped flood places that no map wets lie evenly up to this height [m] (ours: a flood plain, not a hill). */
const HIGHEST_M = 0.6;
/** Below it they may in truth lie down to this depth [m] (ours: what a building in a flood plain is exposed to). */
const DEEPEST_M = 1.7;

/** Steps of the integral below; the height of a step is 6 mm. */
const STEPS = 400;

/**
 * Quantiles of the height [m] of a place over the rarest mapped flood, below 0 where in truth it is flooded, given that a
 * map whose errors are normal calls it dry. Before, it lay anywhere in its range with equal chance; the map says dry with the
 * chance that the error leaves its height above 0.
 * @param errorM standard deviation of the map's error [m], above 0
 * @param ranks each within (0, 1)
 */
export function dryMargins(errorM: number, ranks: Float64Array): Float64Array {
  const stepM = (HIGHEST_M + DEEPEST_M) / STEPS;
  const sums = new Float64Array(STEPS + 1);
  for (let i = 0; i < STEPS; i++)
    sums[i + 1] = sums[i]! + normalProbability((-DEEPEST_M + (i + 0.5) * stepM) / errorM);
  return ranks.map((rank) => {
    const sum = rank * sums[STEPS]!;
    const i = sums.findLastIndex((below) => below <= sum);
    return -DEEPEST_M + (i + (sum - sums[i]!) / (sums[i + 1]! - sums[i]!)) * stepM;
  });
}
