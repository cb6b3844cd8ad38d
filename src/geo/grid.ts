import { type Projection, projectionOf } from './projection.ts';
import type { Position } from './position.ts';

/**
 * A regular raster grid in a projected or geographic reference system.
 * Pixel index `i` is row-major: `row * width + col`; row 0 is the first row stored.
 */
export interface Grid {
  readonly width: number;
  readonly height: number;
  /** Authority code such as `EPSG:32633`, or `custom` if the file contains only parameters. */
  readonly crs: string;
  /** PROJ definition of the reference system, in the syntax of proj4js. */
  readonly proj4: string;
  /** Affine map from pixel corners to CRS units, in GDAL order: x = t0 + col t1 + row t2; y = t3 + col t4 + row t5. */
  readonly transform: readonly [number, number, number, number, number, number];
}

/** A place on a grid in pixels: whole numbers are pixel corners, the centre of the first pixel is (0.5, 0.5). */
export type PixelPoint = readonly [col: number, row: number];

/** Converts between pixels of a grid and longitude and latitude. */
export class GridMap {
  readonly grid: Grid;
  readonly projection: Projection;
  readonly #inverse: readonly [number, number, number, number];

  /** @throws RangeError when the reference system is unknown or the affine map is singular */
  constructor(grid: Grid) {
    this.grid = grid;
    this.projection = projectionOf(grid.proj4 === '' ? grid.crs : grid.proj4);
    const [, a, b, , d, e] = grid.transform;
    const determinant = a * e - b * d;
    if (!Number.isFinite(determinant) || determinant === 0) {
      throw new RangeError(`expected an affine map that can be inverted, got ${grid.transform.join(', ')}`);
    }
    this.#inverse = [e / determinant, -b / determinant, -d / determinant, a / determinant];
  }

  /**
   * Converts a place on the grid to longitude and latitude. On a geographic grid longitudes may exceed 180. NaN where
   * the projection is not defined.
   */
  toLngLat(col: number, row: number): Position {
    const [x0, a, b, y0, d, e] = this.grid.transform;
    return this.projection.toLngLat(x0 + col * a + row * b, y0 + col * d + row * e);
  }

  /** Converts longitude and latitude to a place on the grid or beyond it; NaN where the projection is not defined. */
  toPixel(lng: number, lat: number): PixelPoint {
    const [x, y] = this.projection.fromLngLat(lng, lat);
    const point = this.#fromCrs(x, y);
    if (!this.projection.isGeographic || this.#holds(point)) return point;
    for (const lap of [360, -360]) {
      const shifted = this.#fromCrs(x + lap, y);
      if (this.#holds(shifted)) return shifted;
    }
    return point;
  }

  /**
   * Index of the pixel at a position; null outside the grid. A position on the edge between two pixels belongs to the
   * pixel with the higher column or row. The outer edges belong to the grid.
   */
  pixelAt([lng, lat]: Position): number | null {
    const [col, row] = this.toPixel(lng, lat);
    const { width, height } = this.grid;
    if (!this.#holds([col, row])) return null;
    return Math.min(Math.floor(row), height - 1) * width + Math.min(Math.floor(col), width - 1);
  }

  /** Position of the centre of a pixel by its row-major index. */
  pixelCentre(index: number): Position {
    const { width } = this.grid;
    return this.toLngLat((index % width) + 0.5, Math.floor(index / width) + 0.5);
  }

  #fromCrs(x: number, y: number): PixelPoint {
    const [dx, dy] = [x - this.grid.transform[0], y - this.grid.transform[3]];
    const [a, b, c, d] = this.#inverse;
    return [dx * a + dy * b, dx * c + dy * d];
  }

  #holds([col, row]: PixelPoint): boolean {
    return col >= 0 && col <= this.grid.width && row >= 0 && row <= this.grid.height;
  }
}

const maps = new WeakMap<Grid, GridMap>();

/** The `GridMap` of a grid, created once per grid object. @throws RangeError in the same cases as `GridMap` */
export function mapGrid(grid: Grid): GridMap {
  let map = maps.get(grid);
  if (map === undefined) {
    map = new GridMap(grid);
    maps.set(grid, map);
  }
  return map;
}
