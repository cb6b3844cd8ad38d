import type { AreaGeometry } from '../../../web/map/bounds.ts';

/**
 * Returns a point inside an area. It lies on the parallel half-way between the south and north end of the area, in the
 * middle of the widest stretch of this parallel inside the area. Undefined for an empty area.
 */
export function innerPoint(
  geometry: AreaGeometry,
): { readonly lat: number; readonly lng: number } | undefined {
  const { type, coordinates } = geometry;
  const rings = (type === 'Polygon' ? coordinates : coordinates.flat()) as (readonly [number, number])[][];
  let [low, high] = [Infinity, -Infinity];
  for (const ring of rings)
    for (const [, lat] of ring) [low, high] = [Math.min(low, lat), Math.max(high, lat)];
  const lat = (low + high) / 2;
  const crossings: number[] = [];
  for (const ring of rings)
    for (let i = 1; i < ring.length; i++) {
      const [[lng0, lat0], [lng1, lat1]] = [ring[i - 1]!, ring[i]!];
      // A corner exactly on the parallel counts as south of it, so a ring that crosses there is counted once.
      if (lat0 <= lat === lat1 <= lat) continue;
      crossings.push(lng0 + ((lat - lat0) / (lat1 - lat0)) * (lng1 - lng0));
    }
  crossings.sort((a, b) => a - b);
  let widest = 0;
  let lng: number | undefined;
  // Along the parallel, the crossings alternate between entering and leaving the area: every second stretch is inside.
  for (let i = 1; i < crossings.length; i += 2) {
    const width = crossings[i]! - crossings[i - 1]!;
    if (width > widest) [widest, lng] = [width, crossings[i - 1]! + width / 2];
  }
  return lng === undefined ? undefined : { lat, lng };
}
