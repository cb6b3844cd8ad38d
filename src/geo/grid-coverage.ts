import geographiclib from 'geographiclib-geodesic';
import { type Bbox, coverArcs } from './bbox.ts';
import { type Grid, mapGrid } from './grid.ts';
import { wrapLongitude } from './position.ts';

/** A degree of longitude at the equator of WGS84 [m]: 6378137 pi / 180. */
export const METRES_PER_DEGREE = 111_319.490_793;

/** Places looked at along each side of a projected grid. */
const LATTICE = 65;
/** What edges may bulge between those places, as a share of the box: at most their curvature over one step, squared. */
const BULGE = 1e-3;
/** Where parts of the grid lie off the globe, its rim may be a step from the nearest place looked at. */
const RIM = 2 / (LATTICE - 1);

/** Boxes of projected grids: many layers lie on one. */
const known = new WeakMap<Grid, Bbox>();

/** Whether rows run along parallels or the map's x axis, and columns across them. */
export function isUpright({ transform: [, a, b, , d, e] }: Grid): boolean {
  // A millionth of a pixel a pixel: what writers' rounding leaves.
  return Math.abs(b) <= 1e-6 * Math.abs(a) && Math.abs(d) <= 1e-6 * Math.abs(e);
}

/**
 * The box that holds all of a grid. Exact for upright geographic grids; a little larger than the grid for projected
 * ones, never smaller.
 * @throws RangeError when no part of the grid is on Earth
 */
export function gridCoverage(grid: Grid): Bbox {
  const { width, height, transform } = grid;
  const map = mapGrid(grid);
  if (map.projection.isGeographic && isUpright(grid)) {
    const [x0, a, , y0, , e] = transform;
    const [south, north] = [Math.min(y0, y0 + height * e), Math.max(y0, y0 + height * e)];
    const span = Math.abs(width * a);
    // Half a pixel: a grid of nodes that goes round may be counted so.
    const isWhole = span + Math.abs(a) / 2 >= 360;
    const west = isWhole ? -180 : wrapLongitude(Math.min(x0, x0 + width * a));
    return [west, Math.max(south, -90), isWhole ? 180 : west + span, Math.min(north, 90)];
  }
  const coverage = known.get(grid) ?? latticeCoverage(grid);
  known.set(grid, coverage);
  return coverage;
}

function latticeCoverage(grid: Grid): Bbox {
  const { width, height } = grid;
  const map = mapGrid(grid);
  const arcs: [number, number][] = [];
  let [south, north] = [Infinity, -Infinity];
  let margin = BULGE;
  for (let i = 0; i < LATTICE * LATTICE; i++) {
    const [col, row] = [(i % LATTICE) / (LATTICE - 1), Math.floor(i / LATTICE) / (LATTICE - 1)];
    const [lng, lat] = map.toLngLat(col * width, row * height);
    if (Number.isNaN(lng) || Number.isNaN(lat)) {
      margin = RIM;
      continue;
    }
    const at = wrapLongitude(lng);
    arcs.push([at, at]);
    south = Math.min(south, lat);
    north = Math.max(north, lat);
  }
  if (arcs.length === 0) throw new RangeError('the grid lies nowhere on Earth');
  const [holdsSouth, holdsNorth] = [-90, 90].map((lat) => map.pixelAt([0, lat]) !== null);
  const [west, east] = holdsSouth || holdsNorth ? [-180, 180] : coverArcs(arcs);
  const [dx, dy] = [(east - west) * margin, (north - south) * margin];
  const box: Bbox = [
    west - dx,
    holdsSouth ? -90 : Math.max(-90, south - dy),
    east + dx,
    holdsNorth ? 90 : Math.min(90, north + dy),
  ];
  if (box[2] - box[0] >= 360) return [-180, box[1], 180, box[3]];
  const start = wrapLongitude(box[0]);
  return [start, box[1], start + box[2] - box[0], box[3]];
}

/**
 * Size on the ground of a grid's pixels [m], the longer side, to three digits: at the grid's middle, except that degrees
 * of latitude count as those of longitude at the equator do.
 */
export function groundResolutionM(grid: Grid): number {
  const map = mapGrid(grid);
  const [, a, , , , e] = grid.transform;
  const [col, row] = [grid.width / 2, grid.height / 2];
  const [lng, lat] = map.toLngLat(col, row);
  if (map.projection.isGeographic && isUpright(grid)) {
    const across = Math.abs(a) * Math.cos((lat * Math.PI) / 180);
    return threeDigits(Math.max(across, Math.abs(e)) * METRES_PER_DEGREE);
  }
  const sizes = [map.toLngLat(col + 1, row), map.toLngLat(col, row + 1)].map(
    ([x, y]) => geographiclib.Geodesic.WGS84.Inverse(lat, lng, y, x).s12 ?? Number.NaN,
  );
  return threeDigits(Math.max(...sizes));
}

function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}
