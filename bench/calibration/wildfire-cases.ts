import { dangerLevels, DANGER_RETURN_PERIODS } from '../../src/risk/wildfire/fire-climate.ts';
import { fuelOf } from '../../src/risk/wildfire/fire-fuel.ts';
import { dailySeverityRating } from '../../src/risk/wildfire/fire-weather/fire-weather-index.ts';
import { GUST_SHAPE } from '../../src/risk/storm/gust-climate.ts';
import { normalQuantile } from '../../src/numerics/normal.ts';
import { drawnClimate } from './drawn-fire-climate.ts';
import { type Random, simulatedCard, type SimulatedCase, trueScoreOf } from './simulated-case.ts';

/** Land covers around houses (WorldCover). */
export const COVERS = [10, 20, 30, 40, 50] as const;
/** Possible lengths of the weather record behind a climatology [years]. */
const RECORD_YEARS = [10, 20, 40] as const;
/** Possible cell widths of the maps [m]. */
const CELLS_M = [100, 1000, 10_000] as const;

/** Constants of docs/methods/wildfire.md: burn rate [1/yr], effects on its logarithm, and their spreads. */
export const LEVEL = 0.004;
export const REGION = 1.1;
export const DANGER = { effect: 0.15, error: 0.4, reference: 14, greatest: 30 };
export const SLOPE = { effect: 0.015, error: 0.01, mean: 4.9 };
export const LOCAL_SHAPE = 0.4686;
export const LOSS = 0.7;
/** Log spread of the rate for each factor of ten by which the cells of the land cover are wider than 100 m. */
const COARSE_COVER = 0.2;
/**
 * Fire size: mean [km2]; log spread within a region, which gives an area-weighted mean of 7.32 km2; log spread between
 * regions.
 */
const FIRE_KM2 = { mean: 0.21, within: 1.88, between: 0.7 };
/** Possible lengths of a fire record if a layer states the length [years]. */
const WATCHED_YEARS = [5, 10, 15, 20, 30] as const;
/** Possible lengths of a fire record if no layer states the length [years]. */
const UNTOLD_YEARS = [10, 15, 20, 30] as const;
const DISPERSION = 1.6; // ratio of the variance of fire counts to their mean
const NEAR_KM2 = Math.PI * 5 ** 2; // area within 5 km of a place [km2]
/** Shares of places without a land cover map and without a slope map [1]. */
const NO_COVER = 0.1;
const NO_SLOPE = 0.2;
/** Share of places of which the climate is known [1]. */
const WITH_CLIMATE = 0.5;
/** Severity below which fire hardly spreads (an index of 5.2), and the rate at severity 0: docs/methods/wildfire.md. */
const WET_SEVERITY = dailySeverityRating(5.2);
const LEAST_SPREAD = 1e-4;
/** Maximum number of fires with random sizes; the others have the mean size. */
const MOST_DRAWN = 2000;

/**
 * Ratio of the mean severity to the severity of the mean index, and to the severity of the worst week. The log spreads
 * are between places; `ofYears` is from year to year (scripts/measure-fire-climate.ts).
 */
const CONVEXITY = { mean: 1.4, spread: 0.15 };
const WORST_WEEK = { share: 0.25, spread: 0.25, ofYears: 0.15 };
/** Standard deviation of the error of a climatology [logarithm of severity]. */
const WEATHER = 0.1;

/** A place with mapped danger and land cover and without a fire record. */
export const mappedFireCase = (random: Random): SimulatedCase => fireCase(random, null);

/**
 * A place with mapped danger and land cover, and with a record of the number of fires (`countedFireCase`) or of the
 * burned area (`burnedFireCase`).
 */
export const countedFireCase = (random: Random): SimulatedCase => fireCase(random, 'fire-frequency');
export const burnedFireCase = (random: Random): SimulatedCase => fireCase(random, 'burn-history');

type RecordLayer = 'fire-frequency' | 'burn-history';

