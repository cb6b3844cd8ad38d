import { MAD_TO_SIGMA, medianInPlace } from './median.ts';
import { PARAMETERS } from './parameters.ts';

/** Columns of the design: 1, years since the first scene, and cosine and sine of each harmonic. */
export const DESIGN_COLUMNS = 2 + 2 * PARAMETERS.maxHarmonics;
const TREND = 1;
const YEAR_MS = 365.25 * 86_400_000; // Julian year [ms]

/** Design of a stack: row-major scenes x `DESIGN_COLUMNS`; the phase counts from the Unix epoch. */
export function seasonalDesign(timesMs: Float64Array): Float64Array {
  const design = new Float64Array(timesMs.length * DESIGN_COLUMNS);
  for (let t = 0; t < timesMs.length; t++) {
    const row = t * DESIGN_COLUMNS;
    const phase = (2 * Math.PI * timesMs[t]!) / YEAR_MS;
    design[row] = 1;
    design[row + TREND] = (timesMs[t]! - timesMs[0]!) / YEAR_MS;
    for (let k = 1; k <= PARAMETERS.maxHarmonics; k++) {
      design[row + 2 * k] = Math.cos(k * phase);
      design[row + 2 * k + 1] = Math.sin(k * phase);
    }
  }
  return design;
}

/**
 * Robust fit of intercept, trend and harmonics: ridge least squares, outliers left out (0/1) and refitted.
 * One instance is a workspace that is used again for every pixel.
 */
export class SeasonalFit {
  /** Coefficients by design column; 0 where a column is not fitted. */
  readonly coefficients = new Float64Array(DESIGN_COLUMNS);
  /** Standard deviation of the residuals, outliers not counted. */
  sigma = Number.NaN;
  /** Observations fitted, outliers not counted. */
  observations = 0;
  harmonics = 0;
  hasTrend = false;
  readonly #design: Float64Array;
  readonly #columns = new Int32Array(DESIGN_COLUMNS);
  #size = 0;
  readonly #factor = new Float64Array(DESIGN_COLUMNS * DESIGN_COLUMNS);
  readonly #work = new Float64Array(DESIGN_COLUMNS);
  readonly #kept: Uint8Array;
  readonly #residuals: Float64Array;
  readonly #sorted: Float64Array;

  constructor(design: Float64Array) {
    this.#design = design;
    const scenes = design.length / DESIGN_COLUMNS;
    this.#kept = new Uint8Array(scenes);
    this.#residuals = new Float64Array(scenes);
    this.#sorted = new Float64Array(scenes);
  }

