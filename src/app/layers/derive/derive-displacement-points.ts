import { METRES_PER_EQUATOR_DEGREE } from '../../../geo/earth.ts';
import type { Grid } from '../../../geo/grid.ts';
import { projectionDefinition } from '../../../geo/projection.ts';
import { velocityGradient } from '../../../risk/subsidence/displacement-gradient.ts';
import { fitDisplacement } from '../../../risk/subsidence/displacement-series.ts';
import { sightVector, type ViewGeometry } from '../../../risk/subsidence/line-of-sight.ts';
import { cellSizes } from './derive-hand.ts';
import { areFarApart, installNetwork, STATION_REACH_KM } from './station-network.ts';
import type {
  DisplacementFileOptions,
  DisplacementPoint,
  DisplacementPointReader,
  DisplacementPoints,
  DisplacementRecord,
} from './displacement-points-reader.ts';
import { InvalidInput } from '../../../base/errors.ts';
import { fileName } from '../file-name.ts';
import type { VersionRequest } from '../layer-checks.ts';
import { type AddedLayer, addMadeLayer, type LayerDeps } from '../add-layer.ts';

/** Input of a derivation of ground motion from points, and the version under which the layers are installed. */
export interface PointDisplacementRequest extends VersionRequest, DisplacementFileOptions {
  /** A file, or a folder of files of GNSS stations. */
  readonly path: string;
  /** Name of the source of the pieces. Absent: the name of the file. */
  readonly from?: string | undefined;
  /** Viewing geometry of all points. Absent if the file states it for each point, or if velocities are vertical. */
  readonly view?: ViewGeometry | undefined;
  /** Cell size of the layers [m]. Default: 100 m, and a tenth of the reach for stations. */
  readonly cellM?: number | undefined;
  /** Radius in which a station stands for the ground [km]; 5 for stations by default, none for other points. */
  readonly reachKm?: number | undefined;
}

export interface PointDisplacementDeps extends LayerDeps {
  readonly displacementPoints: DisplacementPointReader;
}

/** Result of a derivation from points. */
export interface DerivedPoints {
  readonly added: readonly AddedLayer[];
  readonly points: number;
  readonly cells: number;
  /** Number of points omitted because their series could not be fitted. */
  readonly leftOut: number;
  /** Radius in which the points stand for the ground [km]; undefined where each stands for its cell alone. */
  readonly reachKm: number | undefined;
}

/** A file, or a window of it, without points. */
export class NoPoints extends InvalidInput {}

/** Maximum number of cells of one raster [1]: 256 MiB of float32. */
const MOST_CELLS = 2 ** 26;
/** Minimum number of dates of a series [1] for fitting a velocity and its error; the same as for stacks. */
const LEAST_DATES = 6;
/** Minimum ratio of an acceleration to its standard error [1] for the acceleration to be significant. */
const SIGNIFICANT = 1.96;
/** Standard error assumed for points without one [mm/yr]. */
const USUAL_ERROR = 1.5;

/** Default cell size for points [m], as in the vertical product of EGMS. */
const CELL_M = 100;
/** Range of the radius of a station that may be requested [km]. */
const REACHES_KM = [0.1, 100] as const;

/**
 * Derives velocity, its error, acceleration and gradient from measured points, and installs them as layers. A
 * cell contains the mean of its points, weighted by their inverse squared errors. A cell without points is nodata.
 * Stations far apart, such as GNSS stations, are points of influence: see `networkRasters`.
 * @throws InvalidInput when the points cannot be used
 */
export async function derivePointDisplacement(
  deps: PointDisplacementDeps,
  request: PointDisplacementRequest,
): Promise<DerivedPoints> {
  const { path, cellM = CELL_M, view, version, licence, replace, environment } = request;
  if (!(cellM > 0)) throw new InvalidInput(`cell ${cellM}: expected metres above 0`, { param: 'cell' });
  const name = fileName(path);
  const { lat, lng, column, unit, within } = request;
  const found = await deps.displacementPoints.readPoints(path, { lat, lng, column, unit, within });
  const { crs, points: given, records } = found;
  const fitted = records.flatMap((record) => fittedPoint(record) ?? []);
  const points = [...given, ...fitted];
  if (points.length === 0) throw new NoPoints(`${name} has no point with a velocity`);
  const reachKm = reachOf(request, found, points);
  const lastMs = records.reduce(
    (last, { timesMs }) => Math.max(last, timesMs.at(-1) ?? -Infinity),
    -Infinity,
  );
  const date =
    request.date ?? (Number.isFinite(lastMs) ? new Date(lastMs).toISOString().slice(0, 10) : undefined);
  const leftOut = records.length - fitted.length;
  if (reachKm !== undefined) {
    const source = request.source ?? `${points.length} stations of ${name}, within ${reachKm} km`;
    const shared = { version, licence, environment, date, source, from: name, resolutionM: 1000 * reachKm };
    const step = (request.cellM ?? (1000 * reachKm) / 10) / METRES_PER_EQUATOR_DEGREE;
    const stations = points.map((point) => ({ ...point, lat: point.y, lng: point.x }));
    const { added, cells } = await installNetwork(deps, stations, reachKm, step, { ...shared, replace });
    return { added, points: points.length, cells, leftOut, reachKm };
  }
  const grid = gridOf(crs, points, cellM);
  const { velocity, error, acceleration, cells } = cellMeans(points, grid, view);
  const known = error.map((e, i) => (Number.isNaN(e) && Number.isFinite(velocity[i]!) ? USUAL_ERROR : e));
  const gradient = velocityGradient({ velocity, ownError: known, ...grid, ...cellSizes(grid) });
  const isSlant = view !== undefined || points.some(({ sightUp }) => sightUp !== undefined);
  const sight = isSlant ? 'one track, all movement taken as vertical' : 'taken as vertical';
  const shared = {
    version,
    licence,
    replace,
    environment,
    date,
    source: request.source ?? `${points.length} points of ${name}, ${sight}`,
    from: request.from ?? name,
    resolutionM: cellM,
  };
  const added: AddedLayer[] = [];
  for (const [layer, samples] of [
    ['displacement-velocity', velocity],
    ['velocity-error', error],
    ['velocity-gradient', gradient],
    ['displacement-acceleration', acceleration],
  ] as const) {
    if (samples.every(Number.isNaN)) continue;
    added.push(await addMadeLayer(deps, { ...shared, layer, raster: { grid, samples } }));
  }
  return { added, points: points.length, cells, leftOut, reachKm: undefined };
}

