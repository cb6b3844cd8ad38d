// Long file: one pass over a stack, from series to the layers made of them.
import { correlationFactor } from '../../numerics/correlated-noise.ts';
import { seasonTilt } from './displacement-season.ts';
import { JULIAN_YEAR_MS } from '../../base/time.ts';
import { HUBER_K, MAD_TO_DEVIATION } from '../../numerics/huber-fit.ts';
import { invertNormal } from '../../numerics/least-squares.ts';

/** Results of the fit of displacements for every pixel of a stack; NaN for pixels with too few observations. */
export interface DisplacementField {
  /** Velocity at the middle of the span of the stack [mm/yr]. */
  readonly velocity: Float32Array;
  /** Standard error of the velocity [mm/yr]. */
  readonly error: Float32Array;
  /**
   * The part of `error` that is independent between pixels [mm/yr]: excludes the error from seasons that were not
   * fitted.
   */
  readonly ownError: Float32Array;
  /** Acceleration [mm/yr2]; 0 where it is not significant; null if the span is too short to fit it. */
  readonly acceleration: Float32Array | null;
  /** Standard error of the acceleration [mm/yr2]. */
  readonly accelerationError: Float32Array | null;
}

/** Minimum spans to separate seasons, and an acceleration, from the trend [years], the same as for single series. */
const SEASONAL_SPAN_YEARS = 2.5;
const BENDING_SPAN_YEARS = 3;
/**
 * Minimum number of observations per fitted term [1], and minimum number for any fit (our choice): fitting a
 * velocity and its error needs a few observations more than two.
 */
const OBSERVATIONS_PER_TERM = 5;
const LEAST_OBSERVATIONS = 6;
/** Accelerations below this many standard errors are set to 0 [1]: 95 % of normal errors are below. */
const SIGNIFICANT = 1.96;
/**
 * Maximum number of passes over the residuals. They end earlier when no coefficient changes by more than CONVERGED
 * standard errors [1] (our choice).
 */
const MAX_PASSES = 30;
const CONVERGED = 0.01;
/** Number of passes after which the scale of the residuals is no longer updated (our choice). */
const SCALE_PASSES = 3;
/** Number of evenly spaced pixels whose residuals give the correlation of noise in time (our choice). */
const NOISE_PIXELS = 500;
/**
 * Numbers of terms of the four models. The first is linear; each of the others adds terms to the one before:
 * annual terms, then an acceleration, then semi-annual terms.
 */
const TERM_COUNTS = [2, 4, 5, 7] as const;
/**
 * Minimum number of terms of a model with seasons. For pixels with fewer terms, the velocity error is increased
 * by the error that unfitted seasons cause.
 */
const SEASONAL_TERMS = 4;

/**
 * Fits `d(t) = c + v t + seasons + 1/2 a t^2` to the pixels of a stack by Huber's regression with modified residuals,
 * which needs only one matrix inverse for all pixels observed at the same dates. `finish` multiplies the errors by
 * the factor for correlation in time, which is estimated from a sample of all pixels.
 * @see doi:10.1002/0471725250 (Huber 1981, section 7.8)
 */
export class DisplacementFitter {
  readonly #count: number;
  readonly #most: number;
  readonly #years: Float64Array;
  readonly #rows: Float64Array;
  readonly #velocity: Float32Array;
  readonly #error: Float32Array;
  readonly #acceleration: Float32Array | null;
  readonly #accelerationError: Float32Array | null;
  /** Number of terms fitted to each pixel. */
  readonly #terms: Uint8Array;
  readonly #spanYears: number;
  readonly #factors: number[] = [];
  readonly #noiseStep: number;
  /** Inverse normal matrices for pixels observed at all dates, by number of terms. */
  readonly #whole = new Map<number, Float64Array>();
  readonly #seen: Int32Array;
  readonly #residuals: Float64Array;
  readonly #scratch: Float64Array;
  readonly #b = new Float64Array(7);
  readonly #right = new Float64Array(7);

