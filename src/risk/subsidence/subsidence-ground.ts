import { normalQuantile } from '../../numerics/normal.ts';

/**
 * Standard deviations of the true velocity [mm/yr], gradient [mm/yr per m] and acceleration [mm/yr2] for stable
 * ground and for moving ground, and the share of ground that moves [1] (our choice). With these values, 19 in 20
 * stable places lie within +-2 mm/yr, the range that radar surveys call stable.
 */
export const STABLE = { velocity: 1, gradient: 0.004, acceleration: 0.2 } as const;
export const MOVING = { velocity: 15, gradient: 0.06, acceleration: 2 } as const;
const MOVING_SHARE = 0.25;
/** Minimum error of a velocity [mm/yr]: the error of the reference frame (our choice). */
const LEAST_ERROR_MM_YR = 0.3;
/** Error of a velocity if no error is mapped [mm/yr], and error of any acceleration [mm/yr2] (our choice). */
export const USUAL_ERROR_MM_YR = 1.5;
const ACCELERATION_ERROR = 0.5;
/**
 * Error of the slope of a plane through 3 x 3 cells along one axis, relative to the error of a cell divided by
 * its width [1]: 1/sqrt(6).
 */
const SLOPE_ERROR = 0.408;

type Quantity = keyof typeof MOVING;

/** Normal distribution of a true value, given the measurements. */
interface Belief {
  mean: number;
  deviation: number;
}

/** Distribution of the true movement given measurements: a mixture of stable and moving ground. */
export interface Ground {
  /** Probability that the ground moves [1]. */
  moving: number;
  /** Distributions of the true values for moving and for stable ground [mm/yr, mm/yr per m, mm/yr2]. */
  readonly velocity: Groups;
  readonly gradient: Groups;
  readonly acceleration: Groups;
}

interface Groups {
  readonly moving: Belief;
  readonly stable: Belief;
}

const groups = (): Groups => ({
  moving: { mean: 0, deviation: 0 },
  stable: { mean: 0, deviation: 0 },
});

export const emptyGround = (): Ground => ({
  moving: 0,
  velocity: groups(),
  gradient: groups(),
  acceleration: groups(),
});

/**
 * Applies Bayes' rule to two groups of ground, stable and moving. A measurement within its error most likely
 * belongs to stable ground; a measurement far above its error is taken nearly as measured. The means and the
 * probability of movement never decrease when a measured value increases.
 * @param velocity magnitude [mm/yr]; NaN where it was not measured
 * @param gradient magnitude [mm/yr per m]; NaN where it was not measured
 * @param acceleration magnitude [mm/yr2]; NaN where it was not measured
 * @param error standard error of a velocity [mm/yr]
 * @param cellM width of the gradient's cells [m]
 * @param share share of ground of this kind that moves [1]; NaN where it is not known
 * @param into filled with the result
 * @see doi:10.1214/07-STS236 (Efron 2008)
 */
export function readGround(
  velocity: number,
  gradient: number,
  acceleration: number,
  error: number,
  cellM: number,
  share: number,
  into: Ground,
): void {
  const before = Number.isNaN(share) ? MOVING_SHARE : share;
  let logOdds = Math.log(before / (1 - before));
  logOdds += update(velocity, Math.hypot(error, LEAST_ERROR_MM_YR), 'velocity', into);
  logOdds += update(gradient, (SLOPE_ERROR * error) / cellM, 'gradient', into);
  logOdds += update(acceleration, ACCELERATION_ERROR, 'acceleration', into);
  into.moving = 1 / (1 + Math.exp(-logOdds));
}

/**
 * Updates the distributions of one quantity from its measurement. @returns the amount that its measurement adds
 * to the logarithm of the odds of moving ground
 */
function update(measured: number, error: number, quantity: Quantity, into: Ground): number {
  const { moving, stable } = into[quantity];
  if (Number.isNaN(measured)) {
    moving.mean = stable.mean = 0;
    moving.deviation = MOVING[quantity];
    stable.deviation = STABLE[quantity];
    return 0;
  }
  const variance = error ** 2;
  const ofMoving = MOVING[quantity] ** 2;
  const ofStable = STABLE[quantity] ** 2;
  for (const [group, spread] of [
    [moving, ofMoving],
    [stable, ofStable],
  ] as const) {
    group.mean = (measured * spread) / (spread + variance);
    group.deviation = Math.sqrt((variance * spread) / (spread + variance));
  }
  const [wide, narrow] = [ofMoving + variance, ofStable + variance];
  return 0.5 * (Math.log(narrow / wide) + measured ** 2 * (1 / narrow - 1 / wide));
}

/** Mean of the true value of one quantity, over both stable and moving ground. */
export function meanOf({ moving }: Ground, of: Groups): number {
  return moving * of.moving.mean + (1 - moving) * of.stable.mean;
}

/**
 * Selects a group of ground by a uniform number in (0, 1), and returns a standard normal deviate within that
 * group: numbers below `moving` select moving ground.
 */
export function deviateOf({ moving }: Ground, uniform: number): number {
  return normalQuantile(uniform < moving ? uniform / moving : (uniform - moving) / (1 - moving));
}
