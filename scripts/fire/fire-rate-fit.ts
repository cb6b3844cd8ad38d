import type { FireCell } from './fire-record.ts';
import { CELL_KM, LAND_USES } from './fire-record.ts';

/** Fires per km2 and year by land use and slope: `exp(logRates[use] + slopeEffect * slope)`. */
export interface FireRates {
  readonly logRates: readonly number[];
  /** Effect of the slope on the log rate [1/degree]. */
  readonly slopeEffect: number;
}

/**
 * Ratio of the variance of a cell's count to its mean (Pearson, from the fit to all fires). It only affects the weight
 * of the prior and of the known positions relative to the counts.
 */
const DISPERSION = 15;

/**
 * Standard deviations of a weak prior that keeps the rates of rare land uses finite: of the log rates around the log
 * rate of all land, and of the effect of the slope around 0.
 */
const USE_TETHER = 1.5;
const SLOPE_TETHER = 0.2;

/**
 * Fits the rates by Fisher scoring to two kinds of data. First, the counts of whole cells (quasi-Poisson), because
 * for most fires only the cell is known; their expectation is the sum over the parts of a cell. Second, the parts that
 * contain the fires with a known position within their cell (multinomial); uneven reporting does not affect them.
 * @param counts fires of each cell over `years`
 * @param chosen for each cell, the part of each fire with a known position
 * @param groups for each land use the class into which it is pooled, from 0
 */
export function fitFireRates(
  cells: readonly FireCell[],
  counts: readonly number[],
  chosen: readonly (readonly number[])[],
  years: number,
  groups: readonly number[] = LAND_USES.map((_, i) => i),
): FireRates {
  const classes = Math.max(...groups) + 1;
  const total = counts.reduce((sum, n) => sum + n, 0);
  const centre = Math.log(total / (cells.length * CELL_KM ** 2 * years));
  const tether = [...Array.from({ length: classes }, () => USE_TETHER ** -2), SLOPE_TETHER ** -2];
  let theta: number[] = [...Array.from({ length: classes }, () => centre), 0];
  for (let step = 0; step < 60; step++) {
    const gradient = theta.map((value, i) => tether[i]! * ((i < classes ? centre : 0) - value));
    const information = tether.map((weight, i) => tether.map((_, j) => (i === j ? weight : 0)));
    for (const [c, cell] of cells.entries()) {
      const { expected, slopes } = expectation(cell, theta, classes, years, groups);
      for (let i = 0; i <= classes; i++) {
        gradient[i]! += ((counts[c]! / expected - 1) * slopes[i]!) / DISPERSION;
        for (let j = 0; j <= classes; j++)
          information[i]![j]! += (slopes[i]! * slopes[j]!) / expected / DISPERSION;
      }
      if (chosen[c]!.length > 0) addChoices(cell, chosen[c]!, theta, groups, gradient, information);
    }
    const move = solve(information, gradient);
    const largest = Math.max(...move.map(Math.abs));
    theta = theta.map((value, i) => value + move[i]! * Math.min(1, 1 / largest));
    if (largest < 1e-6) break;
  }
  return { logRates: theta.slice(0, classes), slopeEffect: theta[classes]! };
}

/** Adds the score and the information of the fires whose part within the cell is known. */
function addChoices(
  { parts }: FireCell,
  chosen: readonly number[],
  theta: readonly number[],
  groups: readonly number[],
  gradient: number[],
  information: number[][],
): void {
  const classes = theta.length - 1;
  const features = parts.map(({ use, slope }) => {
    const row = theta.map(() => 0);
    row[groups[use]!] = 1;
    row[classes] = slope;
    return row;
  });
  const weights = parts.map(({ use, slope }) => Math.exp(theta[groups[use]!]! + theta[classes]! * slope));
  const total = weights.reduce((sum, w) => sum + w, 0);
  const mean = theta.map((_, i) =>
    features.reduce((sum, row, p) => sum + (weights[p]! * row[i]!) / total, 0),
  );
  for (const part of chosen)
    for (let i = 0; i <= classes; i++) gradient[i]! += features[part]![i]! - mean[i]!;
  for (const [p, row] of features.entries())
    for (let i = 0; i <= classes; i++)
      for (let j = 0; j <= classes; j++)
        information[i]![j]! +=
          (chosen.length * weights[p]! * (row[i]! - mean[i]!) * (row[j]! - mean[j]!)) / total;
}

/** Expected fires of a cell over some years. */
export function expectedFires(
  cell: FireCell,
  { logRates, slopeEffect }: FireRates,
  years: number,
  groups: readonly number[] = LAND_USES.map((_, i) => i),
): number {
  return expectation(cell, [...logRates, slopeEffect], logRates.length, years, groups).expected;
}

function expectation(
  cell: FireCell,
  theta: readonly number[],
  classes: number,
  years: number,
  groups: readonly number[],
): { expected: number; slopes: Float64Array } {
  const slopes = new Float64Array(classes + 1);
  const exposure = (CELL_KM ** 2 * years) / cell.parts.length;
  let expected = 0;
  for (const { use, slope } of cell.parts) {
    const k = groups[use]!;
    const part = exposure * Math.exp(theta[k]! + theta[classes]! * slope);
    expected += part;
    slopes[k]! += part;
    slopes[classes]! += part * slope;
  }
  return { expected, slopes };
}

/** Solves a system of linear equations by Gaussian elimination with pivots. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i]!]);
  const n = rows.length;
  for (let i = 0; i < n; i++) {
    const pivot = rows
      .slice(i)
      .reduce((best, row, k) => (Math.abs(row[i]!) > Math.abs(rows[best]![i]!) ? i + k : best), i);
    [rows[i], rows[pivot]] = [rows[pivot]!, rows[i]!];
    for (let j = 0; j < n; j++) {
      if (j === i) continue;
      const factor = rows[j]![i]! / rows[i]![i]!;
      for (let k = i; k <= n; k++) rows[j]![k]! -= factor * rows[i]![k]!;
    }
  }
  return rows.map((row, i) => row[n]! / row[i]!);
}
