/** Largest autocorrelation of neighbours assumed (ours): beyond it a history says next to nothing of its level. */
const MAX_CORRELATION = 0.9;
/**
 * Standard errors added to an estimated autocorrelation, the fewer the less sure it is that there is any (ours,
 * simulated): one that is taken too low flags more than one that is taken too high withholds.
 */
const CORRELATION_DOUBT = 0.5;
/**
 * Times that the error of the spread, by that of the correlation, counts (ours, simulated): where a correlation was found
 * too low by chance, its own error says too little of that.
 */
const SPREAD_DOUBT = 4;
/** Least change of a seen correlation with the true one [1] (ours): a short record's levels off. */
const LEAST_SLOPE = 0.3;
const STEP = 0.01; // of a correlation, for that slope
/** Rounds of halving the interval that a correlation lies in: to .0002. */
const HALVINGS = 12;

/** Largest share of the variance that a fit may be taken to have swallowed (ours). */
export const MAX_SWALLOWED = 0.75;

/** Spectrum of a first-order process over its variance, at an angle per step: its coefficients' share of the variance. */
export function spectrum(r: number, cos: number): number {
  return (1 - r * r) / (1 - 2 * r * cos + r * r);
}

/**
 * Correlation of a process whose residuals show another, since the fit takes its share at low frequencies out of both
 * the products and the squares.
 * @param seen the residuals' correlation at one step
 * @param count how many residuals
 * @param angles by which each fitted column turns in a step [radians]
 */
export function correlationSeenAs(seen: number, count: number, angles: readonly number[]): number {
  let low = 0;
  let high = MAX_CORRELATION;
  for (let round = 0; round < HALVINGS; round++) {
    const r = (low + high) / 2;
    if (seenOf(r, count, angles) < seen) low = r;
    else high = r;
  }
  return (low + high) / 2;
}

/** The correlation that residuals show of a process of another; infinite where the fit swallows too much to tell. */
function seenOf(r: number, count: number, angles: readonly number[]): number {
  let products = r * count;
  let squares = count;
  for (const angle of angles) {
    const cos = Math.cos(angle);
    const growth = spectrum(r, cos);
    products -= growth * cos;
    squares -= growth;
  }
  return squares > (1 - MAX_SWALLOWED) * count ? products / squares : Number.POSITIVE_INFINITY;
}

/** Share of the variance that a fit of so many residuals swallows; no more than all but a twentieth. */
function swallowedOf(r: number, count: number, angles: readonly number[]): number {
  const lost = angles.reduce((sum, angle) => sum + spectrum(r, Math.cos(angle)), 0);
  return Math.min(0.95, lost / count);
}

/**
 * Degrees of freedom of a spread that was corrected for what a fit swallowed, when the correlation that tells how much is
 * itself uncertain: to the spread's relative variance, 2 / freedom, comes that of the correction by the delta method.
 */
export function freedomInDoubt(
  freedom: number,
  {
    r,
    pairs,
    count,
    angles,
  }: {
    readonly r: number;
    readonly pairs: number;
    readonly count: number;
    readonly angles: readonly number[];
  },
): number {
  if (!(pairs > 0 && r > 0)) return freedom;
  const slope = (seenOf(r + STEP, count, angles) - seenOf(r - STEP, count, angles)) / (2 * STEP);
  const error =
    Math.sqrt((1 - r * r) / pairs) / (slope > LEAST_SLOPE && slope < 1 / LEAST_SLOPE ? slope : LEAST_SLOPE);
  const [low, high] = [Math.max(0, r - error), Math.min(MAX_CORRELATION, r + error)];
  const change = Math.log((1 - swallowedOf(low, count, angles)) / (1 - swallowedOf(high, count, angles))) / 2;
  const isThere = (r * r) / (r * r + error * error);
  return 1 / (1 / freedom + (SPREAD_DOUBT * isThere * change * change) / 2);
}

/** A correlation raised by its own uncertainty, where so many pairs make it plain that there is any. */
export function doubted(r: number, pairs: number): number {
  const error = Math.sqrt((1 - r * r) / pairs);
  const doubt = r > 0 ? (CORRELATION_DOUBT * error * r * r) / (r * r + error * error) : 0;
  return Math.min(MAX_CORRELATION, r + doubt);
}
