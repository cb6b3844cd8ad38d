import { type AreaGeometry, boundsOf } from './bounds.ts';

/**
 * Latitude at which the map ends, north and south [degrees]: that of the square of the Web Mercator projection
 * (EPSG:3857), `2 * atan(exp(pi)) - 90`.
 */
const LAST_LATITUDE = 85.051129;

/**
 * Says that what a page is about lies where the map cannot show it, whole or in part; undefined when all can be shown.
 * @param geometries areas, changes and outlines of the page
 */
export function beyondText(geometries: readonly AreaGeometry[]): string | undefined {
  const all = geometries.map((geometry) => boundsOf([geometry])).filter((bounds) => bounds !== undefined);
  const isBeyond = all.some(([, south, , north]) => south < -LAST_LATITUDE || north > LAST_LATITUDE);
  if (!isBeyond) return undefined;
  const isWhole = all.every(([, south, , north]) => north <= -LAST_LATITUDE || south >= LAST_LATITUDE);
  return isWhole
    ? 'This lies beyond 85 degrees of latitude, where the map ends. Lists, charts and scores work without it.'
    : 'A part lies beyond 85 degrees of latitude, where the map ends, and is not drawn.';
}
