import { strengthOf } from './angular-distortion.ts';
import { normalProbability } from '../../numerics/normal.ts';
import { DRAWS } from '../predictive-draws.ts';

/**
 * Distance [m] over which the velocity of moving ground is assumed to fall from its full amount to 0, where no gradient
 * is mapped: a velocity of 16 mm/yr, where very slow movement begins (Cruden & Varnes 1996), then gives a distortion of
 * 1/500.
 */
export const LENGTH_M = 240;

/**
 * Standard deviations of logarithms [1] (our choice): of the distortion limits of a building; of the duration of
 * a movement; of LENGTH_M.
 */
const LIMIT_LOG_SPREAD = 0.35;
const PERSISTENCE_LOG_SPREAD = 0.5;
const LENGTH_LOG_SPREAD = 0.8;

/** Returns lognormal factors, one per draw, converted to factors of strength. */
const factorsOf = (logSpread: number, draws: Float64Array): Float64Array =>
  draws.map((z) => strengthOf(Math.exp(logSpread * z)));

/** Factors of strength in each draw: duration of the movement, bearing of the building, length of the change. */
export const PERSISTENCE = factorsOf(PERSISTENCE_LOG_SPREAD, DRAWS[1]!);
export const BEARING = factorsOf(LIMIT_LOG_SPREAD, DRAWS[2]!);
export const LENGTHS = factorsOf(LENGTH_LOG_SPREAD, DRAWS[0]!);

/** Uniform number in (0, 1) of each draw. The ground moves in the draws whose number is below the share of moving ground. */
export const GROUPS = DRAWS[4]!.map(normalProbability);
