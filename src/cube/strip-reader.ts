import type { CubeSpec, CubeStrip } from '../app/series/cube-store.ts';
import type { CubeView } from './cube-view.ts';
import { SLICE_MS, yieldToEventLoop } from './event-loop.ts';

/** Number of pixels that are read between two checks whether to yield to the event loop. */
const BATCH_PIXELS = 4096;

/** @throws RangeError when `[from, to)` is not a range of the cube's pixels */
export function checkPixels({ width, height }: CubeSpec, from: number, to: number): void {
  const pixels = width * height;
  if (!(Number.isSafeInteger(from) && Number.isSafeInteger(to) && 0 <= from && from <= to && to <= pixels))
    throw new RangeError(`pixels [${from}, ${to}) are not within the cube's [0, ${pixels})`);
}

/**
 * Reads pixels `[from, to)` of all scenes. Yields to the event loop regularly.
 * @param into array that is used for the values if it has their type and length
 */
export async function readPixels(
  view: CubeView,
  from: number,
  to: number,
  into?: CubeStrip['values'],
): Promise<CubeStrip> {
  const { spec, placement } = view;
  const { scenes } = placement;
  const length = (to - from) * scenes.length;
  const Values = spec.sampleType === 'float64' ? Float64Array : Float32Array;
  const values = into instanceof Values && into.length === length ? into : new Values(length);
  let sliceEnd = performance.now() + SLICE_MS;
  for (let start = from; start < to; start += BATCH_PIXELS) {
    view.read(placement, start, Math.min(to, start + BATCH_PIXELS), values, start - from);
    if (performance.now() > sliceEnd) {
      await yieldToEventLoop();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
  return { scenes, values };
}
