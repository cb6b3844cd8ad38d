import { join } from 'node:path';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { readRaster, writeGeoTiff } from './geotiff-file.ts';
import { cellGrid, fillRings, nodeGrid, NORTH, type GlobalGrid } from './global-grid.ts';
import { distanceToLines } from './line-distance.ts';
import { readColumn, readPaths, ringContains, signedArea, type Path } from './shapefile.ts';

/** Nodata value of the int16 layers. */
export const NODATA = -32768;

/** Unit of the stored distances [km]: a twentieth of the finer cell, so rounding is negligible. */
export const DISTANCE_STEP_KM = 0.25;

/** Cell size of the coast layer: 2.5 arc-minutes [degrees]. */
export const COAST_STEP = 1 / 24;

/** Limits of the stored distances [km]; larger distances make no difference in the flood and storm models. */
const COAST_LIMIT_KM = 80;
const WATER_LIMIT_KM = 60;

/**
 * Maximum Natural Earth rank of a major river (the largest rivers have the lowest ranks): Rhine, Ganges, Mississippi,
 * Danube have 4 or less, Elbe and Vistula 5.
 */
const MAJOR_RANK = 5;

/** Cell size of ETOPO5: 5 arc-minutes [degrees]; cell centres are at multiples of it. */
const ETOPO_STEP = 1 / 12;

/**
 * Land cells at or below this height [m] count as water if they are within 40 km of the coast or in a lake. ETOPO5
 * has no shallow water above -10 m (its documentation).
 */
const ETOPO_SHALLOW_M = -10;
const ETOPO_SHALLOW_REACH_KM = 40;

/** Highest stored height above water [m]; no mapped flood reaches higher. */
const HEIGHT_LIMIT_M = 250;

type Described = Pick<CatalogueEntry, 'layer' | 'version' | 'scale' | 'unit' | 'date' | 'licence' | 'source'>;

const ELEVATION: Described = {
  layer: 'elevation',
  version: 'etopo5-2026.1',
  scale: 1,
  unit: 'm',
  date: '1988-01-01',
  licence: 'public domain',
  source: 'NOAA NGDC ETOPO5 (1988); land as drawn by Natural Earth 10m, sea is nodata',
};

const HEIGHT_ABOVE_WATER: Described = {
  layer: 'height-above-water',
  version: 'etopo5-naturalearth-2026.1',
  scale: 1,
  unit: 'm',
  date: '1988-01-01',
  licence: 'public domain',
  source: 'NOAA NGDC ETOPO5 (1988) above the nearest water of Natural Earth 10m',
};

function naturalEarth(layer: string, theme: string): Described {
  return {
    layer,
    version: 'naturalearth-2026.1',
    scale: DISTANCE_STEP_KM,
    unit: 'km',
    date: '2013-10-06', // last update in the river table (3.0.0); the land theme is version 3.0.1
    licence: 'public domain',
    source: `Natural Earth ${theme}`,
  };
}

/**
 * Derives elevation, distances to coast and rivers, and height above water into `out`.
 * @returns their catalogue entries
 */
export function deriveTerrain(ferret: string, magics: string, out: string): CatalogueEntry[] {
  // Natural Earth has a fictional island of one square metre at 0, 0, which makes bad data visible. It is left out.
  const land = readPaths(join(magics, '10m/ne_10m_land.shp')).filter((ring) => !aroundNullIsland(ring));
  const outer = land.filter((ring) => signedArea(ring.coordinates) < 0);
  const lakes = land.filter((ring) => signedArea(ring.coordinates) >= 0);
  const lakeIslands = new Set(outer.filter((ring) => lakes.some((lake) => startsWithin(ring, lake))));
  const mainland = outer.filter((ring) => !lakeIslands.has(ring));

  const entries: CatalogueEntry[] = [];
  const write = (layer: Described, grid: GlobalGrid, band: Int16Array): void => {
    const file = `${layer.layer}.tif`;
    const nodata = band.includes(NODATA) ? NODATA : null;
    writeGeoTiff(join(out, file), grid, [band], nodata);
    const shape = {
      file,
      band: 0,
      offset: 0,
      nodata,
      interpolation: 'bilinear',
      returnPeriodYears: null,
    } as const;
    entries.push({ ...layer, ...shape, resolutionM: Math.round(grid.step * METRES_PER_DEGREE) });
  };

  const fine = cellGrid(COAST_STEP);
  const notSea = fillRings(fine, mainland);
  const coast = distanceToLines(fine, mainland, COAST_LIMIT_KM).distanceKm;
  write(
    naturalEarth('coast-distance', 'land 10m'),
    fine,
    quantise(coast, COAST_LIMIT_KM, (i) => notSea[i] === 1),
  );

  const coarse = nodeGrid(ETOPO_STEP);
  const rivers = readPaths(join(magics, '10m/ne_10m_rivers_lake_centerlines.shp'));
  const ranks = readColumn(join(magics, '10m/ne_10m_rivers_lake_centerlines.dbf'), 'scalerank').map(Number);
  const inLake = fillRings(coarse, lakes);
  const onIsland = fillRings(coarse, [...lakeIslands]);
  const shores = distanceToLines(coarse, [...lakes, ...lakeIslands], WATER_LIMIT_KM).distanceKm;
  const streams = distanceToLines(coarse, rivers, WATER_LIMIT_KM).distanceKm;
  const openWater = (i: number): boolean => inLake[i] === 1 && onIsland[i] === 0;
  // Inside a lake, only the distance to its shore is used. River lines drawn through a lake are ignored.
  const water = shores.map((km, i) => (openWater(i) ? km : Math.min(km, streams[i]!)));
  write(
    naturalEarth('water-distance', 'rivers and lakes 10m'),
    coarse,
    quantise(water, WATER_LIMIT_KM, (i) => !openWater(i)),
  );
  const major = rivers.filter((line) => ranks[line.record]! <= MAJOR_RANK);
  const majorKm = distanceToLines(coarse, major, WATER_LIMIT_KM).distanceKm;
  write(
    naturalEarth('major-river-distance', 'rivers 10m, ranks 0 to 5'),
    coarse,
    quantise(majorKm, WATER_LIMIT_KM, () => true),
  );

  const relief = eastwardFromAntimeridian(readRaster(join(ferret, 'etopo5.cdf')), coarse);
  const elevation = landElevation(coarse, relief, mainland, lakes);
  write(ELEVATION, coarse, elevation);
  write(HEIGHT_ABOVE_WATER, coarse, heightAboveWater(coarse, elevation, mainland, lakes, rivers));
  return entries;
}

