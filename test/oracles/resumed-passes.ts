import { DAY_MS } from '../../src/base/time.ts';
import { type SceneContext, sceneContext } from '../../src/change/scene/context.ts';
import { startContextSurvey, surveyContext } from '../../src/change/scene/context-survey.ts';
import { classEdges, startLevelSurvey, surveyLevels } from '../../src/change/scene/levels.ts';
import { sceneLevels, startLikeSurvey, surveyLikePixels } from '../../src/change/scene/like-pixels.ts';
import { metricTraits } from '../../src/change/metric.ts';
import type { FollowedMetric } from '../../src/change/pixel/metric-track.ts';
import { resumeStrips } from '../../src/change/monitor.ts';
import { confirmTogether } from '../../src/change/object/joint-confirmation.ts';
import { changeObjects, type ChangeObject } from '../../src/change/object/objects.ts';
import type { PixelEvents } from '../../src/change/pixel/pixel-events.ts';
import type { StackSpec } from '../../src/change/stack.ts';
import { StateReader } from '../../src/change/state/state-reader.ts';
import { StateWriter } from '../../src/change/state/state-writer.ts';
import { uniform } from './simulated-series.ts';

/** Series of some metrics of the same pixels, `[pixel][scene]`. */
export type Stack = { readonly spec: StackSpec; readonly metrics: Readonly<Record<string, Float64Array>> };

/** Fills the gaps of a series with straight lines, as producers of gap-free stacks do. */
function fill(series: Float64Array): void {
  const seen = [...series.keys()].filter((t) => !Number.isNaN(series[t]!));
  for (const [i, to] of seen.entries()) {
    const from = seen[i - 1] ?? to;
    const step = (series[to]! - series[from]!) / (to - from);
    for (let t = from + 1; t < to; t++)
      series[t] = Math.round((series[from]! + step * (t - from)) * 1e4) / 1e4;
  }
}

/**
 * Simulates five years of two or three metrics with seasons, clouds and noise. One block is cleared, another burns and
 * recovers, and some pixels are not observed for years. In every third row the gaps are filled.
 */
export function randomStack(seed: number, width = 14, height = 12): Stack {
  const next = uniform(seed);
  const keys = ['ndvi', 'nbr', ...(seed % 2 === 0 ? ['mndwi'] : [])];
  const times = 70 + Math.floor(next() * 40);
  const days = Array.from({ length: times }, () => Math.floor(next() * 1800)).toSorted((a, b) => a - b);
  const timesMs = Float64Array.from(days, (day) => Date.UTC(2019, 0, 1) + day * DAY_MS);
  const cleared = 900 + Math.floor(next() * 600);
  const burnt = 700 + Math.floor(next() * 500);
  const metrics = Object.fromEntries(keys.map((key) => [key, new Float64Array(width * height * times)]));
  const missed = days.map(() => next() < 0.1);
  for (let p = 0; p < width * height; p++) {
    const [row, column] = [Math.floor(p / width), p % width];
    const own = 0.1 * next();
    const unseen = next() < 0.1 ? 300 : Number.NaN;
    for (const [t, day] of days.entries()) {
      const isUnseen = day > unseen && day < unseen + 800;
      const isCloudy = next() < 0.35 || isUnseen;
      const season = 0.15 * Math.cos((2 * Math.PI * (day - 200)) / 365.25);
      const isCleared = row < 5 && column < 5 && day >= cleared;
      const isBurnt = row > 7 && column > 8 && day >= burnt && day < burnt + 260;
      for (const [m, key] of keys.entries()) {
        const sign = key === 'mndwi' ? -0.3 : 1;
        const level = sign * (0.6 + own + season - (isCleared || isBurnt ? 0.4 : 0)) + 0.06 * (next() - 0.5);
        const isMissing = isCloudy || (m === 1 && missed[t]);
        metrics[key]![p * times + t] = isMissing ? Number.NaN : Math.round(level * 1e4) / 1e4;
      }
    }
    if (row % 3 === 0) for (const key of keys) fill(metrics[key]!.subarray(p * times, (p + 1) * times));
  }
  return { spec: { width, height, pixelAreaM2: 400, metric: keys[0]!, timesMs }, metrics };
}

/** Returns the first `count` scenes of a stack. */
export function firstScenes({ spec, metrics }: Stack, count: number): Stack {
  const times = spec.timesMs.length;
  const cut = (values: Float64Array): Float64Array =>
    Float64Array.from(
      { length: spec.width * spec.height * count },
      (_, i) => values[Math.floor(i / count) * times + (i % count)]!,
    );
  return {
    spec: { ...spec, timesMs: spec.timesMs.slice(0, count) },
    metrics: Object.fromEntries(Object.entries(metrics).map(([key, values]) => [key, cut(values)])),
  };
}

/** Saved state of a run: the bytes of passes 2 (by metric), 3 (by metric) and 4, and the contexts by metric. */
export interface Left {
  readonly like: Uint8Array<ArrayBuffer>[];
  readonly context: Uint8Array<ArrayBuffer>[];
  readonly contexts: SceneContext[];
  readonly follow: Uint8Array<ArrayBuffer>;
}

/** What a run found, and what it needs to be continued. */
export interface Outcome {
  readonly left: Left;
  /** Events before neighbours confirm each other. */
  readonly own: PixelEvents;
  readonly followed: readonly FollowedMetric[];
  readonly events: PixelEvents;
  readonly objects: readonly ChangeObject[];
}

/**
 * Runs all passes over the scenes from `since` on, and continues from the saved state of an earlier run, if given.
 * @param keeps whether the states of the pixels are saved, so that each pixel is followed
 */
export function resume(
  { spec, metrics }: Stack,
  since: number,
  before: Left | undefined,
  keeps = true,
): Outcome {
  const readerOf = (bytes: Uint8Array<ArrayBuffer> | undefined): StateReader | undefined =>
    bytes && new StateReader(bytes);
  const [like, context, contexts]: [Left['like'], Left['context'], SceneContext[]] = [[], [], []];
  const followed: FollowedMetric[] = [];
  const strips = Object.values(metrics).map((values) => ({ from: 0, values }));
  for (const [m, key] of Object.keys(metrics).entries()) {
    const traits = metricTraits(key)!;
    const strip = strips[m]!;
    const known = before?.contexts[m];
    const levelSurvey = startLevelSurvey(spec, traits, since);
    surveyLevels(levelSurvey, spec, strip);
    const edges = classEdges(levelSurvey, spec, known?.levels.edges);
    const likeSurvey = startLikeSurvey(spec, traits, edges, since);
    const keptLike = new StateWriter();
    surveyLikePixels(likeSurvey, spec, strip, { left: readerOf(before?.like[m]), kept: keptLike });
    const survey = startContextSurvey(
      spec,
      traits,
      sceneLevels(likeSurvey, spec, traits, known?.levels),
      since,
    );
    const keptContext = new StateWriter();
    surveyContext(survey, spec, strip, { left: readerOf(before?.context[m]), kept: keptContext });
    contexts.push(sceneContext(survey, spec, traits, known));
    followed.push({ traits, context: contexts[m]! });
    like.push(keptLike.written());
    context.push(keptContext.written());
  }
  const kept = new StateWriter();
  const own = resumeStrips(spec, followed, strips, since, {
    left: readerOf(before?.follow),
    kept: keeps ? kept : undefined,
  });
  const others = Object.keys(metrics).slice(1);
  return {
    left: { like, context, contexts, follow: kept.written() },
    own,
    followed,
    events: confirmTogether(spec, own),
    objects: changeObjects(spec, followed[0]!.traits, own, others),
  };
}
