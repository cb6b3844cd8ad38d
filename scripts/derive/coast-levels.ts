// Long file: one derivation, of tides, gauges and cyclones, and their blend.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { type Field, fieldOf, interpolated } from './field.ts';
import { readRaster, writeGeoTiff } from './geotiff-file.ts';
import { cellGrid, nodeGrid } from './global-grid.ts';
import { distanceKm, type Nearby } from './nearby-places.ts';
import { CYCLONE_GRID } from './storms.ts';
import { COAST_STEP, DISTANCE_STEP_KM, NODATA } from './terrain.ts';

/** Cell size [degrees]. */
const STEP = 0.25;
const GRID = cellGrid(STEP);
/** Return periods of the levels [years], each with the one of the cyclone winds that make it: half, since one side of a cyclone blows onto the shore. */
const PERIODS = [
  [10, 5],
  [100, 50],
  [500, 250],
] as const;
const LEVEL_STEP_M = 0.02;
const ERROR_STEP = 0.01;

/** Cells at most this far from the shore have a level of their own [km]; farther inland the next ones are continued. */
const SHORE_KM = 30;
const INLAND_KM = 80;

/** Distances over which tides and surges stay alike [km], and beyond which stations do not count (our choice). */
const TIDE_KM = 25;
const TIDE_REACH_KM = 1500;
const SURGE_KM = 100;
const SURGE_REACH_KM = 4000;
/** The mean of all gauges counts like a gauge at this distance [km] (our choice). */
const PRIOR_KM = 900;

/**
 * Standard deviation of the shape between gauges [1], to which a gauge's own error is weighed. The mean of the shapes is 0
 * within a hundredth.
 */
const SHAPE_SPREAD = 0.2;

/** Ratio of ten-minute to one-minute wind at sea (Harper, Kepert & Ginger 2010, WMO/TD-1555). */
const TO_TEN_MINUTES = 0.93;
/** Drag coefficient in winds of 33 m/s and more (Powell, Vickery & Reinhold 2003, doi:10.1038/nature01481). */
const DRAG = 0.0025;
const AIR_KG_M3 = 1.15;
const SEA_KG_M3 = 1025;
const GRAVITY_MS2 = 9.81;
/** Fetch of the strongest winds of a cyclone [km], and the least depth of shelf in ETOPO5 [m]. */
const FETCH_KM = 50;
const LEAST_DEPTH_M = 10;
/** Fall of pressure by wind, `(W / 3.4)^(1 / 0.644)` hPa (Atkinson & Holliday 1977); half of it away from the centre, 1 cm a hPa. */
const PRESSURE = { scale: 3.4, power: 1 / 0.644, share: 0.5, mPerHpa: 0.01 } as const;
/** A cyclone comes at any tide: share of the mean higher high water that its surge is added to (our choice). */
const TIDE_IN_CYCLONE = 0.5;
const LEAST_CYCLONE_MPS = 18;
/** Error of the logarithm of levels that cyclones make [1] (our choice): the shore's shape may double or halve a surge. */
const CYCLONE_ERROR = 0.35;

/** A tide station: highest astronomical tide and mean higher high water above mean sea level [m]. */
interface Tide extends Nearby {
  readonly highestM: number;
  readonly higherM: number;
}

/** A gauge with the level over the highest astronomical tide at each return period [m]. */
interface Gauge extends Nearby {
  readonly name: string;
  readonly overM: readonly number[];
  readonly levelM: readonly number[];
}

/**
 * Derives the layers `coast-level` by return period and `coast-level-error`: extreme sea levels by coast.
 * @param tidePackage folder of the unpacked npm package @neaps/tide-database, beside its dependency flatbuffers
 * @param ferret folder of `etopo5.cdf`
 * @param tables folder of `sea-extremes.csv`
 * @param layers folder of the shipped layers, which is also that of the results
 */
