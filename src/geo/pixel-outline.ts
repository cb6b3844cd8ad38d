import { type AreaGeometry, areaGeometryOf, type Ring } from './polygon.ts';
import { normalisePolygons } from './area-validation.ts';
import { type Bbox, bboxOf } from './bbox.ts';
import { geodesicAreaM2 } from './area.ts';
import { type Grid, type GridMap, mapGrid, type PixelPoint } from './grid.ts';
import { type Position, wrapLongitude } from './position.ts';

/**
 * Corners of a ring in pixels: `x0, y0, x1, y1, ...`, where x is the column and y the row. The first corner is not
 * repeated at the end.
 */
export type PixelRing = Int32Array;

/** A shell and its holes. */
export type PixelPolygon = readonly PixelRing[];

/** Factor for rounding coordinates to 7 decimals: 1e-7 degrees is about 1 cm. */
const DECIMALS = 1e7;
/**
 * Maximum distance between an edge that is straight in degrees and the same edge straight on the grid [pixels]. If the
 * distance is larger, a vertex is added.
 */
const MAX_STRAY = 0.1;
/**
 * An edge of at most this length is not divided further [pixels]. Needed near a pole, where no straight line in degrees
 * fits the edge.
 */
const SHORTEST = 1 / 64;
/** An edge that is within this distance of a pole counts as passing through the pole [pixels]. */
const AT_POLE = 1e-6;
/**
 * Distance by which a corner on a pole is moved along both axes [pixels]: too small to see, but far larger than
 * rounding errors.
 */
const OFF_POLE = 1 / 16;
/**
 * Maximum width of an edge [degrees of longitude]: well below 180, above which the edge would count as crossing the
 * antimeridian.
 */
const WIDEST = 90;

function roundDegrees(value: number): number {
  return Math.round(value * DECIMALS) / DECIMALS + 0;
}

/**
 * Limits a latitude to [-90, 90]: global grids whose outer pixels are centred on a pole extend half a pixel beyond the
 * pole.
 */
function clampLatitude(lat: number): number {
  return Math.max(-90, Math.min(90, lat));
}

/** Shifts the longitude `to` by full turns so that it is within 180 degrees of `from`. */
function nearest(from: number, to: number): number {
  return to - 360 * Math.round((to - from) / 360);
}

/**
 * Converts the line on the grid from a to b to positions and appends them to `out`, without b. Adds vertices where the
 * line is curved in degrees.
 */
function traceEdge(
  map: GridMap,
  ax: number,
  ay: number,
  bx: number,
  by: number,
  out: [number, number][],
): void {
  const a = map.toLngLat(ax, ay);
  const b = map.toLngLat(bx, by);
  if (!Number.isFinite(a[0] + b[0] + a[1] + b[1])) {
    throw new RangeError(`the grid's reference system is not defined at pixel corner ${ax}, ${ay}`);
  }
  const [mx, my] = [(ax + bx) / 2, (ay + by) / 2];
  const { isGeographic } = map.projection;
  const bLng = isGeographic ? b[0] : nearest(a[0], b[0]);
  let isStraight = Math.abs(bLng - a[0]) <= WIDEST;
  if (isStraight && !isGeographic) {
    const [x, y] = map.toPixel(wrapLongitude((a[0] + bLng) / 2), (a[1] + b[1]) / 2);
    isStraight = Math.hypot(x - mx, y - my) <= MAX_STRAY;
  }
  if (isStraight || Math.hypot(bx - ax, by - ay) <= SHORTEST) {
    out.push([roundDegrees(wrapLongitude(a[0])), roundDegrees(clampLatitude(a[1]))]);
    return;
  }
  traceEdge(map, ax, ay, mx, my, out);
  traceEdge(map, mx, my, bx, by, out);
}

/** The poles in pixels, if the projection includes them; empty on geographic grids, where poles are lines. */
function polesOn(map: GridMap): PixelPoint[] {
  if (map.projection.isGeographic) return [];
  return [map.toPixel(0, -90), map.toPixel(0, 90)].filter(([x, y]) => Number.isFinite(x + y));
}

/**
 * Corners of a ring. If a corner or an edge is on a pole, where longitude is undefined, that point is moved off the
 * pole. All such points are moved in the same direction, so that rings that touch still touch. The pole is then inside
 * or outside a ring, but never on it.
 */
