import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KM_PER_DEGREE } from '../../src/geo/earth.ts';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { mixClasses } from './class-mixing.ts';
import { CLIMATE_GRID } from './climate-zones.ts';
import { type Field, fieldOf, interpolated } from './field.ts';
import { readRaster, writeGeoTiff } from './geotiff-file.ts';
import { cellGrid, nodeGrid, type GlobalGrid } from './global-grid.ts';
import { DISTANCE_STEP_KM } from './terrain.ts';

/** Cell size [degrees]. */
const STEP = 1 / 12;
/** Steps in which the two layers are stored [1, mm/yr]. */
const SHARE_STEP = 0.01;
const SPEED_STEP = 1;

/**
 * Share of buildings whose ground moves differentially [1], by kind of ground (our choice). With these shares, a fifth of
 * the world's people live where more than a tenth of the ground moves; potential subsidence by groundwater threatens
 * 1.2 billion people and 21 % of the major cities (Herrera-Garcia et al. 2021, doi:10.1126/science.abb8549). Firm ground has
 * few: of the built land of the 15 metropolitan cities of Italy, lowlands included, 0.05 % is at high risk by differential
 * movement (Cigna et al. 2025, abstract).
 */
const ELSEWHERE = 0.005;
const LOWLAND = 0.15;
const RIVER_LOWLAND = 0.25;
const PUMPED = 0.2;
/**
 * Share at a place with published subsidence, and standard deviation of the velocity of moving ground where none is
 * published [mm/yr]. Two surveys state how much of the land of sinking cities is faster than two rates: 45 % over 3 mm/yr and
 * 16 % over 10 in China's major cities (Ao et al. 2024, doi:10.1126/science.adl4366), 42 % over 5 and 12 % over 10 in Houston
 * (Ohenhen et al. 2025). Normal distributions with these shares have 9 and 6.6 mm/yr; with the two figures here the shares over
 * 3, 5 and 10 mm/yr are 50, 37 and 15 %.
 */
const PUBLISHED = 0.7;
const USUAL_SPEED = 8;
/** Published rates are maxima. The standard deviation is a third of the maximum, as for a normal distribution. */
const MAXIMUM_DEVIATES = 3;

/** Heights and distances over which soft ground becomes rare (our choice) [m, km]. */
const LOWLAND_M = 12;
const COAST_KM = 40;
const RIVER_KM = 20;
/** Difference between neighbouring cells of 9 km over which plains become rare [m], and density of pumping [people/km2]. */
const PLAIN_M = 60;
const PUMPING_DENSITY = 150;

/**
 * How far each climate depends on groundwater [1] (our choice): semi-arid and dry-winter climates with people on plains
 * are where groundwater is depleted (Herrera-Garcia et al. 2021).
 */
const DEPENDENCE: Readonly<Record<string, number>> = {
  BSh: 1,
  BSk: 1,
  BWh: 0.7,
  BWk: 0.7,
  Csa: 0.6,
  Cwa: 0.5,
  Dwa: 0.6,
  Dsa: 0.6,
  Dsb: 0.5,
  Csb: 0.3,
  Cwb: 0.4,
};
/** Codes of the climate layer are positions in the alphabetical list of the classes, from 1. */
const CLASSES =
  'Af Am As Aw BSh BSk BWh BWk Cfa Cfb Cfc Csa Csb Csc Cwa Cwb Cwc Dfa Dfb Dfc Dfd Dsa Dsb Dsc Dsd Dwa Dwb Dwc Dwd EF ET'.split(
    ' ',
  );
const CLIMATE_SIGMA_KM = 60;
const CLIMATE_REACH_KM = 150;

const GRID: GlobalGrid = cellGrid(STEP);

/** Stored value of cells without one, and of the height of cells at sea. */
const NONE = -32_768;

/** Distance off the shore from which cells have no value [km]: a cell of 9 km reaches the coast from nearer. */
const OFF_SHORE_KM = 12;

/**
 * Derives the layers `subsiding-share` and `subsiding-speed` from shipped layers and published places.
 * @param layers folder of the shipped layers, which is also that of the results
 * @param tables folder of `subsiding-places.csv`
 */
export function deriveSubsidingGround(layers: string, tables: string): CatalogueEntry[] {
  const { width, height } = GRID;
  const lowlands = lowlandFields(layers);
  const dependence = dependenceOnGroundwater(layers);
  const places = readPlaces(join(tables, 'subsiding-places.csv'));
  const shares = new Int16Array(width * height);
  const speeds = new Int16Array(width * height).fill(USUAL_SPEED / SPEED_STEP);
  for (let row = 0; row < height; row++) {
    const lat = GRID.north - row * STEP;
    const near = places.filter((place) => Math.abs(place.lat - lat) * KM_PER_DEGREE < 4 * place.radiusKm);
    for (let col = 0; col < width; col++) {
      const lng = GRID.west + col * STEP;
      const soft = lowlands(lat, lng);
      if (soft.coastKm < -OFF_SHORE_KM) {
        shares[row * width + col] = speeds[row * width + col] = NONE;
        continue;
      }
      const pumped = PUMPED * soft.plain * soft.people * dependence.at(lat, lng);
      const published = publishedAt(near, lat, lng);
      const rock = (1 - ELSEWHERE) * (1 - soft.share) * (1 - pumped) * (1 - PUBLISHED * published.weight);
      shares[row * width + col] = Math.round((1 - rock) / SHARE_STEP);
      speeds[row * width + col] = Math.round(published.speed / SPEED_STEP);
    }
  }
  writeGeoTiff(join(layers, 'subsiding-ground.tif'), GRID, [shares, speeds], NONE, { predictor: 1 });
  return entriesOf();
}

