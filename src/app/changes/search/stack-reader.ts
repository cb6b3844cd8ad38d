import { INT16_MISSING } from '../../../change/kernel/sample-kind.ts';
import type { ChangeTask, MetricSeries } from './change-task.ts';
import type { SearchedCubes } from './searched-cubes.ts';
import { ScenesChanged } from './scenes-changed.ts';
import type { RawSamples, Series, StripCache } from './strip-cache.ts';
import { STRIP_PIXELS } from './strip-size.ts';

/** Reads the series of a stack from its cubes. Each thread has its own reader. */
export class StackReader {
  readonly #cubes: Pick<SearchedCubes, 'readStrip'>;
  readonly #series: readonly MetricSeries[];
  readonly #pixels: number;
  readonly #cache: StripCache | undefined;
  /** For each metric, a buffer that was given back and can be reused. */
  readonly #spare: (Series | undefined)[] = [];
  /** For each metric, the raw values of an earlier strip, whose memory is reused. */
  readonly #spareRaw: (Series | undefined)[] = [];

  /** @param cache undefined when the stack is too large for the shared cache */
  constructor(cubes: Pick<SearchedCubes, 'readStrip'>, { spec, series }: ChangeTask, cache?: StripCache) {
    this.#cubes = cubes;
    this.#series = series;
    this.#pixels = spec.width * spec.height;
    this.#cache = cache;
  }

  /**
   * Reads the values of pixels `[from, to)` of one metric, in its unit, with one value per scene of the stack. The
   * caller must not modify the result.
   * @param metric position of the metric in the task
   * @param since position of the first scene that is needed; the values of earlier scenes are unspecified
   * @throws ScenesChanged when the scenes of the cube no longer match those of the task
   */
  async read(metric: number, from: number, to: number, since = 0): Promise<Series> {
    const first = from - (from % STRIP_PIXELS);
    if (this.#cache === undefined || to > first + STRIP_PIXELS) {
      const spare = this.#spare[metric];
      this.#spare[metric] = undefined;
      return await this.#inUnit(metric, from, to, since, spare);
    }
    const strip = await this.#cache.strip(metric, first, (start, end, into) =>
      this.#fill(metric, start, end, into),
    );
    const pixel = strip.length / (Math.min(first + STRIP_PIXELS, this.#pixels) - first);
    const part = strip.subarray((from - first) * pixel, (to - first) * pixel);
    if (!(part instanceof Int16Array)) return part;
    const spare = this.#spare[metric];
    this.#spare[metric] = undefined;
    return overStack(part, this.#series[metric]!, since, spare);
  }

  /** Takes back a buffer returned by `read`, to reuse its memory. Ignores a buffer in shared memory. */
  giveBack(metric: number, values: Series): void {
    if (values.buffer instanceof ArrayBuffer) this.#spare[metric] = values;
  }

  /** Fills a strip of the shared cache. */
  async #fill(metric: number, from: number, to: number, into: Series | RawSamples): Promise<void> {
    if (into instanceof Int16Array) {
      const values = await this.#raw(metric, from, to);
      fillRaw(values, into);
      this.#spareRaw[metric] = values;
      return;
    }
    const values = await this.#inUnit(metric, from, to, 0, into);
    if (values !== into) into.set(values);
  }

  /** Reads values from the cube, and converts them to the unit of the metric. */
  async #inUnit(
    metric: number,
    from: number,
    to: number,
    since: number,
    spare: Series | undefined,
  ): Promise<Series> {
    const values = await this.#raw(metric, from, to);
    const converted = overStack(values, this.#series[metric]!, since, spare);
    if (converted !== values) this.#spareRaw[metric] = values;
    return converted;
  }

  /** Reads raw values from the cube, one per scene of the metric. */
  async #raw(metric: number, from: number, to: number): Promise<Series> {
    const { cubeId, digests } = this.#series[metric]!;
    // Memory of arrays is freed late. A strip has a megabyte, so it is reused.
    const into = this.#spareRaw[metric];
    this.#spareRaw[metric] = undefined;
    const { scenes, values } = await this.#cubes.readStrip(cubeId, from, to, into);
    if (scenes.length !== digests.length || scenes.some(({ sha256 }, i) => sha256 !== digests[i]))
      throw new ScenesChanged();
    return values;
  }
}

/**
 * Converts the raw values of one metric to its unit, with one value per scene of the stack: NaN for a scene that the
 * metric does not have.
 * @param spare buffer that may be used for the result
 */
function overStack(
  values: Series | RawSamples,
  series: MetricSeries,
  since: number,
  spare: Series | undefined,
): Series {
  const { scale, offset, digests, at, sampleType } = series;
  const sceneCount = digests.length;
  const isRaw = values instanceof Int16Array;
  const isPlain = scale === 1 && offset === 0;
  const isWhole = at.length === sceneCount; // the metric has every scene of the stack
  if (isPlain && isWhole && !isRaw) return values;
  const pixels = sceneCount === 0 ? 0 : values.length / sceneCount;
  const spread = roomFor(sampleType === 'float64', pixels * at.length, spare);
  if (isRaw) return spreadRaw(values, series, since, spread);
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

/** As `overStack`, of raw samples. Of a plain metric, `raw * 1 + 0` is `raw`. */
function spreadRaw(samples: RawSamples, series: MetricSeries, since: number, spread: Series): Series {
  const { digests, at } = series;
  const [scenes, times] = [digests.length, at.length];
  const units = unitsOf(series);
  for (let from = 0, to = 0; to < spread.length; from += scenes, to += times) {
    for (let t = since; t < times; t++) {
      const raw = at[t]! < 0 ? INT16_MISSING : samples[from + at[t]!]!;
      spread[to + t] = units[raw - INT16_MISSING]!;
    }
  }
  return spread;
}

const tables = new WeakMap<MetricSeries, Float32Array>();

/**
 * The value of each raw sample in the unit of a metric, from the lowest sample on, which is missing. A table has no
 * branch: clouds are random, and a mispredicted branch takes several times as long as the rest of a sample.
 */
function unitsOf(series: MetricSeries): Float32Array {
  const known = tables.get(series);
  if (known !== undefined) return known;
  const { scale, offset } = series;
  const units = Float32Array.from({ length: 65_536 }, (_, i) =>
    i === 0 ? Number.NaN : (i + INT16_MISSING) * scale + offset,
  );
  tables.set(series, units);
  return units;
}

/** Converts read values to raw samples. The bits of a value that is missing, which is NaN, are those of the lowest one. */
function fillRaw(values: Series, into: RawSamples): void {
  for (let i = 0; i < into.length; i++) {
    const value = values[i]!;
    into[i] = value | (Number(Number.isNaN(value)) << 15);
  }
}

/** Returns a buffer of a given length and type: `spare` if it fits, because allocating takes longer than filling. */
function roomFor(isDouble: boolean, length: number, spare: Series | undefined): Series {
  if (spare?.length === length && spare instanceof Float64Array === isDouble) return spare;
  return isDouble ? new Float64Array(length) : new Float32Array(length);
}
