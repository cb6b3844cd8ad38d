import { MAD_TO_SIGMA, medianInPlace } from '../../src/numerics/median.ts';
import type { Design } from '../../src/change/kernel/design-tables.ts';
import type { FitRule } from '../../src/change/kernel/fit-rule.ts';
import { RowTriangle } from '../../src/change/statistics/row-triangle.ts';
import { stableHistoryStart } from '../../src/change/statistics/stable-history.ts';

/** Residuals below this are rounding errors [sample unit]; the kernel has the same constant. */
const ROUNDING_FLOOR = 1e-9;

/** A baseline fitted to one series. */
export interface Fit {
  /** Coefficient of each column of the design; 0 for a column that was not fitted. */
  readonly coefficients: Float64Array;
  /**
   * Standard deviation of the residuals of the scenes in `kept`. The divisor is the degrees of freedom: the number of
   * these scenes minus the number of fitted columns.
   */
  readonly sigma: number;
  /** Scenes of the history that have an observation. `kept`: the scenes that were not rejected as outliers. */
  readonly history: readonly number[];
  readonly kept: readonly number[];
  /** First scene of the stable history; if the rule selects no stable history, the first scene of the window. */
  readonly start: number;
  /** Variance of the expected value at a design row, in units of the variance of one observation. */
  leverage(row: ArrayLike<number>): number;
}

/** Returns the values in the columns `chosen` of one row of a design. */
export function designRow({ rows, columns }: Design, scene: number, chosen: readonly number[]): number[] {
  return chosen.map((c) => rows[scene * columns + c]!);
}

/**
 * Fits one series according to a rule. This is plain TypeScript and serves as the reference for the kernel.
 * @param values by scene; NaN where nothing was observed
 * @returns undefined when there are too few observations or the system is singular
 */
export function leastSquares(
  design: Design,
  values: ArrayLike<number>,
  rule: FitRule,
  from: number,
  to: number,
): Fit | undefined {
  let history: number[] = [];
  for (let t = from; t < to; t++) if (!Number.isNaN(values[t]!)) history.push(t);
  let start = from;
  if (rule.historyCritical !== null) {
    const rows = history.map((t) => designRow(design, t, rule.columns));
    const stable = stableHistoryStart(
      rows,
      history.map((t) => values[t]!),
      rule.historyCritical,
    );
    start = history[stable] ?? 0;
    history = history.filter((t) => t >= start);
  }
  if (history.length < Math.max(rule.minObservations, rule.columns.length + 1)) return undefined;
  let kept = history;
  let fitted = solve(design, values, rule.columns, kept);
  for (let round = 0; round < rule.rejectRounds && fitted !== undefined; round++) {
    const { coefficients } = fitted;
    const residuals = history.map((t) => Math.abs(values[t]! - expectedAt(design, coefficients, t)));
    const median = medianInPlace(Float64Array.from(residuals), residuals.length);
    const limit = Math.max(ROUNDING_FLOOR, rule.rejectBeyond * MAD_TO_SIGMA * median);
    const next = history.filter((_, i) => residuals[i]! <= limit);
    if (next.length < rule.columns.length * rule.observationsPerColumn || sameScenes(next, kept)) break;
    kept = next;
    fitted = solve(design, values, rule.columns, kept);
  }
  if (fitted === undefined) return undefined;
  const { coefficients, triangle } = fitted;
  let squares = 0;
  for (const t of kept) squares += (values[t]! - expectedAt(design, coefficients, t)) ** 2;
  return {
    coefficients,
    sigma: Math.sqrt(squares / (kept.length - rule.columns.length)),
    history,
    kept,
    start,
    leverage: (row) => triangle.leverage(rule.columns.map((c) => row[c]!)),
  };
}

/** Returns the expected value at a scene. */
export function expectedAt({ rows, columns }: Design, coefficients: Float64Array, scene: number): number {
  let sum = 0;
  for (let c = 0; c < columns; c++) sum += rows[scene * columns + c]! * coefficients[c]!;
  return sum;
}

function sameScenes(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((scene, i) => scene === b[i]);
}

/** Solves a ridge least-squares problem. The ridge is added as one further row for each column. */
function solve(
  design: Design,
  values: ArrayLike<number>,
  chosen: readonly number[],
  scenes: readonly number[],
): { readonly coefficients: Float64Array; readonly triangle: RowTriangle } | undefined {
  const triangle = new RowTriangle(chosen.length);
  for (const t of scenes) triangle.add(designRow(design, t, chosen), values[t]!);
  chosen.forEach((c, i) => {
    const row = chosen.map((_, j) => (j === i ? Math.sqrt(design.ridge?.[c] ?? 0) : 0));
    triangle.add(row, 0);
  });
  if (!triangle.isRegular) return undefined;
  const solution = triangle.solve();
  const coefficients = new Float64Array(design.columns);
  chosen.forEach((c, i) => (coefficients[c] = solution[i]!));
  return { coefficients, triangle };
}
