/** A GeoJSON Polygon or MultiPolygon, as in the API. */
export interface AreaGeometry {
  readonly type: 'Polygon' | 'MultiPolygon';
  readonly coordinates: unknown[];
}

/**
 * Bounding box: west, south, east, north [degrees]. For a box across the antimeridian, {@link boundsOf} returns an east
 * above 180; boxes for the API have a west greater than east.
 */
export type Bounds = readonly [west: number, south: number, east: number, north: number];

/**
 * Returns the narrowest bounding box of some geometries; undefined when they have no positions. Geometries on both
 * sides of the antimeridian (RFC 7946 section 3.1.9) get one box across the antimeridian, not a box around the world.
 */
export function boundsOf(geometries: readonly AreaGeometry[]): Bounds | undefined {
  const lngs: number[] = [];
  let [south, north] = [Infinity, -Infinity];
  for (const { coordinates } of geometries)
    for (const [lng, lat] of positionsOf(coordinates)) {
      lngs.push(lng);
      south = Math.min(south, lat);
      north = Math.max(north, lat);
    }
  if (lngs.length === 0) return undefined;
  const [west, east] = narrowest(lngs);
  return [west, south, east, north];
}

/**
 * Returns the west and east end of the shortest arc that contains all longitudes: the whole circle without the widest
 * gap between two longitudes.
 */
function narrowest(lngs: number[]): readonly [number, number] {
  const sorted = lngs.toSorted((a, b) => a - b);
  let [west, widest] = [0, sorted[0]! + 360 - sorted.at(-1)!];
  for (let i = 1; i < sorted.length; i++) {
    const gap = sorted[i]! - sorted[i - 1]!;
    if (gap > widest) [west, widest] = [i, gap];
  }
  return [sorted[west]!, sorted[west]! + 360 - widest];
}

/** Yields all positions in a nested array of coordinates. */
function* positionsOf(coordinates: unknown): Generator<readonly [number, number]> {
  if (!Array.isArray(coordinates)) return;
  const items: readonly unknown[] = coordinates;
  if (typeof items[0] === 'number' && typeof items[1] === 'number') yield [items[0], items[1]];
  else for (const item of items) yield* positionsOf(item);
}
