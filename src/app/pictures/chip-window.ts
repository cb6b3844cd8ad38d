import type { Grid } from '../../geo/grid.ts';
import { mapGrid } from '../../geo/grid.ts';
import { clipWindow, type GridWindow } from '../../geo/grid-window.ts';
import { distanceM } from '../../geo/nearby.ts';
import type { GridSize } from './picture-maker.ts';
import { MOST_SIDE } from './tile-size.ts';

/** Ground around a change that its pictures show, as a share of the longer side of the change on each side. */
const MARGIN = 0.6;
/** Least side of the window [pixels of the scene]. */
const LEAST_SIDE = 32;
/** Side that a picture has at least, if enlarging by whole numbers allows, and at most [pixels]. */
const CHIP_SIDE = 512;
/** Difference of the sides of a pixel up to which it is drawn square [1]: what projections stretch. */
const NEARLY_SQUARE = 0.03;
/** Most pixels by which one pixel of a scene is drawn, on a side. */
const MOST_ENLARGED = 24;

/** The part of a grid that the pictures of a change show, and the size of the pictures. */
export interface ChipPlan {
  readonly window: GridWindow;
  readonly size: GridSize;
  /** Width of the ground in the window [m]. */
  readonly widthM: number;
  /** Size of a pixel of the grid: the root of its area [m]. */
  readonly pixelM: number;
}

/**
 * Plans the pictures of a change: a square around its pixels, cut at the edge of the grid. A pixel of the scene becomes
 * a block of pixels; if the window is larger than a picture, pixels of the scene are left out. Of a change that is larger
 * than `MOST_SIDE` the middle is shown, so that one picture never reads a whole large scene.
 * @param runs start and length of each run of pixels of the change
 */
export function planChip(grid: Grid, runs: readonly number[]): ChipPlan {
  const bounds = boundsOf(grid.width, runs);
  const longer = Math.max(bounds.width, bounds.height);
  const side = Math.min(MOST_SIDE, Math.max(LEAST_SIDE, Math.ceil(longer * (1 + 2 * MARGIN))));
  const window = clipWindow(grid, {
    col: shifted(bounds.col + bounds.width / 2 - side / 2, side, grid.width),
    row: shifted(bounds.row + bounds.height / 2 - side / 2, side, grid.height),
    width: side,
    height: side,
  })!;
  const middle = [window.col + window.width / 2, window.row + window.height / 2] as const;
  const [alongM, downM] = pixelSizesM(grid, middle);
  const fit = CHIP_SIDE / Math.max(window.width * alongM, window.height * downM);
  const scale = (sizeM: number) => Math.min(MOST_ENLARGED, Math.max(1, Math.round(fit * sizeM)));
  const drawn = (pixels: number, sizeM: number) =>
    fit * sizeM < 1 ? Math.max(1, Math.round(pixels * sizeM * fit)) : pixels * scale(sizeM);
  return {
    window,
    size: { width: drawn(window.width, alongM), height: drawn(window.height, downM) },
    widthM: window.width * alongM,
    pixelM: Math.sqrt(alongM * downM),
  };
}

/** Start of a window of this side, moved so that it lies on the grid if it fits. */
function shifted(start: number, side: number, length: number): number {
  return Math.round(Math.min(Math.max(start, 0), Math.max(0, length - side)));
}

function boundsOf(width: number, runs: readonly number[]): GridWindow {
  let [left, right, top, bottom] = [Infinity, -1, Infinity, -1];
  for (let i = 0; i + 1 < runs.length; i += 2) {
    const [first, last] = [runs[i]!, runs[i]! + runs[i + 1]! - 1];
    const [row, lastRow] = [Math.floor(first / width), Math.floor(last / width)];
    [top, bottom] = [Math.min(top, row), Math.max(bottom, lastRow)];
    left = Math.min(left, row === lastRow ? first % width : 0);
    right = Math.max(right, row === lastRow ? last % width : width - 1);
  }
  return { col: left, row: top, width: right - left + 1, height: bottom - top + 1 };
}

/** Width and height of a pixel on the ground [m]. Nearly square ones count as square, so that they are drawn square. */
function pixelSizesM(grid: Grid, [col, row]: readonly [number, number]): readonly [number, number] {
  const map = mapGrid(grid);
  const across = (along: number, down: number): number =>
    distanceM(map.toLngLat(col - along, row - down), map.toLngLat(col + along, row + down));
  const [alongM, downM] = [across(0.5, 0), across(0, 0.5)];
  const meanM = Math.sqrt(alongM * downM);
  return Math.abs(alongM / downM - 1) < NEARLY_SQUARE ? [meanM, meanM] : [alongM, downM];
}

/** Up to `most` pixels of the change and as many of the window, evenly spread, by which the clear scenes are chosen. */
export function sampledPixels(
  { width }: Grid,
  window: GridWindow,
  runs: readonly number[],
  most: number,
): number[] {
  const pixels = new Set<number>();
  let count = 0;
  for (let i = 1; i < runs.length; i += 2) count += runs[i]!;
  const step = Math.max(1, count / most);
  let [seen, next] = [0, 0];
  for (let i = 0; i + 1 < runs.length; i += 2) {
    for (; next < seen + runs[i + 1]!; next += step) pixels.add(runs[i]! + Math.floor(next) - seen);
    seen += runs[i + 1]!;
  }
  const side = Math.max(1, Math.floor(Math.sqrt(most)));
  for (let r = 0; r < side; r++)
    for (let c = 0; c < side; c++) {
      const row = window.row + Math.floor(((r + 0.5) * window.height) / side);
      pixels.add(row * width + window.col + Math.floor(((c + 0.5) * window.width) / side));
    }
  return [...pixels].sort((a, b) => a - b);
}