  /**
   * @param timesMs dates of the stack [ms since the epoch], in any order
   * @throws RangeError for fewer than six different dates
   */
  constructor(timesMs: readonly number[], pixelCount: number) {
    const n = timesMs.length;
    const [first, last] = [Math.min(...timesMs), Math.max(...timesMs)];
    const span = (last - first) / JULIAN_YEAR_MS;
    if (new Set(timesMs).size < LEAST_OBSERVATIONS) {
      throw new RangeError(
        `${new Set(timesMs).size} different dates: at least ${LEAST_OBSERVATIONS} expected`,
      );
    }
    this.#count = n;
    this.#most = span < SEASONAL_SPAN_YEARS ? 2 : span < BENDING_SPAN_YEARS ? 4 : 7;
    this.#years = Float64Array.from(timesMs, (ms) => (ms - (first + last) / 2) / JULIAN_YEAR_MS);
    this.#rows = new Float64Array(n * 7);
    for (let i = 0; i < n; i++) {
      const t = this.#years[i]!;
      const angle = 2 * Math.PI * t;
      this.#rows.set(
        [1, t, Math.sin(angle), Math.cos(angle), 0.5 * t * t, Math.sin(2 * angle), Math.cos(2 * angle)],
        i * 7,
      );
    }
    const empty = (): Float32Array => new Float32Array(pixelCount).fill(Number.NaN);
    this.#velocity = empty();
    this.#error = empty();
    this.#acceleration = this.#most >= 5 ? empty() : null;
    this.#accelerationError = this.#most >= 5 ? empty() : null;
    this.#terms = new Uint8Array(pixelCount);
    this.#spanYears = span;
    this.#noiseStep = Math.max(1, Math.floor(pixelCount / NOISE_PIXELS));
    this.#seen = new Int32Array(n);
    this.#residuals = new Float64Array(n);
    this.#scratch = new Float64Array(Math.max(n, 7));
  }

  /**
   * Fits successive pixels, of which the first has the index `from`.
   * @param values `[pixel * dates + date]` [mm], NaN where nothing was observed
   */
  fit(values: Float32Array, from: number): void {
    const pixels = values.length / this.#count;
    for (let i = 0; i < pixels; i++) this.#fitPixel(values, i * this.#count, from + i);
  }

  /** Returns the fitted field with its final errors. Call it once, after all pixels. */
  finish(): DisplacementField & { readonly correlationFactor: number } {
    const factors = this.#factors.sort((a, b) => a - b);
    const factor = factors.length === 0 ? 1 : factors.reduce((sum, value) => sum + value, 0) / factors.length;
    const season = seasonTilt(this.#spanYears);
    const ownError = this.#error.map((error) => error * factor);
    for (let i = 0; i < this.#error.length; i++) {
      const tilt = this.#terms[i]! < SEASONAL_TERMS ? season : 0;
      this.#error[i] = Math.hypot(ownError[i]!, tilt);
      if (this.#acceleration === null) continue;
      this.#accelerationError![i]! *= factor;
      if (Math.abs(this.#acceleration[i]!) < SIGNIFICANT * this.#accelerationError![i]!)
        this.#acceleration[i] = 0;
    }
    return {
      velocity: this.#velocity,
      error: this.#error,
      ownError,
      acceleration: this.#acceleration,
      accelerationError: this.#accelerationError,
      correlationFactor: factor,
    };
  }

  #fitPixel(values: Float32Array, at: number, pixel: number): void {
    const seen = this.#seen;
    let n = 0;
    for (let i = 0; i < this.#count; i++) if (Number.isFinite(values[at + i]!)) seen[n++] = i;
    if (n < LEAST_OBSERVATIONS) return;
    let p = 2;
    for (const count of TERM_COUNTS) {
      if (count <= this.#most && n >= count * OBSERVATIONS_PER_TERM) p = count;
    }
    const inverse = n === this.#count ? this.#inverseOfWhole(p) : this.#inverse(n, p);
    if (inverse === null) return;
    const deviation = this.#solve(values, at, n, p, inverse);
    this.#velocity[pixel] = this.#b[1]!;
    this.#error[pixel] = deviation * Math.sqrt(inverse[p + 1]!);
    this.#terms[pixel] = p;
    if (this.#acceleration !== null) {
      this.#acceleration[pixel] = p >= 5 ? this.#b[4]! : 0;
      this.#accelerationError![pixel] = p >= 5 ? deviation * Math.sqrt(inverse[4 * p + 4]!) : 0;
    }
    if (pixel % this.#noiseStep === 0 && deviation > 0) this.#factors.push(this.#factorOf(n, p));
  }

  #inverseOfWhole(p: number): Float64Array | null {
    const known = this.#whole.get(p);
    if (known !== undefined) return known;
    const inverse = this.#inverse(this.#count, p);
    if (inverse !== null) this.#whole.set(p, inverse);
    return inverse;
  }

  /** Returns the inverse normal matrix of the observed dates; null if they do not determine all terms. */
  #inverse(n: number, p: number): Float64Array | null {
    try {
      return invertNormal(this.#normal(n, p), p);
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  #normal(n: number, p: number): Float64Array {
    const normal = new Float64Array(p * p);
    const rows = this.#rows;
    for (let k = 0; k < n; k++) {
      const row = this.#seen[k]! * 7;
      for (let i = 0; i < p; i++) {
        const x = rows[row + i]!;
        for (let j = 0; j <= i; j++) normal[i * p + j]! += x * rows[row + j]!;
      }
    }
    return normal;
  }

  /**
   * Fits one pixel: sets the coefficients `#b` and the residuals `#residuals`.
   * @returns the standard deviation of one observation (Huber 1981, section 7.6)
   */
  #solve(values: Float32Array, at: number, n: number, p: number, inverse: Float64Array): number {
    const [b, residuals, seen] = [this.#b, this.#residuals, this.#seen];
    b.fill(0);
    for (let k = 0; k < n; k++) residuals[k] = values[at + seen[k]!]!;
    this.#step(n, p, inverse, Number.POSITIVE_INFINITY);
    let scale = this.#scaleOf(n);
    for (let pass = 0; pass < MAX_PASSES && scale > 0; pass++) {
      const moved = this.#step(n, p, inverse, HUBER_K * scale);
      if (pass < SCALE_PASSES) scale = this.#scaleOf(n);
      else if (moved < CONVERGED * scale) break;
    }
    scale = this.#scaleOf(n);
    const bend = scale > 0 ? HUBER_K * scale : Number.POSITIVE_INFINITY;
    let squares = 0;
    let within = 0;
    for (let k = 0; k < n; k++) {
      const size = Math.abs(residuals[k]!);
      squares += Math.min(size, bend) ** 2;
      if (size <= bend) within++;
    }
    const share = within / n;
    return ((1 + (p / n) * ((1 - share) / share)) * Math.sqrt(squares / (n - p))) / share;
  }

  /**
   * Makes one least-squares step on the residuals, clipped at `bend`.
   * @returns the largest ratio of the change of a coefficient to its standard error, where standard errors are those
   *   for observations with a standard deviation of 1
   */
  #step(n: number, p: number, inverse: Float64Array, bend: number): number {
    const rows = this.#rows;
    const [b, right, residuals, seen] = [this.#b, this.#right, this.#residuals, this.#seen];
    right.fill(0);
    for (let k = 0; k < n; k++) {
      const cut = Math.min(bend, Math.max(-bend, residuals[k]!));
      const row = seen[k]! * 7;
      for (let j = 0; j < p; j++) right[j]! += rows[row + j]! * cut;
    }
    let moved = 0;
    const step = this.#scratch;
    for (let i = 0; i < p; i++) {
      let sum = 0;
      for (let j = 0; j < p; j++) sum += inverse[i * p + j]! * right[j]!;
      step[i] = sum;
      b[i]! += sum;
      moved = Math.max(moved, Math.abs(sum) / Math.sqrt(inverse[i * p + i]!));
    }
    for (let k = 0; k < n; k++) {
      const row = seen[k]! * 7;
      let fitted = 0;
      for (let j = 0; j < p; j++) fitted += rows[row + j]! * step[j]!;
      residuals[k]! -= fitted;
    }
    return moved;
  }

  /** Scale of the residuals from the median of their absolute values. */
  #scaleOf(n: number): number {
    const sizes = this.#scratch.subarray(0, n);
    for (let k = 0; k < n; k++) sizes[k] = Math.abs(this.#residuals[k]!);
    return MAD_TO_DEVIATION * smallest(sizes, n >> 1);
  }

  /**
   * Correlation factor of a pixel's residuals. Sorts them by time first, because the dates of a stack may be in
   * any order.
   */
  #factorOf(n: number, p: number): number {
    const order = Array.from(this.#seen.subarray(0, n), (date, k) => ({ year: this.#years[date]!, k })).sort(
      (a, b) => a.year - b.year,
    );
    const residuals = Float64Array.from(order, ({ k }) => this.#residuals[k]!);
    return correlationFactor(
      Float64Array.from(order, ({ year }) => year),
      residuals,
      p,
    );
  }
}

/** Returns the k-th smallest value of a sample, counted from 0; reorders the sample (Hoare 1961). */
function smallest(sample: Float64Array, k: number): number {
  let [low, high] = [0, sample.length - 1];
  while (low < high) {
    const pivot = sample[k]!;
    let [i, j] = [low, high];
    while (i <= j) {
      while (sample[i]! < pivot) i++;
      while (pivot < sample[j]!) j--;
      if (i > j) break;
      const swap = sample[i]!;
      sample[i++] = sample[j]!;
      sample[j--] = swap;
    }
    if (j < k) low = i;
    if (k < i) high = j;
  }
  return sample[k]!;
}
