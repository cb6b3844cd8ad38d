import { KM_PER_DEGREE } from '../../../geo/earth.ts';
import type { Grid } from '../../../geo/grid.ts';
import { wrapLongitude } from '../../../geo/position.ts';

/** A measured place [decimal degrees]. */
export interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** A grid around some of the places of a network, and the places that reach one of its cells. */
export interface InfluenceArea<P extends Place> {
  readonly grid: Grid;
  readonly places: readonly P[];
}

/** Maximum number of cells of one grid: bounds the memory of a derivation, 16 MB for a raster of float32. */
const MOST_CELLS = 4_000_000;
/** Number of cells of all grids together above which cells become coarser [1]: 64 MB of disk for each layer. */
const MANY_CELLS = 16_000_000;
/** Minimum number of cells from a place to the end of its reach [1]: fewer would not show how its weight fades. */
const CELLS_PER_REACH = 3;
/** Width and height of a block of cells that share one list of near places [1]. */
const BLOCK = 32;
/** Maximum reach in longitude each way [degrees]: it applies near the poles. */
const WIDEST_REACH = 45;

/** Cells of a lattice, by their indices: longitude or latitude of a centre = index * step. */
interface Box {
  readonly west: number;
  readonly east: number;
  readonly south: number;
  readonly north: number;
}

/** A place whose longitude is within 360 degrees east of the western end of the network. */
interface Unwrapped<P extends Place> {
  readonly place: P;
  readonly lat: number;
  readonly lng: number;
}

/**
 * Divides the surroundings of a network of places into grids. Each cell within reach of a place is in a grid; cells
 * between sparse places may be in none. Neighbouring grids share a row or column, so that values are interpolated
 * across the seam. Cells have the finest size, or twice, four times, ... this size if the network is so wide that the
 * grids would be large; then at least three cells fit into the reach.
 * @param finest cell size [degrees]; cell centres are at multiples of the cell size
 */
export function influenceAreas<P extends Place>(
  places: readonly P[],
  reachKm: number,
  finest: number,
): readonly InfluenceArea<P>[] {
  const network = unwrapped(places);
  for (let step = finest; ; step *= 2) {
    const areas = divided(boxOf(network, reachKm, step), network, reachKm, step);
    const cells = areas.reduce((sum, { grid }) => sum + grid.width * grid.height, 0);
    if (cells <= MANY_CELLS || 2 * step * KM_PER_DEGREE * CELLS_PER_REACH > reachKm) return areas;
  }
}

/** Unwraps the longitudes at the widest gap between two neighbouring places. */
function unwrapped<P extends Place>(places: readonly P[]): readonly Unwrapped<P>[] {
  const sorted = places.map(({ lng }) => wrapLongitude(lng)).sort((a, b) => a - b);
  let [start, widest] = [sorted[0]!, 360 + sorted[0]! - sorted.at(-1)!];
  for (let i = 1; i < sorted.length; i++) {
    if (sorted[i]! - sorted[i - 1]! <= widest) continue;
    [start, widest] = [sorted[i]!, sorted[i]! - sorted[i - 1]!];
  }
  return places.map((place) => {
    const lng = wrapLongitude(place.lng);
    return { place, lat: place.lat, lng: lng < start ? lng + 360 : lng };
  });
}

/** Reach of a place in longitude [degrees]. */
function reachLng(lat: number, reachKm: number): number {
  const farthest = Math.min(89, Math.abs(lat) + reachKm / KM_PER_DEGREE);
  return Math.min(WIDEST_REACH, reachKm / (KM_PER_DEGREE * Math.cos((farthest * Math.PI) / 180)));
}

/** Smallest box of cells that contains all cells within reach of a place. */
function boxOf(places: readonly Unwrapped<Place>[], reachKm: number, step: number): Box {
  let [west, east, south, north] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { lat, lng } of places) {
    const [high, wide] = [reachKm / KM_PER_DEGREE, reachLng(lat, reachKm)];
    [west, east] = [Math.min(west, lng - wide), Math.max(east, lng + wide)];
    [south, north] = [Math.min(south, lat - high), Math.max(north, lat + high)];
  }
  const first = Math.floor(west / step);
  return {
    west: first,
    east: Math.min(first + Math.round(360 / step) - 1, Math.ceil(east / step)),
    south: Math.max(Math.ceil(-90 / step), Math.floor(south / step)),
    north: Math.min(Math.floor(90 / step), Math.ceil(north / step)),
  };
}

