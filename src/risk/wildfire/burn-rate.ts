import { normalProbability, normalQuantile } from '../../numerics/normal.ts';
import { DRAW_COUNT, DRAWS } from '../predictive-draws.ts';
import { type FirePlace, modelledRate } from './modelled-rate.ts';

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

/** Rate at which a place burns [1/yr]: its mean, and equally likely draws. */
export interface BurnRate {
  readonly mean: number;
  readonly draws: Float64Array;
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
  const { logRate, regionSpread, logSpread } = modelledRate(place);
  const seen = seenAt(place);
  if (seen.firesPerRate === 0) return unrecorded(Math.exp(logRate), logSpread);
  const shape = LOCAL_SHAPE + seen.fires;
  weighLevels(logRate, regionSpread, seen);
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

/** Draws of a rate of mean 1 without a record, and their log spread: most places of a portfolio share it. */
const unitDraws = new Float64Array(DRAW_COUNT);
let unitSpread = Number.NaN;

/** Rate without a record of fires, whose draws depend on the log spread but for their scale. */
function unrecorded(mean: number, logSpread: number): BurnRate {
  if (unitSpread !== logSpread) {
    const levels = LEVELS.map((z) => Math.exp(logSpread * z));
    const sum = levels.reduce((total, level) => total + level, 0);
    for (let k = 0; k < DRAW_COUNT; k++) {
      const j = Math.min(LEVELS.length - 1, Math.floor(LEVELS.length * LEVEL_RANKS[k]!));
      unitDraws[k] = (gammaOf(LOCAL_SHAPE, k) / LOCAL_SHAPE) * ((LEVELS.length * levels[j]!) / sum);
    }
    unitSpread = logSpread;
  }
  for (let k = 0; k < DRAW_COUNT; k++) draws[k] = mean * unitDraws[k]!;
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
