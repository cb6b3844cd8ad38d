/** Pivot, relative to its column, under which a design is singular in doubles (dimensionless). */
const SINGULAR = 1e-9;

/** Weighted least squares on chosen columns of a design, by Cholesky. A workspace that is used again for every fit. */
export class WeightedFit {
  /** Columns of the design that are fitted. */
  columns: readonly number[] = [];
  /** Factor on the variance of each fitted column's coefficient; 1 where absent. */
  inflation: readonly number[] = [];
  readonly #design: Float64Array;
  readonly #width: number;
  readonly #factor: Float64Array;
  readonly #work: Float64Array;
  readonly #coefficients: Float64Array;

  /** @param design row-major, rows x `width` */
  constructor(design: Float64Array, width: number) {
    this.#design = design;
    this.#width = width;
    this.#factor = new Float64Array(width * width);
    this.#work = new Float64Array(width);
    this.#coefficients = new Float64Array(width);
  }

  /**
   * Fits `values[rows[k]]` with weight `weights[k]`, and writes the residual of every row, weighed or not.
   * @returns false when the chosen columns are collinear on these rows; residuals are then untouched
   */
  solve(rows: Int32Array, values: Float64Array, weights: Float64Array, residuals: Float64Array): boolean {
    this.#accumulate(rows, values, weights);
    if (!this.#factorise()) return false;
    this.#substitute();
    for (let k = 0; k < rows.length; k++) residuals[k] = values[rows[k]!]! - this.value(rows[k]!);
    return true;
  }

  /** Fitted value at a row of the design. */
  value(row: number): number {
    let sum = 0;
    for (let c = 0; c < this.columns.length; c++) {
      sum += this.#design[row * this.#width + this.columns[c]!]! * this.#coefficients[c]!;
    }
    return sum;
  }

  /** Variance of the fitted value at a row in units of one observation's: x' (X'WX)^-1 x, each column inflated. */
  leverage(row: number): number {
    const p = this.columns.length;
    let sum = 0;
    for (let r = 0; r < p; r++) {
      let value = this.#design[row * this.#width + this.columns[r]!]!;
      for (let c = 0; c < r; c++) value -= this.#factor[r * p + c]! * this.#work[c]!;
      value /= this.#factor[r * p + r]!;
      this.#work[r] = value;
      sum += (this.inflation[r] ?? 1) * value * value;
    }
    return sum;
  }

  /** Normal equations: the lower triangle of X'WX, and X'Wy. */
  #accumulate(rows: Int32Array, values: Float64Array, weights: Float64Array): void {
    const p = this.columns.length;
    const a = this.#factor.fill(0);
    const b = this.#work.fill(0);
    for (let k = 0; k < rows.length; k++) {
      const weight = weights[k]!;
      if (weight === 0) continue;
      const start = rows[k]! * this.#width;
      const value = values[rows[k]!]!;
      for (let r = 0; r < p; r++) {
        const x = weight * this.#design[start + this.columns[r]!]!;
        b[r] = b[r]! + x * value;
        for (let c = 0; c <= r; c++) {
          a[r * p + c] = a[r * p + c]! + x * this.#design[start + this.columns[c]!]!;
        }
      }
    }
  }

  #factorise(): boolean {
    const p = this.columns.length;
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

  #substitute(): void {
    const p = this.columns.length;
    const a = this.#factor;
    const b = this.#work;
    for (let r = 0; r < p; r++) {
      let sum = b[r]!;
      for (let k = 0; k < r; k++) sum -= a[r * p + k]! * b[k]!;
      b[r] = sum / a[r * p + r]!;
    }
    for (let r = p - 1; r >= 0; r--) {
      let sum = b[r]!;
      for (let k = r + 1; k < p; k++) sum -= a[k * p + r]! * this.#coefficients[k]!;
      this.#coefficients[r] = sum / a[r * p + r]!;
    }
  }
}
