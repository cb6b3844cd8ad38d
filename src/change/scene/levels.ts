import { addHistograms, binnedQuantile, countValue, createHistograms, totalCount } from './histogram.ts';
import type { Histograms } from './histogram.ts';
import type { MetricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import { stripPixels } from '../stack.ts';
import type { PixelStrip, StackSpec } from '../stack.ts';

/** Pass 1: counts of the values of each scene. Plain data: the surveys of several threads can be merged. */
export interface LevelSurvey {
  /** First surveyed scene. The results for earlier scenes are known and final. */
  readonly since: number;
  readonly values: Histograms;
}

/** Starts the survey of scene levels. */
export function startLevelSurvey(spec: StackSpec, traits: MetricTraits, since = 0): LevelSurvey {
  const [low, high] = traits.range;
  return {
    since,
    values: createHistograms(spec.timesMs.length - since, low, high, PARAMETERS.histogramBins),
  };
}

/** Counts the values of one strip. Strips may be counted in any order, but each pixel only once. */
export function surveyLevels(survey: LevelSurvey, spec: StackSpec, strip: PixelStrip): void {
  const times = spec.timesMs.length;
  const pixels = stripPixels(spec, strip);
  for (let p = 0; p < pixels; p++) countPixel(survey, strip.values, p * times, times);
}

/** Counts the values of one pixel, whose first scene is at `offset` of `values`. */
function countPixel(
  { since, values: counts }: LevelSurvey,
  values: Float32Array | Float64Array,
  offset: number,
  times: number,
): void {
  for (let t = since; t < times; t++) {
    const value = values[offset + t]!;
    if (Number.isFinite(value)) countValue(counts, t - since, value);
  }
}

/** Adds the counts of another part of the same grid. */
export function mergeLevelSurvey(survey: LevelSurvey, other: LevelSurvey): void {
  addHistograms(survey.values, other.values);
}

/**
 * Edges between the classes of a scene, `[scene][edge]` [metric unit], ascending: values that divide the pixels of the
 * scene into classes of equal size. NaN where too little of the scene was observed. Plain data.
 */
export type ClassEdges = Float64Array;

/**
 * Computes the edges from the counts. The edges of a scene depend only on this scene.
 * @param known edges of the scenes before the survey
 */
export function classEdges(survey: LevelSurvey, spec: StackSpec, known?: ClassEdges): ClassEdges {
  const { bins, low, binWidth, counts } = survey.values;
  const times = spec.timesMs.length;
  const edges = new Float64Array(times * (PARAMETERS.likeClasses - 1)).fill(Number.NaN);
  if (known !== undefined) edges.set(known);
  for (let t = survey.since; t < times; t++) {
    const scene = counts.subarray((t - survey.since) * bins, (t - survey.since + 1) * bins);
    if (totalCount(scene) < PARAMETERS.minSceneShare * spec.width * spec.height) continue;
    for (let k = 1; k < PARAMETERS.likeClasses; k++) {
      edges[t * (PARAMETERS.likeClasses - 1) + k - 1] = binnedQuantile(
        scene,
        low,
        binWidth,
        k / PARAMETERS.likeClasses,
      );
    }
  }
  return edges;
}
