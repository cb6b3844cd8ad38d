import type { Colouring } from '../app/pictures/picture-maker.ts';
import { rampColours } from '../raster/colour-ramp.ts';
import type { Rgba } from './png.ts';

/** Number of colours of a ramp in a palette. More than the eye tells apart on a map. */
const RAMP_STEPS = 240;

/** Index of the transparent colour: outside of the grid. */
export const CLEAR = 0;
/** Indices of the two greys of what a scene does not show. */
export const MISSING = 1;
const MISSING_STRIPE = 2;
/** Indices of the outline of a change, and of its casing, which keeps it visible on light and dark ground. */
export const OUTLINE = 3;
export const CASING = 4;
/** Index of the first colour of the ramp. */
export const FIRST = 5;

/** The colours of the indices below `FIRST`. */
export const FIXED: readonly Rgba[] = [
  [0, 0, 0, 0],
  [214, 214, 214, 255],
  [188, 188, 188, 255],
  [255, 255, 255, 255],
  [20, 20, 20, 255],
];

/** The palette of a colouring: the fixed colours, then the ramp. */
export function paletteOf({ colours }: Colouring): readonly Rgba[] {
  return [...FIXED, ...rampColours(colours, RAMP_STEPS).map(([r, g, b]): Rgba => [r, g, b, 255])];
}

/** Returns the function that gives the index of the colour of a raw sample; `MISSING` for NaN. */
export function colourIndex({ raw: [from, to] }: Colouring): (sample: number) => number {
  const perStep = (RAMP_STEPS - 1) / (to - from);
  return (sample) => {
    if (Number.isNaN(sample)) return MISSING;
    const step = Math.round((sample - from) * perStep);
    return FIRST + Math.min(RAMP_STEPS - 1, Math.max(0, step));
  };
}

/** The grey of a pixel that shows nothing, by its place: diagonal stripes. */
export function missingAt(x: number, y: number): number {
  return (x + y) % 12 < 3 ? MISSING_STRIPE : MISSING;
}
