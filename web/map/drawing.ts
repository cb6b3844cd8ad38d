import type { AreaGeometry, Bounds } from './bounds.ts';

type Corner = readonly [lng: number, lat: number];

/** Minimum number of corners of a polygon. */
export const MIN_CORNERS = 3;
/** Number of decimals of a drawn position [degrees]; the last one is about a tenth of a metre. */
const DECIMALS = 6;

/** Creates a polygon from corners in the order of drawing; undefined while there are too few corners. */
export function outlineOf(corners: readonly Corner[]): AreaGeometry | undefined {
  if (corners.length < MIN_CORNERS) return undefined;
  const ring = corners.map(onEarth);
  // RFC 7946 section 3.1.6: the outer ring runs counter-clockwise.
  if (turning(corners) < 0) ring.reverse();
  return { type: 'Polygon', coordinates: [[...ring, ring[0]!]] };
}

/**
 * Converts the view to a rectangle. If the view is wider than the globe, the rectangle goes once around the globe. It
 * has the latitudes of the view, so it cannot extend beyond the northern and southern edges of the Mercator map.
 */
export function viewOutline(west: number, south: number, east: number, north: number): AreaGeometry {
  if (east - west >= 360) [west, east] = [-180, 180];
  return {
    type: 'Polygon',
    coordinates: [
      [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ].map(([lng, lat]) => (east - west >= 360 ? [lng!, rounded(lat!)] : onEarth([lng!, lat!]))),
    ],
  };
}

/** Converts the view to a box for the API: west is greater than east if the box crosses the antimeridian. */
export function viewBounds(west: number, south: number, east: number, north: number): Bounds {
  const box =
    east - west >= 360 ? ([-180, 180] as const) : ([onEarth([west, 0])[0], onEarth([east, 0])[0]] as const);
  return [box[0], Math.max(south, -90), box[1], Math.min(north, 90)];
}

/** Wraps a position to a longitude from -180 to 180, because the map continues beyond the antimeridian. */
function onEarth([lng, lat]: Corner): [number, number] {
  const wrapped = lng >= -180 && lng <= 180 ? lng : ((((lng + 180) % 360) + 360) % 360) - 180;
  return [rounded(wrapped), rounded(lat)];
}

function rounded(degrees: number): number {
  return Number(degrees.toFixed(DECIMALS));
}

/** Returns twice the signed area of the polygon on the map; positive when its corners run counter-clockwise. */
function turning(corners: readonly Corner[]): number {
  let sum = 0;
  for (const [i, a] of corners.entries()) {
    const b = corners[(i + 1) % corners.length]!;
    sum += a[0] * b[1] - b[0] * a[1];
  }
  return sum;
}