/** Reading of one layer. */
export type FireLayer = readonly [layer: string, returnPeriodYears: number | null, value: number];

/** A place whose true burn rate is known from real data, with the readings of its fire record. */
export interface KnownBurning {
  /** Burn rate [1/yr]. */
  readonly rate: number;
  readonly cover: number;
  readonly slope: number;
  readonly record: readonly FireLayer[];
}

/**
 * A place whose fire seasons are lognormal with a known mean. A climatology of some decades of these seasons is
 * mapped as severity, mean index or worst weeks. Rate, loss and record are drawn with the spreads of the model; with
 * `known`, only the seasons and the loss are drawn.
 */
export function fireCase(random: Random, recorded: RecordLayer | null, known?: KnownBurning): SimulatedCase {
  const severity =
    known === undefined ? Math.exp(random.between(Math.log(0.3), Math.log(25))) : DANGER.reference;
  const yearSpread = Math.min(0.7, Math.max(0.25, 0.45 + 0.1 * random.normal()));
  const ofYear = (z: number): number => severity * Math.exp(yearSpread * z - yearSpread ** 2 / 2);
  const cover = known?.cover ?? random.pick(COVERS);
  const cellM = random.pick(CELLS_M);
  const slope = known?.slope ?? random.between(0, 20);
  const danger = DANGER.effect * (1 + DANGER.error * random.normal());
  const factor = (s: number): number => Math.exp(danger * Math.min(DANGER.greatest, s)) * drynessOf(s);
  const climate =
    known === undefined && random.uniform() < WITH_CLIMATE ? drawnClimate(random, severity) : null;
  const reference = Math.min(DANGER.greatest, climate?.severity ?? DANGER.reference);
  const fuel = fuelOf(cover)!;
  const rate =
    known?.rate ??
    (climate?.rate ?? LEVEL) *
      (climate?.ofPeople ?? 1) *
      drynessOf(severity) *
      Math.exp(REGION * random.normal() - REGION ** 2 / 2) *
      Math.exp(danger * (Math.min(DANGER.greatest, severity) - reference)) *
      Math.exp(fuel.logRate + fuel.logRateError * random.normal()) *
      Math.exp(COARSE_COVER * Math.log10(cellM / 100) * random.normal()) *
      Math.exp((SLOPE.effect + SLOPE.error * random.normal()) * (slope - SLOPE.mean)) *
      (gamma(LOCAL_SHAPE, random) / LOCAL_SHAPE);
  let meanFactor = 0;
  for (let k = 0; k < 100; k++) meanFactor += factor(ofYear(normalQuantile((k + 0.5) / 100))) / 100;
  const usualLoss = (climate?.lossRatio ?? 1) * fuel.conditionalLoss;
  const loss = Math.min(1, usualLoss * Math.exp(LOSS * random.normal() - LOSS ** 2 / 2));
  const intensity = (T: number): number => ofYear(normalQuantile(1 - 1 / T));

  const layers: FireLayer[] = [['coast-distance', null, 80], ...dangerLayers(random, ofYear)];
  if (climate !== null) layers.push(...climate.layers);
  if (random.uniform() > NO_COVER) layers.push(['land-cover', null, cover]);
  if (random.uniform() > NO_SLOPE) layers.push(['slope', null, slope]);
  if (recorded !== null) layers.push(...(known?.record ?? record(random, recorded, rate)));
  return {
    cards: layers.map(([layer, T]) => simulatedCard(layer, T, layer === 'slope' ? 30 : cellM)),
    readings: layers.map(([, , value]) => ({ ok: true, value })),
    lat: 40,
    lng: -4,
    trueScore: trueScoreOf((T) => -Math.expm1((-rate * factor(intensity(T))) / meanFactor) * loss),
    trueIntensity: intensity,
  };
}

/** Share of fires that spread in a season of a given severity. */
export function drynessOf(severity: number): number {
  return Math.max(LEAST_SPREAD, 1 - Math.exp(-severity / WET_SEVERITY));
}

