import type { CollectionStack } from '../collection-stack.ts';
import type { Deps } from '../../deps.ts';
import { STRIP_PIXELS } from '../search/strip-size.ts';

/**
 * Counts the pixels of a stack that were observed at least once in any metric. Only they are mapped: the others, such
 * as the part of a grid outside an orbit, are neither changed nor unchanged.
 */
export async function observedPixels(deps: Pick<Deps, 'cube'>, stack: CollectionStack): Promise<number> {
  const { width, height } = stack[0].collection.grid;
  let observed = 0;
  for (let from = 0; from < width * height; from += STRIP_PIXELS) {
    const pixels = Math.min(STRIP_PIXELS, width * height - from);
    const isObserved = new Uint8Array(pixels);
    for (const { collection, scenes } of stack) {
      if (scenes.length === 0 || isObserved.every((mark) => mark === 1)) continue;
      const { values } = await deps.cube.readStrip(collection.id, from, from + pixels);
      const times = values.length / pixels;
      for (let p = 0; p < pixels; p++)
        for (let t = 0; t < times && isObserved[p] === 0; t++)
          if (!Number.isNaN(values[p * times + t]!)) isObserved[p] = 1;
    }
    observed += isObserved.reduce((sum, mark) => sum + mark, 0);
  }
  return observed;
}
