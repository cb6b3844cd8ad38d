import { addHistograms, binnedQuantile, countValue, createHistograms, totalCount } from './histogram.ts';
import type { Histograms } from './histogram.ts';
import type { ClassEdges } from './levels.ts';
import { medianInPlace } from '../../numerics/median.ts';
import type { Exchange } from '../kernel/track-arrays.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import { stripPixels } from '../stack.ts';
import type { PixelStrip, StackSpec } from '../stack.ts';
import type { StateStream } from '../state/state-stream.ts';
import type { StateReader } from '../state/state-reader.ts';
import type { StateWriter, StripState } from '../state/state-writer.ts';

/**
 * Class of a pixel in its grid: the usual rank of its value among the values of a scene. Ranks hardly change with
 * season, haze or snow, so a few scenes are enough to find like pixels.
 */
export class RankClass {
  /** Sum and number of the ranks. */
  #sum = 0;
  #count = 0;

  clear(): void {
    this.#sum = 0;
    this.#count = 0;
  }

  /** Adds the rank of an observation. */
  add(rank: number): void {
    this.#sum += rank;
    this.#count += 1;
  }

  save(writer: StateWriter): void {
    this.#fields(writer);
  }

  load(reader: StateReader): void {
    this.#fields(reader);
  }

  /** Writes or reads the saved fields, always in the same order. */
  #fields(stream: StateStream): void {
    this.#sum = stream.natural(this.#sum);
    this.#count = stream.natural(this.#count);
  }

  /** Hands the ranks to the kernel, or takes them back. */
  exchange(record: Exchange): void {
    this.#sum = record.whole(this.#sum);
    this.#count = record.whole(this.#count);
  }

  /** Mean rank, which may lie between two classes; -1 before the first rank. */
  get mean(): number {
    return this.#count === 0 ? -1 : this.#sum / this.#count;
  }

  /** Class nearest to the mean rank, 0 for the lowest; -1 before the first rank. */
  get value(): number {
    return Math.round(this.mean);
  }
}

/** Returns the rank of a value in a scene, 0 for the lowest; -1 if too little of the scene was observed. */
export function rankOf(edges: ClassEdges, scene: number, value: number): number {
  const from = scene * (PARAMETERS.likeClasses - 1);
  if (Number.isNaN(edges[from]!)) return -1;
  let rank = 0;
  // Compares with all edges, without branches: ranks are unpredictable, and a mispredicted branch costs more than two
  // comparisons.
  for (let k = 0; k < PARAMETERS.likeClasses - 1; k++) rank += Number(value > edges[from + k]!);
  return rank;
}

/** Pass 2: counts of the values of each scene by class. Plain data: the surveys of several threads can be merged. */
export interface LikeSurvey {
  /** First surveyed scene. */
  readonly since: number;
  readonly edges: ClassEdges;
  readonly values: Histograms;
}

/** Starts the survey of like pixels. */
export function startLikeSurvey(
  spec: StackSpec,
  traits: MetricTraits,
  edges: ClassEdges,
  since = 0,
): LikeSurvey {
  const [low, high] = traits.range;
  const size = PARAMETERS.likeClasses * (spec.timesMs.length - since);
  return { since, edges, values: createHistograms(size, low, high, PARAMETERS.histogramBins) };
}

/**
 * Counts the values of one strip. Strips may be counted in any order, but each pixel only once. The class of a pixel
 * is determined from its earlier observations; at its first observation, from this one.
 * @param state `state.left` provides the state of the strip before the survey; `state.kept` receives its state after
 *   the last scene
 */
export function surveyLikePixels(
  survey: LikeSurvey,
  spec: StackSpec,
  strip: PixelStrip,
  state: StripState = {},
): void {
  const times = spec.timesMs.length;
  const pixels = stripPixels(spec, strip);
  const rank = new RankClass();
  for (let p = 0; p < pixels; p++) {
    rank.clear();
    if (state.left !== undefined) rank.load(state.left);
    countPixel(survey, rank, strip.values, p * times, times);
    if (state.kept !== undefined) rank.save(state.kept);
  }
}

/** Counts the values of one pixel, whose first scene is at `offset` of `values`, and adds their ranks to its class. */
function countPixel(
  survey: LikeSurvey,
  rank: RankClass,
  values: Float32Array | Float64Array,
  offset: number,
  times: number,
): void {
  const { since } = survey;
  let known = rank.value;
  for (let t = since; t < times; t++) {
    const value = values[offset + t]!;
    if (!Number.isFinite(value)) continue;
    const its = rankOf(survey.edges, t, value);
    if (its >= 0) rank.add(its);
    if (known < 0) known = rank.value;
    if (known >= 0) countValue(survey.values, known * (times - since) + t - since, value);
    known = rank.value;
  }
}

/** Adds the counts of another part of the same grid. */
export function mergeLikeSurvey(survey: LikeSurvey, other: LikeSurvey): void {
  addHistograms(survey.values, other.values);
}

