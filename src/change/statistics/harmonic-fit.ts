import { harmonicDesign } from './harmonic-design.ts';
import { RowTriangle } from './row-triangle.ts';

/** Terms of a harmonic fit in addition to the intercept. */
export interface HarmonicTerms {
  /** Number of pairs of cosine and sine, with periods of a year, half a year, a third of a year and so on. */
  readonly harmonics: number;
  readonly withTrend: boolean;
}

/** A seasonal curve fitted to a series. */
export interface HarmonicFit {
  /** Intercept, slope [1/yr] if there is a trend, then cosine and sine of each harmonic. */
  readonly coefficients: Float64Array;
  /** Standard deviation of the residuals, with (observations - coefficients) degrees of freedom. */
  readonly sigma: number;
  /** Number of values fitted. */
  readonly observations: number;
  /** Returns the expected value at a decimal year, which may be outside the fitted years. */
  expected(year: number): number;
}

/**
 * Least-squares fit of an intercept, a trend and harmonics of the year.
 * @param years decimal years, ascending; a whole number is the beginning of a year. The trend counts from
 *   the first year
 * @param values one for each year; NaN where nothing was observed
 * @throws RangeError when the lengths differ or a value is infinite
 * @returns null when there are too few observations, or their times do not separate the terms
 */
export function harmonicFit(
  years: ArrayLike<number>,
  values: ArrayLike<number>,
  { harmonics, withTrend }: HarmonicTerms,
): HarmonicFit | null {
  if (values.length !== years.length)
    throw new RangeError(`expected ${years.length} values, one for each year, got ${values.length}`);
  const { rows, columns } = harmonicDesign(years, harmonics, withTrend);
  const triangle = new RowTriangle(columns);
  let observations = 0;
  for (let t = 0; t < years.length; t++) {
    if (Number.isNaN(values[t]!)) continue;
    if (!Number.isFinite(values[t]!)) throw new RangeError(`value ${t} is infinite`);
    triangle.add(rows.subarray(t * columns, (t + 1) * columns), values[t]!);
    observations += 1;
  }
  if (observations <= columns || !triangle.isRegular) return null;
  const coefficients = triangle.solve();
  const valueOf = (row: Float64Array): number => row.reduce((sum, x, c) => sum + x * coefficients[c]!, 0);
  let squares = 0;
  for (let t = 0; t < years.length; t++)
    if (!Number.isNaN(values[t]!))
      squares += (values[t]! - valueOf(rows.subarray(t * columns, (t + 1) * columns))) ** 2;
  return {
    coefficients,
    sigma: Math.sqrt(squares / (observations - columns)),
    observations,
    expected: (year) =>
      valueOf(harmonicDesign([years[0]!, year], harmonics, withTrend).rows.subarray(columns)),
  };
}
