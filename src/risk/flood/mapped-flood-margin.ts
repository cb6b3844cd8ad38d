import { normalProbability } from '../../numerics/normal.ts';

/**
 * Places that no map floods lie evenly up to this height above the rarest mapped flood [m] (ours: a flood plain,
 * not a hill).
 */
const HIGHEST_M = 0.6;
/** Where the map is wrong they lie up to this depth below it [m] (ours: the exposure of buildings in a flood plain). */
const DEEPEST_M = 1.7;

/** Steps of the integral in `dryMargins`; a step is 6 mm high. */
const STEPS = 400;

/**
 * Quantiles of the height [m] of a place above the rarest mapped flood, given that a map with normal errors shows
 * it as dry; below 0 the place is in fact flooded. The prior is uniform over the range above. The likelihood is the
 * probability that the error leaves the mapped height above 0.
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
