import { angularDistortion, HORIZON_YEARS, settlementDamageRatio, strengthOf } from './angular-distortion.ts';
import { BEARING, GROUPS, LENGTH_M, LENGTHS, PERSISTENCE } from './movement-draws.ts';
import { normalQuantile } from '../../numerics/normal.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';
import { STABLE } from './subsidence-ground.ts';

/**
 * Share of buildings on moving ground [1] where no layer tells it: the mean of the shipped layer over the world's people.
 */
export const USUAL_SHARE = 0.06;

/** Standard deviation of the velocity of moving ground [mm/yr] where no layer tells it: that of the shipped layer. */
export const USUAL_SPEED = 8;

/**
 * Power with which the distance over which the velocity changes grows with the speed of the ground [1] (our choice). Wide
 * bowls sink fast: 400 mm/yr in Mexico City occur with local differences of 15 mm/yr (doi:10.1038/s41598-020-72293-z).
 */
const LENGTH_GROWTH = 0.5;

/** Speed up to which the distance is LENGTH_M [mm/yr]: about where very slow movement begins (Cruden & Varnes 1996). */
const LENGTH_SPEED = 15;

/** What is known about ground that nobody surveyed. */
export interface GroundPrior {
  /** Probability that the ground of a building moves [1]. */
  readonly share: number;
  /** Standard deviation of the velocity of moving ground [mm/yr]. */
  readonly speed: number;
}

/**
 * Mean annual damage ratio [1/yr] of buildings on ground that nobody surveyed. It is continuous in the share and in the
 * speed. Draws of it go into `annuals`: the ground moves in the given share of them.
 */
export function unsurveyedDamage({ share, speed }: GroundPrior, annuals: Float64Array): number {
  const lengthM = lengthOf(speed);
  for (let k = 0; k < DRAW_COUNT; k++) {
    const uniform = GROUPS[k]!;
    const isMoving = uniform < share;
    const deviate = normalQuantile(isMoving ? uniform / share : (uniform - share) / (1 - share));
    annuals[k] = damageOf(isMoving ? (speed * deviate) / lengthM : (STABLE.velocity * deviate) / LENGTH_M, k);
  }
  return (share * movingSum(speed)) / DRAW_COUNT + (1 - share) * STABLE_DAMAGE;
}

/** Distance over which the velocity of moving ground changes [m]. */
function lengthOf(speed: number): number {
  return LENGTH_M * Math.max(1, speed / LENGTH_SPEED) ** LENGTH_GROWTH;
}

/** Sums of `movingSum` by speed. Most land has the same speed. */
const SUMS = new Map<number, number>();
const MAX_SUMS = 1000;

/** Sum of the annual damage ratios [1/yr] of all draws, as if the ground moved in each of them. */
function movingSum(speed: number): number {
  const known = SUMS.get(speed);
  if (known !== undefined) return known;
  const lengthM = lengthOf(speed);
  let sum = 0;
  for (let k = 0; k < DRAW_COUNT; k++) sum += damageOf((speed * DRAWS[4]![k]!) / lengthM, k);
  if (SUMS.size >= MAX_SUMS) SUMS.clear();
  SUMS.set(speed, sum);
  return sum;
}

/** Annual damage ratio [1/yr] of one draw. @param gradient change of the velocity along the ground [mm/yr per m] */
function damageOf(gradient: number, draw: number): number {
  const strength = strengthOf(angularDistortion(gradient)) * LENGTHS[draw]! * PERSISTENCE[draw]!;
  return settlementDamageRatio(0, strength * BEARING[draw]!, 0) / HORIZON_YEARS;
}

const STABLE_DAMAGE =
  DRAWS[4]!.reduce((sum, z, k) => sum + damageOf((STABLE.velocity * z) / LENGTH_M, k), 0) / DRAW_COUNT;
