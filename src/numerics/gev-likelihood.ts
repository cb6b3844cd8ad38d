import { gevFromLMoments, type Gev } from './gev.ts';
import { sampleLMoments } from './l-moments.ts';

/** A maximum-likelihood fit of a GEV. */
export interface GevLikelihoodFit {
  readonly gev: Gev;
  /** Standard error of each parameter, from the observed information matrix; NaN if the matrix has no inverse. */
  readonly standardErrors: Gev;
  /**
   * Whether the likelihood has a regular maximum at the fitted parameters. False when the search ended at the limit
   * of the shape, +-1, which can happen for short records. Such a fit has no meaning: use `gevFromLMoments`
   * instead.
   */
  readonly isRegular: boolean;
  /** Negative log-likelihood at the maximum [nat]. */
  readonly negativeLogLikelihood: number;
}

/** Maximum number of steps of the simplex search. */
const MAX_STEPS = 2000;
/** The search may end when the log-likelihoods at the corners of the simplex differ by less than this value [nat]. */
const TOLERANCE = 1e-11;

/** Maximum |k| [1]: above it the likelihood has no regular maximum (Smith 1985). */
const MAX_SHAPE = 1;
/** If the fitted shape is within this distance of its limit, the search is taken to have ended at the limit [1]. */
const SHAPE_MARGIN = 1e-3;

/**
 * Step of the finite differences that give the information matrix [1]: relative to the scale for location and
 * scale, absolute for the shape.
 */
const DIFFERENCE = 1e-3;

/**
 * Fits a GEV to annual (or other block) maxima by maximum likelihood, starting from the L-moment fit, by the
 * simplex method of Nelder and Mead. For records of up to about 50 values `gevFromLMoments` is the better choice,
 * because its quantiles have smaller errors (Hosking, Wallis & Wood 1985, doi:10.1080/00401706.1985.10488049).
 * @param values maxima in any unit and order; at least three, finite, not all equal
 * @throws RangeError in the same cases as `sampleLMoments`
 * @see Coles 2001, An Introduction to Statistical Modeling of Extreme Values, section 3.3.2
 * @see doi:10.1093/comjnl/7.4.308 (Nelder & Mead 1965)
 */
export function gevByMaximumLikelihood(values: ArrayLike<number>): GevLikelihoodFit {
  const x = Float64Array.from(values);
  const start = gevFromLMoments(sampleLMoments(x));
  const unit = start.scale;
  // Location and scale are in units of the scale of the L-moment fit, so that the initial simplex suits any unit.
  const cost = (p: readonly number[]): number =>
    gevNegativeLogLikelihood(x, {
      location: start.location + p[0]! * unit,
      scale: unit * Math.exp(p[1]!),
      shape: p[2]!,
    });
  const from = feasibleShape(x, start);
  let best = [0, 0, from];
  for (let round = 0; round < 3; round++) best = simplexMinimum(cost, best); // a restart helps if the simplex collapsed
  const gev = {
    location: start.location + best[0]! * unit,
    scale: unit * Math.exp(best[1]!),
    shape: best[2]!,
  };
  return {
    gev,
    standardErrors: standardErrors(x, gev),
    isRegular: Math.abs(gev.shape) < MAX_SHAPE - SHAPE_MARGIN,
    negativeLogLikelihood: gevNegativeLogLikelihood(x, gev),
  };
}

/** Negative log-likelihood of a sample; `Infinity` where a value lies beyond the distribution's bound. */
function gevNegativeLogLikelihood(x: Float64Array, { location, scale, shape }: Gev): number {
  if (!(scale > 0) || Math.abs(shape) > MAX_SHAPE) return Infinity;
  let sum = x.length * Math.log(scale);
  for (let i = 0; i < x.length; i++) {
    const z = (x[i]! - location) / scale;
    if (Math.abs(shape) < 1e-9) {
      sum += z + Math.exp(-z);
      continue;
    }
    const base = 1 - shape * z;
    if (base <= 0) return Infinity;
    const logBase = Math.log(base) / shape;
    sum += Math.exp(logBase) - (1 - shape) * logBase;
  }
  return sum;
}

/**
 * Returns the shape of the L-moment fit, moved towards 0 (Gumbel) until all values lie within the bound of the
 * distribution.
 */
