import type { Bbox } from '../../../geo/bbox.ts';
import { wrapLongitude } from '../../../geo/position.ts';
import {
  CycloneCounter,
  kernelReachCells,
  WIND_RETURN_PERIODS,
  type CycloneGrid,
} from '../../../risk/storm/cyclone-climate.ts';
import { windsFromPressure } from '../../../risk/storm/cyclone-track.ts';
import { InvalidInput } from '../../../base/errors.ts';
import { fileName } from '../file-name.ts';
import type { VersionRequest } from '../layer-checks.ts';
import type { MadeRaster } from '../layer-shelf.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../add-layer.ts';
import { latticeGrid, requestedBox } from './degree-lattice.ts';
import type { StormTrack, StormTrackReader } from './storm-tracks-reader.ts';

/** Input of a derivation of cyclone winds, and the version under which the layers are installed. */
export interface CycloneWindRequest extends VersionRequest {
  /** File of best tracks. */
  readonly path: string;
  /** West, south, east, north [degrees]; east is less than west across the antimeridian. */
  readonly bbox: readonly number[];
  /**
   * First and last season to count. Default: from the first season in the file, 1980 at the earliest, to the last
   * season before any provisional tracks.
   */
  readonly fromSeason?: number | undefined;
  readonly toSeason?: number | undefined;
}

export interface CycloneWindDeps extends LayerDeps {
  readonly tracks: StormTrackReader;
}

/** Result of a derivation of cyclone winds. */
export interface DerivedCycloneWind {
  readonly added: readonly AddedLayer[];
  readonly storms: number;
  readonly fromSeason: number;
  readonly toSeason: number;
}

/** Cell size [degrees], the same as in the layer that ships with the service. */
const STEP = 0.25;
/** Range of latitudes [degrees]. Outside it, no cyclone was ever tracked, and cells would be too narrow. */
const LATITUDES = [-65, 65] as const;
/**
 * First season that is used by default: satellites have observed all storms of all oceans since about this year.
 * @see doi:10.1175/2009BAMS2755.1 (Knapp et al. 2010)
 */
const FIRST_SEASON = 1980;
/**
 * Minimum number of seasons. It is enough even for a 250-year level, because the storms of neighbouring cells are
 * pooled, which yields ten times as many storm-years as a single cell has.
 */
const LEAST_SEASONS = 20;
/** Size of the blocks [degrees] in which `seenFrom` looks for tracks. */
const SEEN_STEP = 5;

/**
 * Derives return levels of cyclone winds from best tracks, and the number of storms that the levels are based on.
 * Installs both as layers.
 * @throws InvalidInput when the tracks or the box cannot be used
 */
export async function deriveCycloneWind(
  deps: CycloneWindDeps,
  request: CycloneWindRequest,
): Promise<DerivedCycloneWind> {
  const grid = gridOf(requestedBox(request.bbox));
  const tracks: StormTrack[] = [];
  const least = request.fromSeason ?? FIRST_SEASON;
  for await (const track of deps.tracks.readTracks(request.path))
    if (track.season >= least) tracks.push(track);
  // Years before the first season of the file count as unknown, not as years without storms.
  const from = request.fromSeason ?? tracks.reduce((first, { season }) => Math.min(first, season), Infinity);
  const to = request.toSeason ?? lastFinalSeason(tracks);
  const years = to - from + 1;
  if (!(years >= LEAST_SEASONS)) {
    const span = tracks.length === 0 ? 'no storms' : `the seasons ${from} to ${to}`;
    const whole =
      request.fromSeason === undefined
        ? '; --from says from which season on it is whole, storms or none'
        : '';
    throw new InvalidInput(
      `${request.path} has ${span}; at least ${LEAST_SEASONS} seasons are needed${whole}`,
      { param: 'tracks' },
    );
  }
  const counted = tracks.filter(({ season }) => season <= to);
  const { rasters, storms } = cycloneRasters(counted, years, grid);
  if (storms === 0) {
    throw new InvalidInput(`no storm of ${request.path} came near the box`, { param: 'bbox' });
  }
  const name = fileName(request.path);
  const shared = {
    version: request.version,
    date: request.date ?? `${to}-12-31`,
    licence: request.licence,
    source: request.source ?? `best tracks ${from}-${to} from ${name}; Holland wind fields`,
    from: name,
    replace: request.replace,
    environment: request.environment,
  };
  const added: AddedLayer[] = [];
  for (const { layer, returnPeriodYears, raster } of rasters)
    added.push(await addMadeLayer(deps, { ...shared, layer, returnPeriodYears, raster }));
  return { added, storms, fromSeason: from, toSeason: to };
}

