import { gammaFunction } from './gamma-function.ts';
import type { LMoments } from './l-moments.ts';

/** Parameters of a generalised extreme value (GEV) distribution. Location and scale are in the unit of the data. */
export interface Gev {
  readonly location: number;
  /** Positive. */
  readonly scale: number;
  /**
   * Hosking's k [1]. Below 0 the upper tail is heavy, at 0 the distribution is Gumbel's, above 0 it has an upper
   * bound. The xi of Coles 2001 and of the R packages evd, ismev and extRemes is -k; the c of SciPy is k.
   */
  readonly shape: number;
}

/** For |k| below this value the Gumbel limit is used [1]; results differ by less than 1e-9 of the scale. */
const GUMBEL_SHAPE = 1e-9;

const EULER = 0.5772156649015329; // Euler-Mascheroni constant

/**
 * Fits a GEV to L-moments such as those from `sampleLMoments`. Solves the equation for the L-skewness to 1e-13 by
 * Newton's method, starting from Hosking's approximation. The shape may have either sign.
 * @throws RangeError when t3 lies outside (-1, 1) or l2 is not positive
 * @see Hosking 1990, J. R. Stat. Soc. B 52, 105-124, table 1
 */
export function gevFromLMoments({ l1, l2, t3 }: Pick<LMoments, 'l1' | 'l2' | 't3'>): Gev {
  if (!(l2 > 0) || !(Math.abs(t3) < 1)) throw new RangeError(`no GEV has l2 ${l2} and t3 ${t3}`);
  const c = 2 / (3 + t3) - Math.LN2 / Math.log(3);
  return gevWithShape({ l1, l2 }, solveShape(t3, 7.859 * c + 2.9554 * c * c));
}

/**
 * Fits location and scale of a GEV of known shape k > -1 to the first two L-moments.
 * @throws RangeError when l2 is not positive or k is -1 or less
 * @see Hosking 1990, J. R. Stat. Soc. B 52, 105-124, table 1
 */
export function gevWithShape({ l1, l2 }: Pick<LMoments, 'l1' | 'l2'>, shape: number): Gev {
  if (!(l2 > 0) || !(shape > -1)) throw new RangeError(`no GEV has l2 ${l2} and shape ${shape}`);
  if (Math.abs(shape) < GUMBEL_SHAPE) {
    const scale = l2 / Math.LN2;
    return { location: l1 - EULER * scale, scale, shape: 0 };
  }
  const g = gammaFunction(1 + shape);
  const scale = (l2 * shape) / ((1 - 2 ** -shape) * g);
  return { location: l1 - (scale * (1 - g)) / shape, scale, shape };
}

/** L-skewness of a GEV of shape k > -1: `2 (1 - 3^-k) / (1 - 2^-k) - 3`. */
function lSkewness(k: number): number {
  if (Math.abs(k) < 1e-7) return (2 * Math.log(3)) / Math.LN2 - 3 - k * 0.475; // linear in k near the Gumbel limit
  return (2 * Math.expm1(-k * Math.log(3))) / Math.expm1(-k * Math.LN2) - 3;
}

function solveShape(t3: number, start: number): number {
  // t3 decreases with k, from 1 at k = -1. For |t3| <= 0.5 the start value is within 9e-4
  // of the solution. For larger |t3| the iteration converges too.
  let k = Math.max(start, -0.999999);
  for (let step = 0; step < 60; step++) {
    const error = lSkewness(k) - t3;
    if (Math.abs(error) < 1e-14) break;
    const h = 1e-5 * Math.max(1, Math.abs(k));
    const slope = (lSkewness(k + h) - lSkewness(k - h)) / (2 * h);
    const next = k - error / slope;
    const bounded = next <= -1 ? (k - 1) / 2 : next;
    if (Math.abs(bounded - k) < 1e-14) break;
    k = bounded;
  }
  return k;
}

/** Value that a maximum does not exceed with probability `p`. @throws RangeError for p outside (0, 1) */
export function gevQuantile({ location, scale, shape }: Gev, p: number): number {
  if (!(p > 0 && p < 1)) throw new RangeError(`probability ${p}, expected within (0, 1)`);
  const y = -Math.log(p);
  if (Math.abs(shape) < GUMBEL_SHAPE) return location - scale * Math.log(y);
  return location - (scale * Math.expm1(shape * Math.log(y))) / shape;
}

/**
 * Level that the maximum of a year exceeds with probability `1 / returnPeriodYears`.
 * @param gev distribution of annual maxima
 * @throws RangeError for a return period of 1 or less
 */
export function gevReturnLevel(gev: Gev, returnPeriodYears: number): number {
  if (!(returnPeriodYears > 1)) throw new RangeError(`return period ${returnPeriodYears}, above 1 expected`);
  return gevQuantile(gev, 1 - 1 / returnPeriodYears);
}

/** Cumulative distribution function: probability [0, 1] that a maximum does not exceed `x`. */
export function gevCdf({ location, scale, shape }: Gev, x: number): number {
  const z = (x - location) / scale;
  if (Math.abs(shape) < GUMBEL_SHAPE) return Math.exp(-Math.exp(-z));
  const base = 1 - shape * z;
  if (base <= 0) return shape > 0 ? 1 : 0;
  return Math.exp(-(base ** (1 / shape)));
}
