import { KM_PER_DEGREE } from './earth.ts';

/** A grid in longitude and latitude; the centre of cell (0, 0) is `(west, north)`. */
export interface CentreGrid {
  readonly width: number;
  readonly height: number;
  /** Spacing [degrees]. */
  readonly step: number;
  /** Centre of the first column [degrees]. */
  readonly west: number;
  /** Centre of the first row [degrees]. */
  readonly north: number;
}

/** For each grid cell, the distance to the nearest line and the nearest point on this line. */
export interface DistanceField {
  /** Distance [km]; `Infinity` beyond the limit. */
  readonly distanceKm: Float32Array;
  /** Grid cell of the nearest point of the nearest line; -1 beyond the limit. */
  readonly nearestCell: Int32Array;
}

/**
 * Distance from each cell centre to the nearest segment, in an equirectangular projection about the cell (accurate to
 * 0.5 % within the limit). The grid is swept in both directions. In each sweep, a cell takes over the nearest segment of
 * a neighbour if it is nearer than its own. A grid of 360 degrees wraps around in longitude.
 * @param segments four numbers each: x0, y0, x1, y1 [degrees]
 */
export function distanceToSegments(grid: CentreGrid, segments: Float64Array, limitKm: number): DistanceField {
  const search = new NearestSegments(grid, segments, limitKm);
  search.seed();
  for (let pass = 0; pass < 2; pass++) search.sweep();
  return { distanceKm: search.distanceKm, nearestCell: search.nearestCells() };
}

/** Whether a side of a land polygon only closes it, along the antimeridian or the bottom of Antarctica: no shore. */
export function isSeam(x0: number, y0: number, x1: number, y1: number): boolean {
  return (Math.abs(x0) > 179.999 && Math.abs(x1) > 179.999) || y0 < -89 || y1 < -89;
}

/** The nearest segment found so far for each cell of a grid. */
class NearestSegments {
  readonly distanceKm: Float32Array;
  readonly #grid: CentreGrid;
  readonly #wraps: boolean;
  readonly #ends: Float64Array;
  readonly #limitKm: number;
  /** Index of the nearest segment; -1: none within the limit. */
  readonly #segment: Int32Array;
  /** Position of the nearest point on the segment measured last, from 0 at its start to 1 at its end. */
  #fraction = 0;

  constructor(grid: CentreGrid, ends: Float64Array, limitKm: number) {
    this.#grid = grid;
    this.#wraps = Math.abs(grid.width * grid.step - 360) < grid.step / 2;
    this.#ends = ends;
    this.#limitKm = limitKm;
    this.distanceKm = new Float32Array(grid.width * grid.height).fill(Infinity);
    this.#segment = new Int32Array(grid.width * grid.height).fill(-1);
  }

  /** Measures every segment from the cells that it crosses and from their neighbours. */
  seed(): void {
    const ends = this.#ends;
    const { step, west, north } = this.#grid;
    for (let s = 0; 4 * s < ends.length; s++) {
      const [x0, y0, x1, y1] = [ends[4 * s]!, ends[4 * s + 1]!, ends[4 * s + 2]!, ends[4 * s + 3]!];
      const steps = Math.max(1, Math.ceil((2 * Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0))) / step));
      for (let k = 0; k <= steps; k++) {
        const col = Math.round((x0 + ((x1 - x0) * k) / steps - west) / step);
        const row = Math.round((north - (y0 + ((y1 - y0) * k) / steps)) / step);
        for (let dr = -1; dr <= 1; dr++) for (let dc = -1; dc <= 1; dc++) this.#offer(row + dr, col + dc, s);
      }
    }
  }

  /** Passes the nearest segment of each cell to its neighbours, from north to south and back. */
  sweep(): void {
    const { width, height } = this.#grid;
    for (let row = 0; row < height; row++) {
      for (let col = 0; col < width; col++) {
        this.#receive(row, col, row, col - 1);
        for (let dc = -1; dc <= 1; dc++) this.#receive(row, col, row - 1, col + dc);
      }
      for (let col = width - 1; col >= 0; col--) this.#receive(row, col, row, col + 1);
    }
    for (let row = height - 1; row >= 0; row--) {
      for (let col = width - 1; col >= 0; col--) {
        this.#receive(row, col, row, col + 1);
        for (let dc = -1; dc <= 1; dc++) this.#receive(row, col, row + 1, col + dc);
      }
      for (let col = 0; col < width; col++) this.#receive(row, col, row, col - 1);
    }
  }

  /** The grid cell of the nearest point, for each cell; -1 beyond the limit. */
  nearestCells(): Int32Array {
    const ends = this.#ends;
    const { width, height, step, west, north } = this.#grid;
    const nearest = new Int32Array(width * height).fill(-1);
    for (let i = 0; i < nearest.length; i++) {
      const s = this.#segment[i]!;
      if (s < 0) continue;
      this.#measure(Math.floor(i / width), i % width, s);
      const lng = ends[4 * s]! + this.#fraction * (ends[4 * s + 2]! - ends[4 * s]!);
      const lat = ends[4 * s + 1]! + this.#fraction * (ends[4 * s + 3]! - ends[4 * s + 1]!);
      const row = Math.min(height - 1, Math.max(0, Math.round((north - lat) / step)));
      nearest[i] = row * width + this.#column(Math.round((lng - west) / step));
    }
    return nearest;
  }

  #receive(row: number, col: number, fromRow: number, fromCol: number): void {
    const { width, height } = this.#grid;
    if (fromRow < 0 || fromRow >= height || this.#isBeside(fromCol)) return;
    const s = this.#segment[fromRow * width + this.#column(fromCol)]!;
    if (s >= 0) this.#offer(row, col, s);
  }

  #offer(row: number, col: number, s: number): void {
    const { width, height } = this.#grid;
    if (row < 0 || row >= height || this.#isBeside(col)) return;
    const wrapped = this.#column(col);
    const i = row * width + wrapped;
    if (this.#segment[i] === s) return;
    const d = this.#measure(row, wrapped, s);
    if (d < this.distanceKm[i]! && d <= this.#limitKm) {
      this.distanceKm[i] = d;
      this.#segment[i] = s;
    }
  }

  #isBeside(col: number): boolean {
    return !this.#wraps && (col < 0 || col >= this.#grid.width);
  }

  /** The column of the grid: round the globe, or the nearest one of a part of it. */
  #column(col: number): number {
    const { width } = this.#grid;
    return this.#wraps ? (col + width) % width : Math.min(width - 1, Math.max(0, col));
  }

  /** Distance from a cell centre to a segment [km]. */
  #measure(row: number, col: number, s: number): number {
    const ends = this.#ends;
    const lat = this.#grid.north - row * this.#grid.step;
    const lng = this.#grid.west + col * this.#grid.step;
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
    this.#fraction = length2 > 0 ? Math.min(1, Math.max(0, -(ax * dx + ay * dy) / length2)) : 0;
    return Math.hypot(ax + this.#fraction * dx, ay + this.#fraction * dy);
  }
}