/**
 * Returns the radius in which the points stand for the ground [km]; undefined for points of radar.
 * @throws InvalidInput when the request and the points do not agree
 */
function reachOf(
  { reachKm, view }: PointDisplacementRequest,
  { crs, areStations }: DisplacementPoints,
  points: readonly DisplacementPoint[],
): number | undefined {
  const [least, most] = REACHES_KM;
  if (reachKm !== undefined && !(reachKm >= least && reachKm <= most))
    throw new InvalidInput(`reach ${reachKm}: expected ${least} to ${most} km`, { param: 'reach' });
  const isNetwork = reachKm !== undefined || areStations === true || areFarApart(crs, points);
  if (!isNetwork) return undefined;
  if (crs !== 'EPSG:4326')
    throw new InvalidInput('reach: expected stations with latitude and longitude, got points of EGMS', {
      param: 'reach',
    });
  if (areStations === true && view !== undefined)
    throw new InvalidInput('track: GNSS stations measure the vertical; expected no incidence and heading', {
      param: 'track',
    });
  return reachKm ?? STATION_REACH_KM;
}

/** Fits velocity and acceleration to a series; null when it has too few dates. */
function fittedPoint({ x, y, timesMs, displacementsMm }: DisplacementRecord): DisplacementPoint | null {
  if (timesMs.length < LEAST_DATES) return null;
  const { velocity, acceleration } = fitDisplacement({ timesMs, displacementsMm });
  // An acceleration that is not significant counts as 0, as it does for stacks.
  const bend =
    acceleration !== null && Math.abs(acceleration.value) >= SIGNIFICANT * acceleration.error
      ? acceleration.value
      : 0;
  return {
    x,
    y,
    velocity: velocity.value,
    error: velocity.error,
    acceleration: acceleration === null ? Number.NaN : bend,
  };
}

/** Smallest grid that contains all points, with the north-western point in the centre of a cell. */
function gridOf(crs: 'EPSG:4326' | 'EPSG:3035', points: readonly DisplacementPoint[], cellM: number): Grid {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of points) {
    [west, east] = [Math.min(west, x), Math.max(east, x)];
    [south, north] = [Math.min(south, y), Math.max(north, y)];
  }
  const isGeographic = crs === 'EPSG:4326';
  const dy = isGeographic ? cellM / METRES_PER_EQUATOR_DEGREE : cellM;
  const narrow = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const dx = isGeographic ? dy / Math.max(narrow, 1e-3) : dy;
  const [left, top] = [west - dx / 2, north + dy / 2];
  const width = Math.floor((east - left) / dx) + 1;
  const height = Math.floor((top - south) / dy) + 1;
  if (!(width * height <= MOST_CELLS)) {
    throw new InvalidInput(
      `the points span ${width} x ${height} cells of ${cellM} m, more than ${MOST_CELLS}: give a larger --cell, or cut the file`,
      { param: 'cell' },
    );
  }
  return { width, height, crs, proj4: projectionDefinition(crs), transform: [left, dx, 0, top, 0, -dy] };
}

function cellMeans(points: readonly DisplacementPoint[], grid: Grid, view: ViewGeometry | undefined) {
  const size = grid.width * grid.height;
  const shared = view === undefined ? undefined : sightVector(view)[2];
  const [left, dx, , top, , dy] = grid.transform;
  const weights = new Float64Array(size);
  const sums = {
    velocity: new Float64Array(size),
    error: new Float64Array(size),
    acceleration: new Float64Array(size),
  };
  for (const { x, y, velocity, error, acceleration, sightUp = 1 } of points) {
    const up = 1 / (shared ?? sightUp);
    const cell = Math.floor((y - top) / dy) * grid.width + Math.floor((x - left) / dx);
    const weight = 1 / (Number.isNaN(error) ? USUAL_ERROR : Math.max(error, 0.01)) ** 2;
    weights[cell]! += weight;
    sums.velocity[cell]! += weight * up * velocity;
    // Errors of neighbouring points are correlated, so the error of the mean is the mean of the errors.
    sums.error[cell]! += weight * up * error;
    sums.acceleration[cell]! += weight * up * acceleration;
  }
  const mean = (sum: Float64Array): Float32Array =>
    Float32Array.from(sum, (total, i) => (weights[i]! > 0 ? total / weights[i]! : Number.NaN));
  return {
    velocity: mean(sums.velocity),
    error: mean(sums.error),
    acceleration: mean(sums.acceleration),
    cells: weights.reduce((count, weight) => count + (weight > 0 ? 1 : 0), 0),
  };
}
