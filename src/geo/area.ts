import geographiclib from 'geographiclib-geodesic';
import { type AreaGeometry, polygonsOf, type Ring } from './polygon.ts';

/** Maximum step of longitude between vertices that are added to an edge of 180 degrees or more [degrees]. */
const WIDE_EDGE_STEP = 1;

/** Area of the WGS84 ellipsoid [m2] (Karney 2013, equation 59, for a = 6378137 m, f = 1/298.257223563). */
const ELLIPSOID_AREA_M2 = 510065621724088.44;

/**
 * Approximate area of a ring [m2], computed on the sphere that has the area of the ellipsoid; positive if
 * counter-clockwise. The error is always smaller than the ellipsoid's area.
 */
function roughAreaM2(ring: Ring): number {
  let sum = 0;
  for (let i = 1; i < ring.length; i++) {
    const [a, b] = [ring[i - 1]!, ring[i]!];
    const sines = Math.sin((a[1] * Math.PI) / 180) + Math.sin((b[1] * Math.PI) / 180);
    sum -= ((b[0] - a[0]) / 360) * (sines / 4) * ELLIPSOID_AREA_M2;
  }
  return sum;
}

/**
 * Area enclosed by one ring [m2]. The ring may have either winding order, and must be cut at the antimeridian. Edges
 * are geodesics, as in PROJ and QGIS. Only edges of 180 degrees of longitude or more follow the straight line in
 * degrees, because a geodesic would cross the pole.
 */
function ringAreaM2(ring: Ring): number {
  const [first, last] = [ring[0]!, ring.at(-1)!];
  if (first[0] !== last[0] || first[1] !== last[1])
    throw new RangeError('expected a ring that ends where it begins; validateArea checks it');
  const polygon = geographiclib.Geodesic.WGS84.Polygon(false);
  for (let i = 1; i < ring.length; i++) {
    const [a, b] = [ring[i - 1]!, ring[i]!];
    polygon.AddPoint(a[1], a[0]);
    const width = Math.abs(b[0] - a[0]);
    if (width < 180 || Math.abs(a[1]) === 90) continue;
    const steps = Math.ceil(width / WIDE_EDGE_STEP);
    for (let k = 1; k < steps; k++) {
      polygon.AddPoint(a[1] + ((b[1] - a[1]) * k) / steps, a[0] + ((b[0] - a[0]) * k) / steps);
    }
  }
  const { area = Number.NaN } = polygon.Compute(false, true);
  // The sum is defined only up to multiples of the ellipsoid's area. This matters for a ring round a pole or round
  // most of the Earth.
  const turns = Math.round((roughAreaM2(ring) - area) / ELLIPSOID_AREA_M2);
  return Math.abs(area + turns * ELLIPSOID_AREA_M2);
}

/**
 * Area on the WGS84 ellipsoid [m2].
 * @param area in normal form, as `validateArea` returns it
 * @see https://doi.org/10.1007/s00190-012-0578-z Karney 2013, section 6
 */
export function geodesicAreaM2(area: AreaGeometry): number {
  let sum = 0;
  for (const rings of polygonsOf(area)) {
    for (const [i, ring] of rings.entries()) sum += i === 0 ? ringAreaM2(ring) : -ringAreaM2(ring);
  }
  return sum;
}