function cornersOffPoles(ring: PixelRing, poles: readonly PixelPoint[]): PixelPoint[] {
  const corners: PixelPoint[] = [];
  for (let i = 0; i < ring.length; i += 2) {
    const j = (i + 2) % ring.length;
    const [ax, ay, bx, by] = [ring[i]!, ring[i + 1]!, ring[j]!, ring[j + 1]!];
    const isAt = (x: number, y: number): boolean => Math.hypot(x - ax, y - ay) < AT_POLE;
    const own = poles.find(([x, y]) => isAt(x, y));
    corners.push(own === undefined ? [ax, ay] : [ax + OFF_POLE, ay + OFF_POLE]);
    for (const [x, y] of poles) {
      const length = Math.hypot(bx - ax, by - ay);
      const along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length;
      const aside = Math.abs((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / length;
      if (aside < AT_POLE && along > AT_POLE && along < length - AT_POLE) {
        corners.push([x + OFF_POLE, y + OFF_POLE]);
      }
    }
  }
  return corners;
}

function mapRing(map: GridMap, ring: PixelRing, poles: readonly PixelPoint[]): Ring {
  const out: Ring = [];
  const corners = cornersOffPoles(ring, poles);
  for (const [i, [ax, ay]] of corners.entries()) {
    const [bx, by] = corners[(i + 1) % corners.length]!;
    traceEdge(map, ax, ay, bx, by, out);
  }
  out.push([out[0]![0], out[0]![1]]);
  return out;
}

/**
 * Converts polygons traced on a grid to a valid area on WGS84, cut at the antimeridian, closed along an enclosed
 * pole, and rounded to 7 decimals. Vertices are added only where a straight grid line curves by more than a tenth
 * of a pixel.
 * @throws RangeError when the reference system is not defined at a corner, or the pixels are too small for 7 decimals
 */
export function outlineArea(polygons: readonly PixelPolygon[], grid: Grid): AreaGeometry {
  const map = mapGrid(grid);
  const poles = polesOn(map);
  const rings = normalisePolygons(
    polygons.map((polygon) => polygon.map((ring) => mapRing(map, ring, poles))),
    (p, r) => `polygon ${p}, ring ${r}`,
  );
  if ('path' in rings) throw new RangeError(`pixels have no valid outline: ${rings.path}: ${rings.message}`);
  return areaGeometryOf(rings);
}

/** Whether a grid spans all longitudes, so that its first and last columns are neighbours. */
function isGlobal({ grid, projection }: GridMap): boolean {
  const [, a, b, , d, e] = grid.transform;
  return projection.isGeographic && b === 0 && d === 0 && e !== 0 && Math.abs(a * grid.width) >= 360 - 1e-9; // degrees
}

/** Outline of the ground that a grid covers. */
export function gridFootprint(grid: Grid): AreaGeometry {
  const { width, height } = grid;
  const map = mapGrid(grid);
  if (isGlobal(map)) {
    const [, first] = map.toLngLat(0, 0);
    const [, last] = map.toLngLat(0, height);
    const [south, north] = [Math.max(-90, Math.min(first, last)), Math.min(90, Math.max(first, last))];
    const ring: Position[] = [
      [-180, south],
      [180, south],
      [180, north],
      [-180, north],
      [-180, south],
    ];
    return { type: 'Polygon', coordinates: [ring.map(([lng, lat]) => [lng, lat])] };
  }
  return outlineArea([[Int32Array.of(0, 0, 0, height, width, height, width, 0)]], grid);
}

/** Bounding box of the ground that a grid covers. */
export function gridBbox(grid: Grid): Bbox {
  return bboxOf(gridFootprint(grid));
}

/** Area of the pixel in the middle of a grid [m2]; the distortion of the projection makes other pixels differ. */
export function pixelAreaM2(grid: Grid): number {
  const map = mapGrid(grid);
  const [col, row] = [Math.floor(grid.width / 2), Math.floor(grid.height / 2)];
  const [lng0] = map.toLngLat(col, row);
  const ring: Ring = [];
  for (const [x, y] of [
    [0, 0],
    [0, 1],
    [1, 1],
    [1, 0],
    [0, 0],
  ] as const) {
    const [lng, lat] = map.toLngLat(col + x, row + y);
    ring.push([nearest(lng0, lng), clampLatitude(lat)]);
  }
  return geodesicAreaM2({ type: 'Polygon', coordinates: [ring] });
}
