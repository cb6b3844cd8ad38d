import type { PixelPolygon, PixelRing } from '../geo/pixel-outline.ts';
import { type PaddedMask, traceRings } from './ring-trace.ts';
import { findRuns, labelRuns, type Runs } from './runs.ts';

/**
 * Twice the area of a ring that was traced with the foreground on its left [pixels]: positive for a shell, negative
 * for a hole.
 */
function doubleArea(corners: Int32Array, from: number, to: number): number {
  let sum = 0;
  let x = corners[to - 2]!;
  let y = corners[to - 1]!;
  for (let i = from; i < to; i += 2) {
    const [nextX, nextY] = [corners[i]!, corners[i + 1]!];
    sum += nextX * y - x * nextY;
    x = nextX;
    y = nextY;
  }
  return sum;
}

/** Returns the outline of each 4-connected region by label: a shell followed by its holes. */
function traceRegions(mask: PaddedMask, runs: Runs, regions: Int32Array, count: number): PixelPolygon[] {
  const { corners, offsets, runs: ringRuns, count: ringCount } = traceRings(mask, runs);
  const polygons: PixelRing[][] = Array.from({ length: count }, () => []);
  for (let ring = 0; ring < ringCount; ring++) {
    const [from, to] = [offsets[ring]!, offsets[ring + 1]!];
    const rings = polygons[regions[ringRuns[ring]!]!]!;
    rings.push(corners.subarray(from, to));
    if (rings.length > 1 && doubleArea(corners, from, to) > 0) {
      rings[rings.length - 1] = rings[0]!;
      rings[0] = corners.subarray(from, to);
    }
  }
  return polygons;
}

/**
 * Outlines every 8-connected object of a mask in pixel corner coordinates. The objects are in order of their first
 * pixels. The polygons of an object touch each other only at corners. They are valid (OGC Simple Features), and their area
 * equals the number of pixels of the object.
 */
export function outlineObjects(mask: PaddedMask): PixelPolygon[][] {
  const stride = mask.width + 2;
  const runs = findRuns(mask.pixels, mask.width, mask.height, stride, stride + 1);
  const objects = labelRuns(runs, 1);
  const regions = labelRuns(runs, 0);
  const polygons = traceRegions(mask, runs, regions.labels, regions.count);
  const result = Array.from({ length: objects.count }, (): PixelPolygon[] => []);
  let region = 0;
  for (let run = 0; run < runs.count; run++)
    if (regions.labels[run] === region) result[objects.labels[run]!]!.push(polygons[region++]!);
  return result;
}

/**
 * Outlines a set of pixels in pixel corner coordinates of their grid.
 * @param pixels row-major indices, ascending
 * @param width columns of the grid
 * @throws RangeError when the indices are not ascending
 */
export function polygonisePixels(pixels: Uint32Array, width: number): PixelPolygon[] {
  if (pixels.length === 0) return [];
  let west = width;
  let east = 0;
  for (let i = 0; i < pixels.length; i++) {
    const index = pixels[i]!;
    if (i > 0 && index <= pixels[i - 1]!) {
      throw new RangeError(`expected ascending pixel indices, got ${index} after ${pixels[i - 1]}`);
    }
    const col = index % width;
    if (col < west) west = col;
    if (col > east) east = col;
  }
  const top = Math.floor(pixels[0]! / width);
  const height = Math.floor(pixels.at(-1)! / width) - top + 1;
  const mask = { pixels: new Uint8Array((east - west + 3) * (height + 2)), width: east - west + 1, height };
  for (const index of pixels) {
    const col = index % width;
    mask.pixels[((index - col) / width - top + 1) * (mask.width + 2) + col - west + 1] = 1;
  }
  const polygons = outlineObjects(mask).flat();
  for (const ring of polygons.flat()) {
    for (let i = 0; i < ring.length; i += 2) {
      ring[i]! += west;
      ring[i + 1]! += top;
    }
  }
  return polygons;
}
