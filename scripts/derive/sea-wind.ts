import { join } from 'node:path';
import { monthlyWind, windReturnLevels, type MonthlyWind } from './wind-climate.ts';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { readRaster, writeGeoTiff } from './geotiff-file.ts';
import { cellGrid, type GlobalGrid } from './global-grid.ts';
import { WIND_RETURN_PERIODS } from '../../src/risk/storm/cyclone-climate.ts';
import { COAST_STEP, DISTANCE_STEP_KM, NODATA } from './terrain.ts';

/** Grid of the COADS climatology, 2-degree cells from 90 N southward. COADS starts at 20 E, this grid at 180 W. */
const GRID: GlobalGrid = { width: 180, height: 90, step: 2, west: -179, north: 89 };
const SOURCE_WEST = 21;

/** Number of cells over which sea winds are extended inland; 3 cells are 670 km at the equator. */
const CARRIED_CELLS = 3;

/** Minimum number of observed months of a cell; ships avoid some seas in winter. */
const LEAST_MONTHS = 10;

/** Minimum distance from land [km]. Nearer cells contain reports from harbours, so they are filled like land cells. */
const OFFSHORE_KM = 40;

/** Derives return levels of the ten-minute wind at sea, extended inland, from monthly means. Needs the coast layer. */
export function deriveSeaWind(ferret: string, out: string): CatalogueEntry[] {
  const coastKm = coastDistances(out);
  const read = (variable: string): Float32Array =>
    readRaster(`NETCDF:"${join(ferret, 'coads_climatology.cdf')}":${variable}`);
  const speed = read('WSPD');
  const east = read('UWND');
  const north = read('VWND');
  const cells = GRID.width * GRID.height;
  const shift = (GRID.west - SOURCE_WEST + 720) / GRID.step;
  let levels: (readonly number[] | null)[] = Array.from({ length: cells }, (_, cell) => {
    const row = Math.floor(cell / GRID.width);
    const source = row * GRID.width + ((cell + shift) % GRID.width);
    const months: MonthlyWind[] = [];
    if (coastKm(cell) > -OFFSHORE_KM) return null;
    for (let month = 0; month < 12; month++) {
      const i = month * cells + source;
      if (speed[i]! > 0 && speed[i]! < 60 && Math.abs(east[i]!) < 60 && Math.abs(north[i]!) < 60)
        months.push(monthlyWind(speed[i]!, Math.hypot(east[i]!, north[i]!)));
    }
    return months.length < LEAST_MONTHS ? null : windReturnLevels(months, WIND_RETURN_PERIODS);
  });
  for (let ring = 0; ring < CARRIED_CELLS; ring++) levels = carried(levels);
  const bands = WIND_RETURN_PERIODS.map((_, k) =>
    Int16Array.from(levels, (level) => (level === null ? NODATA : Math.round(level[k]! * 10))),
  );
  const file = 'sea-wind.tif';
  writeGeoTiff(join(out, file), GRID, bands, NODATA);
  return WIND_RETURN_PERIODS.map((returnPeriodYears, band) => ({
    layer: 'sea-wind',
    version: 'coads-2026.1',
    file,
    band,
    scale: 0.1,
    offset: 0,
    nodata: NODATA,
    unit: 'm/s',
    returnPeriodYears,
    interpolation: 'bilinear',
    resolutionM: Math.round(GRID.step * METRES_PER_DEGREE),
    date: '1989-12-31',
    licence: 'public domain',
    source: 'NOAA COADS climatology 1946-1989 by way of ferret-datasets; Rice extremes of monthly means',
  }));
}

/**
 * Returns a function for the signed distance from a cell centre to the coast [km], negative at sea. North and south of
 * the coast layer it returns -Infinity, as for open sea.
 */
function coastDistances(out: string): (cell: number) => number {
  const fine = cellGrid(COAST_STEP);
  const raw = readRaster(join(out, 'coast-distance.tif'));
  return (cell) => {
    const lat = GRID.north - Math.floor(cell / GRID.width) * GRID.step;
    const lng = GRID.west + (cell % GRID.width) * GRID.step;
    const row = Math.round((fine.north - lat) / fine.step);
    const col = Math.round((lng - fine.west) / fine.step) % fine.width;
    if (row < 0 || row >= fine.height) return -Infinity;
    return raw[row * fine.width + col]! * DISTANCE_STEP_KM;
  };
}

/** Fills each empty cell with the mean of the neighbouring cells that have values. */
function carried(levels: readonly (readonly number[] | null)[]): (readonly number[] | null)[] {
  return levels.map((level, cell) => {
    if (level !== null) return level;
    const row = Math.floor(cell / GRID.width);
    const col = cell % GRID.width;
    const near: (readonly number[])[] = [];
    for (let dr = -1; dr <= 1; dr++) {
      for (let dc = -1; dc <= 1; dc++) {
        const r = row + dr;
        if (r < 0 || r >= GRID.height) continue;
        const neighbour = levels[r * GRID.width + ((col + dc + GRID.width) % GRID.width)];
        if (neighbour) near.push(neighbour);
      }
    }
    if (near.length === 0) return null;
    return WIND_RETURN_PERIODS.map((_, k) => near.reduce((sum, one) => sum + one[k]!, 0) / near.length);
  });
}
