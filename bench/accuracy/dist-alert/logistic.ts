const ROUNDS = 50; // maximum number of Newton steps
const CLOSE = 1e-10; // change of a coefficient below which the fit has converged

/**
 * Coefficients of a logistic regression by maximum likelihood (Newton's method): an intercept, then one coefficient
 * per column.
 * @param rows values of the columns for each case
 * @param outcomes 0 or 1 for each case
 * @throws RangeError when the fit does not converge
 */
export function logisticFit(rows: readonly (readonly number[])[], outcomes: ArrayLike<number>): number[] {
  const size = rows[0]!.length + 1;
  let beta = Array.from({ length: size }, () => 0);
  for (let round = 0; round < ROUNDS; round++) {
    const gradient = new Float64Array(size);
    const hessian = Array.from({ length: size }, () => new Float64Array(size));
    for (const [i, row] of rows.entries()) {
      const p = logistic(beta, row);
      const weight = p * (1 - p);
      for (let a = 0; a < size; a++) {
        const xa = a === 0 ? 1 : row[a - 1]!;
        gradient[a]! += xa * (outcomes[i]! - p);
        for (let b = 0; b <= a; b++) hessian[a]![b]! += weight * xa * (b === 0 ? 1 : row[b - 1]!);
      }
    }
    const step = solve(hessian, gradient);
    beta = beta.map((value, a) => value + step[a]!);
    if (step.every((change) => Math.abs(change) < CLOSE)) return beta;
  }
  throw new RangeError('the logistic regression does not converge');
}

/** Probability by a logistic regression. */
export function logistic(beta: readonly number[], row: readonly number[]): number {
  return 1 / (1 + Math.exp(-row.reduce((sum, value, a) => sum + beta[a + 1]! * value, beta[0]!)));
}

/** Solves a symmetric positive definite system, given its lower triangle, by Cholesky's method. */
function solve(lower: readonly Float64Array[], right: Float64Array): Float64Array {
  const n = right.length;
  const x = right.slice();
  for (let a = 0; a < n; a++) {
    for (let b = 0; b <= a; b++) {
      let sum = lower[a]![b]!;
      for (let k = 0; k < b; k++) sum -= lower[a]![k]! * lower[b]![k]!;
      lower[a]![b] = a === b ? Math.sqrt(sum) : sum / lower[b]![b]!;
    }
    for (let k = 0; k < a; k++) x[a]! -= lower[a]![k]! * x[k]!;
    x[a]! /= lower[a]![a]!;
  }
  for (let a = n - 1; a >= 0; a--) {
    for (let k = a + 1; k < n; k++) x[a]! -= lower[k]![a]! * x[k]!;
    x[a]! /= lower[a]![a]!;
  }
  return x;
}
