import type { Fuel } from './fire-fuel.ts';
import { dailySeverityRating } from './fire-weather/fire-weather-index.ts';
import { normalProbability, normalQuantile } from '../../numerics/normal.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';

/**
 * Share of the land that burns in a year at the reference severity, all covers [1/yr] (ours): the geometric mean of the
 * two shares known here, Castilla-La Mancha's 0.00133 (data/tables/burn-probability.csv) and Portugal's 0.012 a year.
 * @see doi:10.1071/WF10131 (Oliveira, Pereira & Carreiras 2012)
 */
const LEVEL = 0.004;

/** Half the logarithm of those two shares' ratio: how far a region may lie from the level [1]. */
const REGION_SPREAD = 1.1;

/** Severity of a June to September between Portugal's and La Mancha's, that of a mean index of 28 (ours). */
const REFERENCE_SEVERITY = 14;

/** Beyond this fuel, not weather, limits fire: Pausas & Ribeiro 2013, Global Ecology and Biogeography 22, 728-736; the figure is ours. */
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

/** Log spreads of a severity about the true one [1] (ours): from severity itself, from the mean index, from worst weeks alone. */
export const SEVERITY_ERROR = 0.14;
export const MEAN_INDEX_ERROR = 0.22;
export const WORST_WEEK_ERROR = 0.32;

/** Severity taken where none is mapped, and its log spread: between a boreal and a Mediterranean summer (ours). */
export const UNKNOWN_SEVERITY = 5;
export const UNKNOWN_SEVERITY_ERROR = 0.9;

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
const SLOPE_EFFECT = 0.015;
const SLOPE_EFFECT_ERROR = 0.01;

/** Mean slope of the cells that the level was found on [degrees], and the steepest looked at (ours). */
const MEAN_SLOPE = 4.9;
const STEEPEST = 45;

/** Gamma shape of the true rates of places of 100 km2 about the modelled ones: data/tables/burn-probability.csv. */
const LOCAL_SHAPE = 0.4686;

/** Equally likely levels of a place's surroundings over the modelled one: standard normal deviates that a log spread is taken times. */
const LEVELS = Float64Array.from({ length: 16 }, (_, j) => normalQuantile((j + 0.5) / 16));

/** Gamma shape of true rates about the modelled ones over all regions, by that within one. */
export function regionalShape(localShape: number): number {
  return 1 / ((1 + 1 / localShape) * Math.exp(REGION_SPREAD ** 2) - 1);
}

/** Land within 5 km of a point [km2], the fire size that a random burnt hectare belongs to, and the mean one [km2] (same table). */
const NEIGHBOURHOOD_KM2 = Math.PI * 5 ** 2;
const FIRE_KM2 = 7.32;
const MEAN_FIRE_KM2 = 0.21;

/** Log spread of the mean fire size of a region about that one [1] (ours): what a count of fires does not tell. */
const FIRE_SIZE_SPREAD = 0.7;

/** Years that a burn history or a count of fires is taken to cover where no layer says: records are of ten to thirty (ours). */
const HISTORY_YEARS = 15;

/**
 * Variance of a count of fires over its mean: dry years and arsonists bring many at once (between halves of the ten years of cells of
 * 100 km2 of Castilla-La Mancha, 1.4 to 1.9). So many fires tell no more than one that came by itself.
 */
const FIRE_DISPERSION = 1.6;

/** What is known of a place; NaN for what is not. */
export interface FirePlace {
  /** Seasonal mean of the Daily Severity Rating. */
  readonly severity: number;
  /** Log spread of the severity about the true one. */
  readonly severityError: number;
  readonly fuel: Fuel;
  /** Log spread of the rate by what a coarse or old land cover does not tell: 0 for a fresh and fine one. */
  readonly coverError: number;
  /** [degrees] */
  readonly slope: number;
  /** Share of the land within 5 km that burned a year. */
  readonly burnHistory: number;
  /** Fires of 1 ha or more within 5 km [1/(km2 yr)]. */
  readonly fireFrequency: number;
  /** Years of the record that these two are of. */
  readonly recordYears: number;
}

