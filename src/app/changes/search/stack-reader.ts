import type { ChangeTask, MetricSeries } from './find-changes.ts';
import type { SearchedCubes } from './searched-cubes.ts';
import { ScenesMoved } from './scenes-moved.ts';
import type { Series, StripCache } from './strip-cache.ts';
import { STRIP_PIXELS } from './strip-grid.ts';

/** Reads a stack from its cubes, in the thread that looks at it. */
export class StackReader {
  readonly #cubes: Pick<SearchedCubes, 'readStrip'>;
  readonly #series: readonly MetricSeries[];
  readonly #times: number;
  readonly #cache: StripCache | undefined;
  /** Of each metric, what was given back. */
  readonly #spare: (Series | undefined)[] = [];

  /** @param cache absent where the stack is too large to be held */
  constructor(cubes: Pick<SearchedCubes, 'readStrip'>, { spec, series }: ChangeTask, cache?: StripCache) {
    this.#cubes = cubes;
    this.#series = series;
    this.#times = spec.timesMs.length;
    this.#cache = cache;
  }

  /**
   * Series of pixels `[from, to)` in the metric at a position, in its unit and over the scenes of the stack; not to be
   * written to.
   * @param since first scene that is asked for: what stands before it means nothing
   * @throws ScenesMoved when the cube's scenes are not those that the search rests on
   */
  async read(metric: number, from: number, to: number, since = 0): Promise<Series> {
    const first = from - (from % STRIP_PIXELS);
    if (this.#cache === undefined || to > first + STRIP_PIXELS) {
      const spare = this.#spare[metric];
      this.#spare[metric] = undefined;
      return overStack(await this.#raw(metric, from, to), this.#series[metric]!, since, spare);
    }
    const strip = await this.#cache.strip(metric, first, async (start, end, into) => {
      const values = overStack(await this.#raw(metric, start, end), this.#series[metric]!, 0, into);
      if (values !== into) into.set(values);
    });
    return strip.subarray((from - first) * this.#times, (to - first) * this.#times);
  }

  /** Takes series back that were read and are looked at no more: their memory serves the next ones, where it is this thread's. */
  giveBack(metric: number, values: Series): void {
    if (values.buffer instanceof ArrayBuffer) this.#spare[metric] = values;
  }

  async #raw(metric: number, from: number, to: number): Promise<Series> {
    const { cubeId, digests } = this.#series[metric]!;
    const { scenes, values } = await this.#cubes.readStrip(cubeId, from, to);
    if (scenes.length !== digests.length || scenes.some(({ sha256 }, i) => sha256 !== digests[i]))
      throw new ScenesMoved();
    return values;
  }
}

/**
 * Raw values of a metric's own scenes as values of the stack's, NaN in scenes that it has not.
 * @param spare memory that may be used for them
 */
function overStack(
  values: Series,
  { scale, offset, digests, at }: MetricSeries,
  since: number,
  spare: Series | undefined,
): Series {
  const sceneCount = digests.length;
  const isPlain = scale === 1 && offset === 0;
  const isWhole = at.length === sceneCount; // every scene of the stack is one of its own
  if (isPlain && isWhole) return values;
  const pixels = sceneCount === 0 ? 0 : values.length / sceneCount;
  const spread = roomFor(values, pixels * at.length, spare);
  if (isWhole && since === 0) {
    for (let i = 0; i < spread.length; i++) spread[i] = values[i]! * scale + offset;
    return spread;
  }
  for (let p = 0; p < pixels; p++) {
    for (let t = since; t < at.length; t++) {
      const raw = at[t]! < 0 ? Number.NaN : values[p * sceneCount + at[t]!]!;
      spread[p * at.length + t] = isPlain ? raw : raw * scale + offset;
    }
  }
  return spread;
}

/** Memory for so many values of a kind: fresh memory costs more than filling it. */
function roomFor(like: Series, length: number, spare: Series | undefined): Series {
  const isDouble = like instanceof Float64Array;
  if (spare?.length === length && spare instanceof Float64Array === isDouble) return spare;
  return isDouble ? new Float64Array(length) : new Float32Array(length);
}
