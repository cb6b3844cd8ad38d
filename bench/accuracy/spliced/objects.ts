import type { Random } from '../../calibration/simulated-case.ts';

/**
 * Grows an object of connected pixels with an irregular outline: from a random free pixel, one random free neighbour
 * (of the four) after the other (Eden 1961). Objects keep one pixel of distance from each other, corners included.
 * @param isFree whether a pixel may become part of the object
 * @returns the pixels; fewer than `size` where the free ground ends, and none where nothing is free
 */
export function growObject(
  width: number,
  height: number,
  size: number,
  isFree: (pixel: number) => boolean,
  random: Random,
): number[] {
  const start = freePixel(width * height, isFree, random);
  if (start === null) return [];
  const object = new Set([start]);
  while (object.size < size) {
    const edge = [...object].flatMap((pixel) =>
      neighboursOf(width, height, pixel).filter((next) => !object.has(next) && isFree(next)),
    );
    if (edge.length === 0) break;
    object.add(random.pick(edge));
  }
  return [...object];
}

const TRIES = 200; // random pixels tried for a free one

function freePixel(pixels: number, isFree: (pixel: number) => boolean, random: Random): number | null {
  for (let i = 0; i < TRIES; i++) {
    const pixel = Math.floor(random.uniform() * pixels);
    if (isFree(pixel)) return pixel;
  }
  return null;
}

function neighboursOf(width: number, height: number, pixel: number): number[] {
  const [row, col] = [Math.floor(pixel / width), pixel % width];
  const next: number[] = [];
  if (row > 0) next.push(pixel - width);
  if (row < height - 1) next.push(pixel + width);
  if (col > 0) next.push(pixel - 1);
  if (col < width - 1) next.push(pixel + 1);
  return next;
}

/** Whether no pixel of an earlier object touches a pixel, corners included. */
export function isApart(width: number, height: number, pixel: number, taken: Uint8Array): boolean {
  const [row, col] = [Math.floor(pixel / width), pixel % width];
  for (let r = Math.max(0, row - 1); r <= Math.min(height - 1, row + 1); r++)
    for (let c = Math.max(0, col - 1); c <= Math.min(width - 1, col + 1); c++)
      if (taken[r * width + c] !== 0) return false;
  return true;
}
