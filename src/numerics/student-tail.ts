import { normalDeviate } from './normal.ts';

const MAX_TERMS = 10_000; // maximum number of terms; a million degrees of freedom need far fewer
const EPSILON = 1e-13; // relative change of the continued fraction below which it counts as converged

/**
 * Two-sided tail probability P(|T| >= |t|) of Student's t: I_x(dof / 2, 1 / 2) with x = dof / (dof + t^2). The
 * relative error is below 1e-11 in the whole tail, down to underflow.
 * @param dof degrees of freedom, positive, not necessarily an integer
 * @throws RangeError when `dof` is not a positive finite number
 * @see https://dlmf.nist.gov/8.17 equations 8.17.2, 8.17.4, 8.17.22
 */
export function studentTail(t: number, dof: number): number {
  if (!(dof > 0 && dof < Number.POSITIVE_INFINITY)) {
    throw new RangeError(`degrees of freedom must be positive and finite: got ${dof}`);
  }
  if (Number.isNaN(t)) return Number.NaN;
  if (t === 0) return 1;
  const a = dof / 2;
  const ratio = (t * t) / dof;
  if (ratio === Number.POSITIVE_INFINITY) return 0;
  const x = 1 / (1 + ratio);
  const y = ratio / (1 + ratio);
  // x^a (1 - x)^(1/2) / B(a, 1/2). x^a is computed with log1p so that it is accurate for x near 1.
  const front = Math.exp(-a * Math.log1p(ratio)) * Math.sqrt(y / Math.PI) * gammaRatio(a);
  return x < (a + 1) / (a + 2.5)
    ? (front / a) * betaFraction(a, 0.5, x)
    : Math.max(0, 1 - 2 * front * betaFraction(0.5, a, y));
}

/** Coefficients of the approximation to the normal tail probability. @see Abramowitz & Stegun 1964, 26.2.16 */
const P = 0.33267;
const B = [0.4361836, -0.1201676, 0.937298] as const;

/**
 * Approximation of `studentTail` for t between 1 and 2, with a relative error of 1 %, in a tenth of the time.
 * Converts t to a normal deviate by Wallace's formula and computes the normal tail to 1e-5.
 * @see https://doi.org/10.1214/aoms/1177706096 (Wallace 1959)
 */
export function nearTail(t: number, dof: number): number {
  const u = ((8 * dof + 1) / (8 * dof + 3)) * Math.sqrt(dof * Math.log1p((t * t) / dof));
  const w = 1 / (1 + P * u);
  return 2 * Math.exp(-0.5 * u * u) * (1 / Math.sqrt(2 * Math.PI)) * w * (B[0] + w * (B[1] + w * B[2]));
}

/** Maximum number of rounds of the search for a deviate (our choice); two or three are enough. */
const MAX_ROUNDS = 50;
/**
 * Relative change of the deviate at which the search ends. The secant method converges with order 1.6, so the
 * last deviate is then correct to 1e-10.
 */
const CONVERGED = 1e-6;
const LEAST_NEAR = 1e-12; // the first guess of the search uses at least this probability (our choice)

/**
 * Approximate deviate with a given two-sided tail probability, by Wallace's normal deviate. The relative error of its
 * tail probability is at most 1/30.
 */
export function nearDeviate(probability: number, dof: number): number {
  const u = (normalDeviate(probability / 2) * (8 * dof + 3)) / (8 * dof + 1);
  return Math.sqrt(dof * Math.expm1((u * u) / dof));
}

/**
 * Deviate with a given two-sided tail probability, by the secant method on the logarithm of the probability. Its
 * tail probability is within 1e-8 (relative) of the given one.
 */
export function studentDeviate(probability: number, dof: number): number {
  const wanted = Math.log(Math.max(probability, Number.MIN_VALUE));
  const off = (t: number) => Math.log(Math.max(studentTail(t, dof), Number.MIN_VALUE)) - wanted;
  const start = nearDeviate(Math.max(probability, LEAST_NEAR), dof);
  let [before, t] = [start * 0.999, start];
  let [offBefore, offNow] = [off(before), off(t)];
  for (let round = 0; round < MAX_ROUNDS && offNow !== offBefore; round++) {
    const next = Math.max(t / 4, t - (offNow * (t - before)) / (offNow - offBefore));
    [before, offBefore] = [t, offNow];
    t = next;
    offNow = off(t);
    if (Math.abs(t - before) < CONVERGED * t) break;
  }
  return t;
}

/**
 * Gamma(a + 1/2) / Gamma(a). The recurrence raises `a` to at least 20, where the asymptotic series is accurate
 * (Tricomi & Erdelyi 1951, doi:10.2140/pjm.1951.1.133).
 */
function gammaRatio(a: number): number {
  let factor = 1;
  let raised = a;
  while (raised < 20) {
    factor *= raised / (raised + 0.5);
    raised += 1;
  }
  const u = 1 / raised;
  const u2 = u * u;
  // First terms of the logarithm of the series. For arguments of 20 and more the next term is below 1e-13.
  return (
    factor *
    Math.sqrt(raised) *
    Math.exp(u * (-1 / 8 + u2 * (1 / 192 + u2 * (-1 / 640 + (u2 * 17) / 14_336))))
  );
}

/** Number of terms between two convergence checks: each check costs a division. */
const LOOK_TERMS = 4;
/**
 * Limit on the denominator of the recurrence. If it is above this value or below its inverse, numerators and
 * denominators are rescaled, to avoid overflow and underflow.
 */
const LARGE = 1e150;

/**
 * Continued fraction of the incomplete beta function (DLMF 8.17.22), by the recurrence of its numerators and
 * denominators (DLMF 1.12.5). Unlike in Lentz's method, no term depends on the result of a division in the previous
 * term.
 */
function betaFraction(a: number, b: number, x: number): number {
  let over = 1;
  let under = 1;
  let overNext = 1;
  let underNext = 1 - ((a + b) * x) / (a + 1);
  let value = overNext / underNext;
  for (let m = 1; m <= MAX_TERMS; m++) {
    const last = a + 2 * m - 1;
    const next = a + 2 * m + 1;
    const part = x / (last * (a + 2 * m) * next); // one division for both coefficients
    const even = m * (b - m) * part * next;
    const odd = -(a + m) * (a + b + m) * part * last;
    over = overNext + even * over;
    under = underNext + even * under;
    overNext = over + odd * overNext;
    underNext = under + odd * underNext;
    if (m % LOOK_TERMS !== 0) continue;
    const before = value;
    value = overNext / underNext;
    if (Math.abs(value - before) < EPSILON * value) break;
    if (Math.abs(underNext) < LARGE && Math.abs(underNext) > 1 / LARGE) continue;
    const scale = 1 / underNext;
    over *= scale;
    under *= scale;
    overNext *= scale;
    underNext = 1;
  }
  return value;
}
