import type { ChangeTask } from './find-changes.ts';
import type { SampleType } from '../../series/cube-store.ts';
import { STRIP_PIXELS } from './strip-grid.ts';

/** Series of pixels, `values[p * times + t]`; the memory may be shared. */
export type Series = Float32Array | Float64Array;

/** Most that is held [bytes]: a stack of 300 x 300 pixels, 110 scenes and three metrics takes 119 MB. */
const MOST_BYTES = 256_000_000;
/** What memory of every sample type begins at a multiple of [bytes]. */
const ALIGNED_BYTES = 8;

/** Memory that the threads of a search share for the strips that one of them has read. */
export interface SharedStrips {
  readonly memory: SharedArrayBuffer;
  /** 1 once a strip is whole, `[metric][strip]`. */
  readonly whole: Int32Array;
}

/**
 * Memory for a stack; undefined for one that is too large to be held.
 * @param before memory of a search that is over, used again where it is large enough: fresh memory costs more than filling it
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

/** Where each metric's values begin, and where the last one's end [bytes]. */
function placesOf({ spec: { width, height, timesMs }, series }: ChangeTask): readonly number[] {
  const places = [0];
  for (const { sampleType } of series) {
    const bytes = width * height * timesMs.length * valueBytes(sampleType);
    places.push(places.at(-1)! + Math.ceil(bytes / ALIGNED_BYTES) * ALIGNED_BYTES);
  }
  return places;
}

/** Bytes of a value, as cubes of a sample type are read. */
function valueBytes(sampleType: SampleType): number {
  return sampleType === 'float64' ? Float64Array.BYTES_PER_ELEMENT : Float32Array.BYTES_PER_ELEMENT;
}

/** Strips that the threads of a search share, as one of them sees them: in each metric's unit, over the scenes of the stack. */
export class StripCache {
  readonly #task: ChangeTask;
  readonly #shared: SharedStrips;
  readonly #places: readonly number[];

  constructor(task: ChangeTask, shared: SharedStrips) {
    this.#task = task;
    this.#shared = shared;
    this.#places = placesOf(task);
  }

  /** The strip that begins with a pixel, filled where no thread has read it yet; two that do so at once write the same. */
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
