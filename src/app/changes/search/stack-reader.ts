import { INT16_MISSING } from '../../../change/kernel/sample-kind.ts';
import type { PixelStrip } from '../../../change/stack.ts';
import type { CubeScene } from '../../series/cube-store.ts';
import type { ChangeTask, MetricSeries } from './change-task.ts';
import type { SearchedCubes } from './searched-cubes.ts';
import { ScenesChanged } from './scenes-changed.ts';
import { SpareArrays } from './spare-arrays.ts';
import { type RawSamples, roomForStrip, type Series, type StripCache } from './strip-cache.ts';
import { STRIP_PIXELS } from './strip-size.ts';

/** Scenes before the first new one whose values are filled in for all pixels: most were observed in one of them. */
const LATEST_SCENES = 8;

/** Number of strips of a metric that are kept without the shared cache: an object often crosses from one to the next. */
const LATEST_STRIPS = 2;

/** Part of a stack that was read: one metric of some pixels. */
export interface ReadStrip extends PixelStrip {
  /** Memory of `complete`, which is used again after the strip was given back. */
  readonly samples?: RawSamples | undefined;
}

interface LatestStrip {
  readonly from: number;
  readonly pixels: number;
  readonly strip: Series | RawSamples;
}

/** Reads the series of a stack from its cubes. Each thread has its own reader. */
export class StackReader {
  readonly #cubes: Pick<SearchedCubes, 'readStrip' | 'readSamples'>;
  readonly #series: readonly MetricSeries[];
  readonly #pixels: number;
  #cache: StripCache | undefined;
  /** Without the shared cache, the strips of each metric that were read last, in memory that is used again. */
  #latest: LatestStrip[][] | undefined;
  /** Values that were given back, raw values of earlier strips, and those of int16 cubes. */
  readonly #spare: SpareArrays<Series>;
  readonly #spareRaw: SpareArrays<Series>;
  readonly #spareSamples: SpareArrays<RawSamples>;
  readonly #room: RoomFor = (Values, length) => this.#spare.take(length, Values) ?? new Values(length);

  /** @param cache undefined when the stack is too large for the shared cache */
  constructor(
    cubes: Pick<SearchedCubes, 'readStrip' | 'readSamples'>,
    { spec, series }: ChangeTask,
    cache?: StripCache,
  ) {
    this.#cubes = cubes;
    this.#series = series;
    this.#pixels = spec.width * spec.height;
    this.#cache = cache;
    // A pass has a strip of each metric at work, and reads the next ones.
    const most = 2 * series.length;
    this.#spare = new SpareArrays(most);
    this.#spareRaw = new SpareArrays(most);
    this.#spareSamples = new SpareArrays(most);
  }

