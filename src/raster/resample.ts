import { type Grid, mapGrid } from '../geo/grid.ts';
import type { GridWindow } from '../geo/grid-window.ts';

/** Rows `[first, last)` of a grid. */
export interface Rows {
  readonly first: number;
  readonly last: number;
}

/** A resampling from a source grid to some rows of a target grid. */
export interface Resampling {
  /** Window of the source pixels that `apply` needs; it may extend beyond the source. */
  readonly window: GridWindow;
  /**
   * Resamples the values of the window to the rows of the target, row-major. If a target pixel consists of n x n source pixels in
   * the same reference system, its value is their mean, or NaN if one of them is NaN. Otherwise, and always for
   * `classes`, its value is that of the source pixel at its centre. If the window is the rows of the target, pixel by
   * pixel, this returns `samples` themselves.
   */
  readonly apply: (samples: Float32Array, kind: 'values' | 'classes') => Float32Array;
}

const MARGIN = 1; // margin around the window for rounding errors [pixels]
/**
 * Margin where only affine maps are used. It is negative, so that a rounding error adds no row: with a row more, each
 * strip would read the blocks on both sides of it too. A centre of a target pixel is farther from the edge than this.
 */
const AFFINE_MARGIN = -1e-6;

/**
 * Plans the resampling of a raster to some rows of another grid; null if they do not overlap. The values of a row do not
 * depend on the rows that are planned with it.
 * @param rows by default all rows of the target
 * @throws RangeError when a reference system is unknown
 */
export function planResampling(
  source: Grid,
  target: Grid,
  rows: Rows = { first: 0, last: target.height },
): Resampling | null {
  const place = placer(source, target);
  const window = windowOn(source, target, rows, place);
  if (window === null) return null;
  const across = finer(source, target);
  const nearestOf = areUpright(source, target) ? nearestUpright : nearest;
  return {
    window,
    apply: (samples, kind) =>
      kind === 'values' && across > 1
        ? means(samples, window, target.width, rows, place, across)
        : nearestOf(samples, window, target.width, rows, place),
  };
}

type Place = (col: number, row: number) => readonly [col: number, row: number];

/**
 * Returns a function that converts a place on the target to a place on the source. If both have the same reference
 * system, it uses only their affine maps.
 */
function placer(source: Grid, target: Grid): Place {
  if (source.proj4 !== target.proj4) {
    const [from, to] = [mapGrid(target), mapGrid(source)];
    return (col, row) => {
      const [lng, lat] = from.toLngLat(col, row);
      return to.toPixel(lng, lat);
    };
  }
  const [x0, a, b, y0, d, e] = target.transform;
  const [u0, p, q, v0, r, s] = source.transform;
  const determinant = p * s - q * r;
  return (col, row) => {
    const x = x0 + col * a + row * b - u0;
    const y = y0 + col * d + row * e - v0;
    return [(s * x - q * y) / determinant, (p * y - r * x) / determinant];
  };
}

function windowOn(source: Grid, target: Grid, { first, last }: Rows, place: Place): GridWindow | null {
  let [west, east, north, south] = [Infinity, -Infinity, Infinity, -Infinity];
  const steps = 32; // steps per edge; for areas of a scene's size, an edge curves by < 1 pixel within a step
  for (let i = 0; i <= steps; i++) {
    for (let j = 0; j <= steps; j++) {
      const [col, row] = place((target.width * i) / steps, first + ((last - first) * j) / steps);
      if (!Number.isFinite(col) || !Number.isFinite(row)) continue;
      west = Math.min(west, col);
      east = Math.max(east, col);
      north = Math.min(north, row);
      south = Math.max(south, row);
    }
  }
  if (west >= source.width || east <= 0 || north >= source.height || south <= 0 || west > east) return null;
  const margin = source.proj4 === target.proj4 ? AFFINE_MARGIN : MARGIN;
  const col = Math.floor(west - margin);
  const row = Math.floor(north - margin);
  return { col, row, width: Math.ceil(east + margin) - col, height: Math.ceil(south + margin) - row };
}

/** Whether both grids are upright in the same reference system: columns then map to columns, and rows to rows. */
function areUpright(source: Grid, target: Grid): boolean {
  return (
    source.proj4 === target.proj4 &&
    [source, target].every(({ transform: [, , b, , d] }) => b === 0 && d === 0)
  );
}

/**
 * Number of source pixels along the side of a target pixel, if it is a whole number and both grids are upright and
 * have the same reference system; otherwise 1.
 */
function finer(source: Grid, target: Grid): number {
  if (!areUpright(source, target)) return 1;
  const [, p, , , , s] = source.transform;
  const [, a, , , , e] = target.transform;
  const ratio = Math.round(a / p);
  return ratio > 1 &&
    Math.abs(a - ratio * p) < 1e-6 * Math.abs(a) &&
    Math.abs(e - ratio * s) < 1e-6 * Math.abs(e)
    ? ratio
    : 1;
}

/** As {@link nearest}, for grids that are both upright, with one look-up a pixel. */
function nearestUpright(
  samples: Float32Array,
  window: GridWindow,
  width: number,
  { first, last }: Rows,
  place: Place,
): Float32Array {
  const columns = Int32Array.from(
    { length: width },
    (_, col) => Math.floor(place(col + 0.5, 0)[0]) - window.col,
  );
  const rowOf = (row: number): number => Math.floor(place(0, row + 0.5)[1]) - window.row;
  const isWhole = window.width === width && window.height === last - first;
  const isInPlace = columns[0] === 0 && columns[width - 1] === width - 1;
  if (isWhole && isInPlace && rowOf(first) === 0 && rowOf(last - 1) === window.height - 1) return samples;
  const out = new Float32Array(width * (last - first)).fill(Number.NaN);
  for (let row = first; row < last; row++) {
    const r = rowOf(row);
    if (r < 0 || r >= window.height) continue;
    for (let col = 0; col < width; col++) {
      const c = columns[col]!;
      if (c >= 0 && c < window.width) out[(row - first) * width + col] = samples[r * window.width + c]!;
    }
  }
  return out;
}

function nearest(
  samples: Float32Array,
  window: GridWindow,
  width: number,
  { first, last }: Rows,
  place: Place,
): Float32Array {
  const out = new Float32Array(width * (last - first)).fill(Number.NaN);
  for (let row = first; row < last; row++) {
    for (let col = 0; col < width; col++) {
      const [x, y] = place(col + 0.5, row + 0.5);
      const [c, r] = [Math.floor(x) - window.col, Math.floor(y) - window.row];
      if (c >= 0 && c < window.width && r >= 0 && r < window.height)
        out[(row - first) * width + col] = samples[r * window.width + c]!;
    }
  }
  return out;
}

function means(
  samples: Float32Array,
  window: GridWindow,
  width: number,
  { first, last }: Rows,
  place: Place,
  across: number,
): Float32Array {
  const out = new Float32Array(width * (last - first)).fill(Number.NaN);
  for (let row = first; row < last; row++) {
    for (let col = 0; col < width; col++) {
      const [x, y] = place(col, row);
      const [c, r] = [Math.round(x) - window.col, Math.round(y) - window.row];
      if (c < 0 || r < 0 || c + across > window.width || r + across > window.height) continue;
      let sum = 0;
      for (let i = 0; i < across; i++)
        for (let j = 0; j < across; j++) sum += samples[(r + i) * window.width + c + j]!;
      out[(row - first) * width + col] = sum / (across * across);
    }
  }
  return out;
}
