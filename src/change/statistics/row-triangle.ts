/**
 * The system is singular if the columns before a column leave at most this share of its sum of squares unexplained.
 * The kernel uses the same constant.
 */
const SINGULAR = 1e-9;

/**
 * Least squares by Givens rotations, one observation at a time: computes R of the QR factorisation and Q'y (Golub &
 * Van Loan 2013, 5.2.5). It is slower than the kernel. The tests compare the kernel with it.
 */
export class RowTriangle {
  readonly #size: number;
  /** R, row-major, with Q'y as an additional last column. */
  readonly #rows: Float64Array;
  readonly #row: Float64Array;

  constructor(size: number) {
    this.#size = size;
    this.#rows = new Float64Array(size * (size + 1));
    this.#row = new Float64Array(size + 1);
  }

  /**
   * Adds an observation. Returns its recursive residual: the error of its forecast from the observations before it,
   * divided by the ratio of the standard deviation of this error to that of one observation (Brown, Durbin & Evans
   * 1975).
   */
  add(x: ArrayLike<number>, y: number): number {
    const [n, width, row, rows] = [this.#size, this.#size + 1, this.#row, this.#rows];
    for (let c = 0; c < n; c++) row[c] = x[c]!;
    row[n] = y;
    for (let i = 0; i < n; i++) {
      const radius = Math.hypot(rows[i * width + i]!, row[i]!);
      if (radius === 0) continue;
      const cosine = rows[i * width + i]! / radius;
      const sine = row[i]! / radius;
      for (let c = i; c <= n; c++) {
        const [upper, lower] = [rows[i * width + c]!, row[c]!];
        rows[i * width + c] = cosine * upper + sine * lower;
        row[c] = cosine * lower - sine * upper;
      }
    }
    return row[n];
  }

  /** Whether every column is independent of the columns before it. */
  get isRegular(): boolean {
    const width = this.#size + 1;
    for (let c = 0; c < this.#size; c++) {
      let squares = 0;
      for (let r = 0; r <= c; r++) squares += this.#rows[r * width + c]! ** 2;
      if (!(this.#rows[c * width + c]! ** 2 > SINGULAR * squares)) return false;
    }
    return true;
  }

  /** Returns the coefficients of the columns. They are meaningless if `isRegular` is false. */
  solve(): Float64Array {
    const width = this.#size + 1;
    const solution = new Float64Array(this.#size);
    for (let r = this.#size - 1; r >= 0; r--) {
      let sum = this.#rows[r * width + this.#size]!;
      for (let c = r + 1; c < this.#size; c++) sum -= this.#rows[r * width + c]! * solution[c]!;
      solution[r] = sum / this.#rows[r * width + r]!;
    }
    return solution;
  }

  /**
   * Variance of the expected value for a row of the design, in units of the variance of one observation: x' (R'R)^-1
   * x.
   */
  leverage(x: ArrayLike<number>): number {
    const width = this.#size + 1;
    const work = new Float64Array(this.#size);
    let sum = 0;
    for (let c = 0; c < this.#size; c++) {
      let value = x[c]!;
      for (let r = 0; r < c; r++) value -= this.#rows[r * width + c]! * work[r]!;
      work[c] = value / this.#rows[c * width + c]!;
      sum += work[c]! ** 2;
    }
    return sum;
  }
}
