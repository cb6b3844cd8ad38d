/**
 * Mathematical functions of the sandbox, made only of additions, multiplications, divisions and square roots, whose
 * results IEEE 754 defines to the last bit. The functions of `Math` may differ in the last bit between engines and
 * processors (ECMA-262, 21.3.2), so with them the same seed would not give the same bytes everywhere. The functions
 * here are accurate to 1e-14 or better.
 */

const LEAST_EXPONENT = -700; // e to this power is 1e-304; for lower exponents the result is 0

/** e to the power of x. */
export function exponential(x: number): number {
  if (x < LEAST_EXPONENT) return 0;
  const doublings = Math.round(x / Math.LN2);
  const rest = x - doublings * Math.LN2; // in [-0.35, 0.35]
  let sum = 1;
  for (let n = 16; n >= 1; n--) sum = 1 + (sum * rest) / n; // the first term left out is at most 0.35^17 / 17! = 5e-23
  return sum * powerOfTwo(doublings);
}

function powerOfTwo(exponent: number): number {
  let [power, base] = [1, exponent < 0 ? 0.5 : 2];
  for (let left = Math.abs(exponent); left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power *= base;
    base *= base;
  }
  return power;
}

/** Natural logarithm of a number above 0. */
export function logarithm(x: number): number {
  let [mantissa, doublings] = [x, 0];
  for (; mantissa > Math.SQRT2; doublings++) mantissa /= 2;
  for (; mantissa < Math.SQRT1_2; doublings--) mantissa *= 2;
  const s = (mantissa - 1) / (mantissa + 1); // in [-0.172, 0.172]
  return 2 * oddSeries(s, 1) + doublings * Math.LN2;
}

/** Sums x + sign x^3 / 3 + x^5 / 5 + sign x^7 / 7 + ... up to x^25 / 25, which is 1e-19 for x = 0.2. */
function oddSeries(x: number, sign: 1 | -1): number {
  let sum = 0;
  for (let n = 25; n >= 1; n -= 2) sum = 1 / n + sign * x * x * sum;
  return x * sum;
}

/** Sine of an angle [rad]. */
export function sine(angle: number): number {
  let x = angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
  if (x > Math.PI / 2) x = Math.PI - x;
  else if (x < -Math.PI / 2) x = -Math.PI - x;
  let sum = 1;
  // The first term left out is at most (pi / 2)^25 / 25! = 5e-21.
  for (let n = 22; n >= 2; n -= 2) sum = 1 - (sum * x * x) / (n * (n + 1));
  return x * sum;
}

/** Cosine of an angle [rad]. */
export function cosine(angle: number): number {
  return sine(angle + Math.PI / 2);
}

/** Angle [rad] whose tangent is x, from -pi / 2 to pi / 2. */
export function arctangent(x: number): number {
  if (Math.abs(x) > 1) return Math.sign(x) * (Math.PI / 2) - arctangent(1 / x);
  // Halves the angle twice, so that its tangent is in [-0.2, 0.2].
  const half = x / (1 + Math.sqrt(1 + x * x));
  const quarter = half / (1 + Math.sqrt(1 + half * half));
  return 4 * oddSeries(quarter, -1);
}

/** Angle of the point (x, y) seen from the origin [rad], from -pi to pi, like `Math.atan2`; 0 at the origin. */
export function bearing(y: number, x: number): number {
  if (x > 0) return arctangent(y / x);
  if (x < 0) return arctangent(y / x) + (y < 0 ? -Math.PI : Math.PI);
  return Math.sign(y) * (Math.PI / 2);
}

/** Length of the hypotenuse of a right-angled triangle with the sides x and y. */
export function hypotenuse(x: number, y: number): number {
  return Math.sqrt(x * x + y * y);
}