/** Returns the last season before the first season that has provisional tracks. */
function lastFinalSeason(tracks: readonly StormTrack[]): number {
  const provisional = tracks.filter((track) => track.provisional).map(({ season }) => season);
  const first = provisional.reduce((a, b) => Math.min(a, b), Infinity);
  return tracks.reduce((last, { season }) => (season < first ? Math.max(last, season) : last), -Infinity);
}

/** Grid that covers a box. Cell centres are multiples of STEP, so that neighbouring boxes share their cells. */
function gridOf([west, south, east, north]: Bbox): CycloneGrid {
  const [least, most] = LATITUDES;
  if (!(south >= least && north <= most && north - south >= STEP && east - west >= STEP)) {
    throw new InvalidInput(
      `box ${west},${south},${east},${north}: expected at least ${STEP} degrees each way, within ${-least} S to ${most} N`,
      { param: 'bbox' },
    );
  }
  const first = Math.floor(west / STEP) * STEP;
  const top = Math.ceil(north / STEP) * STEP;
  const columns = Math.round((Math.ceil(east / STEP) * STEP - first) / STEP) + 1;
  return {
    west: first,
    north: top,
    step: STEP,
    width: Math.min(columns, 360 / STEP),
    height: Math.round((top - Math.floor(south / STEP) * STEP) / STEP) + 1,
  };
}

interface CycloneRaster {
  readonly layer: 'cyclone-wind' | 'cyclone-count';
  readonly returnPeriodYears: number | undefined;
  readonly raster: MadeRaster;
}

/**
 * Computes the rasters of a grid, and the number of storms near the grid. Storms are counted on a wider grid, so that
 * storms beyond the edge contribute to the cells inside.
 */
function cycloneRasters(
  tracks: readonly StormTrack[],
  years: number,
  grid: CycloneGrid,
): { readonly rasters: readonly CycloneRaster[]; readonly storms: number } {
  const { width, height, step, west, north } = grid;
  const poleward = Math.max(Math.abs(north), Math.abs(north - (height - 1) * step));
  const around = width * step >= 360;
  const padRows = kernelReachCells(step, 0);
  const padColumns = around
    ? 0
    : Math.min(kernelReachCells(step, poleward), Math.floor((360 / step - width) / 2));
  const counter = new CycloneCounter({
    step,
    west: west - padColumns * step,
    north: north + padRows * step,
    width: width + 2 * padColumns,
    height: height + 2 * padRows,
  });
  for (const { fixes } of tracks) counter.add(windsFromPressure(fixes));
  const { levels, storms } = counter.climate(years, WIND_RETURN_PERIODS);
  const seen = seenFrom(tracks);
  const rasterOf = (field: Float32Array): MadeRaster => ({
    grid: latticeGrid(grid),
    samples: Float32Array.from({ length: width * height }, (_, i) => {
      const [row, col] = [Math.floor(i / width), i % width];
      if (!seen(north - row * step, west + col * step)) return Number.NaN;
      return field[(row + padRows) * (width + 2 * padColumns) + col + padColumns]!;
    }),
  });
  const rasters: CycloneRaster[] = levels.map((field, i) => ({
    layer: 'cyclone-wind',
    returnPeriodYears: WIND_RETURN_PERIODS[i]!,
    raster: rasterOf(field),
  }));
  rasters.push({ layer: 'cyclone-count', returnPeriodYears: undefined, raster: rasterOf(storms) });
  return { rasters, storms: counter.stormCount };
}

/**
 * Makes a function that returns whether any track, even of a weak storm, has a position near a place: in the same
 * block of SEEN_STEP degrees or a neighbouring one. Other places become nodata: the archive may not cover their ocean.
 */
function seenFrom(tracks: readonly StormTrack[]): (lat: number, lng: number) => boolean {
  const columns = 360 / SEEN_STEP;
  const rowOf = (lat: number): number => Math.floor((lat + 90) / SEEN_STEP);
  const columnOf = (lng: number): number => Math.floor((wrapLongitude(lng) + 180) / SEEN_STEP);
  const near = new Set<number>();
  for (const { fixes } of tracks)
    for (const { lat, lng } of fixes)
      for (let dr = -1; dr <= 1; dr++)
        for (let dc = -1; dc <= 1; dc++)
          near.add((rowOf(lat) + dr) * columns + ((columnOf(lng) + dc + columns) % columns));
  return (lat, lng) => near.has(rowOf(lat) * columns + columnOf(lng));
}
