import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { type SceneContext, sceneContext } from './scene/context.ts';
import { startContextSurvey, surveyContext } from './scene/context-survey.ts';
import { uniform } from '../../test/oracles/simulated-series.ts';
import { classEdges, startLevelSurvey, surveyLevels } from './scene/levels.ts';
import { sceneLevels, startLikeSurvey, surveyLikePixels } from './scene/like-pixels.ts';
import { metricTraits } from './metric.ts';
import type { FollowedMetric } from './pixel/metric-track.ts';
import { monitorMetrics, resumeStrips } from './monitor.ts';
import { confirmTogether } from './object/joint-confirmation.ts';
import { changeObjects, type ChangeObject } from './object/objects.ts';
import { eventAt, eventCount, type PixelEvents } from './pixel/pixel-events.ts';
import { NONE, type StackSpec } from './stack.ts';
import { StateReader } from './state/state-reader.ts';
import { StateWriter } from './state/state-writer.ts';

const [WIDTH, HEIGHT] = [14, 12];
const PIXELS = WIDTH * HEIGHT;

type Stack = { readonly spec: StackSpec; readonly metrics: Readonly<Record<string, Float64Array>> };

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
function randomStack(seed: number): Stack {
  const next = uniform(seed);
  const keys = ['ndvi', 'nbr', ...(seed % 2 === 0 ? ['mndwi'] : [])];
  const times = 70 + Math.floor(next() * 40);
  const days = Array.from({ length: times }, () => Math.floor(next() * 1800)).toSorted((a, b) => a - b);
  const timesMs = Float64Array.from(days, (day) => Date.UTC(2019, 0, 1) + day * DAY_MS);
  const cleared = 900 + Math.floor(next() * 600);
  const burnt = 700 + Math.floor(next() * 500);
  const metrics = Object.fromEntries(keys.map((key) => [key, new Float64Array(PIXELS * times)]));
  const missed = days.map(() => next() < 0.1);
  for (let p = 0; p < PIXELS; p++) {
    const [row, column] = [Math.floor(p / WIDTH), p % WIDTH];
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
  return { spec: { width: WIDTH, height: HEIGHT, pixelAreaM2: 400, metric: keys[0]!, timesMs }, metrics };
}

/** Returns the first `count` scenes of a stack. */
function firstScenes({ spec, metrics }: Stack, count: number): Stack {
  const times = spec.timesMs.length;
  const cut = (values: Float64Array): Float64Array =>
    Float64Array.from(
      { length: PIXELS * count },
      (_, i) => values[Math.floor(i / count) * times + (i % count)]!,
    );
  return {
    spec: { ...spec, timesMs: spec.timesMs.slice(0, count) },
    metrics: Object.fromEntries(Object.entries(metrics).map(([key, values]) => [key, cut(values)])),
  };
}

/** Saved state of a run: the bytes of passes 2 (by metric), 3 (by metric) and 4, and the contexts by metric. */
interface Left {
  readonly like: Uint8Array<ArrayBuffer>[];
  readonly context: Uint8Array<ArrayBuffer>[];
  readonly contexts: SceneContext[];
  readonly follow: Uint8Array<ArrayBuffer>;
}

interface Outcome {
  readonly left: Left;
  readonly events: PixelEvents;
  readonly objects: readonly ChangeObject[];
}

/** Runs all passes over the scenes from `since` on, and continues from the saved state of an earlier run, if given. */
function resume({ spec, metrics }: Stack, since: number, before: Left | undefined): Outcome {
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
  const events = resumeStrips(spec, followed, strips, since, { left: readerOf(before?.follow), kept });
  const others = Object.keys(metrics).slice(1);
  return {
    left: { like, context, contexts, follow: kept.written() },
    events: confirmTogether(spec, events),
    objects: changeObjects(spec, followed[0]!.traits, events, others),
  };
}

/**
 * Returns after how many scenes each run ends: with seed 1 after every scene, else after random numbers of scenes. The
 * last two runs end at the same scene, so the last run has no new scenes.
 */
function cutsOf(seed: number, times: number): number[] {
  if (seed === 1) return [...Array.from({ length: times }, (_, t) => t + 1), times];
  const next = uniform(100 + seed);
  const cuts = [times, times];
  for (let cut = times; cut > 1;) {
    cut = Math.max(1, cut - 1 - Math.floor(next() * 25));
    cuts.unshift(cut);
  }
  return cuts;
}

/**
 * Lists the departures that were confirmed before a given scene, with the scenes of first anomaly, flag and
 * confirmation. Suspicions are not compared: while they wait for their season they are not reported.
 */
function confirmedBefore(events: PixelEvents, scene: number): string[] {
  return Array.from({ length: eventCount(events) }, (_, i) => eventAt(events, i))
    .filter(({ confirmed }) => confirmed !== NONE && confirmed < scene)
    .map((event) => `${event.pixel}: ${event.firstAnomaly}, ${event.flagged}, ${event.confirmed}`)
    .toSorted();
}

test('a stack processed in parts gives the same events, objects and neighbourhoods as one run, bit by bit, and no confirmation earlier or later', () => {
  const statuses = new Map<string, number>();
  for (let seed = 1; seed <= 6; seed++) {
    const stack = randomStack(seed);
    const times = stack.spec.timesMs.length;
    const whole = monitorMetrics(stack.spec, stack.metrics);
    for (let i = 0; i < eventCount(whole.events); i++) {
      const { status } = eventAt(whole.events, i);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    let before: Left | undefined;
    let since = 0;
    for (const cut of cutsOf(seed, times)) {
      const { left, events, objects } = resume(firstScenes(stack, cut), since, before);
      [before, since] = [left, cut];
      assert.deepEqual(
        confirmedBefore(events, cut),
        confirmedBefore(whole.events, cut),
        `stack ${seed} at ${cut}`,
      );
      if (cut < times) continue;
      assert.deepEqual(events, whole.events, `stack ${seed}`);
      assert.deepEqual(objects, whole.objects, `stack ${seed}`);
      assert.deepEqual(left.contexts[0], whole.context, `stack ${seed}`);
    }
  }
  // Every status occurs in the stacks.
  assert.deepEqual([...statuses.keys()].toSorted(), ['confirmed', 'recovered', 'rejected', 'suspected']);
});
