import type { ChangeTask } from './change-task.ts';
import type { SampleType } from '../../series/cube-store.ts';
import { STRIP_PIXELS } from './strip-size.ts';

/** Series of pixels, `values[p * times + t]`, in shared memory or in the memory of one thread. */
export type Series = Float32Array | Float64Array;

/** Maximum size of the cache [bytes]. A stack of 300 x 300 pixels, 110 scenes and three metrics takes 119 MB. */
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
  const bytes = placesOf(task).at(-1)!;
  if (bytes > MOST_BYTES) return undefined;
  const { width, height } = task.spec;
  const strips = Math.ceil((width * height) / STRIP_PIXELS) * task.series.length;
  const memory = before !== undefined && before.memory.byteLength >= bytes ? before.memory : undefined;
  return {
    memory: memory ?? new SharedArrayBuffer(bytes),
    whole: new Int32Array(new SharedArrayBuffer(strips * Int32Array.BYTES_PER_ELEMENT)),
  };
}

/** Offsets of the values of each metric in the shared memory, followed by the total size [bytes]. */
function placesOf({ spec: { width, height, timesMs }, series }: ChangeTask): readonly number[] {
  const places = [0];
  for (const { sampleType } of series) {
    const bytes = width * height * timesMs.length * valueBytes(sampleType);
    places.push(places.at(-1)! + Math.ceil(bytes / ALIGNED_BYTES) * ALIGNED_BYTES);
  }
  return places;
}

/** Size of one value as it is read from a cube of this sample type [bytes]. */
function valueBytes(sampleType: SampleType): number {
  return sampleType === 'float64' ? Float64Array.BYTES_PER_ELEMENT : Float32Array.BYTES_PER_ELEMENT;
}

/** Access of one thread to the shared strips. Values are in the unit of the metric, one per scene of the stack. */
export class StripCache {
  readonly #task: ChangeTask;
  readonly #shared: SharedStrips;
  readonly #places: readonly number[];

  constructor(task: ChangeTask, shared: SharedStrips) {
    this.#task = task;
    this.#shared = shared;
    this.#places = placesOf(task);
  }

  /**
   * Returns the strip that begins at pixel `from`. Fills it first if no thread has filled it. If two threads fill it
   * at the same time, both write the same values.
   */
  async strip(
    metric: number,
    from: number,
    fill: (from: number, to: number, into: Series) => Promise<void>,
  ): Promise<Series> {
    const { width, height, timesMs } = this.#task.spec;
    const { memory, whole } = this.#shared;
    const pixels = width * height;
    const to = Math.min(pixels, from + STRIP_PIXELS);
    const { sampleType } = this.#task.series[metric]!;
    const at = this.#places[metric]! + from * timesMs.length * valueBytes(sampleType);
    const length = (to - from) * timesMs.length;
    const values =
      sampleType === 'float64' ? new Float64Array(memory, at, length) : new Float32Array(memory, at, length);
    const slot = metric * Math.ceil(pixels / STRIP_PIXELS) + from / STRIP_PIXELS;
    if (Atomics.load(whole, slot) === 0) {
      await fill(from, to, values);
      Atomics.store(whole, slot, 1);
    }
    return values;
  }
}