  /**
   * Reads the values of pixels `[from, to)` of one metric, in its unit, with one value per scene of the stack. The
   * caller must not modify the result.
   * @param metric position of the metric in the task
   * @param since position of the first scene that is needed; the values of earlier scenes are unspecified
   * @throws ScenesChanged when the scenes of the cube no longer match those of the task
   */
  async read(metric: number, from: number, to: number, since = 0): Promise<Series> {
    if (this.#series[metric]!.sampleType !== 'int16') return await this.#values(metric, from, to, since);
    const samples = await this.#samples(metric, from, to);
    const values = this.#spread(metric, samples, since);
    this.#spareSamples.keep(samples);
    return values;
  }

  /**
   * As `read`, of a search that goes on from scene `since`. Of an int16 cube, the values of scenes long before it are
   * filled in for single pixels, because most pixels do not need them.
   */
  async strip(metric: number, from: number, to: number, since: number): Promise<ReadStrip> {
    const series = this.#series[metric]!;
    const first = since - LATEST_SCENES;
    if (series.sampleType !== 'int16' || first <= 0)
      return { from, values: await this.read(metric, from, to) };
    const samples = await this.#samples(metric, from, to);
    const values = this.#spread(metric, samples, first);
    const { at } = series;
    const [scenes, times, units] = [series.digests.length, at.length, unitsOf(series)];
    return {
      from,
      values,
      since: first,
      complete: (p) => spreadPixel(samples, p * scenes, at, units, 0, first, values, p * times),
      samples,
    };
  }

  /** Takes back what `read` or `strip` returned, to reuse its memory. Ignores shared memory. */
  giveBack({ values, samples }: Pick<ReadStrip, 'values' | 'samples'>): void {
    this.#spare.keep(values);
    if (samples !== undefined) this.#spareSamples.keep(samples);
  }

  /**
   * Lets go of the shared cache and of all spare memory. From now on the last two strips of each metric are kept, and
   * what `read` returned is valid until the next read of the metric.
   */
  leaveCache(): void {
    if (this.#cache === undefined) return;
    this.#cache = undefined;
    this.#latest = [];
    for (const spare of [this.#spare, this.#spareRaw, this.#spareSamples]) spare.clear();
  }

  /** Reads the raw samples of pixels of an int16 cube, one per scene of the metric. */
  async #samples(metric: number, from: number, to: number): Promise<RawSamples> {
    const cached = await this.#cached(metric, from, to);
    if (cached !== undefined) return cached as RawSamples;
    const length = (to - from) * this.#series[metric]!.digests.length;
    const into = this.#spareSamples.take(length, Int16Array) ?? new Int16Array(length);
    await this.#readSamples(metric, from, to, into);
    return into;
  }

  /** Reads the values of pixels of a cube of another type, in the unit of the metric; see `read`. */
  async #values(metric: number, from: number, to: number, since: number): Promise<Series> {
    const cached = await this.#cached(metric, from, to);
    return (cached as Series | undefined) ?? (await this.#inUnit(metric, from, to, since, this.#room));
  }

  /** Pixels of a strip in the cache, which is filled if it is not yet; undefined when the stack has no cache. */
  async #cached(metric: number, from: number, to: number): Promise<Series | RawSamples | undefined> {
    const first = from - (from % STRIP_PIXELS);
    if ((this.#cache ?? this.#latest) === undefined || to > first + STRIP_PIXELS) return undefined;
    const strip = await (this.#cache?.strip(metric, first, (start, end, into) =>
      this.#fill(metric, start, end, into),
    ) ?? this.#latestStrip(metric, first));
    const pixel = strip.length / (Math.min(first + STRIP_PIXELS, this.#pixels) - first);
    return strip.subarray((from - first) * pixel, (to - first) * pixel);
  }

  /** The strip that begins at a pixel: one of those that were read last, or else read in the memory of the older. */
  async #latestStrip(metric: number, from: number): Promise<Series | RawSamples> {
    const latest = (this.#latest![metric] ??= []);
    const known = latest.find((strip) => strip.from === from);
    if (known !== undefined) return known.strip;
    // It is left out while it is filled: a read that fails leaves it filled in part.
    const before = latest.length < LATEST_STRIPS ? undefined : latest.shift();
    const to = Math.min(this.#pixels, from + STRIP_PIXELS);
    const series = this.#series[metric]!;
    const strip =
      before?.pixels === to - from ? before.strip : roomForStrip(series, to - from, series.at.length);
    await this.#fill(metric, from, to, strip);
    latest.push({ from, pixels: to - from, strip });
    return strip;
  }

  /** Fills a strip of the shared cache. */
  async #fill(metric: number, from: number, to: number, into: Series | RawSamples): Promise<void> {
    if (into instanceof Int16Array) return await this.#readSamples(metric, from, to, into);
    const values = await this.#inUnit(metric, from, to, 0, () => into);
    if (values !== into) into.set(values);
  }

  /** Reads values from the cube, and converts them to the unit of the metric. */
  async #inUnit(metric: number, from: number, to: number, since: number, room: RoomFor): Promise<Series> {
    const { cubeId, sampleType, digests } = this.#series[metric]!;
    const [length, Values] = [(to - from) * digests.length, valuesOf(sampleType)];
    const raw = this.#spareRaw.take(length, Values) ?? this.#spare.take(length, Values);
    const { scenes, values } = await this.#cubes.readStrip(cubeId, from, to, raw);
    this.#check(metric, scenes);
    const converted = overStack(values, this.#series[metric]!, since, room);
    if (converted !== values) this.#spareRaw.keep(values);
    return converted;
  }

  async #readSamples(metric: number, from: number, to: number, into: RawSamples): Promise<void> {
    this.#check(metric, await this.#cubes.readSamples(this.#series[metric]!.cubeId, from, to, into));
  }

  /** @throws ScenesChanged when the scenes of a cube are not those of the task */
  #check(metric: number, scenes: readonly CubeScene[]): void {
    const { digests } = this.#series[metric]!;
    if (scenes.length !== digests.length || scenes.some(({ sha256 }, i) => sha256 !== digests[i]))
      throw new ScenesChanged();
  }

  /** Converts raw samples of a metric; see `read`. */
  #spread(metric: number, samples: RawSamples, since: number): Series {
    const series = this.#series[metric]!;
    const { at } = series;
    const [scenes, times, units] = [series.digests.length, at.length, unitsOf(series)];
    const pixels = scenes === 0 ? 0 : samples.length / scenes;
    const values = this.#room(Float32Array, pixels * times);
    for (let p = 0; p < pixels; p++)
      spreadPixel(samples, p * scenes, at, units, since, times, values, p * times);
    return values;
  }
}

/** Gives an array of a type and a length for values. */
type RoomFor = (Values: new (length: number) => Series, length: number) => Series;

/** Type of the values of a cube. */
function valuesOf(sampleType: MetricSeries['sampleType']): new (length: number) => Series {
  return sampleType === 'float64' ? Float64Array : Float32Array;
}

/**
 * Converts the raw values of one metric to its unit, with one value per scene of the stack: NaN for a scene that the
 * metric does not have.
 * @param room is asked for the result, unless the values are it already
 */
function overStack(
  values: Series,
  { scale, offset, digests, at, sampleType }: MetricSeries,
  since: number,
  room: RoomFor,
): Series {
  const sceneCount = digests.length;
  const isPlain = scale === 1 && offset === 0;
  const isWhole = at.length === sceneCount; // the metric has every scene of the stack
  if (isPlain && isWhole) return values;
  const pixels = sceneCount === 0 ? 0 : values.length / sceneCount;
  const spread = room(valuesOf(sampleType), pixels * at.length);
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

/**
 * Converts the samples of one pixel, which begin at `from`, to values of the scenes `[since, until)`; those of the pixel
 * begin at `to`.
 * @param at position of each scene of the stack among those of the metric
 * @param units see `unitsOf`. Of a plain metric, `raw * 1 + 0` is `raw`
 */
function spreadPixel(
  samples: RawSamples,
  from: number,
  at: Int32Array,
  units: Float32Array,
  since: number,
  until: number,
  values: Series,
  to: number,
): void {
  for (let t = since; t < until; t++) {
    const raw = at[t]! < 0 ? INT16_MISSING : samples[from + at[t]!]!;
    values[to + t] = units[raw - INT16_MISSING]!;
  }
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
  const units = new Float32Array(65_536);
  units[0] = Number.NaN;
  for (let i = 1; i < units.length; i++) units[i] = (i + INT16_MISSING) * scale + offset;
  tables.set(series, units);
  return units;
}
