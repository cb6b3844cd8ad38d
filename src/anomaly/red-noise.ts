/** Largest autocorrelation of neighbours assumed (our choice): beyond it a history hardly determines its level. */
const MAX_CORRELATION = 0.9;
/** Bisection steps for a correlation: to .0002. */
const HALVINGS = 12;

/** Largest share of the variance that a fit is assumed to have absorbed (our choice). */
const MAX_SWALLOWED = 0.75;

/**
 * Autocorrelated noise: a first-order process, or the means of several of its steps in a row. The correlation of one
 * mean with the next is `next`, and with each further one smaller by the factor `decay`.
 */
export interface RedNoise {
  readonly next: number;
  readonly decay: number;
}

/**
 * Means of a first-order process over runs of `steps` steps.
 * @param decay of its correlation from one mean to the next, in [0, 1)
 */
export function meansOf(decay: number, steps: number): RedNoise {
  if (steps <= 1 || decay === 0) return { next: decay, decay };
  const r = decay ** (1 / steps);
  let variance = steps;
  for (let lag = 1, power = r; lag < steps; lag++, power *= r) variance += 2 * (steps - lag) * power;
  return { next: (r * ((1 - decay) / (1 - r)) ** 2) / variance, decay };
}

/** Spectrum divided by the variance, at an angle per step: the share of the variance in a coefficient. */
export function spectrum({ next, decay }: RedNoise, cos: number): number {
  return 1 + (2 * next * (cos - decay)) / (1 - 2 * decay * cos + decay * decay);
}

/**
 * Noise whose residuals show a given correlation. A fit removes part of the low frequencies from both the products
 * and the squares, so the noise is more correlated than its residuals.
 * @param seen lag-one correlation of the residuals
 * @param count number of residuals
 * @param angles phase that each fitted column advances by per step [radians]
 * @param steps of a first-order process that each residual is the mean of
 */
export function noiseSeenAs(seen: number, count: number, angles: readonly number[], steps: number): RedNoise {
  let low = 0;
  let high = MAX_CORRELATION;
  for (let round = 0; round < HALVINGS; round++) {
    const decay = (low + high) / 2;
    if (seenOf(meansOf(decay, steps), count, angles) < seen) low = decay;
    else high = decay;
  }
  return meansOf((low + high) / 2, steps);
}

/**
 * Correlation that the residuals of some noise show; infinite where the fit leaves less than a given share of the
 * variance.
 */
function seenOf(
  noise: RedNoise,
  count: number,
  angles: readonly number[],
  leastShare = 1 - MAX_SWALLOWED,
): number {
  let products = noise.next * count;
  let squares = count;
  for (const angle of angles) {
    const cos = Math.cos(angle);
    const growth = spectrum(noise, cos);
    products -= growth * cos;
    squares -= growth;
  }
  return squares > leastShare * count ? products / squares : Number.POSITIVE_INFINITY;
}

/** Information in residuals, if they are a given kind of noise. */
export interface Worth {
  /** Share of the variance that the fit has absorbed. */
  readonly swallowed: number;
  /** Number of independent residuals with the same information, as a share of the residuals. */
  readonly independence: number;
  /** Factor on the variance of each fitted column's coefficient. */
  readonly growths: readonly number[];
}

/**
 * Basis of a year's spread for a given kind of noise: its degrees of freedom, and its variance relative to that of
 * the likeliest kind.
 */
export interface Rest {
  readonly freedom: number;
  readonly factor: number;
}

/** A possible kind of noise, with its probability. */
export interface PossibleNoise extends Worth {
  readonly weight: number;
}

/** Prior probability of no autocorrelation at all (our choice, simulated); the rest is uniform up to `MAX_CORRELATION`. */
const WHITE = 2 / 3;
/** Probability below which a correlation is ignored (our choice): far below a critical tail. */
const NEGLIGIBLE = 1e-6;
/** Least share of the variance that a fit must leave for a correlation to be considered possible (our choice). */
const LEAST_LEFT = 0.1;
const STEPS = 9; // number of correlations considered, in addition to 0

/**
 * Possible kinds of noise of a fit's residuals, by Bayes' rule over the correlation of their process. Few residuals
 * leave it uncertain, more so the more of it the fit absorbed. The least correlation comes first; empty where the fit
 * leaves no information.
 * @param seen lag-one correlation of the residuals
 * @param pairs number of pairs it was estimated from
 * @param count number of residuals
 * @param angles phase that each fitted column advances by per step [radians]
 * @param steps of a first-order process that each residual is the mean of
 */
export function possibleNoise(
  seen: number,
  pairs: number,
  count: number,
  angles: readonly number[],
  steps: number,
): readonly PossibleNoise[] {
  const found = Array.from({ length: STEPS + 1 }, (_, k): PossibleNoise => {
    const noise = meansOf((MAX_CORRELATION * k) / STEPS, steps);
    const { swallowed, independence, growths } = worthOf(noise, count, angles);
    // Pairs that the fit leaves. In addition to the fit's effect, an estimated correlation is biased by -2 r
    // divided by their number (Marriott & Pope 1954).
    const worth = Math.max(1, pairs * (1 - swallowed));
    const shown = seenOf(noise, count, angles, LEAST_LEFT) - (2 * noise.next) / worth;
    if (!(Math.abs(shown) < 1)) return { weight: 0, swallowed, independence, growths };
    const variance = (1 - shown * shown) / worth; // variance of an estimated correlation (Bartlett 1946)
    const likelihood = Math.exp((-0.5 * (seen - shown) ** 2) / variance) / Math.sqrt(variance);
    return {
      weight: likelihood * (k === 0 ? WHITE : (1 - WHITE) / STEPS),
      swallowed,
      independence,
      growths,
    };
  });
  const sum = found.reduce((total, { weight }) => total + weight, 0);
  return found
    .map((possible) => ({ ...possible, weight: possible.weight / sum }))
    .filter(({ weight }) => weight > NEGLIGIBLE);
}

/**
 * Effect of autocorrelated residuals: the fit is less certain, has absorbed more of the spread, and the spread has
 * fewer degrees of freedom (Bartlett 1946: 1 over the sum of the squared correlations). A coefficient's variance
 * grows by the spectrum at its frequency.
 */
export function worthOf(noise: RedNoise, count: number, angles: readonly number[]): Worth {
  const growths = angles.map((angle) => spectrum(noise, Math.cos(angle)));
  const lost = growths.reduce((sum, growth) => sum + growth, 0);
  const swallowed = Math.min(MAX_SWALLOWED, lost / count);
  const { next, decay } = noise;
  const squares = 1 + (2 * next * next) / (1 - decay * decay);
  return { swallowed, independence: (1 - swallowed) / squares, growths };
}
