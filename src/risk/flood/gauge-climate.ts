import { monotonicTrend, type MonotonicTrend } from '../../numerics/monotonic-trend.ts';
import { type RegionalShape, type ReturnLevel, returnLevelFitter } from '../storm/gust-climate.ts';
import { FLOOD_RETURN_PERIODS } from './flood-water.ts';

/**
 * Distribution of the GEV shape of yearly maximum river flows and stages, with Hosking's sign.
 * @see doi:10.1029/1999WR900330 (Martins & Stedinger 2000: the geophysical prior, mean -0.10, deviation 0.122)
 */
export const RIVER_SHAPE: RegionalShape = { mean: -0.1, deviation: 0.122 };
/** Distribution of the GEV shape of yearly maximum sea levels (our choice: Gumbel, as for the prior sea level). */
export const SEA_SHAPE: RegionalShape = { mean: 0, deviation: 0.1 };

/** Minimum length of a record to test it for a trend [years] (our choice): shorter trends are decades of weather. */
const TREND_YEARS = 20;
/** Level of the Mann-Kendall test below which a trend is applied [1] (the usual one). */
const TREND_LEVEL = 0.05;
/** Maximum number of years for which a trend is continued after the last year of the record [years] (our choice). */
const CONTINUED_YEARS = 10;
/** Normal deviate of the ends of a 90 % interval. */
const NINETY = 1.645;

/** The highest value of a year. */
interface YearlyValue {
  readonly year: number;
  readonly value: number;
}

/** Return levels of a gauge, in the unit of its record. */
export interface GaugeClimate {
  readonly levels: readonly ReturnLevel[];
  /** Trend that the levels include; null when none is significant. For flows: of the logarithm. */
  readonly trend: MonotonicTrend | null;
  /** Year for which the levels are stated: today or, with a trend, at most ten years after the record. */
  readonly statedFor: number;
}

/**
 * Computes return levels of a gauge from its yearly maxima: a GEV by L-moments whose shape is shrunk, with intervals by
 * parametric bootstrap. A trend that is significant is removed before the fit, and the levels are those of today. Its
 * error is added to the intervals in quadrature.
 * @param maxima at least ten years, not all equal
 * @param isFlow whether values are positive flows, whose trend is a share of the flow
 * @throws RangeError in the same cases as `returnLevelFitter`
 */
export function gaugeClimate(
  maxima: readonly YearlyValue[],
  shape: RegionalShape,
  isFlow: boolean,
  thisYear: number,
): GaugeClimate {
  const years = maxima.map(({ year }) => year);
  const values = maxima.map(({ value }) => (isFlow ? Math.log(value) : value));
  const found = maxima.length < TREND_YEARS ? null : monotonicTrend(years, values);
  const trend = found !== null && found.pValue < TREND_LEVEL ? found : null;
  const statedFor = trend === null ? thisYear : Math.min(thisYear, Math.max(...years) + CONTINUED_YEARS);
  const today = values.map((value, i) => value + (trend?.slope ?? 0) * (statedFor - years[i]!));
  const fitted = returnLevelFitter(maxima.length, FLOOD_RETURN_PERIODS, shape).fit(
    isFlow ? today.map(Math.exp) : today,
  );
  const middle = years.reduce((sum, year) => sum + year, 0) / years.length;
  const shift = NINETY * (trend?.slopeError ?? 0) * Math.abs(statedFor - middle);
  return {
    levels: fitted.levels.map((one) => widened(one, shift, isFlow)),
    trend,
    statedFor,
  };
}

function widened(one: ReturnLevel, shift: number, isFlow: boolean): ReturnLevel {
  const { level, low, high } = one;
  const by = isFlow ? level * Math.expm1(shift) : shift;
  return { ...one, low: level - Math.hypot(level - low, by), high: level + Math.hypot(high - level, by) };
}
