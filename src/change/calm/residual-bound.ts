import { PARAMETERS } from '../parameters.ts';

/** Allows for the rounding of bounds. */
export const ROUNDING = 1e-9;

/** Upper bound of a residual [standard deviations]: 0 if it is on the other side, at most `clip`. */
export function boundOf(residual: number, scale: number): number {
  if (residual <= 0) return 0;
  return Math.min(PARAMETERS.clip, (residual / scale) * (1 + ROUNDING) + ROUNDING);
}
