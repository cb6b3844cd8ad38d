import type { Fuel } from './fire-fuel.ts';
import { dailySeverityRating } from './fire-weather/fire-weather-index.ts';

/**
 * Share of the land that burns in a year at the reference severity, all covers [1/yr] (ours): the geometric mean of the
 * two shares known here, Castilla-La Mancha's 0.00134 (data/tables/burn-probability.csv) and Portugal's 0.012.
 * @see doi:10.1071/WF10131 (Oliveira et al. 2012)
 */
const LEVEL = 0.004;

/** Half the logarithm of those two shares' ratio: how far a region may lie from the level [1]. */
const REGION_SPREAD = 1.1;

/** Severity of a June to September between Portugal's and La Mancha's, that of a mean index of 28 (ours). */
const REFERENCE_SEVERITY = 14;

/** Beyond this fuel, not weather, limits fire. @see doi:10.1111/geb.12043 (Pausas & Ribeiro 2013); the figure is ours */
const GREATEST_SEVERITY = 30;

/**
 * Effect of seasonal severity on the logarithm of the burn rate [1 per unit]. In Portugal the logarithm of the scale of yearly
 * burned area is linear in the summed Daily Severity Rating and its mean explains 56 % of the variance about a Rayleigh
 * law, which makes a log spread of 0.65; over the years' log spread of severity, 0.4, and at its severity of about 11 that
 * is 0.15. The last three steps are ours, hence the relative error.
 * @see doi:10.3390/cli12090143 (DaCamara 2024)
 */
const SEVERITY_EFFECT = 0.15;
const SEVERITY_EFFECT_ERROR = 0.4;

/** Log spread of a climatology's severity about the true one [1] (ours). */
export const SEVERITY_ERROR = 0.2;

/** Severity taken where none is mapped, and its spread: between a boreal and a Mediterranean summer (ours). */
export const UNKNOWN_SEVERITY = 5;
const UNKNOWN_SEVERITY_SPREAD = 5;

/**
 * Mean severity over that of the mean index, which is smaller because severity is convex: 1.41 at Saskatoon, the driest of the
 * cities measured by scripts/measure-fire-climate.ts (1.58 and 1.93 at wetter ones).
 */
const CONVEXITY = 1.4;

/** Seasonal severity over that of the median year's worst week: 0.17, 0.26, 0.27 by the same script. */
const SHARE_OF_WORST_WEEK = 0.25;

/** Log spread of seasonal severity from year to year: 0.39, 0.45, 0.60 by the same script, the drier the less. */
export const YEAR_SPREAD = 0.4;

/** Effect of slope on the logarithm of the burn rate [1/degree] and its error: data/tables/burn-probability.csv. */
const SLOPE_EFFECT = 0.0131;
const SLOPE_EFFECT_ERROR = 0.028;

/** Mean slope of the cells that the level was found on [degrees], and the steepest looked at (ours). */
const MEAN_SLOPE = 4.9;
const STEEPEST = 45;

/** Gamma shape of the true rates of places of 100 km2 about the modelled ones: data/tables/burn-probability.csv. */
const LOCAL_SHAPE = 0.459;

/** Land within 5 km of a point [km2], and the fire size that a random burnt hectare belongs to [km2] (same table). */
const NEIGHBOURHOOD_KM2 = Math.PI * 5 ** 2;
const FIRE_KM2 = 7.32;

/** Years that a burn history is taken to cover: the catalogue does not say, satellites have seen fires for about 20 (ours). */
const HISTORY_YEARS = 20;

/** What is known of a place; NaN for what is not. */
export interface FirePlace {
  /** Seasonal mean of the Daily Severity Rating. */
  readonly severity: number;
  readonly fuel: Fuel;
  /** [degrees] */
  readonly slope: number;
  /** Share of the land within 5 km that burned a year. */
  readonly burnHistory: number;
}

/** How often a place burns: the mean of its rate [1/yr] and the spread of the rate's logarithm. */
export interface BurnRate {
  readonly mean: number;
  readonly logSpread: number;
}

