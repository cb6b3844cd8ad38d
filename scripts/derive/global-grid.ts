import type { Path } from './shapefile.ts';

/** Mean length of a degree of latitude [km]: 2 pi 6371.0088 / 360 (IUGG mean radius). */
const KM_PER_DEGREE = 111.195;

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

/** The latitudes that the layers cover [degrees]: no town and no mapped river lies beyond. */
export const NORTH = 85;
export const SOUTH = -60;

/** Grid of `step` degrees right round the globe whose cell edges lie on the antimeridian and the limits. */
export function cellGrid(step: number): GlobalGrid {
  return {
    width: Math.round(360 / step),
    height: Math.round((NORTH - SOUTH) / step),
    step,
    west: -180 + step / 2,
    north: NORTH - step / 2,
  };
}

/** Grid of `step` degrees right round the globe whose cell centres lie on the antimeridian and the limits. */
export function nodeGrid(step: number): GlobalGrid {
  return {
    width: Math.round(360 / step),
    height: Math.round((NORTH - SOUTH) / step) + 1,
    step,
    west: -180,
    north: NORTH,
  };
}

/** Sets the cells whose centre lies within any of the rings (each ring filled alone, then united). */
export function fillRings(grid: GlobalGrid, rings: readonly Path[]): Uint8Array {
  const mask = new Uint8Array(grid.width * grid.height);
  for (const ring of rings) fillRing(grid, ring.coordinates, mask);
  return mask;
}

function fillRing(grid: GlobalGrid, ring: Float64Array, mask: Uint8Array): void {
  const crossings = new Map<number, number[]>();
  for (let i = 0; i + 3 < ring.length; i += 2) {
    const [x0, y0, x1, y1] = [ring[i]!, ring[i + 1]!, ring[i + 2]!, ring[i + 3]!];
    const first = Math.max(0, Math.ceil((grid.north - Math.max(y0, y1)) / grid.step));
    const last = Math.min(grid.height - 1, Math.floor((grid.north - Math.min(y0, y1)) / grid.step));
    for (let row = first; row <= last; row++) {
      const y = grid.north - row * grid.step;
      if (y0 > y === y1 > y) continue;
      const x = x0 + ((y - y0) / (y1 - y0)) * (x1 - x0);
      const found = crossings.get(row);
      if (found === undefined) crossings.set(row, [x]);
      else found.push(x);
    }
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

/** Distances to the nearest line, and where on the grid that nearest line is. */
export interface DistanceField {
  /** Kilometres; `Infinity` beyond the limit. */
  readonly distanceKm: Float32Array;
  /** Cell that holds the nearest point of the nearest line; -1 beyond the limit. */
  readonly nearestCell: Int32Array;
}

/**
 * Distance from each cell centre to the nearest of the lines, exact to the segment (equirectangular about the cell,
 * good to 0.5 % within the limit). Nearest segments spread from cell to cell by raster sweeps in both directions.
 */
export function distanceToLines(grid: GlobalGrid, lines: readonly Path[], limitKm: number): DistanceField {
  const { width, height, step } = grid;
  const segments = lines.flatMap((line) => {
    const out: number[] = [];
    const c = line.coordinates;
    for (let i = 0; i + 3 < c.length; i += 2) {
      // The seam that closes land at the antimeridian and the bottom edge of Antarctica are no shore.
      const onSeam = Math.abs(c[i]!) > 179.999 && Math.abs(c[i + 2]!) > 179.999;
      const onPole = c[i + 1]! < -89 || c[i + 3]! < -89;
      if (!onSeam && !onPole) out.push(c[i]!, c[i + 1]!, c[i + 2]!, c[i + 3]!);
    }
    return out;
  });
  const ends = Float64Array.from(segments);
  const distance = new Float32Array(width * height).fill(Infinity);
  const segment = new Int32Array(width * height).fill(-1);
  let fraction = 0;

  const measure = (row: number, col: number, s: number): number => {
    const lat = grid.north - row * step;
    const lng = grid.west + col * step;
    const kx = Math.cos((lat * Math.PI) / 180) * KM_PER_DEGREE;
    let ax = ends[4 * s]! - lng;
    let bx = ends[4 * s + 2]! - lng;
    if (ax > 180) ax -= 360;
    else if (ax < -180) ax += 360;
    if (bx > 180) bx -= 360;
    else if (bx < -180) bx += 360;
    ax *= kx;
    bx *= kx;
    const ay = (ends[4 * s + 1]! - lat) * KM_PER_DEGREE;
    const by = (ends[4 * s + 3]! - lat) * KM_PER_DEGREE;
    const dx = bx - ax;
    const dy = by - ay;
    const length2 = dx * dx + dy * dy;
    fraction = length2 > 0 ? Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length2)) : 0;
    return Math.hypot(ax + fraction * dx, ay + fraction * dy);
  };
  const offer = (row: number, col: number, s: number): void => {
    if (row < 0 || row >= height) return;
    const wrapped = (col + width) % width;
    const i = row * width + wrapped;
    if (segment[i] === s) return;
    const d = measure(row, wrapped, s);
    if (d < distance[i]! && d <= limitKm) {
      distance[i] = d;
      segment[i] = s;
    }
  };
  for (let s = 0; 4 * s < ends.length; s++) {
    const [x0, y0, x1, y1] = [ends[4 * s]!, ends[4 * s + 1]!, ends[4 * s + 2]!, ends[4 * s + 3]!];
    const steps = Math.max(1, Math.ceil((2 * Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0))) / step));
    for (let k = 0; k <= steps; k++) {
      const col = Math.round((x0 + ((x1 - x0) * k) / steps - grid.west) / step);
      const row = Math.round((grid.north - (y0 + ((y1 - y0) * k) / steps)) / step);
      for (let dr = -1; dr <= 1; dr++) for (let dc = -1; dc <= 1; dc++) offer(row + dr, col + dc, s);
    }
  }
  const receive = (row: number, col: number, fromRow: number, fromCol: number): void => {
    if (fromRow < 0 || fromRow >= height) return;
    const s = segment[fromRow * width + ((fromCol + width) % width)]!;
    if (s >= 0) offer(row, col, s);
  };
  for (let pass = 0; pass < 2; pass++) {
    for (let row = 0; row < height; row++) {
      for (let col = 0; col < width; col++) {
        receive(row, col, row, col - 1);
        for (let dc = -1; dc <= 1; dc++) receive(row, col, row - 1, col + dc);
      }
      for (let col = width - 1; col >= 0; col--) receive(row, col, row, col + 1);
    }
    for (let row = height - 1; row >= 0; row--) {
      for (let col = width - 1; col >= 0; col--) {
        receive(row, col, row, col + 1);
        for (let dc = -1; dc <= 1; dc++) receive(row, col, row + 1, col + dc);
      }
      for (let col = 0; col < width; col++) receive(row, col, row, col - 1);
    }
  }
  const nearestCell = new Int32Array(width * height).fill(-1);
  for (let i = 0; i < nearestCell.length; i++) {
    const s = segment[i]!;
    if (s < 0) continue;
    measure(Math.floor(i / width), i % width, s);
    const lng = ends[4 * s]! + fraction * (ends[4 * s + 2]! - ends[4 * s]!);
    const lat = ends[4 * s + 1]! + fraction * (ends[4 * s + 3]! - ends[4 * s + 1]!);
    const row = Math.min(height - 1, Math.max(0, Math.round((grid.north - lat) / step)));
    nearestCell[i] = row * width + ((Math.round((lng - grid.west) / step) + width) % width);
  }
  return { distanceKm: distance, nearestCell };
}