/** Statistics of the values of each class in each scene, `[class][scene]`. Plain data. */
export interface SceneLevels {
  readonly edges: ClassEdges;
  /** Median of the class [metric unit]; NaN where too few pixels were observed. */
  readonly median: Float64Array;
  /**
   * 1 where a scene is comparable in season and state for the class, else 0. In a seasonal metric a scene is
   * comparable if its level is near the running maximum of the levels, which excludes scenes with snow, haze or
   * dormancy.
   */
  readonly comparable: Uint8Array;
  /**
   * Level of the class (its quantile `levelQuantile`), and minimum level for a scene to be comparable with this scene
   * [metric unit]; NaN where too few pixels were observed.
   */
  readonly level: Float64Array;
  readonly least: Float64Array;
  /** Width of the gap to the next class minus its usual width [metric unit]; 0 where it is unknown. */
  readonly widening: Float64Array;
}

/**
 * Computes the levels from the counts. The levels of a scene do not depend on later scenes.
 * @param known levels of the scenes before the survey
 */
export function sceneLevels(
  survey: LikeSurvey,
  spec: StackSpec,
  traits: MetricTraits,
  known?: SceneLevels,
): SceneLevels {
  const { bins, low, binWidth, counts } = survey.values;
  const times = spec.timesMs.length;
  const classes = PARAMETERS.likeClasses;
  const median = new Float64Array(classes * times).fill(Number.NaN);
  const comparable = new Uint8Array(classes * times);
  const level = new Float64Array(classes * times).fill(Number.NaN);
  const least = new Float64Array(classes * times).fill(Number.NaN);
  const widening = new Float64Array(classes * times);
  const { since } = survey;
  if (known !== undefined) {
    for (let c = 0; c < classes; c++) {
      const earlier = [c * since, (c + 1) * since] as const;
      median.set(known.median.subarray(...earlier), c * times);
      comparable.set(known.comparable.subarray(...earlier), c * times);
      level.set(known.level.subarray(...earlier), c * times);
      least.set(known.least.subarray(...earlier), c * times);
      widening.set(known.widening.subarray(...earlier), c * times);
    }
  }
  for (let c = 0; c < classes; c++) {
    for (let t = since; t < times; t++) {
      const slot = c * times + t;
      const counted = c * (times - since) + t - since;
      const scene = counts.subarray(counted * bins, (counted + 1) * bins);
      if (Number.isNaN(survey.edges[t * (classes - 1)]!) || totalCount(scene) < PARAMETERS.minLikePixels)
        continue;
      level[slot] = binnedQuantile(scene, low, binWidth, PARAMETERS.levelQuantile);
      median[slot] = binnedQuantile(scene, low, binWidth, 0.5);
      const highest = highestLevel(level, spec, c * times, t);
      least[slot] = traits.seasonal
        ? highest - (1 - PARAMETERS.comparableShare) * Math.abs(highest)
        : Number.NEGATIVE_INFINITY;
      comparable[slot] = level[slot] >= least[slot] ? 1 : 0;
    }
  }
  const levels: SceneLevels = { edges: survey.edges, median, comparable, level, least, widening };
  const gaps = new Float64Array(times);
  for (let c = 0; c < classes - 1; c++)
    for (let t = since; t < times; t++) widening[c * times + t] = wideningAt(levels, spec, c, t, gaps);
  return levels;
}

/** Running maximum of the levels of a class up to a scene. @param from position of its first scene in `level` */
function highestLevel(level: Float64Array, { timesMs }: StackSpec, from: number, scene: number): number {
  let highest = level[from + scene]!;
  for (let s = scene - 1; s >= 0 && timesMs[scene]! - timesMs[s]! <= PARAMETERS.levelMemoryMs; s--) {
    if (level[from + s]! > highest) highest = level[from + s]!;
  }
  return highest;
}

/**
 * Returns the widening of the gap between a class and the next class: its width in a scene minus its median width in
 * earlier scenes that are comparable for both classes. 0 if there are too few such scenes.
 */
function wideningAt(
  { median, comparable, level, least }: SceneLevels,
  { timesMs }: StackSpec,
  lower: number,
  scene: number,
  gaps: Float64Array,
): number {
  const [low, high] = [lower * timesMs.length, (lower + 1) * timesMs.length];
  if (comparable[low + scene] === 0 || comparable[high + scene] === 0) return 0;
  let known = 0;
  for (let s = scene - 1; s >= 0 && timesMs[scene]! - timesMs[s]! <= PARAMETERS.levelMemoryMs; s--) {
    if (!(level[low + s]! >= least[low + scene]! && level[high + s]! >= least[high + scene]!)) continue;
    gaps[known] = median[high + s]! - median[low + s]!;
    known += 1;
  }
  if (known < PARAMETERS.minHistory) return 0;
  return median[high + scene]! - median[low + scene]! - medianInPlace(gaps, known);
}
