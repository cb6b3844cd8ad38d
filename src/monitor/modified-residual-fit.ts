import { STRIDE } from './season-design.ts';

/** Pivot, relative to its column, under which a design is singular in doubles (dimensionless). */
const SINGULAR = 1e-9;

/**
 * Robust regression by modified residuals (Huber & Dutter 1974; Huber & Ronchetti 2009, section 7.8): the normal matrix
 * of all rows is factorised once, and each step solves it for residuals that were clipped, or set to 0 where left out.
 * Its fixed point is that of the weighted fit. A workspace that is used again for every fit.
 */
export class ModifiedResidualFit {
  /** Factor on the variance of each fitted column's coefficient; 1 where absent. */
  inflation: readonly number[] = [];
  readonly #factor = new Float64Array(STRIDE * STRIDE);
  readonly #work = new Float64Array(STRIDE);
  readonly #coefficients = new Float64Array(STRIDE);
  #rows: Float64Array = new Float64Array(0);
  #from = 0;
  #to = 0;
  #first = 0;
  #width = 0;

  /** Number of fitted columns. */
  get width(): number {
    return this.#width;
  }

  /** A fitted column's coefficient. */
  coefficient(column: number): number {
    return this.#coefficients[column]!;
  }

  /**
   * Begins a fit of the columns `[first, first + width)` to the rows `[from, to)`. The coefficients of a fit of the same
   * columns before stay as its start, else they are 0.
   * @returns false when the columns are collinear on these rows
   */
  begin(rows: Float64Array, from: number, to: number, first: number, width: number): boolean {
    if (first !== this.#first || width !== this.#width) this.#coefficients.fill(0);
    this.#rows = rows;
    this.#from = from;
    this.#to = to;
    this.#first = first;
    this.#width = width;
    this.inflation = [];
    this.#accumulate();
    return this.#factorise();
  }

  /** Adds the least squares solution for modified residuals, one per row of the fit, to the coefficients. */
  step(modified: Float64Array): void {
    const p = this.#width;
    const b = this.#work.fill(0);
    const rows = this.#rows;
    const n = this.#to - this.#from;
    for (let k = 0, at = this.#from * STRIDE + this.#first; k < n; k++, at += STRIDE) {
      const value = modified[k]!;
      for (let c = 0; c < p; c++) b[c] = b[c]! + rows[at + c]! * value;
    }
    const a = this.#factor;
    for (let r = 0; r < p; r++) {
      let sum = b[r]!;
      for (let k = 0; k < r; k++) sum -= a[r * p + k]! * b[k]!;
      b[r] = sum / a[r * p + r]!;
    }
    for (let r = p - 1; r >= 0; r--) {
      let sum = b[r]!;
      for (let k = r + 1; k < p; k++) sum -= a[k * p + r]! * b[k]!;
      b[r] = sum / a[r * p + r]!;
    }
    for (let c = 0; c < p; c++) this.#coefficients[c] = this.#coefficients[c]! + b[c]!;
  }

  /** Writes the residual of `values[from + k]` at k, for every row of the fit. */
  residuals(values: Float64Array, out: Float64Array): void {
    const p = this.#width;
    const rows = this.#rows;
    const coefficients = this.#coefficients;
    const from = this.#from;
    const n = this.#to - from;
    for (let k = 0, at = from * STRIDE + this.#first; k < n; k++, at += STRIDE) {
      let sum = 0;
      for (let c = 0; c < p; c++) sum += rows[at + c]! * coefficients[c]!;
      out[k] = values[from + k]! - sum;
    }
  }

  /** Fitted value at a row of a design. */
  value(rows: Float64Array, row: number): number {
    const p = this.#width;
    const at = row * STRIDE + this.#first;
    const coefficients = this.#coefficients;
    let sum = 0;
    for (let c = 0; c < p; c++) sum += rows[at + c]! * coefficients[c]!;
    return sum;
  }

  /** Variance of the fitted value at a row in units of one row's: x' (X'X)^-1 x, each column inflated. */
  leverage(rows: Float64Array, row: number): number {
    const p = this.#width;
    const at = row * STRIDE + this.#first;
    let sum = 0;
    for (let r = 0; r < p; r++) {
      let value = rows[at + r]!;
      for (let c = 0; c < r; c++) value -= this.#factor[r * p + c]! * this.#work[c]!;
      value /= this.#factor[r * p + r]!;
      this.#work[r] = value;
      sum += (this.inflation[r] ?? 1) * value * value;
    }
    return sum;
  }

  /** The lower triangle of X'X. */
  #accumulate(): void {
    const p = this.#width;
    const a = this.#factor.fill(0);
    const rows = this.#rows;
    const n = this.#to - this.#from;
    for (let k = 0, at = this.#from * STRIDE + this.#first; k < n; k++, at += STRIDE) {
      for (let r = 0; r < p; r++) {
        const x = rows[at + r]!;
        for (let c = 0; c <= r; c++) a[r * p + c] = a[r * p + c]! + x * rows[at + c]!;
      }
    }
  }

  #factorise(): boolean {
    const p = this.#width;
    const a = this.#factor;
    for (let r = 0; r < p; r++) {
      const diagonal = a[r * p + r]!;
      for (let c = 0; c <= r; c++) {
        let sum = a[r * p + c]!;
        for (let k = 0; k < c; k++) sum -= a[r * p + k]! * a[c * p + k]!;
        if (c < r) a[r * p + c] = sum / a[c * p + c]!;
        else if (sum > SINGULAR * diagonal) a[r * p + r] = Math.sqrt(sum);
        else return false;
      }
    }
    return true;
  }
}
