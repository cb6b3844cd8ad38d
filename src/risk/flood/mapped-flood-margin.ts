import { normalProbability } from '../../numerics/normal.ts';

/**
 * Upper end of the prior range, for a place that the maps show as dry, of its height above the rarest mapped flood
 * level [m]. All heights from -DEEPEST_M to HIGHEST_M are equally likely (our choice: such a place is on a flood
 * plain, not on a hill).
 */
const HIGHEST_M = 0.6;
/**
 * Lower end of the same prior: if the map is wrong, the place may be up to this depth below the flood level [m]
 * (our choice: the exposure of buildings in a flood plain).
 */
const DEEPEST_M = 1.7;

/** Number of steps of the integral in `dryMargins`; a step is 6 mm high. */
const STEPS = 400;

/**
 * Quantiles of the height [m] of a place above the rarest mapped flood level, given that a map with normal errors
 * shows the place as dry; below 0 the place is in fact flooded. The prior is uniform from -DEEPEST_M to
 * HIGHEST_M. The likelihood is the probability that the mapped height, including its error, is above 0.
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
