/**
 * Points of a non-decreasing piecewise linear function, in ascending x. Beyond the first and the last point it is
 * constant.
 */
export type Knots = readonly (readonly [x: number, y: number])[];

/** Value of the piecewise linear function at x. */
export function knotsAt(knots: Knots, x: number): number {
  const first = knots[0]!;
  if (!(x > first[0])) return first[1];
  for (let i = 1; i < knots.length; i++) {
    const to = knots[i]!; // read by index, because destructuring the tuple is slower here
    if (x > to[0]) continue;
    const from = knots[i - 1]!;
    return from[1] + ((x - from[0]) / (to[0] - from[0])) * (to[1] - from[1]);
  }
  return knots[knots.length - 1]![1];
}