function startsWithin(ring: Path, lake: Path): boolean {
  return ringContains(lake.coordinates, ring.coordinates[0]!, ring.coordinates[1]!);
}

function quantise(km: Float32Array, limitKm: number, positive: (i: number) => boolean): Int16Array {
  const out = new Int16Array(km.length);
  for (let i = 0; i < out.length; i++) {
    const steps = Math.round(Math.min(km[i]!, limitKm) / DISTANCE_STEP_KM);
    out[i] = positive(i) ? steps : -steps;
  }
  return out;
}

/** Rearranges ETOPO5, which starts at 90 N and Greenwich, to a grid that starts at `NORTH` and 180 W. */
function eastwardFromAntimeridian(relief: Float32Array, grid: GlobalGrid): Float32Array {
  const out = new Float32Array(grid.width * grid.height);
  const half = grid.width / 2;
  const skipped = Math.round((90 - NORTH) / grid.step);
  for (let row = 0; row < grid.height; row++) {
    const from = (row + skipped) * grid.width;
    const to = row * grid.width;
    out.set(relief.subarray(from + half, from + grid.width), to);
    out.set(relief.subarray(from, from + half), to + half);
  }
  return out;
}

/** Whether every position of a ring is within a hundredth of a degree of 0, 0. */
function aroundNullIsland({ coordinates }: Path): boolean {
  return coordinates.every((degrees) => Math.abs(degrees) < 0.01);
}

/** Elevation on Natural Earth's land, including lakes [m], as integers; sea and ETOPO5's shallow water are nodata. */
function landElevation(
  grid: GlobalGrid,
  relief: Float32Array,
  mainland: readonly Path[],
  lakes: readonly Path[],
): Int16Array {
  const notSea = fillRings(grid, mainland);
  const inLake = fillRings(grid, lakes);
  const coast = distanceToLines(grid, mainland, ETOPO_SHALLOW_REACH_KM).distanceKm;
  return Int16Array.from(relief, (metres, i) => {
    if (notSea[i] === 0) return NODATA;
    if (metres <= ETOPO_SHALLOW_M && (coast[i]! <= ETOPO_SHALLOW_REACH_KM || inLake[i] === 1)) return NODATA;
    return Math.round(metres);
  });
}

/**
 * Height of each cell above the nearest mapped water [m]. The level of the sea is 0. The level of a river or lake
 * is the lowest valid elevation in the 3 x 3 cells around its nearest point. A coarse approximation of height above
 * nearest drainage.
 */
function heightAboveWater(
  grid: GlobalGrid,
  elevation: Int16Array,
  mainland: readonly Path[],
  lakes: readonly Path[],
  rivers: readonly Path[],
): Int16Array {
  const inland = distanceToLines(grid, [...rivers, ...lakes], 150);
  const coast = distanceToLines(grid, mainland, 150).distanceKm;
  const out = new Int16Array(elevation.length).fill(NODATA);
  for (let i = 0; i < out.length; i++) {
    const metres = elevation[i]!;
    if (metres === NODATA) continue;
    const viaInland = inland.distanceKm[i]! <= coast[i]!;
    const cell = inland.nearestCell[i]!;
    const level = viaInland && cell >= 0 ? lowestAround(grid, elevation, cell) : 0;
    const height = Number.isFinite(Math.min(inland.distanceKm[i]!, coast[i]!))
      ? metres - level
      : HEIGHT_LIMIT_M;
    out[i] = coarsen(Math.max(-20, Math.min(HEIGHT_LIMIT_M, height)));
  }
  return out;
}

/** Rounds heights that floods hardly reach, to save space: to 5 m from 40 m on, to 25 m from 100 m on. */
function coarsen(metres: number): number {
  const step = metres >= 100 ? 25 : metres >= 40 ? 5 : 1;
  return Math.round(metres / step) * step;
}

function lowestAround(grid: GlobalGrid, elevation: Int16Array, cell: number): number {
  const row = Math.floor(cell / grid.width);
  const col = cell % grid.width;
  let lowest = Infinity;
  for (let dr = -1; dr <= 1; dr++) {
    for (let dc = -1; dc <= 1; dc++) {
      const r = row + dr;
      if (r < 0 || r >= grid.height) continue;
      const value = elevation[r * grid.width + ((col + dc + grid.width) % grid.width)]!;
      if (value !== NODATA) lowest = Math.min(lowest, value);
    }
  }
  return Number.isFinite(lowest) ? lowest : 0;
}
