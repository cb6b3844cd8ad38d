import { type AreaGeometry, polygonsOf } from './polygon.ts';
import { wrapLongitude } from './position.ts';

/**
 * `[west, south, east, north]` in degrees: west in [-180, 180), east in [west, west + 360].
 * East passes 180 when the box crosses the antimeridian.
 */
export type Bbox = readonly [west: number, south: number, east: number, north: number];

/** The shortest arc of longitude that covers all given arcs (each with `from` <= `to`, within [-180, 180]). */
export function coverArcs(
  arcs: readonly (readonly [from: number, to: number])[],
): [west: number, east: number] {
  const sorted = [...arcs].sort((a, b) => a[0] - b[0]);
  const first = sorted[0];
  if (first === undefined) throw new RangeError('a bounding box needs at least one position');
  let reached = first[1];
  let widest = -1;
  let [west, east] = [first[0], reached];
  for (const [from, to] of sorted) {
    if (from - reached > widest && from > reached) {
      widest = from - reached;
      [west, east] = [from, reached + 360];
    }
    reached = Math.max(reached, to);
  }
  if (first[0] + 360 - reached >= widest) [west, east] = [first[0], reached];
  return west >= 180 ? [west - 360, east - 360] : [west, east];
}

/** The smallest box around an area. If the area encloses a pole, its box spans all longitudes and reaches the pole. */
export function bboxOf(area: AreaGeometry): Bbox {
  const arcs: [number, number][] = [];
  let south = Infinity;
  let north = -Infinity;
  for (const [shell = []] of polygonsOf(area)) {
    let from = Infinity;
    let to = -Infinity;
    for (const [lng, lat] of shell) {
      from = Math.min(from, lng);
      to = Math.max(to, lng);
      south = Math.min(south, lat);
      north = Math.max(north, lat);
    }
    arcs.push([from, to]);
  }
  const [west, east] = coverArcs(arcs);
  return [west, south, east, north];
}

/** The smallest box around a list of at least one point. */
export function bboxOfPoints(points: readonly { readonly lng: number; readonly lat: number }[]): Bbox {
  const lats = points.map(({ lat }) => lat);
  const [west, east] = coverArcs(points.map(({ lng }) => [lng, lng]));
  return [west, lats.reduce((a, b) => Math.min(a, b)), east, lats.reduce((a, b) => Math.max(a, b))];
}

/**
 * Splits a box at the antimeridian into one or two boxes with longitudes in [-180, 180], for planar indexes.
 */
export function splitBbox([west, south, east, north]: Bbox): Bbox[] {
  if (east <= 180) return [[west, south, east, north]];
  return [
    [west, south, 180, north],
    [-180, south, east - 360, north],
  ];
}

/** The smallest box around two boxes. */
export function uniteBboxes(a: Bbox, b: Bbox): Bbox {
  const arcs = [...splitBbox(a), ...splitBbox(b)].map(([west, , east]) => [west, east] as const);
  const [west, east] = coverArcs(arcs);
  return [west, Math.min(a[1], b[1]), east, Math.max(a[3], b[3])];
}

/** Whether two boxes share a point. A shared edge, corner or pole is enough. */
export function bboxesOverlap(a: Bbox, b: Bbox): boolean {
  if (a[1] > b[3] || b[1] > a[3]) return false;
  if ((a[3] === 90 && b[3] === 90) || (a[1] === -90 && b[1] === -90)) return true;
  for (const shift of [-360, 0, 360]) if (a[0] <= b[2] + shift && b[0] + shift <= a[2]) return true;
  return false;
}

/** Converts a box to the form of RFC 7946, section 5.2: east is less than west if it crosses the antimeridian. */
export function toGeoJsonBbox([west, south, east, north]: Bbox): [number, number, number, number] {
  return [west, south, east > 180 ? east - 360 : east, north];
}

/**
 * Converts a box from the form of RFC 7946, section 5.2.
 * @throws RangeError when a number is not finite or out of range, or south is above north
 */
export function fromGeoJsonBbox(values: readonly number[]): Bbox {
  const [west, south, east, north] = values;
  if (
    values.length !== 4 ||
    west === undefined ||
    south === undefined ||
    east === undefined ||
    north === undefined
  ) {
    throw new RangeError(`expected four numbers west,south,east,north, got ${values.length}`);
  }
  if (!(Math.abs(west) <= 180) || !(Math.abs(east) <= 180)) {
    throw new RangeError(`expected west and east in [-180, 180], got ${west} and ${east}`);
  }
  if (!(south >= -90) || !(north <= 90) || !(south <= north)) {
    throw new RangeError(`expected -90 <= south <= north <= 90, got ${south} and ${north}`);
  }
  if (west === 180 && east === 180) return [-180, south, -180, north];
  const start = wrapLongitude(west);
  return [start, south, east < start ? east + 360 : east, north];
}
