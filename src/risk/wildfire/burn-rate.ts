import type { Fuel } from './fire-fuel.ts';
import { normalProbability, normalQuantile } from '../../numerics/normal.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';
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
const REGION_SPREAD = 1.1;

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

/**
 * Shape of the gamma distribution of the ratio of true to modelled burn rates at places of 100 km2 [1]:
 * data/tables/burn-probability.csv.
 */
const LOCAL_SHAPE = 0.4686;

/**
 * Equally likely deviations of the level of a region from the modelled rate, as standard normal deviates to be
 * multiplied by a log spread.
 */
const LEVELS = Float64Array.from({ length: 16 }, (_, j) => normalQuantile((j + 0.5) / 16));

/**
 * Returns the gamma shape of the ratio of true to modelled rates over all regions, from the shape within one
 * region.
 */
export function regionalGammaShape(localShape: number): number {
  return 1 / ((1 + 1 / localShape) * Math.exp(REGION_SPREAD ** 2) - 1);
}

/**
 * Area of land within 5 km of a point; mean size of the fire that burned a randomly chosen burnt hectare; mean
 * size of a fire (data/tables/burn-probability.csv) [km2].
 */
const NEIGHBOURHOOD_KM2 = Math.PI * 5 ** 2;
const FIRE_KM2 = 7.32;
const MEAN_FIRE_KM2 = 0.21;

/**
 * Log spread of the mean fire size between regions [1] (our choice): it applies where the number of fires is
 * known, because this number contains no information on their sizes.
 */
const FIRE_SIZE_SPREAD = 0.7;

/**
 * Assumed length of the record behind a burn history or a count of fires if no layer gives it [years] (our
 * choice): records are ten to thirty years long.
 */
const HISTORY_YEARS = 15;

/**
 * Ratio of the variance of a count of fires to its mean [1], above 1 because dry years and arsonists cause many
 * fires at once (1.4 to 1.9 between halves of the ten years in cells of 100 km2 of Castilla-La Mancha). So 1.6
 * counted fires contain as much information as one independent fire.
 */
const FIRE_DISPERSION = 1.6;

/** What is known about a place; NaN for unknown values. */
export interface FirePlace {
  /** Seasonal mean of the Daily Severity Rating. */
  readonly severity: number;
  /** Log spread of the true severity about this value. */
  readonly severityError: number;
  readonly fuel: Fuel;
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

/** Rate at which a place burns [1/yr]: its mean, and equally likely draws. */
export interface BurnRate {
  readonly mean: number;
  readonly draws: Float64Array;
}

/** Ratio of the burn rate in a season of a given severity to that in a season of severity 0. */
export function severityFactor(severity: number): number {
  return Math.exp(SEVERITY_EFFECT * Math.min(GREATEST_SEVERITY, severity));
}

/** Natural logarithm of the modelled rate [1/yr], and its log spread. */
interface Modelled {
  readonly logRate: number;
  readonly logSpread: number;
}

/**
 * Burn rate from the log-linear model in severity, cover and slope. The spread combines the errors of these
 * effects and the spread of regions.
 */
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

/**
 * Equivalent number of independent fires nearby, and the number of such fires that a burn rate of 1/yr would have
 * caused.
 */
interface Seen {
  readonly fires: number;
  readonly firesPerRate: number;
  readonly isCounted: boolean;
}

/**
 * Converts the fire record of a place to a number of fires. A count of fires is used directly. Otherwise the
 * number follows from the burned land: areas up to FIRE_KM2 count as one fire, larger areas as several fires of
 * this size. No burned land means that there was not even a small fire.
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

/**
 * For each of `LEVELS`: the rate parameter of the gamma distribution of the place, and the probability of this
 * level given the observed fires.
 */
const inverseScales = new Float64Array(LEVELS.length);
const weights = new Float64Array(LEVELS.length);

/**
 * Fills `inverseScales` and `weights`. Fires are Poisson with gamma-distributed rates, so their number is
 * negative binomial.
 */
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

/** For each draw: the rank that selects a level, the logarithm of a rank, and a factor of the mean fire size. */
const LEVEL_RANKS = DRAWS[3]!.map(normalProbability);
const LOG_RANKS = DRAWS[1]!.map((z) => Math.log(normalProbability(z)));
const SIZE_FACTORS = DRAWS[4]!.map((z) => Math.exp(FIRE_SIZE_SPREAD * z - FIRE_SIZE_SPREAD ** 2 / 2));

const draws = new Float64Array(DRAW_COUNT);

/**
 * Mean burn rate of a place, and its draws, which the next call overwrites. The rate is log-linear in severity,
 * cover and slope, and then updated by past fires: by their number if known, because the number of past fires
 * predicts later fires better than the burned area does. Rates of places are gamma-distributed about the rate of
 * their region, and rates of regions lognormally about the model. The mean is computed with the spread of regions
 * alone, so that it increases with severity, slope and history. With the full spread, the same record would correct
 * a higher but less certain danger more than a lower but more certain one, and the higher danger could get the
 * lower rate.
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
 * Returns a draw of a gamma variate: the product of a power of a uniform rank and of a gamma variate whose shape
 * is greater by 1, which is approximated by the cube of a normal variate.
 * @see doi:10.1073/pnas.17.12.684 (Wilson & Hilferty 1931)
 */
function gammaOf(shape: number, draw: number): number {
  const more = shape + 1;
  const root = 1 - 1 / (9 * more) + DRAWS[0]![draw]! / (3 * Math.sqrt(more));
  return more * root ** 3 * Math.exp(LOG_RANKS[draw]! / shape);
}

/**
 * Maximum rate [1/yr] for which the probability is computed by a series of five terms. The series has a relative
 * error of 2e-13 and is several times as fast as `expm1`.
 */
const SERIES_RATE = 0.01;

/** Probability [0-1] that a place burns in a year, `1 - exp(-rate)`. @param rate [1/yr] */
export function burnProbability(rate: number): number {
  if (rate > SERIES_RATE) return -Math.expm1(-rate);
  return rate * (1 - (rate / 2) * (1 - (rate / 3) * (1 - (rate / 4) * (1 - rate / 5))));
}

/**
 * Share of the yearly fires that occur in each month north of the equator, January first:
 * data/tables/burn-probability.csv.
 */
const MONTH_SHARES = [
  0.04208, 0.04707, 0.04676, 0.04988, 0.05455, 0.1481, 0.2039, 0.1406, 0.1253, 0.05673, 0.04863, 0.03647,
] as const;

/**
 * Share of the yearly burn rate that belongs to a month (1 to 12), for climates with dry summers. South of the
 * equator the shares are shifted by half a year.
 * @throws RangeError for a month outside 1 to 12
 */
export function monthShare(month: number, latitude: number): number {
  const share = MONTH_SHARES[(month - 1 + (latitude < 0 ? 6 : 0)) % 12];
  if (share === undefined) throw new RangeError(`month ${month}, 1 to 12 expected`);
  return share;
}
