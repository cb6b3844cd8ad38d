/** Largest autocorrelation of neighbours assumed (ours): beyond it a history says next to nothing of its level. */
const MAX_CORRELATION = 0.9;
/** Rounds of halving the interval that a correlation lies in: to .0002. */
const HALVINGS = 12;

/** Largest share of the variance that a fit may be taken to have swallowed (ours). */
const MAX_SWALLOWED = 0.75;

/**
 * Noise whose neighbours hang together: a first-order process, or the means of so many of its steps in a row. One mean hangs
 * together with the next by `next`, with each further one by `decay` of that.
 */
export interface RedNoise {
  readonly next: number;
  readonly decay: number;
}

/**
 * The means of a first-order process over runs of so many steps.
 * @param decay of its correlation from one mean to the next, in [0, 1)
 */
export function meansOf(decay: number, steps: number): RedNoise {
  if (steps <= 1 || decay === 0) return { next: decay, decay };
  const r = decay ** (1 / steps);
  let variance = steps;
  for (let lag = 1, power = r; lag < steps; lag++, power *= r) variance += 2 * (steps - lag) * power;
  return { next: (r * ((1 - decay) / (1 - r)) ** 2) / variance, decay };
}

/** Its spectrum over its variance, at an angle per step: a coefficient's share of the variance. */
export function spectrum({ next, decay }: RedNoise, cos: number): number {
  return 1 + (2 * next * (cos - decay)) / (1 - 2 * decay * cos + decay * decay);
}

/**
 * Noise whose residuals show a correlation, since a fit takes its share at low frequencies out of both the products and
 * the squares.
 * @param seen the residuals' correlation at one step
 * @param count how many residuals
 * @param angles by which each fitted column turns in a step [radians]
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

/** The correlation that residuals show of some noise; infinite where the fit leaves less of the variance than a share. */
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

/** What residuals are worth if they are one kind of noise. */
export interface Worth {
  /** Share of the variance that the fit has swallowed. */
  readonly swallowed: number;
  /** Share of the residuals that as many independent ones would be. */
  readonly independence: number;
  /** Factor on the variance of each fitted column's coefficient. */
  readonly growths: readonly number[];
}

/** What a year's spread rests on if so: its degrees of freedom, and its variance over the one that is thought likeliest. */
export interface Rest {
  readonly freedom: number;
  readonly factor: number;
}

/** The same, with the probability that they are of that kind. */
export interface PossibleNoise extends Worth {
  readonly weight: number;
}

/** Probability that neighbours do not hang together at all, before anything is seen (ours, simulated); the rest is even up to `MAX_CORRELATION`. */
const WHITE = 2 / 3;
/** Probability under which a correlation is left out (ours): far under a critical tail. */
const NEGLIGIBLE = 1e-6;
/** Share of the variance that a fit leaves at least where a correlation is thought possible (ours). */
const LEAST_LEFT = 0.1;
const STEPS = 9; // correlations that are told apart, beside none

/**
 * What a fit's residuals may be worth, by Bayes' rule over the correlation of their process: few of them tell it badly, the
 * fewer the more of it the fit took out. The least correlation first; none where the fit leaves nothing to tell it by.
 * @param seen the residuals' correlation at one step, and by how many pairs
 * @param count how many residuals
 * @param angles by which each fitted column turns in a step [radians]
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
    // Pairs as many as the fit has left; beyond what it takes, a correlation is estimated low by 2 r of one (Marriott & Pope 1954).
    const worth = Math.max(1, pairs * (1 - swallowed));
    const shown = seenOf(noise, count, angles, LEAST_LEFT) - (2 * noise.next) / worth;
    if (!(Math.abs(shown) < 1)) return { weight: 0, swallowed, independence, growths };
    const variance = (1 - shown * shown) / worth; // of an estimated correlation (Bartlett 1946)
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
 * What autocorrelated residuals do: a fit is less certain, has swallowed more of the spread, and the spread rests on fewer
 * degrees of freedom (Bartlett 1946: 1 over the sum of the squared correlations). A coefficient's variance grows by the
 * spectrum at its frequency.
 */
export function worthOf(noise: RedNoise, count: number, angles: readonly number[]): Worth {
  const growths = angles.map((angle) => spectrum(noise, Math.cos(angle)));
  const lost = growths.reduce((sum, growth) => sum + growth, 0);
  const swallowed = Math.min(MAX_SWALLOWED, lost / count);
  const { next, decay } = noise;
  const squares = 1 + (2 * next * next) / (1 - decay * decay);
  return { swallowed, independence: (1 - swallowed) / squares, growths };
}