export async function deriveCoastLevels(
  tidePackage: string,
  ferret: string,
  tables: string,
  layers: string,
): Promise<CatalogueEntry[]> {
  const tides = await readTides(tidePackage);
  const gauges = readGauges(join(tables, 'sea-extremes.csv'), tides);
  const error = logError(gauges, tides);
  process.stdout.write(
    `${tides.length} tide stations, ${gauges.length} gauges, left out in turn: log error ${error.map((e) => e.toFixed(2)).join(' ')}\n`,
  );
  const coast = fieldOf(join(layers, 'coast-distance.tif'), cellGrid(COAST_STEP), {
    scale: DISTANCE_STEP_KM,
  });
  const winds = cycloneWinds(layers);
  const shelf = shelfOf(ferret);
  const cells = GRID.width * GRID.height;
  const levels = PERIODS.map(() => new Float32Array(cells).fill(Number.NaN));
  const errors = new Float32Array(cells).fill(Number.NaN);
  for (let cell = 0; cell < cells; cell++) {
    const lat = GRID.north - Math.floor(cell / GRID.width) * STEP;
    const lng = GRID.west + (cell % GRID.width) * STEP;
    if (!(Math.abs(coast.at(lat, lng)) < SHORE_KM)) continue;
    const tide = tideAt(tides, lat, lng);
    const over = overAt(gauges, lat, lng);
    const setUp = shelf(lat, lng);
    let isByCyclone = false;
    for (const [i] of PERIODS.entries()) {
      const gauged = tide.highestM + over.overM[i]!;
      const cyclone = cycloneLevel(winds[i]!.at(lat, lng), setUp, tide.higherM);
      isByCyclone ||= cyclone > gauged;
      levels[i]![cell] = Math.max(gauged, cyclone);
    }
    for (let i = 1; i < PERIODS.length; i++)
      levels[i]![cell] = Math.max(levels[i]![cell]!, levels[i - 1]![cell]!);
    errors[cell] = Math.max(isByCyclone ? CYCLONE_ERROR : 0, errorAt(error, over.nearestKm));
  }
  const grown = [...levels, errors].map((band) => continued(band, coast));
  const file = 'coast-level.tif';
  const bytes = writeGeoTiff(
    join(layers, file),
    GRID,
    grown.map((band, i) => stored(band, i < PERIODS.length ? LEVEL_STEP_M : ERROR_STEP)),
    NODATA,
  );
  process.stdout.write(`${file}: ${bytes} bytes\n`);
  return entriesOf(file);
}

function entriesOf(file: string): CatalogueEntry[] {
  const common = {
    version: 'ticon-gpd-2026.1',
    file,
    offset: 0,
    nodata: NODATA,
    interpolation: 'bilinear' as const,
    resolutionM: Math.round(STEP * METRES_PER_DEGREE),
    date: '2025-05-31',
    licence: 'CC BY 4.0 (TICON-4, Kartverket)',
    source:
      'Tides of TICON-4, NOAA and Kartverket (@neaps/tide-database); extremes of 193 gauges (Rasmussen et al. 2018); cyclones of IBTrACS over ETOPO5',
  };
  return [
    ...PERIODS.map(([T], band) => ({
      ...common,
      layer: 'coast-level',
      band,
      scale: LEVEL_STEP_M,
      unit: 'm',
      returnPeriodYears: T,
    })),
    {
      ...common,
      layer: 'coast-level-error',
      band: PERIODS.length,
      scale: ERROR_STEP,
      unit: '1',
      returnPeriodYears: null,
    },
  ];
}

interface Station {
  readonly kind: string;
  readonly type: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly license: { readonly commercial_use: boolean };
  readonly datums: Readonly<Record<string, number | undefined>>;
}

async function readTides(folder: string): Promise<Tide[]> {
  const { stations } = (await import(pathToFileURL(join(folder, 'dist/node/index.js')).href)) as {
    readonly stations: readonly Station[];
  };
  return stations.flatMap(({ kind, type, latitude: lat, longitude: lng, license, datums }) => {
    if (kind !== 'tide' || type !== 'reference' || !license.commercial_use) return [];
    const { HAT, MHHW, MSL } = datums;
    if (HAT === undefined || MHHW === undefined || MSL === undefined) return [];
    return [{ lat, lng, highestM: HAT - MSL, higherM: MHHW - MSL }];
  });
}

