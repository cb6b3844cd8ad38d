/** A GeoJSON Polygon or MultiPolygon, as the interface gives and takes it. */
export interface AreaGeometry {
  readonly type: 'Polygon' | 'MultiPolygon';
  readonly coordinates: unknown[];
}

/** West, south, east, north [degrees]; east is above 180 where the antimeridian lies within. */
export type Bounds = readonly [west: number, south: number, east: number, north: number];

/**
 * The narrowest box round some geometries; undefined when they have no positions. What lies on both sides of the
 * antimeridian (RFC 7946 section 3.1.9) gets one box across it, not one round the world.
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

/** The arc of longitudes that holds all: the circle less its widest gap. */
function narrowest(lngs: number[]): readonly [number, number] {
  const sorted = lngs.toSorted((a, b) => a - b);
  let [west, widest] = [0, sorted[0]! + 360 - sorted.at(-1)!];
  for (let i = 1; i < sorted.length; i++) {
    const gap = sorted[i]! - sorted[i - 1]!;
    if (gap > widest) [west, widest] = [i, gap];
  }
  return [sorted[west]!, sorted[west]! + 360 - widest];
}

/** Positions at any depth of coordinates. */
function* positionsOf(coordinates: unknown): Generator<readonly [number, number]> {
  if (!Array.isArray(coordinates)) return;
  const items: readonly unknown[] = coordinates;
  if (typeof items[0] === 'number' && typeof items[1] === 'number') yield [items[0], items[1]];
  else for (const item of items) yield* positionsOf(item);
}