/** Shares by terrain at a place. */
function lowlandFields(layers: string) {
  const coarse = nodeGrid(STEP);
  const fine = cellGrid(STEP / 2);
  const elevation = fieldOf(join(layers, 'elevation.tif'), coarse, { nodata: NONE });
  const coast = fieldOf(join(layers, 'coast-distance.tif'), fine, { scale: DISTANCE_STEP_KM });
  const river = fieldOf(join(layers, 'major-river-distance.tif'), coarse, { scale: DISTANCE_STEP_KM });
  const people = fieldOf(join(layers, 'population-density.tif'), fine);
  return (lat: number, lng: number) => {
    const own = elevation.at(lat, lng);
    const heightM = Number.isNaN(own) ? 0 : own;
    const around = [
      [lat + STEP, lng],
      [lat - STEP, lng],
      [lat, lng + STEP],
      [lat, lng - STEP],
    ].map(([y, x]) => elevation.at(y!, x!));
    const steps = around.filter((value) => !Number.isNaN(value)).map((value) => Math.abs(value - heightM));
    const relief = steps.length === 0 ? 0 : steps.reduce((sum, value) => sum + value, 0) / steps.length;
    const plain = Math.exp(-relief / PLAIN_M);
    const low = plain * Math.exp(-Math.max(0, heightM) / LOWLAND_M);
    const coastKm = coast.at(lat, lng);
    const nearCoast = Math.exp(-Math.max(0, coastKm) / COAST_KM);
    const nearRiver = Math.exp(-Math.max(0, river.at(lat, lng)) / RIVER_KM);
    const density = people.at(lat, lng);
    return {
      coastKm,
      plain,
      people: density / (density + PUMPING_DENSITY) || 0,
      share: LOWLAND * low * nearCoast + RIVER_LOWLAND * low * nearRiver,
    };
  };
}

function dependenceOnGroundwater(layers: string): Field {
  const zones = readRaster(join(layers, 'climate-zone.tif'));
  const values = mixClasses(CLIMATE_GRID, zones, (code) => DEPENDENCE[CLASSES[code - 1]!] ?? 0, {
    sigmaKm: CLIMATE_SIGMA_KM,
    reachKm: CLIMATE_REACH_KM,
  });
  const field = interpolated(values, CLIMATE_GRID, null, 1);
  return { at: (lat, lng) => field.at(lat, lng) || 0 };
}

interface Place {
  readonly lat: number;
  readonly lng: number;
  readonly radiusKm: number;
  /** [mm/yr] */
  readonly speed: number;
}

function readPlaces(file: string): Place[] {
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [, lat, lng, radiusKm, fastest] = line.split(',');
    return {
      lat: Number(lat),
      lng: Number(lng),
      radiusKm: Number(radiusKm),
      speed: Math.max(USUAL_SPEED, fastest === '' ? 0 : Number(fastest) / MAXIMUM_DEVIATES),
    };
  });
}

/** Weight [1] of the published places around a place, a Gaussian of distance, and the speed of moving ground there. */
function publishedAt(places: readonly Place[], lat: number, lng: number): { weight: number; speed: number } {
  let weight = 0;
  let speed = USUAL_SPEED;
  for (const place of places) {
    const x = (lng - place.lng) * Math.cos((lat * Math.PI) / 180) * KM_PER_DEGREE;
    const y = (lat - place.lat) * KM_PER_DEGREE;
    const here = Math.exp(-(x * x + y * y) / (2 * place.radiusKm ** 2));
    weight = Math.max(weight, here);
    speed = Math.max(speed, USUAL_SPEED * (place.speed / USUAL_SPEED) ** here);
  }
  return { weight, speed };
}

function entriesOf(): CatalogueEntry[] {
  const common = {
    version: 'published-2026.1',
    date: '2025-01-01',
    licence: 'CC BY 4.0',
    file: 'subsiding-ground.tif',
    offset: 0,
    nodata: NONE,
    interpolation: 'bilinear',
    returnPeriodYears: null,
    resolutionM: Math.round(STEP * METRES_PER_DEGREE),
  } as const;
  const source =
    'published places of subsidence (data/tables/subsiding-places.csv), lowlands of ETOPO5 and Natural Earth, plains with people in dry climates (Rubel et al. 2017, GeoNames)';
  return [
    { ...common, layer: 'subsiding-share', band: 0, scale: SHARE_STEP, unit: '1', source },
    { ...common, layer: 'subsiding-speed', band: 1, scale: SPEED_STEP, unit: 'mm/yr', source },
  ];
}