/** Levels of the gauges over the highest astronomical tide, from their Pareto tails over mean higher high water. */
function readGauges(file: string, tides: readonly Tide[]): Gauge[] {
  const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [name, ...cells] = line.split(',');
    const [lat, lng, , , perYear, thresholdM, scaleM, fitted, variance] = cells.map(Number);
    const shape = (fitted! * SHAPE_SPREAD ** 2) / (SHAPE_SPREAD ** 2 + variance!);
    const tide = tideAt(tides, lat!, lng!);
    const levelM = PERIODS.map(([T]) => {
      const log = Math.log(perYear! * T);
      const excess = Math.abs(shape) < 1e-6 ? log : Math.expm1(shape * log) / shape;
      return tide.higherM + thresholdM! + scaleM! * excess;
    });
    return { name: name!, lat: lat!, lng: lng!, levelM, overM: levelM.map((level) => level - tide.highestM) };
  });
}

/** Tide at a place: mean of the stations, by the inverse fourth power of the distance. */
function tideAt(tides: readonly Tide[], lat: number, lng: number): Omit<Tide, keyof Nearby> {
  let [sum, highestM, higherM] = [0, 0, 0];
  for (const station of near(tides, lat, lng, TIDE_REACH_KM)) {
    const weight = 1 / (distanceKm(lat, lng, station.lat, station.lng) ** 2 + TIDE_KM ** 2) ** 2;
    sum += weight;
    highestM += weight * station.highestM;
    higherM += weight * station.higherM;
  }
  return sum === 0 ? { highestM: 1, higherM: 0.5 } : { highestM: highestM / sum, higherM: higherM / sum };
}

/** Stations in a box of latitudes about a place, so that few distances are computed. */
function near<P extends Nearby>(stations: readonly P[], lat: number, lng: number, km: number): P[] {
  const wide = km / 111 / Math.max(0.05, Math.cos((lat * Math.PI) / 180));
  return stations.filter(
    (station) =>
      Math.abs(station.lat - lat) < km / 111 && Math.abs(((station.lng - lng + 540) % 360) - 180) < wide,
  );
}

interface Over {
  readonly overM: readonly number[];
  readonly nearestKm: number;
}

/** Levels over the highest tide at a place: the gauges by the inverse fourth power of the distance, and the mean of all. */
function overAt(gauges: readonly Gauge[], lat: number, lng: number): Over {
  const prior = 1 / (PRIOR_KM ** 2 + SURGE_KM ** 2) ** 2;
  let sum = prior;
  const overM = PERIODS.map((_, i) => prior * mean(gauges.map((gauge) => gauge.overM[i]!)));
  let nearestKm = SURGE_REACH_KM;
  for (const gauge of near(gauges, lat, lng, SURGE_REACH_KM)) {
    const km = distanceKm(lat, lng, gauge.lat, gauge.lng);
    const weight = 1 / (km ** 2 + SURGE_KM ** 2) ** 2;
    nearestKm = Math.min(nearestKm, km);
    sum += weight;
    for (const [i] of PERIODS.entries()) overM[i]! += weight * gauge.overM[i]!;
  }
  return { overM: overM.map((total) => total / sum), nearestKm };
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length;
}

/** Distances to the nearest gauge [km] at which the errors below are measured. */
const ERROR_KM = [0, 100, 300, 1000] as const;

/** Errors of the logarithm of the level of 100 years at gauges that are left out, by the distance to the next gauge. */
function logError(gauges: readonly Gauge[], tides: readonly Tide[]): number[] {
  const found = gauges.map((gauge) => {
    const others = gauges.filter((other) => other !== gauge);
    const { overM, nearestKm } = overAt(others, gauge.lat, gauge.lng);
    const level = tideAt(tides, gauge.lat, gauge.lng).highestM + overM[1]!;
    return { nearestKm, error: Math.log(Math.max(0.1, level) / Math.max(0.1, gauge.levelM[1]!)) };
  });
  return ERROR_KM.map((from, i) => {
    const to = ERROR_KM[i + 1] ?? Infinity;
    const within = found.filter(({ nearestKm }) => nearestKm >= from && nearestKm < to);
    return Math.sqrt(mean(within.map(({ error }) => error ** 2)));
  });
}

/** Error at a distance to the nearest gauge [km], linear between the middles of the classes. */
function errorAt(errors: readonly number[], km: number): number {
  const middles = [50, 200, 650, 1500];
  let i = 1;
  while (i < middles.length - 1 && km > middles[i]!) i++;
  const t = Math.min(1, Math.max(0, (km - middles[i - 1]!) / (middles[i]! - middles[i - 1]!)));
  return errors[i - 1]! + t * (errors[i]! - errors[i - 1]!);
}

