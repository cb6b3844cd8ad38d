import geographiclib from 'geographiclib-geodesic';
import { type Bbox, coverArcs } from './bbox.ts';
import { METRES_PER_EQUATOR_DEGREE } from './earth.ts';
import { type Grid, mapGrid } from './grid.ts';
import { wrapLongitude } from './position.ts';

/** Number of sample points along each side of a projected grid. */
const LATTICE = 65;
/**
 * Margin for edges that curve between sample points, as a share of the size of the box [1]. The bulge of an edge
 * between two points decreases with the square of the step, here 1/64 of the edge: (1/64)^2 is 2.4e-4.
 */
const BULGE = 1e-3;
/**
 * Margin if parts of the grid lie off the globe, as a share of the size of the box [1]: the rim of the globe may be
 * one step beyond the outermost sample point that is on the globe.
 */
const RIM = 2 / (LATTICE - 1);

/** Cache of the boxes of projected grids: many layers share a grid. */
const known = new WeakMap<Grid, Bbox>();

/** Whether rows run along the x axis of the reference system and columns along its y axis. */
export function isUpright({ transform: [, a, b, , d, e] }: Grid): boolean {
  // The tolerance allows for rounding by the programs that write files: a millionth of a pixel per pixel.
  return Math.abs(b) <= 1e-6 * Math.abs(a) && Math.abs(d) <= 1e-6 * Math.abs(e);
}

/**
 * Bounding box of a grid. Exact for upright geographic grids. For other grids it may be slightly larger than the grid,
 * but never smaller.
 * @throws RangeError when no part of the grid is on Earth
 */
export function gridCoverage(grid: Grid): Bbox {
  const { width, height, transform } = grid;
  const map = mapGrid(grid);
  if (map.projection.isGeographic && isUpright(grid)) {
    const [x0, a, , y0, , e] = transform;
    const [south, north] = [Math.min(y0, y0 + height * e), Math.max(y0, y0 + height * e)];
    const span = Math.abs(width * a);
    // The tolerance is half a pixel: some global grids have pixel centres, not edges, on their limits.
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
 * Length of the longer side of a pixel on the ground [m], at the middle of the grid, to three digits. On a geographic
 * grid, the length of a degree of latitude is taken to be that of a degree of longitude at the equator.
 */
export function groundResolutionM(grid: Grid): number {
  const map = mapGrid(grid);
  const [, a, , , , e] = grid.transform;
  const [col, row] = [grid.width / 2, grid.height / 2];
  const [lng, lat] = map.toLngLat(col, row);
  if (map.projection.isGeographic && isUpright(grid)) {
    const across = Math.abs(a) * Math.cos((lat * Math.PI) / 180);
    return threeDigits(Math.max(across, Math.abs(e)) * METRES_PER_EQUATOR_DEGREE);
  }
  const sizes = [map.toLngLat(col + 1, row), map.toLngLat(col, row + 1)].map(
    ([x, y]) => geographiclib.Geodesic.WGS84.Inverse(lat, lng, y, x).s12 ?? Number.NaN,
  );
  return threeDigits(Math.max(...sizes));
}

function threeDigits(value: number): number {
  return Number(value.toPrecision(3));
}