/** How often a place burns: the mean of its rate, and equally likely draws of it [1/yr]. */
export interface BurnRate {
  readonly mean: number;
  readonly draws: Float64Array;
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

/** Logarithm of the modelled rate [1/yr] and its log spread. */
interface Modelled {
  readonly logRate: number;
  readonly logSpread: number;
}

/** Log-linear in severity, cover and slope; the spread is that of their effects and of regions. */
function modelled({ severity, severityError, fuel, coverError, slope }: FirePlace): Modelled {
  const known = Number.isFinite(severity);
  const season = known ? Math.min(GREATEST_SEVERITY, Math.max(0, severity)) : UNKNOWN_SEVERITY;
  const steepness = Number.isFinite(slope) ? Math.min(STEEPEST, Math.max(0, slope)) - MEAN_SLOPE : 0;
  return {
    logRate:
      Math.log(LEVEL) +
      SEVERITY_EFFECT * (season - REFERENCE_SEVERITY) +
      fuel.logRate +
      SLOPE_EFFECT * steepness,
    logSpread: Math.hypot(
      REGION_SPREAD,
      SEVERITY_EFFECT * (known ? severityError : UNKNOWN_SEVERITY_ERROR) * season,
      SEVERITY_EFFECT * SEVERITY_EFFECT_ERROR * (season - REFERENCE_SEVERITY),
      fuel.logRateError,
      coverError,
      SLOPE_EFFECT_ERROR * steepness,
    ),
  };
}

/** Fires seen near by that each tell by themselves, and how many a rate of 1/yr would have shown. */
interface Seen {
  readonly fires: number;
  readonly firesPerRate: number;
  readonly isCounted: boolean;
}

/**
 * A number of fires tells by itself. Land that burned may have burned at once: it is taken for one fire up to the size that a random
 * burnt hectare belongs to, and for fires of that size beyond; that none burned means that there was none, however small.
 */
function seenAt({ burnHistory, fireFrequency, recordYears }: FirePlace): Seen {
  const isCounted = Number.isFinite(fireFrequency);
  if (!isCounted && !Number.isFinite(burnHistory)) return { fires: 0, firesPerRate: 0, isCounted };
  const watched = (recordYears > 0 ? recordYears : HISTORY_YEARS) * NEIGHBOURHOOD_KM2;
  const least = MEAN_FIRE_KM2 * FIRE_DISPERSION;
  if (isCounted) {
    const fires = (watched / FIRE_DISPERSION) * Math.max(0, fireFrequency);
    return { fires, firesPerRate: watched / least, isCounted };
  }
  const burntKm2 = watched * Math.min(1, Math.max(0, burnHistory));
  const fireKm2 = Math.min(FIRE_KM2, least + burntKm2);
  return { fires: burntKm2 / fireKm2, firesPerRate: watched / fireKm2, isCounted };
}

/** Of each of `LEVELS`: the rate parameter of the gamma that the place's rate has there, and how likely the fires seen make it. */
const inverseScales = new Float64Array(LEVELS.length);
const weights = new Float64Array(LEVELS.length);

/** Weighs the levels by the fires seen: Poisson fires of gamma rates, so negative binomial. Fills the two arrays above. */
function weighLevels(logRate: number, logSpread: number, { fires, firesPerRate }: Seen): void {
  let mean = 0;
  for (let j = 0; j < LEVELS.length; j++) mean += Math.exp(logSpread * LEVELS[j]!) / LEVELS.length;
  let highest = -Infinity;
  for (let j = 0; j < LEVELS.length; j++) {
    const prior = (LOCAL_SHAPE * mean) / Math.exp(logRate + logSpread * LEVELS[j]!);
    const posterior = prior + firesPerRate;
    inverseScales[j] = posterior;
    weights[j] = LOCAL_SHAPE * Math.log(prior / posterior) - fires * Math.log(posterior);
    highest = Math.max(highest, weights[j]!);
  }
  let sum = 0;
  for (let j = 0; j < LEVELS.length; j++) sum += weights[j] = Math.exp(weights[j]! - highest);
  for (let j = 0; j < LEVELS.length; j++) weights[j]! /= sum;
}

/** Ranks that choose a level, logarithms of ranks, and factors of the mean fire's size, one for each draw. */
const LEVEL_RANKS = DRAWS[3]!.map(normalProbability);
const LOG_RANKS = DRAWS[1]!.map((z) => Math.log(normalProbability(z)));
const SIZE_FACTORS = DRAWS[4]!.map((z) => Math.exp(FIRE_SIZE_SPREAD * z - FIRE_SIZE_SPREAD ** 2 / 2));

const draws = new Float64Array(DRAW_COUNT);

/**
 * Mean burn rate of a place and its draws, which hold until the next call: log-linear in severity, cover and slope, then updated
 * by the fires before, by their number where it is known, which tells later fires better than the land that they burned. Rates of places
 * about their region's are gamma, regions about the model lognormal. The mean rises with severity, slope and history: it is of
 * the regions' spread alone, or a higher danger, being less sure, would give way to the same record and answer less.
 */
export function burnRate(place: FirePlace): BurnRate {
  const { logRate, logSpread } = modelled(place);
  const seen = seenAt(place);
  const shape = LOCAL_SHAPE + seen.fires;
  weighLevels(logRate, REGION_SPREAD, seen);
  let mean = 0;
  for (let j = 0; j < LEVELS.length; j++) mean += (weights[j]! * shape) / inverseScales[j]!;

  weighLevels(logRate, logSpread, seen);
  for (let k = 0; k < DRAW_COUNT; k++) {
    let j = 0;
    for (let rest = LEVEL_RANKS[k]! - weights[0]!; rest > 0 && j < LEVELS.length - 1; rest -= weights[j]!)
      j++;
    const size = seen.isCounted ? SIZE_FACTORS[k]! : 1;
    draws[k] = (size * gammaOf(shape, k)) / inverseScales[j]!;
  }
  return { mean, draws };
}

/**
 * A draw of a gamma variate: that of a shape greater by one, which a cubed normal follows closely, times a power of a rank.
 * @see doi:10.1073/pnas.17.12.684 (Wilson & Hilferty 1931)
 */
function gammaOf(shape: number, draw: number): number {
  const more = shape + 1;
  const root = 1 - 1 / (9 * more) + DRAWS[0]![draw]! / (3 * Math.sqrt(more));
  return more * root ** 3 * Math.exp(LOG_RANKS[draw]! / shape);
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