/** Seasonal severity of a seasonal mean Fire Weather Index. */
export function severityOfMeanIndex(fwi: number): number {
  return CONVEXITY * dailySeverityRating(Math.max(0, fwi));
}

/** Seasonal severity of a place whose worst 7-day mean reaches `fwi` in the median year. */
export function severityOfWorstWeek(fwi: number): number {
  return SHARE_OF_WORST_WEEK * dailySeverityRating(Math.max(0, fwi));
}

/** Factor by which a season of a given severity raises the rate of burning over one of severity 0. */
export function severityFactor(severity: number): number {
  return Math.exp(SEVERITY_EFFECT * Math.min(GREATEST_SEVERITY, severity));
}

/**
 * Mean burn rate of a place and its spread: log-linear in severity, cover and slope, then updated by what burned before (gamma
 * prior, Poisson fires of equal size). Rises with severity, slope and history.
 */
export function burnRate({ severity, fuel, slope, burnHistory }: FirePlace): BurnRate {
  const known = Number.isFinite(severity);
  const season = known ? Math.min(GREATEST_SEVERITY, Math.max(0, severity)) : UNKNOWN_SEVERITY;
  const steepness = Number.isFinite(slope) ? Math.min(STEEPEST, Math.max(0, slope)) - MEAN_SLOPE : 0;
  const prior =
    LEVEL *
    Math.exp(SEVERITY_EFFECT * (season - REFERENCE_SEVERITY) + fuel.logRate + SLOPE_EFFECT * steepness);
  const seasonSpread =
    SEVERITY_EFFECT *
    Math.hypot(
      known ? SEVERITY_ERROR * season : UNKNOWN_SEVERITY_SPREAD,
      SEVERITY_EFFECT_ERROR * (season - REFERENCE_SEVERITY),
    );
  const variance =
    REGION_SPREAD ** 2 + seasonSpread ** 2 + fuel.logRateError ** 2 + (SLOPE_EFFECT_ERROR * steepness) ** 2;
  // a lognormal of this variance and the gamma of local differences, as one gamma of the same coefficient of variation
  const shape = 1 / ((1 + 1 / LOCAL_SHAPE) * Math.exp(variance) - 1);
  if (!Number.isFinite(burnHistory)) return { mean: prior, logSpread: spreadOf(shape) };
  const firesPerRate = (HISTORY_YEARS * NEIGHBOURHOOD_KM2) / FIRE_KM2;
  const seen = firesPerRate * Math.min(1, Math.max(0, burnHistory));
  const mean = (prior * (LOCAL_SHAPE + seen)) / (LOCAL_SHAPE + firesPerRate * prior);
  return { mean, logSpread: spreadOf(shape + seen) };
}

/** Log spread of a gamma variate of some shape, matched by the coefficient of variation. */
function spreadOf(shape: number): number {
  return Math.sqrt(Math.log1p(1 / shape));
}

/** Below this rate [1/yr] five terms of the series are exact to 2e-13 of the probability, and several times as fast. */
const SERIES_RATE = 0.01;

/** Probability [0-1] that a place burns in a year of rate `rate` [1/yr], `1 - exp(-rate)`. */
export function burnProbability(rate: number): number {
  if (rate > SERIES_RATE) return -Math.expm1(-rate);
  return rate * (1 - (rate / 2) * (1 - (rate / 3) * (1 - (rate / 4) * (1 - rate / 5))));
}

/** Share of the year's fires in each month, January first, north of the equator: data/tables/burn-probability.csv. */
const MONTH_SHARES = [
  0.04208, 0.04707, 0.04676, 0.04988, 0.05455, 0.1481, 0.2039, 0.1406, 0.1253, 0.05673, 0.04863, 0.03647,
] as const;

/**
 * Share of a year's burn rate that falls in a month (1 to 12) where summers are dry; half a year later south of the equator.
 * @throws RangeError on another month
 */
export function monthShare(month: number, latitude: number): number {
  const share = MONTH_SHARES[(month - 1 + (latitude < 0 ? 6 : 0)) % 12];
  if (share === undefined) throw new RangeError(`month ${month}, 1 to 12 expected`);
  return share;
}
