import type { ChangeTask, MetricSeries } from './change-task.ts';
import { STRIP_PIXELS } from './strip-size.ts';

/** Series of pixels, `values[p * times + t]`, in shared memory or in the memory of one thread. */
export type Series = Float32Array | Float64Array;

/** Raw samples of pixels as a cube of int16 has them, `samples[p * scenes + s]`: half the size of their values. */
export type RawSamples = Int16Array;

/** Maximum size of the cache [bytes]. A stack of 300 x 300 pixels, 110 scenes and three metrics of int16 takes 59 MB. */
const MOST_BYTES = 256_000_000;
/** Alignment of the values of each metric [bytes], sufficient for every sample type. */
const ALIGNED_BYTES = 8;

/** Memory that the threads of a search share. A strip that one thread has read is available to all. */
export interface SharedStrips {
  readonly memory: SharedArrayBuffer;
  /** Flag of each strip of each metric, `[metric][strip]`: 1 when the strip has been filled. */
  readonly whole: Int32Array;
}

/**
 * Allocates shared memory for a stack; undefined when the stack is too large.
 * @param before memory of a finished search, reused if it is large enough, because allocating takes longer than
 * filling
 */
export function sharedStrips(task: ChangeTask, before?: SharedStrips): SharedStrips | undefined {
  const { width, height, timesMs } = task.spec;
  const bytes = placesOf(task, timesMs.length).at(-1)!;
  if (bytes > MOST_BYTES) return undefined;
  const strips = Math.ceil((width * height) / STRIP_PIXELS) * task.series.length;
  const memory = before !== undefined && before.memory.byteLength >= bytes ? before.memory : undefined;
  return {
    memory: memory ?? new SharedArrayBuffer(bytes),
    whole: new Int32Array(new SharedArrayBuffer(strips * Int32Array.BYTES_PER_ELEMENT)),
  };
}

/** Offsets of the strips of each metric in the shared memory, followed by the total size [bytes]. */
function placesOf({ spec: { width, height }, series }: ChangeTask, times: number): readonly number[] {
  const places = [0];
  for (const metric of series) {
    const bytes = width * height * pixelBytes(metric, times);
    places.push(places.at(-1)! + Math.ceil(bytes / ALIGNED_BYTES) * ALIGNED_BYTES);
  }
  return places;
}

/** Size of the series of a pixel in the cache [bytes]. */
function pixelBytes({ sampleType, digests }: MetricSeries, times: number): number {
  if (sampleType === 'int16') return digests.length * Int16Array.BYTES_PER_ELEMENT;
  return times * (sampleType === 'float64' ? Float64Array : Float32Array).BYTES_PER_ELEMENT;
}

/**
 * Access of one thread to the shared strips: raw samples, one per scene of the metric, of an int16 cube; otherwise values
 * in the unit of the metric, one per scene of the stack.
 */
export class StripCache {
  readonly #task: ChangeTask;
  readonly #shared: SharedStrips;
  readonly #places: readonly number[];

  constructor(task: ChangeTask, shared: SharedStrips) {
    this.#task = task;
    this.#shared = shared;
    this.#places = placesOf(task, task.spec.timesMs.length);
  }

  /**
   * Returns the strip that begins at pixel `from`. Fills it first if no thread has filled it. If two threads fill it
   * at the same time, both write the same numbers.
   */
  async strip(
    metric: number,
    from: number,
    fill: (from: number, to: number, into: Series | RawSamples) => Promise<void>,
  ): Promise<Series | RawSamples> {
    const { width, height, timesMs } = this.#task.spec;
    const { memory, whole } = this.#shared;
    const series = this.#task.series[metric]!;
    const pixels = width * height;
    const to = Math.min(pixels, from + STRIP_PIXELS);
    const at = this.#places[metric]! + from * pixelBytes(series, timesMs.length);
    const strip = arrayOf(series, memory, at, to - from, timesMs.length);
    const slot = metric * Math.ceil(pixels / STRIP_PIXELS) + from / STRIP_PIXELS;
    if (Atomics.load(whole, slot) === 0) {
      await fill(from, to, strip);
      Atomics.store(whole, slot, 1);
    }
    return strip;
  }
}

/** Shared memory for one strip of a metric, as the cache has it. @param times number of scenes of the stack */
export function roomForStrip(metric: MetricSeries, pixels: number, times: number): Series | RawSamples {
  return arrayOf(metric, new SharedArrayBuffer(pixels * pixelBytes(metric, times)), 0, pixels, times);
}

function arrayOf(
  { sampleType, digests }: MetricSeries,
  memory: SharedArrayBuffer,
  at: number,
  pixels: number,
  times: number,
): Series | RawSamples {
  if (sampleType === 'int16') return new Int16Array(memory, at, pixels * digests.length);
  if (sampleType === 'float64') return new Float64Array(memory, at, pixels * times);
  return new Float32Array(memory, at, pixels * times);
}
