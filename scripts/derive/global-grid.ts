import type { Path } from './shapefile.ts';

/** A global grid in longitude and latitude; the centre of cell (0, 0) is `(west, north)`. */
export interface GlobalGrid {
  readonly width: number;
  readonly height: number;
  /** Spacing [degrees]. */
  readonly step: number;
  /** Centre of the first column [degrees]. */
  readonly west: number;
  /** Centre of the first row [degrees]. */
  readonly north: number;
}

/** Northern and southern limit of the layers [degrees]; there are no towns and no mapped rivers beyond. */
export const NORTH = 85;
export const SOUTH = -60;

/** Grid of `step` degrees around the globe. Its outer cell edges are on the antimeridian, `NORTH` and `SOUTH`. */
export function cellGrid(step: number): GlobalGrid {
  return {
    width: Math.round(360 / step),
    height: Math.round((NORTH - SOUTH) / step),
    step,
    west: -180 + step / 2,
    north: NORTH - step / 2,
  };
}

/** Grid of `step` degrees around the globe. Its outer cell centres are on the antimeridian, `NORTH` and `SOUTH`. */
export function nodeGrid(step: number): GlobalGrid {
  return {
    width: Math.round(360 / step),
    height: Math.round((NORTH - SOUTH) / step) + 1,
    step,
    west: -180,
    north: NORTH,
  };
}

/** Mask of the cells whose centre is inside at least one ring; a ring inside another makes no hole. */
export function fillRings(grid: GlobalGrid, rings: readonly Path[]): Uint8Array {
  const mask = new Uint8Array(grid.width * grid.height);
  for (const ring of rings) fillRing(grid, ring.coordinates, mask);
  return mask;
}

/**
 * Adds the longitude at which one side of a ring crosses each row centre, by row.
 * The ends of the side are longitudes and latitudes [degrees].
 */
export function addCrossings(
  { north, step, height }: GlobalGrid,
  [x0, y0]: readonly [number, number],
  [x1, y1]: readonly [number, number],
  crossings: Map<number, number[]>,
): void {
  const first = Math.max(0, Math.ceil((north - Math.max(y0, y1)) / step));
  const last = Math.min(height - 1, Math.floor((north - Math.min(y0, y1)) / step));
  for (let row = first; row <= last; row++) {
    const y = north - row * step;
    if (y0 > y === y1 > y) continue;
    const x = x0 + ((y - y0) / (y1 - y0)) * (x1 - x0);
    const found = crossings.get(row);
    if (found === undefined) crossings.set(row, [x]);
    else found.push(x);
  }
}

function fillRing(grid: GlobalGrid, ring: Float64Array, mask: Uint8Array): void {
  const crossings = new Map<number, number[]>();
  for (let i = 0; i + 3 < ring.length; i += 2) {
    const [x0, y0, x1, y1] = [ring[i]!, ring[i + 1]!, ring[i + 2]!, ring[i + 3]!];
    addCrossings(grid, [x0, y0], [x1, y1], crossings);
  }
  for (const [row, xs] of crossings) {
    xs.sort((a, b) => a - b);
    for (let k = 0; k + 1 < xs.length; k += 2) {
      const from = Math.max(0, Math.ceil((xs[k]! - grid.west) / grid.step));
      const to = Math.min(grid.width - 1, Math.floor((xs[k + 1]! - grid.west) / grid.step));
      mask.fill(1, row * grid.width + from, row * grid.width + Math.max(from, to + 1));
    }
  }
}
