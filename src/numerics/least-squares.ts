/** A weighted linear fit of `y = X b`. */
export interface LinearFit {
  readonly coefficients: Float64Array;
  /** (X' W X)^-1, p x p, row-major: multiplied by the residual variance it is the covariance of the coefficients. */
  readonly cofactors: Float64Array;
}

/**
 * Minimum share of the length of a column that remains after subtracting its projection on the preceding columns [1]
 * (our choice). If less remains, the column counts as linearly dependent.
 */
const DEPENDENT = 1e-10;

/**
 * Weighted least squares by Cholesky decomposition of the normal equations, with columns scaled to length 1.
 * Callers should subtract the mean from times: the error grows with the square of the condition number.
 *
 * @param rows X, n x p, row-major
 * @param weights at least 0, one per row
 * @throws RangeError when the columns are linearly dependent, taking the weights of the rows into account
 */
export function fitLeastSquares(
  rows: Float64Array,
  values: Float64Array,
  weights: Float64Array,
  p: number,
): LinearFit {
  const n = values.length;
  if (rows.length !== n * p || weights.length !== n)
    throw new RangeError('one row of X and one weight per value expected');
  const normal = new Float64Array(p * p);
  const right = new Float64Array(p);
  for (let i = 0; i < n; i++) {
    const w = weights[i]!;
    if (w === 0) continue;
    for (let j = 0; j < p; j++) {
      const wx = w * rows[i * p + j]!;
      right[j]! += wx * values[i]!;
      for (let k = 0; k <= j; k++) normal[j * p + k]! += wx * rows[i * p + k]!;
    }
  }
  const cofactors = invertNormal(normal, p);
  const coefficients = Float64Array.from({ length: p }, (_, j) => {
    let sum = 0;
    for (let k = 0; k < p; k++) sum += cofactors[j * p + k]! * right[k]!;
    return sum;
  });
  return { coefficients, cofactors };
}

/**
 * Inverse of a symmetric positive definite matrix such as X' W X (p x p, row-major). Only its lower half is read.
 * @throws RangeError when its columns are linearly dependent
 */
export function invertNormal(normal: Float64Array, p: number): Float64Array {
  const length = Float64Array.from({ length: p }, (_, j) => Math.sqrt(normal[j * p + j]!));
  const inverse = invertedFactor(normal, length, p);
  const cofactors = new Float64Array(p * p);
  for (let j = 0; j < p; j++) {
    for (let k = 0; k < p; k++) {
      let sum = 0;
      for (let i = Math.max(j, k); i < p; i++) sum += inverse[i * p + j]! * inverse[i * p + k]!;
      cofactors[j * p + k] = sum / (length[j]! * length[k]!);
    }
  }
  return cofactors;
}

/** Inverse of the lower Cholesky factor of the scaled normal matrix. */
function invertedFactor(normal: Float64Array, length: Float64Array, p: number): Float64Array {
  const factor = new Float64Array(p * p);
  const inverse = new Float64Array(p * p);
  for (let j = 0; j < p; j++) {
    for (let k = 0; k <= j; k++) {
      let sum = normal[j * p + k]! / (length[j]! * length[k]!);
      for (let i = 0; i < k; i++) sum -= factor[j * p + i]! * factor[k * p + i]!;
      if (k < j) factor[j * p + k] = sum / factor[k * p + k]!;
      else if (sum > DEPENDENT) factor[j * p + j] = Math.sqrt(sum);
      else throw new RangeError(`column ${j} of ${p} depends on those before it`);
    }
  }
  for (let j = 0; j < p; j++) {
    inverse[j * p + j] = 1 / factor[j * p + j]!;
    for (let k = 0; k < j; k++) {
      let sum = 0;
      for (let i = k; i < j; i++) sum -= factor[j * p + i]! * inverse[i * p + k]!;
      inverse[j * p + k] = sum / factor[j * p + j]!;
    }
  }
  return inverse;
}

/** Residuals y - X b. */
export function residualsOf(
  rows: Float64Array,
  values: Float64Array,
  coefficients: Float64Array,
): Float64Array {
  const p = coefficients.length;
  return values.map((value, i) => {
    let fitted = 0;
    for (let j = 0; j < p; j++) fitted += rows[i * p + j]! * coefficients[j]!;
    return value - fitted;
  });
}
