import { dailySeverityRating } from './fire-weather/fire-weather-index.ts';

/**
 * Log spreads of the true severity about its estimate [1] (our choice), for estimates from mapped severity, from the
 * mean index, and from the worst weeks alone.
 */
export const SEVERITY_ERROR = 0.14;
export const MEAN_INDEX_ERROR = 0.22;
export const WORST_WEEK_ERROR = 0.32;

/**
 * Severity that is assumed where none is mapped, and its log spread [1] (our choice): the severity lies between
 * that of a boreal and that of a Mediterranean summer.
 */
export const UNKNOWN_SEVERITY = 5;
export const UNKNOWN_SEVERITY_ERROR = 0.9;

/**
 * Ratio of the mean severity to the severity of the mean index [1], above 1 because severity is a convex
 * function: 1.41 at Saskatoon, the driest of the cities measured by scripts/measure-fire-climate.ts (1.58 and
 * 1.93 in wetter cities).
 */
const CONVEXITY = 1.4;

/**
 * Ratio of the seasonal severity to the severity of the worst week of the median year [1]: 0.17, 0.26 and 0.27 in
 * the cities measured by the same script.
 */
const SHARE_OF_WORST_WEEK = 0.25;

/**
 * Log spread of seasonal severity between years [1]: 0.39, 0.45 and 0.60 in the cities measured by the same
 * script, smaller in drier cities.
 */
export const YEAR_SPREAD = 0.4;

/** Returns the seasonal severity for a seasonal mean of the Fire Weather Index. */
export function severityOfMeanIndex(fwi: number): number {
  return CONVEXITY * dailySeverityRating(Math.max(0, fwi));
}

/** Returns the seasonal severity of a place where the worst 7-day mean of the median year is `fwi`. */
export function severityOfWorstWeek(fwi: number): number {
  return SHARE_OF_WORST_WEEK * dailySeverityRating(Math.max(0, fwi));
}
