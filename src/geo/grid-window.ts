import type { Bbox } from './bbox.ts';
import { type Grid, mapGrid, type PixelPoint } from './grid.ts';

/** Window of the pixels `[col, col + width)` by `[row, row + height)`; it may extend beyond the grid. */
export interface GridWindow {
  readonly col: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Number of steps into which sample points divide an edge. For areas of a scene's size, the edge curves by less than
 * 1 pixel within a step.
 */
const STEPS = 32;
/** A side of a box that is within this distance of a pixel edge counts as on the pixel edge [pixels]. */
const SLACK = 1e-6;
/**
 * The same distance for the sides of other grids [pixels]. It is larger than `SLACK`, because it covers the error of
 * the conversion to longitude and latitude and back.
 */
const PROJECTION_SLACK = 1e-3;

/**
 * The smallest window that contains a box, at least one pixel; it may extend beyond the grid. Null if the projection
 * is not defined in the box.
 */
export function windowAround(grid: Grid, [west, south, east, north]: Bbox): GridWindow | null {
  const map = mapGrid(grid);
  const points: PixelPoint[] = [];
  for (let i = 0; i <= STEPS; i++)
    for (let j = 0; j <= STEPS; j++)
      points.push(map.toPixel(west + ((east - west) * i) / STEPS, south + ((north - south) * j) / STEPS));
  return around(points, SLACK);
}

/**
 * The smallest window of `grid` that contains the other grids, at least one pixel; it may extend beyond `grid`. Null if
 * the projection of `grid` is not defined on the other grids.
 */
export function windowOver(grid: Grid, others: readonly Grid[]): GridWindow | null {
  const map = mapGrid(grid);
  const points = others.flatMap((other) => {
    const from = mapGrid(other);
    return outline(other).map(([col, row]) => map.toPixel(...from.toLngLat(col, row)));
  });
  return around(points, PROJECTION_SLACK);
}

/** The part of a window that lies on a grid; null if there is none. */
export function clipWindow({ width, height }: Grid, window: GridWindow): GridWindow | null {
  const [left, top] = [Math.max(0, window.col), Math.max(0, window.row)];
  const right = Math.min(width, window.col + window.width);
  const bottom = Math.min(height, window.row + window.height);
  return left < right && top < bottom
    ? { col: left, row: top, width: right - left, height: bottom - top }
    : null;
}

/** The smallest window around points; a point within `slack` pixels of a pixel edge counts as on the edge. */
function around(points: readonly PixelPoint[], slack: number): GridWindow | null {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const [col, row] of points) {
    if (!Number.isFinite(col) || !Number.isFinite(row)) continue;
    [left, right] = [Math.min(left, Math.floor(col + slack)), Math.max(right, Math.ceil(col - slack))];
    [top, bottom] = [Math.min(top, Math.floor(row + slack)), Math.max(bottom, Math.ceil(row - slack))];
  }
  if (left > right) return null;
  return { col: left, row: top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) };
}

/** Sample points along the edges of a grid. */
function outline({ width, height }: Grid): readonly PixelPoint[] {
  return Array.from({ length: STEPS + 1 }, (_, i) => i / STEPS).flatMap((share): PixelPoint[] => [
    [width * share, 0],
    [width * share, height],
    [0, height * share],
    [width, height * share],
  ]);
}

/** The grid that consists of the pixels of a window. */
export function cutGrid(grid: Grid, { col, row, width, height }: GridWindow): Grid {
  const [x0, a, b, y0, d, e] = grid.transform;
  const transform = [x0 + col * a + row * b, a, b, y0 + col * d + row * e, d, e] as const;
  return { ...grid, width, height, transform };
}
