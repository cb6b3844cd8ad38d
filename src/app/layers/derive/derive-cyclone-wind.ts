import { type Bbox, fromGeoJsonBbox } from '../../../geo/bbox.ts';
import { wrapLongitude } from '../../../geo/position.ts';
import {
  CycloneCounter,
  kernelReachCells,
  WIND_RETURN_PERIODS,
  type CycloneGrid,
} from '../../../risk/storm/cyclone-climate.ts';
import { windsFromPressure } from '../../../risk/storm/cyclone-track.ts';
import { InvalidInput } from '../../../base/errors.ts';
import type { LayerEnvironment, MadeRaster } from '../layer-shelf.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../manage-layers.ts';
import type { StormTrack, StormTrackReader } from './storm-tracks-reader.ts';

/** What cyclone winds are to be made from, and how they are to be kept. */
export interface CycloneWindRequest {
  /** Best tracks. */
  readonly path: string;
  /** West, south, east, north [degrees]; east is less than west across the antimeridian. */
  readonly bbox: readonly number[];
  readonly version: string;
  /** Seasons counted, both included; from the first of the file, 1980 at the earliest, to the last that is final. */
  readonly fromSeason?: number | undefined;
  readonly toSeason?: number | undefined;
  readonly date?: string | undefined;
  readonly licence?: string | undefined;
  readonly source?: string | undefined;
  readonly replace?: boolean | undefined;
  readonly environment?: LayerEnvironment | undefined;
}

export interface CycloneWindDeps extends LayerDeps {
  readonly tracks: StormTrackReader;
}

/** What was made, and from how much. */
export interface DerivedCycloneWind {
  readonly added: readonly AddedLayer[];
  readonly storms: number;
  readonly fromSeason: number;
  readonly toSeason: number;
}

/** Spacing [degrees]: a quarter, like the layer that ships. */
const STEP = 0.25;
/** Cyclones have never been tracked beyond, and cells grow too narrow [degrees]. */
const LATITUDES = [-65, 65] as const;
/** Satellites have seen every storm of every ocean since about then. @see doi:10.1175/2009BAMS2755.1 (Knapp et al. 2010) */
const FIRST_SEASON = 1980;
/** Seasons from which a climate can be told: a 250-year level leans on ten times as many storm-years by pooling. */
const LEAST_SEASONS = 20;
/** Cells no track passed within one or two of these [degrees] are nodata: the archive may not cover that ocean at all. */
const SEEN_STEP = 5;

/**
 * Derives return levels of cyclone winds from best tracks, and the number of storms that they rest on, and installs
 * both.
 * @throws InvalidInput when the tracks or the box cannot be used
 */
export async function deriveCycloneWind(
  deps: CycloneWindDeps,
  request: CycloneWindRequest,
): Promise<DerivedCycloneWind> {
  const grid = gridOf(boxOf(request.bbox));
  const tracks: StormTrack[] = [];
  const least = request.fromSeason ?? FIRST_SEASON;
  for await (const track of deps.tracks.readTracks(request.path))
    if (track.season >= least) tracks.push(track);
  // A file of the last three years says nothing of the forty before: they were not calm.
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
  const name = request.path.split(/[\\/]/).at(-1)!;
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

/** The last season of which no track is provisional. */
function lastFinalSeason(tracks: readonly StormTrack[]): number {
  const provisional = tracks.filter((track) => track.provisional).map(({ season }) => season);
  const first = provisional.reduce((a, b) => Math.min(a, b), Infinity);
  return tracks.reduce((last, { season }) => (season < first ? Math.max(last, season) : last), -Infinity);
}

function boxOf(values: readonly number[]): Bbox {
  try {
    return fromGeoJsonBbox(values);
  } catch (error) {
    throw new InvalidInput(`box ${values.join()}: ${(error as Error).message}`, {
      param: 'bbox',
      cause: error,
    });
  }
}

/** Cells with their centres on multiples of the step, so that neighbouring boxes share them. */
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
 * Rasters of the climate over a grid, and the number of storms that came near it. Counted on a wider grid, so that
 * storms beyond the edge pool into it.
 */
export function cycloneRasters(
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
    grid: {
      width,
      height,
      crs: 'EPSG:4326',
      proj4: '+proj=longlat +datum=WGS84 +no_defs',
      transform: [west - step / 2, step, 0, north + step / 2, 0, -step],
    },
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

/** Tells whether any track, however weak, came within some five to ten degrees of a place. */
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
