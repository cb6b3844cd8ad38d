/** Steps of storage by which a rounded value may leave the line that it was interpolated on: half for each of three roundings, the middle one twice. */
const ROUNDING_STEPS = 2;

/**
 * Whether a value lies on the line through the two before it, as makers of gap-free series fill their gaps. Such a value
 * is no observation. Of real ones with a noise of .03, stored to 1e-4, one in 500 looks so and is lost. Equal values are
 * none of it: coarse or saturated series repeat themselves.
 * @param quantum step of the values; 0 tells of no value that it is interpolated
 */
export function isInterpolated(before: number, last: number, value: number, quantum: number): boolean {
  return quantum > 0 && value !== last && Math.abs(value - 2 * last + before) <= ROUNDING_STEPS * quantum;
}
