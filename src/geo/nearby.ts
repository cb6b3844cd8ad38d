import type { Bbox } from './bbox.ts';
import { EARTH_RADIUS_M } from './earth.ts';
import { type Position, wrapLongitude } from './position.ts';

const RADIANS = Math.PI / 180;

/** Great-circle distance between two places [m]; within 0.6 % of the distance on the ellipsoid. */
export function distanceM([lngA, latA]: Position, [lngB, latB]: Position): number {
  const [up, across] = [Math.sin(((latB - latA) * RADIANS) / 2), Math.sin(((lngB - lngA) * RADIANS) / 2)];
  const chord = up ** 2 + Math.cos(latA * RADIANS) * Math.cos(latB * RADIANS) * across ** 2;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/**
 * Expands a box by a distance. The result contains every place within `radiusM` of the box, and spans all longitudes
 * if it reaches a pole.
 */
export function expandBbox([west, south, east, north]: Bbox, radiusM: number): Bbox {
  // Adds 1 %, because degrees have different lengths on the sphere and on the ellipsoid.
  const high = (1.01 * radiusM) / (EARTH_RADIUS_M * RADIANS);
  const [low, top] = [Math.max(-90, south - high), Math.min(90, north + high)];
  const farthest = Math.max(Math.abs(south), Math.abs(north));
  const reach = Math.sin(high * RADIANS) / Math.cos(farthest * RADIANS);
  if (low === -90 || top === 90 || high >= 90 || reach >= 1) return [-180, low, 180, top];
  const wide = Math.asin(reach) / RADIANS;
  if (east - west + 2 * wide >= 360) return [-180, low, 180, top];
  const start = wrapLongitude(west - wide);
  return [start, low, start + (east - west) + 2 * wide, top];
}
