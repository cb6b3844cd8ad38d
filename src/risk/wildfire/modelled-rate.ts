import type { Fuel } from './fire-fuel.ts';
import { dailySeverityRating } from './fire-weather/fire-weather-index.ts';
import { UNKNOWN_SEVERITY, UNKNOWN_SEVERITY_ERROR } from './seasonal-severity.ts';

/**
 * Share of the land that burns in a year at the reference severity, over all land covers [1/yr] (our choice): the
 * geometric mean of the shares of Castilla-La Mancha, 0.00133 (data/tables/burn-probability.csv), and of Portugal,
 * 0.012.
 * @see doi:10.1071/WF10131 (Oliveira, Pereira & Carreiras 2012)
 */
const LEVEL = 0.004;

/**
 * Log spread of the levels of regions about LEVEL [1]: half the logarithm of the ratio of the shares of Portugal
 * and Castilla-La Mancha.
 */
export const REGION_SPREAD = 1.1;

/**
 * Log spread of countries about the rate of their climate zones, where a country has no figure of its own [1]:
 * scripts/derive-fire.ts. Places of a country differ from its mean as countries of a climate differ (our choice).
 */
const CLIMATE_SPREAD = 1.8;

/** Log spread of the effect of people on the burn rate of buildings [1] (our choice). */
const PEOPLE_SPREAD = 1.2;

/** Log spread of the severity of a place about the one usual in its climate [1] (our choice). */
export const USUAL_SEVERITY_SPREAD = 0.5;

/**
 * Severity below which fire hardly spreads: that of a Fire Weather Index of 5.2, the upper end of the lowest danger class
 * of EFFIS. The rate falls to LEAST_SPREAD at severity 0, since no fire burns in a year without a dry day.
 */
const WET_SEVERITY = dailySeverityRating(5.2);
const LEAST_SPREAD = 1e-4;

/**
 * Reference severity (our choice): between the June to September means of Portugal and La Mancha. A mean Fire
 * Weather Index of 28 has this severity.
 */
const REFERENCE_SEVERITY = 14;

/**
 * Severity above which fuel, not weather, limits burning (the number is our choice). Source of this limit:
 * Pausas & Ribeiro 2013, Global Ecology and Biogeography 22, 728-736.
 */
const GREATEST_SEVERITY = 30;

/**
 * Effect of seasonal severity on the logarithm of the burn rate [1 per unit], and the relative error of this
 * effect [1]. In Portugal the logarithm of the scale of yearly burned area is linear in the summed Daily
 * Severity Rating, whose mean explains 56 % of the variance about a Rayleigh distribution. This corresponds to a
 * log spread of 0.65. Divided by the log spread of severity between years, 0.4, and by Portugal's severity of
 * about 11, it gives 0.15. The conversion to a log spread and the two divisions are our own steps, so the error
 * is large.
 * @see doi:10.3390/cli12090143 (DaCamara 2024)
 */
const SEVERITY_EFFECT = 0.15;
const SEVERITY_EFFECT_ERROR = 0.4;

/**
 * Effect of slope on the logarithm of the burn rate [1/degree], and the standard error of this effect:
 * data/tables/burn-probability.csv.
 */
const SLOPE_EFFECT = 0.015;
const SLOPE_EFFECT_ERROR = 0.01;

/**
 * Mean slope of the cells that LEVEL was fitted to [degrees], and maximum slope [degrees] (our choice): steeper
 * slopes count as the maximum.
 */
const MEAN_SLOPE = 4.9;
const STEEPEST = 45;

/** What is usual in the climate of a place, in its country and with its people. */
export interface FireClimate {
  /** Rate at which buildings burn [1/yr]. */
  readonly rate: number;
  /** Mean damage ratio [0-1] of a building where mixed land burns. */
  readonly loss: number;
  /** Seasonal mean of the Daily Severity Rating. */
  readonly severity: number;
}

