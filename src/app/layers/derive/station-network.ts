import { type AddedLayer, addMadeLayer, type LayerDeps, type LayerRaster } from '../add-layer.ts';
import type { DisplacementPoint } from './displacement-points-reader.ts';
import { distanceKm, eachCell, influenceAreas, medianSpacingKm, type Place } from './points-of-influence.ts';

/**
 * Radius in which a GNSS station stands for the vertical movement of the ground [km] (our choice: bowls of subsidence
 * over pumped aquifers are several kilometres wide).
 */
export const STATION_REACH_KM = 5;
/** Median distance between points above which they are stations, not points of radar [km] (our choice). */
const FAR_APART_KM = 2;
/** Maximum number of points of a network of stations [1]: files of radar have more. */
const MOST_STATIONS = 20_000;
/** Number of points whose spacing is examined at most [1]: the cost grows with its square. */
const EXAMINED = 500;
/**
 * Standard error of a velocity at the end of the reach of its station, in addition to that of the station: a constant
 * [mm/yr], and a share of the velocity [1] (our choice). Both grow linearly with the distance.
 */
const FAR_ERROR_MM_YR = 1.5;
const FAR_ERROR_SHARE = 0.5;
/** Standard error of a station that states none [mm/yr], and the minimum of a stated one. */
const USUAL_ERROR_MM_YR = 1.5;
const LEAST_ERROR_MM_YR = 0.01;

type Station = DisplacementPoint & Place;

/** Whether points are so far apart that a grid of cells of the points would be nearly empty. */
export function areFarApart(crs: string, points: readonly DisplacementPoint[]): boolean {
  if (crs !== 'EPSG:4326' || points.length < 2 || points.length > MOST_STATIONS) return false;
  // A slice in the order of the file would be one corner of the network, and a sparse sample would look far apart:
  // distances are from a sample of points to all points.
  const every = Math.ceil(points.length / EXAMINED);
  const places = points.map(({ x, y }) => ({ lat: y, lng: x }));
  const sample = places.filter((_, i) => i % every === 0);
  return medianSpacingKm(sample, places) > FAR_APART_KM;
}

/** Values at a place from the stations around it: upward velocity, its error, and acceleration. */
export interface NetworkValue {
  velocity: number;
  error: number;
  acceleration: number;
}

/**
 * Interpolates movement at a place: mean of the stations within reach, weighted by the inverse squares of their errors,
 * which grow with the distance. The error is that of the best station, because errors of neighbours are correlated.
 * @param into receives the values; NaN when no station is within reach
 */
export function movementBetween(
  stations: readonly Station[],
  reachKm: number,
  centre: Place,
  into: NetworkValue,
): void {
  let [weights, velocities, bent, accelerations, least] = [0, 0, 0, 0, Infinity];
  for (const station of stations) {
    const share = distanceKm(station, centre) / reachKm;
    if (share > 1) continue;
    const { velocity, acceleration, error } = station;
    const own = Number.isNaN(error) ? USUAL_ERROR_MM_YR : Math.max(LEAST_ERROR_MM_YR, error);
    const variance = own ** 2 + share ** 2 * (FAR_ERROR_MM_YR ** 2 + (FAR_ERROR_SHARE * velocity) ** 2);
    weights += 1 / variance;
    velocities += velocity / variance;
    least = Math.min(least, variance);
    if (Number.isNaN(acceleration)) continue;
    bent += 1 / variance;
    accelerations += acceleration / variance;
  }
  into.velocity = weights > 0 ? velocities / weights : Number.NaN;
  into.error = weights > 0 ? Math.sqrt(least) : Number.NaN;
  into.acceleration = bent > 0 ? accelerations / bent : Number.NaN;
}

/**
 * Installs velocity, error and acceleration around the stations of a network. There is no gradient, because stations do
 * not show the differences over the length of a building.
 */
export async function installNetwork(
  deps: LayerDeps,
  stations: readonly Station[],
  reachKm: number,
  step: number,
  shared: Omit<LayerRaster, 'layer' | 'raster'>,
): Promise<{ readonly added: readonly AddedLayer[]; readonly cells: number }> {
  const added: AddedLayer[] = [];
  const replaced = new Set<string>();
  const at: NetworkValue = { velocity: Number.NaN, error: Number.NaN, acceleration: Number.NaN };
  let cells = 0;
  for (const area of influenceAreas(stations, reachKm, step)) {
    const { grid } = area;
    const empty = (): Float32Array => new Float32Array(grid.width * grid.height).fill(Number.NaN);
    const [velocity, error, acceleration] = [empty(), empty(), empty()];
    eachCell(area, reachKm, (cell, centre, near) => {
      movementBetween(near, reachKm, centre, at);
      velocity[cell] = at.velocity;
      error[cell] = at.error;
      acceleration[cell] = at.acceleration;
      if (!Number.isNaN(at.velocity)) cells++;
    });
    for (const [layer, samples] of [
      ['displacement-velocity', velocity],
      ['velocity-error', error],
      ['displacement-acceleration', acceleration],
    ] as const) {
      if (samples.every(Number.isNaN)) continue;
      // Only the first area replaces the earlier pieces of the version: the others would replace the first.
      const replace = shared.replace === true && !replaced.has(layer);
      replaced.add(layer);
      added.push(await addMadeLayer(deps, { ...shared, replace, layer, raster: { grid, samples } }));
    }
  }
  return { added, cells };
}
