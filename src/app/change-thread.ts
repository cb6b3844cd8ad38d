// Thread of find-changes.ts: the monitor's passes over a stack whose strips are read by the thread that started it.
import { parentPort, workerData } from 'node:worker_threads';
import { changeObjects, type ChangeObject } from '../monitor/objects.ts';
import { type SceneContext, sceneContext, startContextSurvey, surveyContext } from '../monitor/context.ts';
import { classEdges, startLevelSurvey, surveyLevels } from '../monitor/levels.ts';
import { sceneLevels, startLikeSurvey, surveyLikePixels } from '../monitor/like-pixels.ts';
import type { FollowedMetric } from '../monitor/metric-track.ts';
import { metricTraits, type MetricTraits } from '../monitor/metric.ts';
import { monitorStrips } from '../monitor/monitor.ts';
import { joinEvents, type PixelEvents } from '../monitor/pixel-events.ts';
import { noteObserved, objectEvidence } from '../monitor/provenance.ts';
import { checkSpec, type PixelStrip, type StackSpec } from '../monitor/stack.ts';
import type { ChangeTask, FoundChange } from './find-changes.ts';
import { giveWay } from './give-way.ts';
import { runsOf } from './pixel-runs.ts';

/** What the thread says. */
export type FromThread =
  | { readonly kind: 'read'; readonly metric: number; readonly from: number; readonly to: number }
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'found'; readonly changes: readonly FoundChange[] };

/** What the thread is told: the strip it asked for last, raw. */
export interface ToThread {
  readonly values: Float32Array | Float64Array;
}

/** Values held at once: 16 MB of float32. */
const STRIP_VALUES = 4_194_304;
/** Surveys of each metric: of levels, of like pixels and of the neighbourhood. */
const SURVEYS = 3;

type Series = Float32Array | Float64Array;

const port = parentPort!;
const { spec, series } = workerData as ChangeTask;
giveWay();

function tell(message: FromThread): void {
  port.postMessage(message);
}

/** Series of pixels `[from, to)` in one metric, in its unit and over the scenes of the stack. */
async function read(metric: number, from: number, to: number): Promise<Series> {
  const { scale, offset, sceneCount, at } = series[metric]!;
  const values = await new Promise<Series>((resolve) => {
    port.once('message', (strip: ToThread) => resolve(strip.values));
    tell({ kind: 'read', metric, from, to });
  });
  if (scale !== 1 || offset !== 0)
    for (let i = 0; i < values.length; i++) values[i] = values[i]! * scale + offset;
  if (at.length === sceneCount) return values; // every scene of the stack is one of its own
  const spread =
    values instanceof Float64Array
      ? new Float64Array((to - from) * at.length)
      : new Float32Array((to - from) * at.length);
  spread.fill(Number.NaN);
  for (let p = 0; p < to - from; p++) {
    for (let t = 0; t < at.length; t++) {
      if (at[t]! >= 0) spread[p * at.length + t] = values[p * sceneCount + at[t]!]!;
    }
  }
  return spread;
}

async function run(traits: readonly MetricTraits[]): Promise<readonly FoundChange[]> {
  checkSpec(spec);
  const pixels = spec.width * spec.height;
  const passes = SURVEYS * traits.length + 1;
  let done = 0;
  const pass = async (
    metrics: readonly number[],
    visit: (strips: readonly PixelStrip[]) => void,
  ): Promise<void> => {
    const stripPixels = Math.max(1, Math.floor(STRIP_VALUES / spec.timesMs.length / metrics.length));
    for (let from = 0; from < pixels; from += stripPixels) {
      const to = Math.min(pixels, from + stripPixels);
      const strips: PixelStrip[] = [];
      for (const metric of metrics) strips.push({ from, values: await read(metric, from, to) });
      visit(strips);
      done += to - from;
      tell({ kind: 'progress', done: Math.floor(done / passes), total: pixels });
    }
  };
  const followed: FollowedMetric[] = [];
  for (const [metric, its] of traits.entries()) {
    const survey = (visit: (strip: PixelStrip) => void): Promise<void> =>
      pass([metric], ([strip]) => visit(strip!));
    followed.push({ traits: its, context: await contextOf(spec, its, survey) });
  }
  const parts: PixelEvents[] = [];
  await pass([...traits.keys()], (strips) => parts.push(monitorStrips(spec, followed, strips)));
  const others = series.slice(1).map(({ metric }) => metric);
  const changes: FoundChange[] = [];
  for (const object of changeObjects(spec, traits[0]!, joinEvents(parts), others))
    changes.push({ ...object, evidence: await evidenceOf(followed, object) });
  return changes;
}

async function contextOf(
  spec: StackSpec,
  traits: MetricTraits,
  pass: (visit: (strip: PixelStrip) => void) => Promise<void>,
): Promise<SceneContext> {
  const levels = startLevelSurvey(spec, traits);
  await pass((strip) => surveyLevels(levels, spec, strip));
  const like = startLikeSurvey(spec, traits, classEdges(levels, spec));
  await pass((strip) => surveyLikePixels(like, spec, strip));
  const survey = startContextSurvey(spec, traits, sceneLevels(like, spec, traits));
  await pass((strip) => surveyContext(survey, spec, strip));
  return sceneContext(survey, spec, traits);
}

async function evidenceOf(followed: readonly FollowedMetric[], object: ChangeObject) {
  const times = spec.timesMs.length;
  const observed = new Uint8Array(times);
  const runs = runsOf(object.pixels);
  const seedSeries: Series[] = [];
  for (const metric of followed.keys()) {
    for (let r = 0; r < runs.length; r += 2) {
      const [start, length] = [runs[r]!, runs[r + 1]!];
      const values = await read(metric, start, start + length);
      for (let p = 0; p < length; p++) noteObserved(observed, values.subarray(p * times, (p + 1) * times));
    }
    seedSeries.push(await read(metric, object.seed.pixel, object.seed.pixel + 1));
  }
  return objectEvidence(spec, followed, object, seedSeries, observed);
}

const traits = series.map(({ metric }) => metricTraits(metric));
const known = traits.filter((its) => its !== null);
if (known.length !== traits.length) throw new RangeError('a metric of the task makes no changes');
tell({ kind: 'found', changes: await run(known) });
