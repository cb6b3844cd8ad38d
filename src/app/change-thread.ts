// Thread of find-changes.ts: the monitor's passes over a stack whose strips are read by the thread that started it.
import { parentPort, workerData } from 'node:worker_threads';
import { changeObjects, type ChangeObject } from '../monitor/objects.ts';
import { type SceneContext, sceneContext, startContextSurvey, surveyContext } from '../monitor/context.ts';
import { sceneLevels, startLevelSurvey, surveyLevels } from '../monitor/levels.ts';
import { metricTraits, type MetricTraits } from '../monitor/metric.ts';
import { monitorStrip } from '../monitor/monitor.ts';
import { joinEvents, type PixelEvents } from '../monitor/pixel-events.ts';
import { noteObserved, objectEvidence } from '../monitor/provenance.ts';
import { checkSpec, type PixelStrip, type StackSpec } from '../monitor/stack.ts';
import type { FoundChange } from './find-changes.ts';
import { runsOf } from './pixel-runs.ts';

/** What the thread says. */
export type FromThread =
  | { readonly kind: 'read'; readonly from: number; readonly to: number }
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'found'; readonly changes: readonly FoundChange[] };

/** What the thread is told: the strip it asked for last. */
export interface ToThread {
  readonly values: Float32Array | Float64Array;
}

/** Values read at once: 16 MB of float32. */
const STRIP_VALUES = 4_194_304;
/** Surveys of levels and of the neighbourhood, then the monitor itself. */
const PASSES = 3;

const port = parentPort!;

function read(from: number, to: number): Promise<Float32Array | Float64Array> {
  return new Promise((resolve) => {
    port.once('message', ({ values }: ToThread) => resolve(values));
    tell({ kind: 'read', from, to });
  });
}

function tell(message: FromThread): void {
  port.postMessage(message);
}

async function run(spec: StackSpec, traits: MetricTraits): Promise<readonly FoundChange[]> {
  checkSpec(spec);
  const pixels = spec.width * spec.height;
  const stripPixels = Math.max(1, Math.floor(STRIP_VALUES / spec.timesMs.length));
  let done = 0;
  const pass = async (visit: (strip: PixelStrip) => void): Promise<void> => {
    for (let from = 0; from < pixels; from += stripPixels) {
      const to = Math.min(pixels, from + stripPixels);
      visit({ from, values: await read(from, to) });
      done += to - from;
      tell({ kind: 'progress', done: Math.floor(done / PASSES), total: pixels });
    }
  };
  const levels = startLevelSurvey(spec, traits);
  await pass((strip) => surveyLevels(levels, spec, strip));
  const survey = startContextSurvey(spec, traits, sceneLevels(levels, spec, traits));
  await pass((strip) => surveyContext(survey, spec, strip));
  const context = sceneContext(survey, spec, traits);
  const parts: PixelEvents[] = [];
  await pass((strip) => parts.push(monitorStrip(spec, traits, context, strip)));
  const changes: FoundChange[] = [];
  for (const object of changeObjects(spec, traits, joinEvents(parts)))
    changes.push({ ...object, evidence: await evidenceOf(spec, traits, context, object) });
  return changes;
}

async function evidenceOf(
  spec: StackSpec,
  traits: MetricTraits,
  context: SceneContext,
  object: ChangeObject,
) {
  const times = spec.timesMs.length;
  const observed = new Uint8Array(times);
  const runs = runsOf(object.pixels);
  for (let r = 0; r < runs.length; r += 2) {
    const [start, length] = [runs[r]!, runs[r + 1]!];
    const values = await read(start, start + length);
    for (let p = 0; p < length; p++) noteObserved(observed, values.subarray(p * times, (p + 1) * times));
  }
  const seedSeries = await read(object.seed.pixel, object.seed.pixel + 1);
  return objectEvidence(spec, traits, context, object, seedSeries, observed);
}

const spec = workerData as StackSpec;
const traits = metricTraits(spec.metric);
tell({ kind: 'found', changes: traits === null ? [] : await run(spec, traits) });
