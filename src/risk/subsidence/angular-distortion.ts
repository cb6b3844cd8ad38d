/** Period over which settlement accumulates [years]: the horizon for the damage to a building (our choice). */
export const HORIZON_YEARS = 30;

/**
 * Angular distortions [1] at which half of the buildings are damaged: first the finish, then panel walls, then
 * the frame. The limits for walls and frame are from Skempton & MacDonald 1956 (ICE Structural Paper 50, 98
 * buildings), as cited in manuals. The limit for the finish, 1/500, is where the highest class of surface
 * faulting hazard begins in doi:10.1016/j.rse.2020.112161.
 */
const DISTORTION_LIMITS = [1 / 500, 1 / 300, 1 / 150] as const;

/**
 * Damage ratio [1] of a building beyond each limit: redecoration, repair of walls, repair of the frame (our
 * choice).
 */
const DAMAGE_RATIOS = [0.03, 0.15, 0.6] as const;
/** Difference between the damage ratio of each limit and that of the limit before [1]. */
const STEPS = DAMAGE_RATIOS.map((ratio, j) => ratio - (DAMAGE_RATIOS[j - 1] ?? 0));

/** Scale of the logistic damage function, in units of the logarithm of distortion [1] (our choice). */
const LOG_SCALE = 0.35;
const POWER = 1 / LOG_SCALE;
const LIMIT_STRENGTHS = DISTORTION_LIMITS.map((limit) => limit ** POWER);

/** Angular distortion [1] after 30 years, from a velocity gradient [mm/yr per m] of either sign. */
export function angularDistortion(gradient: number): number {
  return (HORIZON_YEARS * Math.abs(gradient)) / 1000; // mm to m
}

/**
 * Strength [1] of a distortion (or of a factor of a distortion): the distortion to the power 1/0.35. The odds of
 * damage are proportional to the strength.
 */
export function strengthOf(distortion: number): number {
  return distortion ** POWER;
}

/** Distortion [1] of a strength: the inverse of `strengthOf`. */
export function distortionOf(strength: number): number {
  return strength ** LOG_SCALE;
}

/**
 * Expected damage ratio [1] over 30 years from three independent causes of distortion, each given by its
 * strength. Each limit is reached with probability `P = 1 - prod(1 - p_k)`, where p_k is a logistic function of
 * the logarithm of the distortion by cause k, and 1/2 at the limit.
 */
export function settlementDamageRatio(a: number, b: number, c: number): number {
  let ratio = 0;
  for (let j = 0; j < STEPS.length; j++) {
    const limit = LIMIT_STRENGTHS[j]!;
    const spared = (limit / (limit + a)) * (limit / (limit + b)) * (limit / (limit + c));
    ratio += STEPS[j]! * (1 - spared);
  }
  return ratio;
}
