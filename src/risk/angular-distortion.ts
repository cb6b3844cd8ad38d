/** Time over which settlement adds up [years]: the horizon of a building's damage (ours). */
export const HORIZON_YEARS = 30;

/** Angular distortions [1] at which half of the buildings are damaged: hardly, in panel walls, in the frame; Skempton & MacDonald 1956, as cited. */
export const DISTORTION_LIMITS = [1 / 500, 1 / 300, 1 / 150] as const;

/** Scale of the logistic in the logarithm of distortion [1] (ours). */
const LOG_SCALE = 0.35;

/** Angular distortion [1] after 30 years of a velocity gradient [mm/yr per m], whatever its sign. */
export function angularDistortion(gradient: number): number {
  return (HORIZON_YEARS * Math.abs(gradient)) / 1000; // mm to m
}

/** Probability in [0, 1] of the damage that a limit stands for: logistic in the logarithm of distortion, 1/2 at the limit. */
export function damageProbability(distortion: number, limit: number): number {
  return distortion > 0 ? 1 / (1 + (limit / distortion) ** (1 / LOG_SCALE)) : 0;
}
