import { MOST_SIDE, TILE_PIXELS } from '../app/pictures/tile-size.ts';
import type { TileFormat } from '../contract/pictures/tiles.ts';
import { type Grid, mapGrid } from '../geo/grid.ts';
import { clipWindow, type GridWindow } from '../geo/grid-window.ts';
import { placeInTile, type Tile } from '../geo/tile.ts';
import { CLEAR, MISSING } from './palette.ts';
import { encodePng } from './png.ts';
import { encodeWebp } from './webp.ts';

/** Cells into which a side of a tile is divided. Only their corners are projected; between them pixels are interpolated. */
const CELLS = 16;
const CELL = TILE_PIXELS / CELLS;
/** Samples of a scene for one pixel of a tile, on a side, of which one is drawn. */
const PER_PIXEL = 2;

/** Where the pixels of a tile lie on a grid. */
export interface TilePlaces {
  /** Columns and rows of the corners of the cells, row by row: column, row, column, row, ... */
  readonly corners: Float64Array;
  /** The part of the grid that the tile shows. */
  readonly window: GridWindow;
  /** Every `step`-th column and row of the window is read. */
  readonly step: number;
}

const EMPTY_PNG = encodePng({
  width: TILE_PIXELS,
  height: TILE_PIXELS,
  pixels: new Uint8Array(TILE_PIXELS * TILE_PIXELS),
  palette: [[0, 0, 0, 0]],
});

/** A tile that shows nothing. */
export async function emptyTile(format: TileFormat): Promise<Uint8Array> {
  return format === 'png'
    ? EMPTY_PNG
    : encodeWebp(TILE_PIXELS, TILE_PIXELS, new Uint8Array(4 * TILE_PIXELS * TILE_PIXELS));
}

/** Places a tile on a grid; null where they do not meet, and where the tile shows more of the grid than `MOST_SIDE`. */
export function tilePlaces(grid: Grid, tile: Tile): TilePlaces | null {
  const map = mapGrid(grid);
  const corners = new Float64Array(2 * (CELLS + 1) ** 2);
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let j = 0, at = 0; j <= CELLS; j++)
    for (let i = 0; i <= CELLS; i++, at += 2) {
      const [col, row] = map.toPixel(...placeInTile(tile, i / CELLS, j / CELLS));
      [corners[at], corners[at + 1]] = [col, row];
      if (!Number.isFinite(col) || !Number.isFinite(row)) continue;
      [left, right] = [Math.min(left, col), Math.max(right, col)];
      [top, bottom] = [Math.min(top, row), Math.max(bottom, row)];
    }
  if (left > right) return null;
  const [col, row] = [Math.floor(left), Math.floor(top)];
  const window = clipWindow(grid, {
    col,
    row,
    width: Math.floor(right) + 1 - col,
    height: Math.floor(bottom) + 1 - row,
  });
  if (window === null || Math.max(window.width, window.height) > MOST_SIDE) return null;
  const shown = Math.max(right - left, bottom - top);
  return { corners, window, step: Math.max(1, Math.floor(shown / (PER_PIXEL * TILE_PIXELS))) };
}

/**
 * Draws a tile: each pixel has the colour of the sample at its centre.
 * @param samples every `step`-th sample of the window
 */
export function drawTile(
  { corners, window, step }: TilePlaces,
  samples: Float32Array,
  colourOf: (sample: number) => number,
): Uint8Array {
  const pixels = new Uint8Array(TILE_PIXELS * TILE_PIXELS);
  const columns = Math.ceil(window.width / step);
  for (let y = 0; y < TILE_PIXELS; y++) {
    const [j, down] = [Math.floor(y / CELL), ((y % CELL) + 0.5) / CELL];
    for (let x = 0; x < TILE_PIXELS; x++) {
      const [i, across] = [Math.floor(x / CELL), ((x % CELL) + 0.5) / CELL];
      const north = 2 * (j * (CELLS + 1) + i);
      const south = north + 2 * (CELLS + 1);
      const col = between(corners, north, south, across, down);
      const row = between(corners, north + 1, south + 1, across, down);
      const c = Math.floor(col) - window.col;
      const r = Math.floor(row) - window.row;
      if (!(c >= 0 && r >= 0 && c < window.width && r < window.height)) continue;
      const colour = colourOf(samples[Math.floor(r / step) * columns + Math.floor(c / step)]!);
      pixels[y * TILE_PIXELS + x] = colour === MISSING ? CLEAR : colour;
    }
  }
  return pixels;
}

/** Interpolates between the four corners of a cell. NaN where one of them is not on the map of the grid. */
function between(corners: Float64Array, north: number, south: number, across: number, down: number): number {
  const above = corners[north]! + (corners[north + 2]! - corners[north]!) * across;
  const below = corners[south]! + (corners[south + 2]! - corners[south]!) * across;
  return above + (below - above) * down;
}
