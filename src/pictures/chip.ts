import type { GridWindow } from '../geo/grid-window.ts';
import type { GridSize } from '../app/pictures/picture-maker.ts';
import { CASING, MISSING, missingAt, OUTLINE } from './palette.ts';

/**
 * Enlarges the colours of a window to a picture, nearest pixel first, hatches what shows nothing, and draws the outline
 * of some pixels.
 * @param colours index of the colour of each pixel of the window, row-major
 * @param inside whether each pixel of the window is within the outline
 */
export function drawChip(
  colours: Uint8Array,
  inside: Uint8Array,
  window: GridSize,
  size: GridSize,
): Uint8Array {
  const columns = Int32Array.from({ length: size.width }, (_, x) =>
    Math.floor((x * window.width) / size.width),
  );
  const pixels = new Uint8Array(size.width * size.height);
  const within = new Uint8Array(size.width * size.height);
  for (let y = 0; y < size.height; y++) {
    const start = Math.floor((y * window.height) / size.height) * window.width;
    for (let x = 0; x < size.width; x++) {
      const i = start + columns[x]!;
      const colour = colours[i]!;
      pixels[y * size.width + x] = colour === MISSING ? missingAt(x, y) : colour;
      within[y * size.width + x] = inside[i]!;
    }
  }
  outline(pixels, within, size);
  return pixels;
}

/** Draws a white line of two pixels inside of the edge, and a dark one of one pixel on each side of it. */
function outline(pixels: Uint8Array, within: Uint8Array, { width, height }: GridSize): void {
  const depth = depths(within, width, height);
  for (let i = 0; i < pixels.length; i++) {
    const of = depth[i]!;
    if (of === -1 || of === 3) pixels[i] = CASING;
    else if (of === 1 || of === 2) pixels[i] = OUTLINE;
  }
}

/**
 * How far each pixel is from the edge: 1, 2 and 3 within it, -1 just outside, 0 elsewhere. The edge of the picture is no
 * edge of the ground.
 */
function depths(within: Uint8Array, width: number, height: number): Int8Array {
  const depth = new Int8Array(within.length);
  const touches = (x: number, y: number, what: (i: number) => boolean): boolean => {
    for (let dy = -1; dy <= 1; dy++)
      for (let dx = -1; dx <= 1; dx++) {
        const [nx, ny] = [x + dx, y + dy];
        if (nx >= 0 && ny >= 0 && nx < width && ny < height && what(ny * width + nx)) return true;
      }
    return false;
  };
  for (const level of [-1, 1, 2, 3])
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const i = y * width + x;
        if (level === -1 ? within[i] !== 0 : within[i] === 0 || depth[i] !== 0) continue;
        const next =
          level === -1
            ? (j: number) => within[j] !== 0
            : level === 1
              ? (j: number) => within[j] === 0
              : (j: number) => depth[j] === level - 1;
        if (touches(x, y, next)) depth[i] = level;
      }
  return depth;
}

/** Marks the pixels of a window that lie in runs of pixels of the grid. */
export function pixelsInside(runs: readonly number[], gridWidth: number, window: GridWindow): Uint8Array {
  const inside = new Uint8Array(window.width * window.height);
  for (let i = 0; i + 1 < runs.length; i += 2)
    for (let pixel = runs[i]!; pixel < runs[i]! + runs[i + 1]!; pixel++) {
      const col = (pixel % gridWidth) - window.col;
      const row = Math.floor(pixel / gridWidth) - window.row;
      if (col >= 0 && row >= 0 && col < window.width && row < window.height)
        inside[row * window.width + col] = 1;
    }
  return inside;
}
