/** Cases of a logistic regression: rows of terms (the first is 1), outcomes, weights, and the group of each case. */
export interface GroupedCases {
  readonly terms: readonly (readonly number[])[];
  readonly outcomes: readonly boolean[];
  readonly weights: readonly number[];
  readonly groups: readonly string[];
}

/** A logistic regression with an intercept for each group, drawn from a normal distribution. */
export interface MixedFit {
  /** Coefficients of the terms, for a group whose intercept is the mean. */
  readonly coefficients: readonly number[];
  /** Variance of the intercepts between groups [squared log-odds]. */
  readonly variance: number;
  /** Deviation of the intercept of each group from the mean [log-odds]. */
  readonly deviations: ReadonlyMap<string, number>;
}

const RIDGE = 1; // prior precision of each coefficient except the intercept: bounds a fit to few cases (our choice)
const FLAT = 1e-6; // prior precision of the intercept
const STEPS = 50; // Newton steps; the fit converges within ten
/** Variances that are tried: the likelihood is flat, so a coarse list is enough (our choice). */
const VARIANCES = [0.05, 0.1, 0.2, 0.4, 0.6, 0.9, 1.2, 1.6, 2.2, 3, 4.5];
/**
 * Slope of the approximation of a mean of logistic curves over normal log-odds.
 * @see doi:10.1162/neco.1992.4.5.720 (MacKay 1992)
 */
const MEAN_SLOPE = Math.PI / 8;

/** Solves a symmetric positive definite system by Gauss elimination, and returns the log determinant as well. */
function solve(
  matrix: readonly (readonly number[])[],
  right: readonly number[],
): { solution: number[]; logDeterminant: number } {
  const n = right.length;
  const rows = matrix.map((row, i) => [...row, right[i]!]);
  for (let i = 0; i < n; i++)
    for (let j = i + 1; j < n; j++) {
      const factor = rows[j]![i]! / rows[i]![i]!;
      for (let k = i; k <= n; k++) rows[j]![k]! -= factor * rows[i]![k]!;
    }
  const solution = Array.from({ length: n }, () => 0);
  for (let i = n - 1; i >= 0; i--) {
    let sum = rows[i]![n]!;
    for (let k = i + 1; k < n; k++) sum -= rows[i]![k]! * solution[k]!;
    solution[i] = sum / rows[i]![i]!;
  }
  return { solution, logDeterminant: rows.reduce((sum, row, i) => sum + Math.log(row[i]!), 0) };
}

/** Most probable coefficients for a given prior precision of each, and the log of their evidence (Laplace). */
function fitRidge(
  rows: readonly (readonly number[])[],
  { outcomes, weights }: Pick<GroupedCases, 'outcomes' | 'weights'>,
  precisions: readonly number[],
): { values: number[]; evidence: number } {
  const size = precisions.length;
  let values = Array.from({ length: size }, () => 0);
  let [likelihood, logDeterminant] = [0, 0];
  for (let step = 0; step < STEPS; step++) {
    const gradient = values.map((value, i) => -precisions[i]! * value);
    const curvature = precisions.map((precision, i) => precisions.map((_, j) => (i === j ? precision : 0)));
    likelihood = 0;
    for (const [c, row] of rows.entries()) {
      const probability = 1 / (1 + Math.exp(-row.reduce((sum, term, i) => sum + term * values[i]!, 0)));
      const weight = weights[c]!;
      likelihood += weight * Math.log(outcomes[c]! ? probability : 1 - probability);
      const slope = weight * ((outcomes[c]! ? 1 : 0) - probability);
      const bend = weight * probability * (1 - probability);
      for (const [i, term] of row.entries()) {
        if (term === 0) continue;
        gradient[i]! += slope * term;
        for (const [j, other] of row.entries()) curvature[i]![j]! += bend * term * other;
      }
    }
    const solved = solve(curvature, gradient);
    ({ logDeterminant } = solved);
    const { solution } = solved;
    values = values.map((value, i) => value + solution[i]!);
    if (Math.max(...solution.map(Math.abs)) < 1e-9) break;
  }
  const prior = values.reduce(
    (sum, value, i) => sum + Math.log(precisions[i]!) - precisions[i]! * value ** 2,
    0,
  );
  return { values, evidence: likelihood + (prior - logDeterminant) / 2 };
}

/**
 * Fits a logistic regression with random intercepts: coefficients and intercepts are the most probable ones, and the
 * variance between groups is that of a list with the greatest evidence by the approximation of Laplace.
 * @see doi:10.1080/01621459.1993.10594284 (Breslow & Clayton 1993)
 */
export function fitMixed(cases: GroupedCases): MixedFit {
  const names = [...new Set(cases.groups)];
  const rows = cases.terms.map((row, c) => [
    ...row,
    ...names.map((name) => (name === cases.groups[c] ? 1 : 0)),
  ]);
  const size = cases.terms[0]!.length;
  const fits = VARIANCES.map((variance) => {
    const precisions = [
      ...cases.terms[0]!.map((_, i) => (i === 0 ? FLAT : RIDGE)),
      ...names.map(() => 1 / variance),
    ];
    return { variance, ...fitRidge(rows, cases, precisions) };
  });
  const best = fits.reduce((most, fit) => (fit.evidence > most.evidence ? fit : most));
  return {
    coefficients: best.values.slice(0, size),
    variance: best.variance,
    deviations: new Map(names.map((name, i) => [name, best.values[size + i]!])),
  };
}

/**
 * Coefficients that give the mean probability over all groups: those of the mean intercept, reduced because the
 * intercept of a new group is unknown.
 */
export function coefficientsOfNewGroup({
  coefficients,
  variance,
}: Pick<MixedFit, 'coefficients' | 'variance'>): number[] {
  return coefficients.map((value) => value / Math.sqrt(1 + MEAN_SLOPE * variance));
}
