import type { CubeSpec, CubeStrip } from '../app/series/cube-store.ts';
import type { CubeView } from './cube-view.ts';
import { SLICE_MS, yieldToEventLoop } from '../base/event-loop.ts';

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
  await readInto(view, placement, from, to, values);
  return { scenes, values };
}

/**
 * Reads the samples of pixels `[from, to)` of all scenes of an int16 cube as they are stored. Leaves `into` as it is when
 * its length is another one.
 * @returns the scenes. @throws RangeError when the cube has another sample type
 */
export async function readRaw(
  view: CubeView,
  from: number,
  to: number,
  into: Int16Array,
): Promise<CubeStrip['scenes']> {
  const { spec, placement } = view;
  checkPixels(spec, from, to);
  if (spec.sampleType !== 'int16') throw new RangeError(`samples of ${spec.sampleType} are not int16`);
  if (into.length === (to - from) * placement.scenes.length) await readInto(view, placement, from, to, into);
  return placement.scenes;
}

/** Reads pixels `[from, to)` of one scene; undefined for an unknown key. */
export function readScene(view: CubeView, key: string, from: number, to: number): Float32Array | undefined {
  checkPixels(view.spec, from, to);
  return view.readScene(key, from, to);
}

/** Reads pixels into `out`. Yields to the event loop regularly. */
async function readInto(
  view: CubeView,
  placement: CubeView['placement'],
  from: number,
  to: number,
  out: CubeStrip['values'] | Int16Array,
): Promise<void> {
  let sliceEnd = performance.now() + SLICE_MS;
  for (let start = from; start < to; start += BATCH_PIXELS) {
    view.read(placement, start, Math.min(to, start + BATCH_PIXELS), out, start - from);
    if (performance.now() > sliceEnd) {
      await yieldToEventLoop();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }
}