/** What is known about a place; NaN for unknown values. */
export interface FirePlace {
  /** Seasonal mean of the Daily Severity Rating. */
  readonly severity: number;
  /** Log spread of the true severity about this value. */
  readonly severityError: number;
  readonly fuel: Fuel;
  /** What its climate and its people say; undefined where no layer says it. */
  readonly climate?: FireClimate;
  /** Additional log spread of the rate if the land cover map is coarse or old; 0 for a recent and fine map. */
  readonly coverError: number;
  /** Slope [degrees]. */
  readonly slope: number;
  /** Share of the land within 5 km that burned per year [1/yr]. */
  readonly burnHistory: number;
  /** Fires of 1 ha or more within 5 km [1/(km2 yr)]. */
  readonly fireFrequency: number;
  /** Length of the record behind `burnHistory` or `fireFrequency` [years]. */
  readonly recordYears: number;
}

/** Ratio of the burn rate in a season of a given severity to that of another severity: a function proportional to it. */
export function severityFactor(severity: number): number {
  return Math.exp(SEVERITY_EFFECT * Math.min(GREATEST_SEVERITY, severity)) * drynessOf(severity);
}

/** Share of fires that spread in a season of a given severity [1]. */
function drynessOf(severity: number): number {
  return Math.max(LEAST_SPREAD, -Math.expm1(-severity / WET_SEVERITY));
}

/** Burn rate before the record of fires is known. */
export interface ModelledRate {
  /** Natural logarithm of the rate [1/yr]. */
  readonly logRate: number;
  /** Log spread of the rates of regions about the model [1]. */
  readonly regionSpread: number;
  /** Log spread of the rate, all errors together [1]. */
  readonly logSpread: number;
}

/**
 * Burn rate from the log-linear model in severity, cover and slope, about the level of the climate or, without it, that of
 * Iberia. The spread combines the errors of these effects and the spread of regions.
 */
export function modelledRate(place: FirePlace): ModelledRate {
  const { severity, severityError, fuel, climate, coverError, slope } = place;
  const known = Number.isFinite(severity);
  const season = known ? Math.min(GREATEST_SEVERITY, Math.max(0, severity)) : UNKNOWN_SEVERITY;
  const steepness = Number.isFinite(slope) ? Math.min(STEEPEST, Math.max(0, slope)) - MEAN_SLOPE : 0;
  const level = climate === undefined ? Math.log(LEVEL) : Math.log(climate.rate);
  const reference =
    climate === undefined ? REFERENCE_SEVERITY : Math.min(GREATEST_SEVERITY, climate.severity);
  const unmapped = climate !== undefined && !known;
  const departure = unmapped ? 0 : season - reference;
  const dryness = unmapped ? 0 : Math.log(drynessOf(season));
  const regionSpread = unmapped ? CLIMATE_SPREAD : REGION_SPREAD;
  return {
    logRate: level + SEVERITY_EFFECT * departure + dryness + fuel.logRate + SLOPE_EFFECT * steepness,
    regionSpread,
    logSpread: Math.hypot(
      aboutLevel(place),
      climate === undefined ? 0 : PEOPLE_SPREAD,
      unmapped ? 0 : SEVERITY_EFFECT * (known ? severityError : UNKNOWN_SEVERITY_ERROR) * season,
      SEVERITY_EFFECT * SEVERITY_EFFECT_ERROR * departure,
      fuel.logRateError,
      coverError,
      SLOPE_EFFECT_ERROR * steepness,
    ),
  };
}

/**
 * Log spread of regions about their level [1]. A climate whose usual severity is not known well is no less certain with the
 * severity of the place than without.
 */
function aboutLevel({ severity, climate }: FirePlace): number {
  if (climate === undefined) return REGION_SPREAD;
  if (!Number.isFinite(severity)) return CLIMATE_SPREAD;
  const reference = Math.min(GREATEST_SEVERITY, climate.severity);
  return Math.min(
    CLIMATE_SPREAD,
    Math.hypot(REGION_SPREAD, SEVERITY_EFFECT * USUAL_SEVERITY_SPREAD * reference),
  );
}
