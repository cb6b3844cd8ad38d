import { gevReturnLevel, gevWithShape } from '../../../src/numerics/gev.ts';
import { sampleLMoments } from '../../../src/numerics/l-moments.ts';
import { cycloneRegionOf } from '../../../src/risk/storm/cyclone-region.ts';
import { CYCLONE_HALF_DAMAGE_MPS, cycloneDamageRatio } from '../../../src/risk/storm/emanuel.ts';
import { reducedVariate } from '../../../src/risk/hazard-curve.ts';
import { windstormDamageRatio } from '../../../src/risk/storm/schwierz.ts';
import { ANY_INLAND_GUST_50_MPS, inlandGustRatio } from '../../../src/risk/storm/windstorm-gust.ts';
import { jointGust } from '../shipped-storm-cases.ts';
import { type Random, trueScoreOf } from '../simulated-case.ts';
import { unmappedStormDamage } from '../storm-cases.ts';
import { type Place, type ViewLayer, viewOf, type World } from './world.ts';

const CYCLONE_PLACES: readonly (readonly [lat: number, lng: number])[] = [
  [20, -75],
  [30, -95],
  [14.5, 121],
  [23, 113],
  [34, 135],
  [-18, 47],
  [-19, 146],
  [16, 108],
  [22, 90],
];
const OTHER_PLACES: readonly (readonly [lat: number, lng: number])[] = [
  [50, 8],
  [55, -4],
  [-35, -60],
  [45, 35],
];

const MAP_YEARS = [2, 5, 10, 25, 50, 100, 250] as const;
const RECORD_YEARS = [25, 40, 60] as const;
const COARSE_GUST_M = 25_000;
const FINE_GUSTS_M = [1000, 5000] as const;
const TRACK_CELL_M = 27_830;
const COAST_KM = 80;
const THRESHOLD_MPS = 25.7;
const CYCLONE_GUST = 1.11; // ratio of the gust to the one-minute wind
const REGIONAL_SHAPE = 0.05; // GEV shape of a region, towards which the shape of a station is shrunk
/**
 * Standard deviations of logarithms [1]: gusts about those of their climate zone, zones about the mean of all land,
 * damage of windstorms, half-damage winds above the threshold, design periods.
 */
const GUST = 0.15;
const ZONE = 0.13;
const DAMAGE = 0.7;
const HALF_DAMAGE = 0.35;
const DESIGN_PERIOD = 1;
const DESIGN_PERIOD_YEARS = 700;
/** Log spread of the mapped cyclone winds [1]: of the wind field, and `CYCLONE_SAMPLING / sqrt(storms + LEAST_STORMS)`. */
const CYCLONE = 0.12;
const CYCLONE_SAMPLING = 0.5;
const LEAST_STORMS = 4;
const ZONE_CELL_M = 55_660;

type ByYears = (returnPeriodYears: number) => number;

function place(random: Random): Place {
  const hasCyclones = random.uniform() < 0.5;
  const [lat, lng] = random.pick(hasCyclones ? CYCLONE_PLACES : OTHER_PLACES);
  const isInlandClimate = random.uniform() < 0.5;
  const zoneGust = ANY_INLAND_GUST_50_MPS * Math.exp(ZONE * random.normal());
  const gustAt = isInlandClimate ? inlandClimate(random, zoneGust) : stationClimate(random);
  const at10 = random.between(18, 38);
  const rise = random.between(4, 9);
  const trueWind: ByYears = (T) =>
    hasCyclones && T >= 2 ? Math.max(0, at10 + rise * Math.log(Math.min(T, 1000) / 10)) : 0;
  const isTotal = random.uniform() < 0.5;
  const published = CYCLONE_HALF_DAMAGE_MPS[cycloneRegionOf(lat, lng)][isTotal ? 0 : 1];
  const halfDamage =
    THRESHOLD_MPS +
    (published - THRESHOLD_MPS) * Math.exp(HALF_DAMAGE * random.normal() + 1.5 * HALF_DAMAGE ** 2);
  const designPeriod = DESIGN_PERIOD_YEARS * Math.exp(DESIGN_PERIOD * (random.normal() + DESIGN_PERIOD / 2));
  const cycloneDamage: ByYears = (T) =>
    Math.min(T / (T + designPeriod), cycloneDamageRatio(trueWind(T), halfDamage));
  const damageFactor = Math.exp(DAMAGE * random.normal());

  const storms = Math.round(random.between(3, 60));
  const sampling = CYCLONE_SAMPLING / Math.sqrt(storms + LEAST_STORMS);
  const said = Math.exp(Math.hypot(CYCLONE, sampling) * random.normal());
  const coast: ViewLayer = ['coast-distance', null, 4638, COAST_KM];
  const zone: ViewLayer = ['inland-gust', null, ZONE_CELL_M, zoneGust];
  const climate: readonly ViewLayer[] = [
    coast,
    zone,
    ['cyclone-count', null, TRACK_CELL_M, storms],
    ...MAP_YEARS.map((T): ViewLayer => ['cyclone-wind', T, TRACK_CELL_M, trueWind(T) * said]),
  ];
  return {
    lat,
    lng,
    truth: `${isInlandClimate ? 'inland climate' : 'station climate'}${hasCyclones ? `, cyclones by ${isTotal ? 'TDR' : 'RMSF'}` : ''}`,
    trueScore: trueScoreOf(
      (T) => Math.min(1, damageFactor * windstormDamageRatio(gustAt(T)) + cycloneDamage(T)),
      unmappedStormDamage(random),
    ),
    trueIntensity: hasCyclones
      ? (T) => jointGust(gustAt, (years) => trueWind(years) * CYCLONE_GUST, T)
      : gustAt,
    views: [
      viewOf([coast]),
      viewOf([coast, zone]),
      viewOf(climate),
      viewOf([...climate, ...gustMaps(random, gustAt, COARSE_GUST_M)]),
      viewOf([...climate, ...gustMaps(random, gustAt, random.pick(FINE_GUSTS_M))]),
    ],
  };
}

/** Gusts by the climate zone of the place and its exposure. */
function inlandClimate(random: Random, zoneGust: number): ByYears {
  const factor = Math.exp(GUST * random.normal());
  return (T) => factor * zoneGust * inlandGustRatio(reducedVariate(T));
}

/** Gusts of a GEV distribution within the range of European stations. */
function stationClimate(random: Random): ByYears {
  const gev = {
    location: random.between(20, 32),
    scale: random.between(2.2, 4.2),
    shape: REGIONAL_SHAPE + 0.06 * random.normal(),
  };
  return (T) => gevReturnLevel(gev, T);
}

/** Maps from a record of some decades at a neighbour whose exposure differs, the more the wider the cells. */
function gustMaps(random: Random, gustAt: ByYears, cellM: number): ViewLayer[] {
  const exposure = Math.exp((0.04 + 0.025 * Math.log10(cellM / 1000)) * random.normal());
  const maxima = Float64Array.from({ length: random.pick(RECORD_YEARS) }, () =>
    gustAt(1 / (1 - Math.max(0.001, random.uniform()))),
  );
  const fitted = gevWithShape(sampleLMoments(maxima), REGIONAL_SHAPE);
  return MAP_YEARS.map((T): ViewLayer => ['gust', T, cellM, gevReturnLevel(fitted, T) * exposure]);
}

/** Storms: gusts of either climate, cyclones or none, damage by either published calibration. */
export const STORM_WORLD: World = { peril: 'storm', place };
