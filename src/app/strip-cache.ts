import type { ReadSeries } from './find-changes.ts';
import { STRIP_PIXELS } from './strip-grid.ts';

type Series = Float32Array | Float64Array;

/** Most that is held [bytes]: a stack of 300 x 300 pixels, 110 scenes and three metrics takes 119 MB. */
const MOST_BYTES = 256_000_000;

/**
 * Keeps what was read of a stack in memory that threads share, so that each pass need not read it again. Passes a stack
 * that is too large on as it is read.
 */
export function cachedSeries(read: ReadSeries, pixels: number, sceneCounts: readonly number[]): ReadSeries {
  const scenes = sceneCounts.reduce((sum, count) => sum + count, 0);
  if (pixels * scenes * Float32Array.BYTES_PER_ELEMENT > MOST_BYTES) return read;
  const strips = new Map<string, Promise<Series>>();
  const strip = (metric: number, from: number): Promise<Series> => {
    const key = `${metric} ${from}`;
    const known = strips.get(key) ?? read(metric, from, Math.min(pixels, from + STRIP_PIXELS)).then(shared);
    strips.set(key, known);
    return known;
  };
  return async (metric, from, to) => {
    const first = from - (from % STRIP_PIXELS);
    if (to > first + STRIP_PIXELS) return await read(metric, from, to);
    const count = sceneCounts[metric]!;
    return (await strip(metric, first)).subarray((from - first) * count, (to - first) * count);
  };
}

/** The same values in shared memory. */
function shared(values: Series): Series {
  const memory = new SharedArrayBuffer(values.byteLength);
  const copy = values instanceof Float64Array ? new Float64Array(memory) : new Float32Array(memory);
  copy.set(values);
  return copy;
}
