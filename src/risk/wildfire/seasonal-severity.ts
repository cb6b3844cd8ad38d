import { dailySeverityRating } from './fire-weather/fire-weather-index.ts';

/**
 * Log spreads of a severity about the true one [1] (our choice): mapped as such, from the mean index, and from the worst
 * weeks alone.
 */
export const SEVERITY_ERROR = 0.14;
export const MEAN_INDEX_ERROR = 0.22;
export const WORST_WEEK_ERROR = 0.32;

/**
 * Severity assumed where none is mapped, and its log spread [1]: between a boreal and a Mediterranean summer
 * (our choice).
 */
export const UNKNOWN_SEVERITY = 5;
export const UNKNOWN_SEVERITY_ERROR = 0.9;

/**
 * Ratio of the mean severity to the severity of the mean index [1], above 1 because severity is convex: 1.41 at
 * Saskatoon, the driest of the cities measured by scripts/measure-fire-climate.ts (1.58 and 1.93 at wetter ones).
 */
const CONVEXITY = 1.4;

/** Ratio of the seasonal severity to that of the median year's worst week [1]: 0.17, 0.26, 0.27 by the same script. */
const SHARE_OF_WORST_WEEK = 0.25;

/** Log spread of seasonal severity between years [1]: 0.39, 0.45, 0.60 by the same script, smaller in drier places. */
export const YEAR_SPREAD = 0.4;

/** Seasonal severity of a seasonal mean Fire Weather Index. */
export function severityOfMeanIndex(fwi: number): number {
  return CONVEXITY * dailySeverityRating(Math.max(0, fwi));
}

/** Seasonal severity of a place whose worst 7-day mean reaches `fwi` in the median year. */
export function severityOfWorstWeek(fwi: number): number {
  return SHARE_OF_WORST_WEEK * dailySeverityRating(Math.max(0, fwi));
}
