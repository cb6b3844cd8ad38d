import { PARAMETERS } from '../parameters.ts';
import type { StackSpec } from '../stack.ts';
import { bankStep } from './like-bank.ts';

/**
 * Number of separate places of pixels of the bank. Two pixels are in one place if they are near each other, or if others
 * of the pixels join them: a clearing is one place, however large it is.
 * @param pixel pixel whose own place is not counted
 * @param most number at which counting ends
 */
export function placesApart(
  spec: StackSpec,
  pixel: number,
  pixels: readonly number[],
  most = Number.POSITIVE_INFINITY,
): number {
  let rest = withoutPlace(spec, pixel, pixels);
  let places = 0;
  for (; rest.length > 0 && places < most; places++) rest = withoutPlace(spec, rest[0]!, rest.slice(1));
  return places;
}

/** The pixels that are not in the place of one of them. */
function withoutPlace(spec: StackSpec, pixel: number, pixels: readonly number[]): readonly number[] {
  const place = [pixel];
  let rest = pixels;
  for (const one of place) {
    place.push(...rest.filter((other) => isNear(spec, one, other)));
    rest = rest.filter((other) => !isNear(spec, one, other));
  }
  return rest;
}

/** Whether two pixels are at most `likeApart` rows and columns apart, or neighbours but one on the lattice of the bank. */
function isNear(spec: StackSpec, one: number, other: number): boolean {
  const { width } = spec;
  const near = Math.max(PARAMETERS.likeApart, 2 * bankStep(spec));
  const rows = Math.abs(Math.floor(one / width) - Math.floor(other / width));
  return rows <= near && Math.abs((one % width) - (other % width)) <= near;
}
