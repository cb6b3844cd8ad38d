import { gammaFunction } from './gamma-function.ts';

/** Maximum number of terms of the continued fraction; shape parameters up to a few hundred need fewer. */
const MAX_TERMS = 300;
/** Number of bisections of the interval [0, 1]; enough to determine every bit of a double. */
const HALVINGS = 60;

/**
 * Shape parameters a and b of the beta distribution with the given mean, in (0, 1), and standard deviation.
 * @throws RangeError when no beta distribution has this mean and deviation
 */
export function betaShapes(mean: number, deviation: number): readonly [a: number, b: number] {
  const sum = (mean * (1 - mean)) / (deviation * deviation) - 1;
  if (!(mean > 0 && mean < 1 && deviation > 0 && sum > 0))
    throw new RangeError(`no beta distribution has mean ${mean} and deviation ${deviation}`);
  return [mean * sum, (1 - mean) * sum];
}

/**
 * Cumulative distribution function of the beta distribution.
 * @see doi:10.1145/355972.355975 (Bosten & Battiste); continued fraction of DLMF 8.17.22
 */
export function betaProbability(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front =
    (gammaFunction(a + b) / (gammaFunction(a) * gammaFunction(b))) *
    Math.exp(a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2)
    ? (front * fraction(x, a, b)) / a
    : 1 - (front * fraction(1 - x, b, a)) / b;
}

/** Quantile of the beta distribution at probability p. @throws RangeError for p outside (0, 1) */
export function betaQuantile(p: number, a: number, b: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`probability ${p}, expected within (0, 1)`);
  let low = 0;
  let high = 1;
  for (let k = 0; k < HALVINGS; k++) {
    const middle = (low + high) / 2;
    if (betaProbability(middle, a, b) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Continued fraction of the incomplete beta function by Lentz's method. */
function fraction(x: number, a: number, b: number): number {
  const guard = (value: number): number => (Math.abs(value) < Number.MIN_VALUE * 1e16 ? 1e-300 : value);
  let c = 1;
  let d = 1 / guard(1 - ((a + b) * x) / (a + 1));
  let value = d;
  for (let m = 1; m <= MAX_TERMS; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / guard(1 + even * d);
    c = guard(1 + even / c);
    value *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / guard(1 + odd * d);
    c = guard(1 + odd / c);
    const step = d * c;
    value *= step;
    if (Math.abs(step - 1) < 1e-15) break;
  }
  return value;
}
