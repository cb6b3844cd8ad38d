/**
 * Maximum lag-one autocorrelation considered (our choice). If it is higher, the history hardly determines the level.
 */
const MAX_CORRELATION = 0.9;
/** Number of bisection steps for a correlation: the result is accurate to .0002. */
const HALVINGS = 12;

/** Maximum share of the variance that a fit is assumed to have absorbed (our choice). */
const MAX_SWALLOWED = 0.75;

/**
 * Autocorrelated noise: a first-order autoregressive process, or the means of such a process over runs of consecutive
 * steps. The correlation of one mean with the next is `next`; with each further mean it is multiplied by `decay`.
 */
export interface RedNoise {
  readonly next: number;
  readonly decay: number;
}

/**
 * Means of a first-order process over runs of `steps` steps.
 * @param decay factor by which the correlation decreases from one mean to the next, in [0, 1)
 */
export function meansOf(decay: number, steps: number): RedNoise {
  if (steps <= 1 || decay === 0) return { next: decay, decay };
  const r = decay ** (1 / steps);
  let variance = steps;
  for (let lag = 1, power = r; lag < steps; lag++, power *= r) variance += 2 * (steps - lag) * power;
  return { next: (r * ((1 - decay) / (1 - r)) ** 2) / variance, decay };
}

/**
 * Spectral density at a frequency, divided by that of white noise of the same variance. The variance of a fitted
 * coefficient is multiplied by this ratio at the frequency of its column.
 * @param cos cosine of the phase per step at that frequency
 */
export function spectrum({ next, decay }: RedNoise, cos: number): number {
  return 1 + (2 * next * (cos - decay)) / (1 - 2 * decay * cos + decay * decay);
}

/**
 * Returns the noise for which the residuals of a fit have a given lag-one correlation. A fit removes part of the low
 * frequencies from both the lagged products and the squares of the residuals, so the noise is more correlated than
 * the residuals.
 * @param seen lag-one correlation of the residuals
 * @param count number of residuals
 * @param angles phase by which each fitted column advances per step [radians]
 * @param steps each residual is the mean of this number of consecutive steps of a first-order process
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
 * Lag-one correlation of the residuals that a fit to the given noise leaves; infinite where the fit leaves less than
 * `leastShare` of the variance.
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

/** Information in the residuals of a fit, under the assumption of a given kind of noise. */
export interface Worth {
  /** Share of the variance that the fit has absorbed. */
  readonly swallowed: number;
  /** Number of independent residuals that would contain the same information, divided by the number of residuals. */
  readonly independence: number;
  /** Factor by which autocorrelation increases the variance of each fitted column's coefficient. */
  readonly growths: readonly number[];
}

/**
 * Properties of the variance over the whole year under a given kind of noise: its degrees of freedom, and its ratio
 * to the variance under the best estimate of the noise.
 */
export interface Rest {
  readonly freedom: number;
  readonly factor: number;
}

/** A possible kind of noise; `weight` is its probability. */
export interface PossibleNoise extends Worth {
  readonly weight: number;
}

/**
 * Prior probability of no autocorrelation (our choice, simulated). The remaining probability is uniform over the
 * correlations up to `MAX_CORRELATION`.
 */
const WHITE = 2 / 3;
/**
 * Probability below which a correlation is ignored (our choice): far below the tail probability of a critical
 * severity.
 */
const NEGLIGIBLE = 1e-6;
/** Minimum share of the variance that a fit must leave for a correlation to be possible (our choice). */
const LEAST_LEFT = 0.1;
const STEPS = 9; // number of correlations considered, in addition to 0

/**
 * Returns the kinds of noise that the residuals of a fit may have, with probabilities by Bayes' rule over the
 * correlation of the process. The correlation is more uncertain if there are fewer residuals, or if the fit absorbed
 * more of the variance. The result is in ascending order of the correlation, and empty where the fit leaves no
 * information.
 * @param seen lag-one correlation of the residuals
 * @param pairs number of pairs of residuals that `seen` was estimated from
 * @param count number of residuals
 * @param angles phase by which each fitted column advances per step [radians]
 * @param steps each residual is the mean of this number of consecutive steps of a first-order process
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
    // Effective number of pairs after the fit. In addition to the fit's effect, an estimated correlation r is biased
    // by -2 r divided by that number (Marriott & Pope 1954).
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
 * Effect of autocorrelated residuals on a fit: the fit is less certain, it absorbs more of the variance, and the
 * variance has fewer degrees of freedom (their number is divided by the sum of the squared correlations over all
 * lags, Bartlett 1946). The variance of a coefficient is multiplied by the relative spectrum at its frequency.
 */
export function worthOf(noise: RedNoise, count: number, angles: readonly number[]): Worth {
  const growths = angles.map((angle) => spectrum(noise, Math.cos(angle)));
  const lost = growths.reduce((sum, growth) => sum + growth, 0);
  const swallowed = Math.min(MAX_SWALLOWED, lost / count);
  const { next, decay } = noise;
  const squares = 1 + (2 * next * next) / (1 - decay * decay);
  return { swallowed, independence: (1 - swallowed) / squares, growths };
}
