import { LOG_GAMMAS, nodeOf, ROOTS, SHAPES } from './gamma-shapes.ts';
import { gammaTails } from './gamma-tails.ts';
import { normalDeviate } from '../numerics/normal.ts';

/**
 * Maximum coefficient of variation of the cube roots for which `nearScore` is used, for values below and above the
 * mean (our choice). The limits correspond to gamma shapes of at least .68 (below) and .43 (above).
 */
export const NEAR_VARIATION = { below: 0.45, above: 0.6 };
/** Maximum distance of a cube root from the mean for which `nearScore` is used [deviations] (our choice). */
export const NEAR_DEVIATIONS = 1.9;
/** Distances from the mean at which `nearScore` is exact, on either side [deviations]. */
const EXACT_AT = [0, 0.5, 1, 1.5, NEAR_DEVIATIONS] as const;
/** Number of steps per unit of the coefficient of variation (our choice). Each step has its own polynomials. */
const STEPS = 2000;

/**
 * Cache of polynomial coefficients by step of the coefficient of variation: five for values below the mean, then five
 * for values above. NaN until first used.
 */
const polynomials = new Float64Array(
  2 * EXACT_AT.length * (Math.round(NEAR_VARIATION.above * STEPS) + 1),
).fill(Number.NaN);

/**
 * Score of a gamma variate, with an error of at most .01, from the distance of its cube root from the mean. It is
 * evaluated by the polynomial through the exact scores at five points, in a sixth of the time of the exact score.
 * @param z distance of the cube root from the mean [deviations], within `NEAR_DEVIATIONS` of 0
 * @param variation coefficient of variation of the cube roots, at most `NEAR_VARIATION` for the sign of `z`
 */
export function nearScore(z: number, variation: number): number {
  const step = Math.round(variation * STEPS);
  const at = EXACT_AT.length * (2 * step + (z < 0 ? 0 : 1));
  if (Number.isNaN(polynomials[at])) setPolynomial(at, z < 0 ? -1 : 1, step / STEPS);
  const c = polynomials;
  return c[at]! + z * (c[at + 1]! + z * (c[at + 2]! + z * (c[at + 3]! + z * c[at + 4]!)));
}

/** Exact score. @param node index of the distribution's shape in `SHAPES` */
function scoreAt(z: number, variation: number, node: number): number {
  const root = ROOTS[node]! * (1 + variation * z);
  const [below, above] = gammaTails(root * root * root, SHAPES[node]!, LOG_GAMMAS[node]!);
  return below < above ? -normalDeviate(below) : normalDeviate(above);
}

/** Computes a polynomial by Newton's divided differences and writes its coefficients to the cache. */
function setPolynomial(at: number, side: -1 | 1, variation: number): void {
  const node = nodeOf(variation);
  const places = EXACT_AT.map((place) => side * place);
  const n = places.length;
  const differences = places.map((z) => scoreAt(z, variation, node));
  for (let order = 1; order < n; order++)
    for (let i = n - 1; i >= order; i--)
      differences[i] = (differences[i]! - differences[i - 1]!) / (places[i]! - places[i - order]!);
  const c = polynomials.fill(0, at, at + n);
  for (let i = n - 1; i >= 0; i--) {
    for (let k = n - 1; k > 0; k--) c[at + k] = c[at + k - 1]! - places[i]! * c[at + k]!;
    c[at] = differences[i]! - places[i]! * c[at]!;
  }
}
