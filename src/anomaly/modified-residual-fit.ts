import { STRIDE } from './season-design.ts';

/** Minimum ratio of a pivot to its diagonal element of X'X (dimensionless). Below it, a design counts as singular. */
const SINGULAR = 1e-9;

/**
 * Robust regression by modified residuals (Huber & Dutter 1974; Huber & Ronchetti 2009, section 7.8): the normal
 * matrix of all rows is factorised once, and each step solves it for residuals that were clipped, or set to 0 for rows
 * that are left out. The steps converge to the weighted fit. One instance is reused for every fit.
 */
export class ModifiedResidualFit {
  /** Lower triangle of X'X, with all columns and the rows `[#from, #to)`. */
  readonly #gram = new Float64Array(STRIDE * STRIDE);
  readonly #factor = new Float64Array(STRIDE * STRIDE);
  /** Matrix of a quadratic form over all columns: its value at a row is the leverage of the row. */
  readonly #form = new Float64Array(STRIDE * STRIDE);
  readonly #work = new Float64Array(STRIDE);
  /** Coefficients of all columns; 0 for columns that are not fitted. */
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

  /** Coefficient of a fitted column. */
  coefficient(column: number): number {
    return this.#coefficients[this.#first + column]!;
  }

  /**
   * Begins a fit of the columns `[first, first + width)` to the rows `[from, to)`. It starts from the coefficients of
   * the previous fit if that fit had the same columns, otherwise from 0. If the previous fit had the same `rows` and
   * `from`, the rows that it used must be unchanged.
   * @returns false if the columns are collinear on these rows
   */
  begin(rows: Float64Array, from: number, to: number, first: number, width: number): boolean {
    if (first !== this.#first || width !== this.#width) this.#coefficients.fill(0);
    this.#accumulate(rows, from, to);
    this.#first = first;
    this.#width = width;
    if (!this.#factorise()) return false;
    this.inflate();
    return true;
  }

  /**
   * Adds the least-squares solution for the modified residuals to the coefficients.
   * @param modified one residual per row; values beyond `bound` are clipped
   */
  step(modified: Float64Array, bound = Number.POSITIVE_INFINITY): void {
    const p = this.#width;
    const b = this.#work;
    this.#weigh(modified, bound);
    b.copyWithin(0, this.#first, this.#first + p);
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
    const at = this.#first;
    for (let c = 0; c < p; c++) this.#coefficients[at + c] = this.#coefficients[at + c]! + b[c]!;
  }

  /**
   * Sums the rows, each multiplied by its residual, into `#work`. The loop over the columns is unrolled, which takes
   * a third of the time of a plain loop.
   */
  #weigh(modified: Float64Array, bound: number): void {
    const rows = this.#rows;
    const n = this.#to - this.#from;
    let [b0, b1, b2, b3, b4, b5, b6, b7] = [0, 0, 0, 0, 0, 0, 0, 0];
    for (let k = 0, at = this.#from * STRIDE; k < n; k++, at += STRIDE) {
      const value = Math.max(-bound, Math.min(bound, modified[k]!));
      b0 += rows[at]! * value;
      b1 += rows[at + 1]! * value;
      b2 += rows[at + 2]! * value;
      b3 += rows[at + 3]! * value;
      b4 += rows[at + 4]! * value;
      b5 += rows[at + 5]! * value;
      b6 += rows[at + 6]! * value;
      b7 += rows[at + 7]! * value;
    }
    const b = this.#work;
    b[0] = b0;
    b[1] = b1;
    b[2] = b2;
    b[3] = b3;
    b[4] = b4;
    b[5] = b5;
    b[6] = b6;
    b[7] = b7;
  }

  /** Writes the residual of `values[from + k]` to `out[k]`, for every row of the fit. */
  residuals(values: Float64Array, out: Float64Array): void {
    const from = this.#from;
    const n = this.#to - from;
    this.#fitted(this.#rows, from, this.#to, out, 0);
    for (let k = 0; k < n; k++) out[k] = values[from + k]! - out[k]!;
  }

  /** Writes the fitted value at each of the rows `[from, to)` of a design to the same index of `out`. */
  values(rows: Float64Array, from: number, to: number, out: Float64Array): void {
    this.#fitted(rows, from, to, out, from);
  }

  /** Fitted value at a row of a design. */
  value(rows: Float64Array, row: number): number {
    const one = new Float64Array(1);
    this.#fitted(rows, row, row + 1, one, 0);
    return one[0]!;
  }

  /**
   * Writes the fitted values at the rows `[from, to)` to `out`, starting at index `place`. The loop over the columns
   * is unrolled as in `#weigh`.
   */
  #fitted(rows: Float64Array, from: number, to: number, out: Float64Array, place: number): void {
    const c = this.#coefficients;
    for (let k = place, at = from * STRIDE; at < to * STRIDE; k++, at += STRIDE)
      out[k] =
        rows[at]! * c[0]! +
        rows[at + 1]! * c[1]! +
        rows[at + 2]! * c[2]! +
        rows[at + 3]! * c[3]! +
        rows[at + 4]! * c[4]! +
        rows[at + 5]! * c[5]! +
        rows[at + 6]! * c[6]! +
        rows[at + 7]! * c[7]!;
  }

  /**
   * Sets the inflation factors that `leverage` applies from now on.
   * @param factors factor on the variance of each fitted column's coefficient; 1 where absent
   */
  inflate(factors: readonly number[] = []): void {
    const p = this.#width;
    const inverse = this.#work;
    const form = this.#form.fill(0);
    // Computes row r of the inverse of the triangular factor, from the diagonal entry backwards.
    for (let r = 0; r < p; r++) {
      inverse[r] = 1 / this.#factor[r * p + r]!;
      for (let c = r - 1; c >= 0; c--) {
        let sum = 0;
        for (let k = c + 1; k <= r; k++) sum -= inverse[k]! * this.#factor[k * p + c]!;
        inverse[c] = sum / this.#factor[c * p + c]!;
      }
      const factor = factors[r] ?? 1;
      for (let c = 0; c <= r; c++)
        for (let d = 0; d <= r; d++) {
          const at = (this.#first + c) * STRIDE + this.#first + d;
          form[at] = form[at]! + factor * inverse[c]! * inverse[d]!;
        }
    }
  }

  /**
   * Variance of the fitted value at a row divided by that of one observation: x' (X'X)^-1 x, with the factors of
   * `inflate` applied to the columns.
   */
  leverage(rows: Float64Array, row: number): number {
    const at = row * STRIDE;
    const f = this.#form;
    let sum = 0;
    for (let r = 0, k = 0; r < STRIDE; r++, k += STRIDE)
      sum +=
        rows[at + r]! *
        (f[k]! * rows[at]! +
          f[k + 1]! * rows[at + 1]! +
          f[k + 2]! * rows[at + 2]! +
          f[k + 3]! * rows[at + 3]! +
          f[k + 4]! * rows[at + 4]! +
          f[k + 5]! * rows[at + 5]! +
          f[k + 6]! * rows[at + 6]! +
          f[k + 7]! * rows[at + 7]!);
    return sum;
  }

  /**
   * Writes to `out`, for each fitted column, the part of the leverage at a row that is due to this column, without
   * inflation.
   */
  leverages(rows: Float64Array, row: number, out: Float64Array): void {
    const p = this.#width;
    const at = row * STRIDE + this.#first;
    const solved = this.#work;
    for (let r = 0; r < p; r++) {
      let value = rows[at + r]!;
      for (let c = 0; c < r; c++) value -= this.#factor[r * p + c]! * solved[c]!;
      solved[r] = value / this.#factor[r * p + r]!;
      out[r] = solved[r]! * solved[r]!;
    }
  }

  /**
   * Updates `#gram` for the rows `[from, to)`. If the rows of the previous fit are the first of these rows, only the
   * remaining rows are added.
   */
  #accumulate(rows: Float64Array, from: number, to: number): void {
    const gram = this.#gram;
    const grows = rows === this.#rows && from === this.#from && to >= this.#to;
    if (!grows) gram.fill(0);
    for (let at = (grows ? this.#to : from) * STRIDE; at < to * STRIDE; at += STRIDE) {
      for (let r = 0; r < STRIDE; r++) {
        const x = rows[at + r]!;
        for (let c = 0; c <= r; c++) gram[r * STRIDE + c] = gram[r * STRIDE + c]! + x * rows[at + c]!;
      }
    }
    this.#rows = rows;
    this.#from = from;
    this.#to = to;
  }

  #factorise(): boolean {
    const p = this.#width;
    const a = this.#factor;
    const first = this.#first * (STRIDE + 1);
    for (let r = 0; r < p; r++) {
      const diagonal = this.#gram[first + r * STRIDE + r]!;
      for (let c = 0; c <= r; c++) {
        let sum = this.#gram[first + r * STRIDE + c]!;
        for (let k = 0; k < c; k++) sum -= a[r * p + k]! * a[c * p + k]!;
        if (c < r) a[r * p + c] = sum / a[c * p + c]!;
        else if (sum > SINGULAR * diagonal) a[r * p + r] = Math.sqrt(sum);
        else return false;
      }
    }
    return true;
  }
}