/** Layers of a climatology of some decades: either the severity or the mean index, or the worst weeks, or both. */
export function dangerLayers(random: Random, ofYear: (z: number) => number): FireLayer[] {
  const error = Math.exp(WEATHER * random.normal());
  const seasons = Array.from({ length: random.pick(RECORD_YEARS) }, () => error * ofYear(random.normal()));
  const severity = seasons.reduce((sum, s) => sum + s, 0) / seasons.length;
  const kind = random.pick(['severity', 'index', 'weeks'] as const);
  const convexity = CONVEXITY.mean * Math.exp(CONVEXITY.spread * random.normal());
  const share = WORST_WEEK.share * Math.exp(WORST_WEEK.spread * random.normal());
  const weeks = Float64Array.from(seasons, (s) =>
    indexOf((s / share) * Math.exp(WORST_WEEK.ofYears * random.normal())),
  );
  const levels = kind === 'weeks' || random.uniform() < 0.5 ? dangerLevels(weeks, GUST_SHAPE) : [];
  const mapped = Array.from(levels, (level, i): FireLayer => [
    'fire-danger',
    DANGER_RETURN_PERIODS[i]!,
    level,
  ]).filter(([, , level]) => !Number.isNaN(level));
  if (kind === 'severity') mapped.push(['fire-severity', null, severity]);
  if (kind === 'index') mapped.push(['fire-danger', null, indexOf(severity / convexity)]);
  return mapped;
}

/** Converts a Daily Severity Rating to a Fire Weather Index. */
function indexOf(severity: number): number {
  return (severity / dailySeverityRating(1)) ** (1 / 1.77); // FTR 33 eq. 31
}

/** Layers of a fire record: the number of fires or the burned area, and the length of the record if it is stated. */
export function record(random: Random, layer: RecordLayer, rate: number): FireLayer[] {
  const meanKm2 = FIRE_KM2.mean * Math.exp(FIRE_KM2.between * random.normal() - FIRE_KM2.between ** 2 / 2);
  const isTold = random.uniform() < 0.5;
  const years = random.pick(isTold ? WATCHED_YEARS : UNTOLD_YEARS);
  const watched = years * NEAR_KM2;
  const expected = (rate * watched) / meanKm2;
  const ofTimes = expected / (DISPERSION - 1); // gamma shape of the rates, which gives the counts their dispersion
  const fires = poisson((expected * gamma(ofTimes, random)) / ofTimes, random);
  const told: FireLayer[] = isTold ? [['fire-record-years', null, years]] : [];
  if (layer === 'fire-frequency') return [...told, [layer, null, fires / watched]];
  let burntKm2 = Math.max(0, fires - MOST_DRAWN) * meanKm2;
  for (let k = 0; k < Math.min(fires, MOST_DRAWN); k++)
    burntKm2 += meanKm2 * Math.exp(FIRE_KM2.within * random.normal() - FIRE_KM2.within ** 2 / 2);
  return [...told, [layer, null, Math.min(1, burntKm2 / watched)]];
}

/** Random Poisson number: by exponential waiting times, and from a mean of 50 on by the normal approximation. */
function poisson(mean: number, random: Random): number {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * random.normal()));
  let count = 0;
  for (let wait = -Math.log(random.uniform()); wait < mean; wait -= Math.log(random.uniform())) count++;
  return count;
}

/** Random gamma number of any shape: Marsaglia & Tsang 2000, ACM Transactions on Mathematical Software 26, 363-372. */
export function gamma(shape: number, random: Random): number {
  // The method needs a shape of at least 1, so it draws with shape + 1 and multiplies by a power of a uniform number.
  const d = shape + 1 - 1 / 3;
  for (;;) {
    const x = random.normal();
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(random.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v))
      return d * v * random.uniform() ** (1 / shape);
  }
}