const widthOf = ({ west, east }: Box): number => east - west + 1;
const heightOf = ({ south, north }: Box): number => north - south + 1;

/** Halves a box until each part has few enough cells. Parts that no place reaches are left out. */
function divided<P extends Place>(
  box: Box,
  places: readonly Unwrapped<P>[],
  reachKm: number,
  step: number,
): InfluenceArea<P>[] {
  if (widthOf(box) * heightOf(box) <= MOST_CELLS)
    return [{ grid: gridOf(box, step), places: places.map(({ place }) => place) }];
  const isWide = widthOf(box) >= heightOf(box);
  const middle = Math.floor(isWide ? (box.west + box.east) / 2 : (box.south + box.north) / 2);
  const halves: Box[] = isWide
    ? [
        { ...box, east: middle },
        { ...box, west: middle },
      ]
    : [
        { ...box, north: middle },
        { ...box, south: middle },
      ];
  return halves.flatMap((half) => {
    const near = places.filter((place) => isReached(half, place, reachKm, step));
    if (near.length === 0) return [];
    const reached = boxOf(near, reachKm, step);
    const shrunk = {
      west: Math.max(half.west, reached.west),
      east: Math.min(half.east, reached.east),
      south: Math.max(half.south, reached.south),
      north: Math.min(half.north, reached.north),
    };
    return divided(shrunk, near, reachKm, step);
  });
}

function isReached({ west, east, south, north }: Box, { lat, lng }: Place, reachKm: number, step: number) {
  const [high, wide] = [reachKm / KM_PER_DEGREE, reachLng(lat, reachKm)];
  return (
    lat + high >= south * step &&
    lat - high <= north * step &&
    lng + wide >= west * step &&
    lng - wide <= east * step
  );
}

function gridOf(box: Box, step: number): Grid {
  return {
    width: widthOf(box),
    height: heightOf(box),
    crs: 'EPSG:4326',
    proj4: '+proj=longlat +datum=WGS84 +no_defs',
    transform: [(box.west - 0.5) * step, step, 0, (box.north + 0.5) * step, 0, -step],
  };
}

/** Distance between two places [km], on a sphere with longitudes shortened as between the two. */
export function distanceKm(a: Place, b: Place): number {
  const across = wrapLongitude(a.lng - b.lng) * Math.cos((((a.lat + b.lat) / 2) * Math.PI) / 180);
  return KM_PER_DEGREE * Math.hypot(across, a.lat - b.lat);
}

/**
 * Visits all cells of an area that may be within reach of a place.
 * @param visit receives the index of the cell, its centre, and all places within reach of it, with a few that are
 * farther off
 */
export function eachCell<P extends Place>(
  { grid, places }: InfluenceArea<P>,
  reachKm: number,
  visit: (cell: number, centre: Place, near: readonly P[]) => void,
): void {
  const { width, height, transform } = grid;
  const step = transform[1];
  for (let top = 0; top < height; top += BLOCK) {
    const bottom = Math.min(height, top + BLOCK);
    const south = transform[3] - bottom * step;
    const high = (bottom - top) * step;
    const margin = reachKm / KM_PER_DEGREE;
    const row = places.filter(({ lat }) => lat >= south - margin && lat <= south + high + margin);
    for (let left = 0; left < width && row.length > 0; left += BLOCK) {
      const right = Math.min(width, left + BLOCK);
      const middle = transform[0] + ((left + right) / 2) * step;
      const half = ((right - left) / 2) * step;
      const near = row.filter(
        ({ lat, lng }) => Math.abs(wrapLongitude(lng - middle)) <= half + reachLng(lat, reachKm),
      );
      if (near.length === 0) continue;
      for (let y = top; y < bottom; y++)
        for (let x = left; x < right; x++) {
          const lat = transform[3] - (y + 0.5) * step;
          visit(y * width + x, { lat, lng: wrapLongitude(transform[0] + (x + 0.5) * step) }, near);
        }
    }
  }
}

/**
 * Median distance from a place to its nearest neighbour [km]; infinite for a single place. Places at the same position
 * do not count as neighbours.
 * @param others the possible neighbours
 */
export function medianSpacingKm(places: readonly Place[], others: readonly Place[] = places): number {
  const ways = places.map((place) =>
    others.reduce((least, other) => {
      const km = distanceKm(place, other);
      return km > 0 && km < least ? km : least;
    }, Infinity),
  );
  return ways.sort((a, b) => a - b)[ways.length >> 1]!;
}
