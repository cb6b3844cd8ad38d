import { addHistograms, binnedQuantile, countValue, createHistograms, totalCount } from './histogram.ts';
import type { Histograms } from './histogram.ts';
import type { MetricTraits } from './metric.ts';
import { PARAMETERS } from './parameters.ts';
import { stripPixels } from './stack.ts';
import type { PixelStrip, StackSpec } from './stack.ts';

/** Pass 1: counts of each scene's values. Plain data, so it crosses threads; merge the parts of several. */
export interface LevelSurvey {
  readonly values: Histograms;
}

/** Starts the survey of scene levels. */
export function startLevelSurvey(spec: StackSpec, traits: MetricTraits): LevelSurvey {
  const [low, high] = traits.range;
  return { values: createHistograms(spec.timesMs.length, low, high, PARAMETERS.histogramBins) };
}

/** Counts one strip; any order, each pixel once. */
export function surveyLevels(survey: LevelSurvey, spec: StackSpec, strip: PixelStrip): void {
  const times = spec.timesMs.length;
  const pixels = stripPixels(spec, strip);
  for (let p = 0; p < pixels; p++) {
    for (let t = 0; t < times; t++) {
      const value = strip.values[p * times + t]!;
      if (Number.isFinite(value)) countValue(survey.values, t, value);
    }
  }
}

/** Adds the counts of another part of the same grid. */
export function mergeLevelSurvey(survey: LevelSurvey, other: LevelSurvey): void {
  addHistograms(survey.values, other.values);
}

/** What each scene is like as a whole. Plain data. */
export interface SceneLevels {
  /** Median of the scene [metric unit]; NaN where too little of it was observed. */
  readonly median: Float64Array;
  /**
   * 1 where a scene is comparable in season and state, else 0. In a seasonal metric these are the scenes of which even
   * the less green part is near its running maximum; snow, haze and dormancy are not.
   */
  readonly comparable: Uint8Array;
}

/** Turns the counts into levels. Uses nothing later than each scene. */
export function sceneLevels(survey: LevelSurvey, spec: StackSpec, traits: MetricTraits): SceneLevels {
  const { bins, low, binWidth, counts } = survey.values;
  const times = spec.timesMs.length;
  const comparable = new Uint8Array(times);
  const median = new Float64Array(times).fill(Number.NaN);
  const levels = new Float64Array(times).fill(Number.NaN);
  for (let t = 0; t < times; t++) {
    const scene = counts.subarray(t * bins, (t + 1) * bins);
    if (totalCount(scene) < PARAMETERS.minSceneShare * spec.width * spec.height) continue;
    const level = binnedQuantile(scene, low, binWidth, PARAMETERS.levelQuantile);
    levels[t] = level;
    median[t] = binnedQuantile(scene, low, binWidth, 0.5);
    let highest = level;
    for (let s = t - 1; s >= 0 && spec.timesMs[t]! - spec.timesMs[s]! <= PARAMETERS.levelMemoryMs; s--) {
      if (levels[s]! > highest) highest = levels[s]!;
    }
    const least = highest - (1 - PARAMETERS.comparableShare) * Math.abs(highest);
    comparable[t] = !traits.seasonal || level >= least ? 1 : 0;
  }
  return { median, comparable };
}