  /**
   * Fits `values[i]` at scene `scenes[i]` for i in `[from, to)`.
   * @returns false when there are too few observations for one harmonic, or the system is singular
   */
  fit(scenes: Int32Array, values: Float64Array, from: number, to: number, withTrend: boolean): boolean {
    const count = to - from;
    this.#choose(count, withTrend);
    if (this.harmonics === 0) return false;
    this.#kept.fill(1, 0, count);
    for (let round = 0; ; round++) {
      if (!this.#solve(scenes, values, from, count)) return false;
      if (round === PARAMETERS.rejectRounds || !this.#reject(scenes, values, from, count)) break;
    }
    this.sigma = this.#spread(scenes, values, from, count);
    return true;
  }

  /** Value expected at a scene. */
  expected(scene: number): number {
    let sum = 0;
    const row = scene * DESIGN_COLUMNS;
    for (let c = 0; c < DESIGN_COLUMNS; c++) sum += this.#design[row + c]! * this.coefficients[c]!;
    return sum;
  }

  /** Variance of the expected value in units of one observation's: x' (X'X + R)^-1 x. */
  leverage(scene: number): number {
    const n = this.#size;
    const row = scene * DESIGN_COLUMNS;
    let sum = 0;
    for (let i = 0; i < n; i++) {
      let value = this.#design[row + this.#columns[i]!]!;
      for (let j = 0; j < i; j++) value -= this.#factor[i * DESIGN_COLUMNS + j]! * this.#work[j]!;
      value /= this.#factor[i * DESIGN_COLUMNS + i]!;
      this.#work[i] = value;
      sum += value * value;
    }
    return sum;
  }

  #choose(count: number, withTrend: boolean): void {
    const affordable = Math.floor(count / PARAMETERS.observationsPerCoefficient);
    const harmonics = Math.floor((affordable - (withTrend ? 2 : 1)) / 2);
    this.harmonics = Math.max(0, Math.min(PARAMETERS.maxHarmonics, harmonics));
    this.hasTrend = withTrend;
    this.#size = 0;
    for (let c = 0; c < 2 + 2 * this.harmonics; c++) {
      if (c === TREND && !withTrend) continue;
      this.#columns[this.#size] = c;
      this.#size += 1;
    }
  }

  /** Normal equations and Cholesky over the observations kept. */
  #solve(scenes: Int32Array, values: Float64Array, from: number, count: number): boolean {
    const n = this.#size;
    const a = this.#factor.fill(0);
    const b = this.#work.fill(0);
    this.observations = 0;
    for (let i = 0; i < count; i++) {
      if (this.#kept[i] === 0) continue;
      this.observations += 1;
      const row = scenes[from + i]! * DESIGN_COLUMNS;
      const value = values[from + i]!;
      for (let r = 0; r < n; r++) {
        const x = this.#design[row + this.#columns[r]!]!;
        b[r] = b[r]! + x * value;
        for (let c = 0; c <= r; c++) {
          const slot = r * DESIGN_COLUMNS + c;
          a[slot] = a[slot]! + x * this.#design[row + this.#columns[c]!]!;
        }
      }
    }
    for (let r = 1; r < n; r++) {
      const ridge = this.#columns[r] === TREND ? PARAMETERS.trendRidge : PARAMETERS.ridge;
      a[r * DESIGN_COLUMNS + r] = a[r * DESIGN_COLUMNS + r]! + ridge;
    }
    for (let r = 0; r < n; r++) {
      for (let c = 0; c <= r; c++) {
        let sum = a[r * DESIGN_COLUMNS + c]!;
        for (let k = 0; k < c; k++) sum -= a[r * DESIGN_COLUMNS + k]! * a[c * DESIGN_COLUMNS + k]!;
        if (r === c) {
          if (!(sum > 1e-9)) return false; // dimensionless pivot under which the system is singular in doubles
          a[r * DESIGN_COLUMNS + r] = Math.sqrt(sum);
        } else a[r * DESIGN_COLUMNS + c] = sum / a[c * DESIGN_COLUMNS + c]!;
      }
    }
    for (let r = 0; r < n; r++) {
      let sum = b[r]!;
      for (let k = 0; k < r; k++) sum -= a[r * DESIGN_COLUMNS + k]! * b[k]!;
      b[r] = sum / a[r * DESIGN_COLUMNS + r]!;
    }
    for (let r = n - 1; r >= 0; r--) {
      let sum = b[r]!;
      for (let k = r + 1; k < n; k++) sum -= a[k * DESIGN_COLUMNS + r]! * b[k]!;
      b[r] = sum / a[r * DESIGN_COLUMNS + r]!;
    }
    this.coefficients.fill(0);
    for (let r = 0; r < n; r++) this.coefficients[this.#columns[r]!] = b[r]!;
    return true;
  }

  #spread(scenes: Int32Array, values: Float64Array, from: number, count: number): number {
    let squares = 0;
    for (let i = 0; i < count; i++) {
      if (this.#kept[i] === 0) continue;
      const residual = values[from + i]! - this.expected(scenes[from + i]!);
      squares += residual * residual;
    }
    return Math.sqrt(squares / (this.observations - this.#size));
  }

  /** Marks outliers against the present fit, over all observations; false when nothing changed or too few would be left. */
  #reject(scenes: Int32Array, values: Float64Array, from: number, count: number): boolean {
    for (let i = 0; i < count; i++) {
      const residual = Math.abs(values[from + i]! - this.expected(scenes[from + i]!));
      this.#residuals[i] = residual;
      this.#sorted[i] = residual;
    }
    const limit = PARAMETERS.rejectBeyond * MAD_TO_SIGMA * medianInPlace(this.#sorted, count);
    let keep = 0;
    for (let i = 0; i < count; i++) if (this.#residuals[i]! <= limit) keep += 1;
    if (keep < this.#size * PARAMETERS.observationsPerCoefficient) return false;
    let changed = false;
    for (let i = 0; i < count; i++) {
      const kept = this.#residuals[i]! <= limit ? 1 : 0;
      if (kept !== this.#kept[i]) changed = true;
      this.#kept[i] = kept;
    }
    return changed;
  }
}