function feasibleShape(x: Float64Array, { location, scale, shape }: Gev): number {
  let k = shape;
  for (let step = 0; step < 60; step++) {
    if (Number.isFinite(gevNegativeLogLikelihood(x, { location, scale, shape: k }))) return k;
    k *= 0.8;
  }
  return 0;
}

type Cost = (p: readonly number[]) => number;

function simplexMinimum(cost: Cost, start: readonly number[]): number[] {
  const vertices = [start, ...start.map((_, i) => start.map((v, j) => (i === j ? v + 0.2 : v)))].map(
    (at) => ({
      at: [...at],
      value: cost(at),
    }),
  );
  for (let step = 0; step < MAX_STEPS; step++) {
    vertices.sort((a, b) => a.value - b.value);
    const worst = vertices.at(-1)!;
    const best = vertices[0]!;
    const spread = Math.max(...best.at.map((v, j) => Math.abs(v - worst.at[j]!)));
    if (worst.value - best.value < TOLERANCE && spread < 1e-7) break;
    const centre = best.at.map(
      (_, j) => vertices.slice(0, -1).reduce((sum, { at }) => sum + at[j]!, 0) / start.length,
    );
    const along = (t: number): { at: number[]; value: number } => {
      const at = centre.map((c, j) => c + t * (worst.at[j]! - c));
      return { at, value: cost(at) };
    };
    const reflected = along(-1);
    if (reflected.value < best.value) {
      const expanded = along(-2);
      vertices[vertices.length - 1] = expanded.value < reflected.value ? expanded : reflected;
    } else if (reflected.value < vertices.at(-2)!.value) {
      vertices[vertices.length - 1] = reflected;
    } else {
      const contracted = along(reflected.value < worst.value ? -0.5 : 0.5);
      if (contracted.value < Math.min(worst.value, reflected.value))
        vertices[vertices.length - 1] = contracted;
      else
        for (const vertex of vertices.slice(1)) {
          vertex.at = vertex.at.map((v, j) => (v + best.at[j]!) / 2);
          vertex.value = cost(vertex.at);
        }
    }
  }
  return vertices.sort((a, b) => a.value - b.value)[0]!.at;
}

function standardErrors(x: Float64Array, gev: Gev): Gev {
  const steps = [DIFFERENCE * gev.scale, DIFFERENCE * gev.scale, DIFFERENCE];
  const at = (shifts: readonly [number, number, number]): number =>
    gevNegativeLogLikelihood(x, {
      location: gev.location + shifts[0] * steps[0]!,
      scale: gev.scale + shifts[1] * steps[1]!,
      shape: gev.shape + shifts[2] * steps[2]!,
    });
  const shift = (i: number, a: number, j: number, b: number): [number, number, number] => {
    const s: [number, number, number] = [0, 0, 0];
    s[i]! += a;
    s[j]! += b;
    return s;
  };
  const information = [0, 1, 2].map((i) =>
    [0, 1, 2].map(
      (j) =>
        (at(shift(i, 1, j, 1)) - at(shift(i, 1, j, -1)) - at(shift(i, -1, j, 1)) + at(shift(i, -1, j, -1))) /
        (4 * steps[i]! * steps[j]!),
    ),
  );
  const [location, scale, shape] = inverseDiagonal(information).map((v) =>
    v > 0 ? Math.sqrt(v) : Number.NaN,
  );
  return { location: location!, scale: scale!, shape: shape! };
}

/** Diagonal of the inverse of a symmetric 3 x 3 matrix, by cofactors. */
function inverseDiagonal(m: readonly (readonly number[])[]): number[] {
  const minor = (i: number): number => {
    const [a, b] = [0, 1, 2].filter((k) => k !== i) as [number, number];
    return m[a]![a]! * m[b]![b]! - m[a]![b]! * m[b]![a]!;
  };
  const [[, b, c], [d, , f], [g, h]] = m as [number[], number[], number[]];
  const determinant =
    m[0]![0]! * minor(0) - b! * (d! * m[2]![2]! - f! * g!) + c! * (d! * h! - m[1]![1]! * g!);
  return [0, 1, 2].map((i) => minor(i) / determinant);
}