/** Winds of cyclones at the return periods that make the levels [m/s]. */
function cycloneWinds(layers: string): Field[] {
  const { layers: entries } = JSON.parse(readFileSync(join(layers, 'catalogue.json'), 'utf8')) as {
    readonly layers: readonly CatalogueEntry[];
  };
  return PERIODS.map(([, T]) => {
    const entry = entries.find(
      ({ layer, returnPeriodYears }) => layer === 'cyclone-wind' && returnPeriodYears === T,
    );
    if (entry === undefined) throw new Error(`the catalogue has no cyclone-wind of ${T} years`);
    const all = readRaster(join(layers, entry.file));
    const size = CYCLONE_GRID.width * CYCLONE_GRID.height;
    const band = all.subarray(entry.band * size, (entry.band + 1) * size);
    return interpolated(band, CYCLONE_GRID, NODATA, entry.scale);
  });
}

/**
 * Set-up of the sea per wind stress at a place [m per (m/s)^2]: the fetch over the mean of the inverse depth of the sea
 * within it.
 */
function shelfOf(ferret: string): (lat: number, lng: number) => number {
  const step = 1 / 12;
  const grid = { ...nodeGrid(step), north: 90, west: 0, width: 4320, height: 2161 };
  const relief = readRaster(join(ferret, 'etopo5.cdf'));
  const from = relief.length / grid.height; // columns; the first may repeat as the last
  return (lat, lng) => {
    const rows = Math.ceil(FETCH_KM / 111 / step);
    const columns = Math.ceil(rows / Math.max(0.1, Math.cos((lat * Math.PI) / 180)));
    const row = Math.round((grid.north - lat) / step);
    const column = Math.round((((lng % 360) + 360) % 360) / step);
    let [sum, count] = [0, 0];
    for (let r = row - rows; r <= row + rows; r++)
      for (let c = column - columns; c <= column + columns; c++) {
        if (distanceKm(lat, lng, grid.north - r * step, c * step) > FETCH_KM) continue;
        const height = relief[r * from + ((c + grid.width) % grid.width)]!;
        if (!(height < 0)) continue;
        sum += 1 / Math.max(LEAST_DEPTH_M, -height);
        count++;
      }
    const inverse = count === 0 ? 0 : sum / count;
    return ((AIR_KG_M3 * DRAG) / (SEA_KG_M3 * GRAVITY_MS2)) * 1000 * FETCH_KM * inverse;
  };
}

/** Level of the sea in a cyclone with this one-minute wind [m/s]: tide, low pressure and set-up of the wind [m]. */
function cycloneLevel(windMps: number, setUp: number, higherTideM: number): number {
  if (!(windMps >= LEAST_CYCLONE_MPS)) return Number.NEGATIVE_INFINITY;
  const { scale, power, share, mPerHpa } = PRESSURE;
  const low = share * mPerHpa * (windMps / scale) ** power;
  return TIDE_IN_CYCLONE * higherTideM + low + setUp * (TO_TEN_MINUTES * windMps) ** 2;
}

/** Continues a band by the means of neighbours, up to INLAND_KM from the shore. */
function continued(band: Float32Array, coast: Field): Float32Array {
  let current = band;
  for (let ring = 0; ring < 4; ring++) {
    const before = current;
    current = before.map((value, cell) => {
      if (!Number.isNaN(value)) return value;
      const [row, column] = [Math.floor(cell / GRID.width), cell % GRID.width];
      const km = coast.at(GRID.north - row * STEP, GRID.west + column * STEP);
      if (!(km > -SHORE_KM && km < INLAND_KM)) return value;
      let [sum, count] = [0, 0];
      for (let r = Math.max(0, row - 1); r <= Math.min(GRID.height - 1, row + 1); r++)
        for (let d = -1; d <= 1; d++) {
          const value = before[r * GRID.width + ((column + d + GRID.width) % GRID.width)]!;
          if (Number.isNaN(value)) continue;
          sum += value;
          count++;
        }
      return count === 0 ? Number.NaN : sum / count;
    });
  }
  return current;
}

function stored(band: Float32Array, step: number): Int16Array {
  return Int16Array.from(band, (value) => (Number.isNaN(value) ? NODATA : Math.round(value / step)));
}
