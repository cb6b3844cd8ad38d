import type { Design } from '../kernel/design-tables.ts';

/**
 * Returns the design of a regression on an intercept, an optional trend and harmonics of the year. The columns are a
 * constant 1, with a trend the years since the first scene, then cosine and sine of each harmonic.
 * @param years decimal years of the scenes; a whole number is the beginning of a year
 */
export function harmonicDesign(years: ArrayLike<number>, harmonics: number, withTrend: boolean): Design {
  const columns = (withTrend ? 2 : 1) + 2 * harmonics;
  const rows = new Float64Array(years.length * columns);
  for (let t = 0; t < years.length; t++) {
    let slot = t * columns;
    rows[slot++] = 1;
    if (withTrend) rows[slot++] = years[t]! - years[0]!;
    for (let k = 1; k <= harmonics; k++) {
      rows[slot++] = Math.cos(2 * Math.PI * k * years[t]!);
      rows[slot++] = Math.sin(2 * Math.PI * k * years[t]!);
    }
  }
  return { rows, columns };
}
