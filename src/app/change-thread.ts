// Thread of find-changes.ts: the monitor's passes over a stack whose strips are read by the thread that started it.
import { MessageChannel, type MessagePort, parentPort } from 'node:worker_threads';
import { deserialize, serialize } from 'node:v8';
import { mergeContextSurvey, type SceneContext, sceneContext } from '../monitor/context.ts';
import { classEdges, mergeLevelSurvey } from '../monitor/levels.ts';
import { mergeLikeSurvey, sceneLevels } from '../monitor/like-pixels.ts';
import type { FollowedMetric } from '../monitor/metric-track.ts';
import type { MetricTraits } from '../monitor/metric.ts';
import { changeObjects, type ChangeObject } from '../monitor/objects.ts';
import { joinEvents } from '../monitor/pixel-events.ts';
import { noteObserved, objectEvidence } from '../monitor/provenance.ts';
import { checkSpec } from '../monitor/stack.ts';
import { type ChangeTask, type FoundChange, traitsOf } from './find-changes.ts';
import { giveWay } from './give-way.ts';
import { crewOfOne, CrewOfThreads, type PassCrew } from './pass-crew.ts';
import { runsOf } from './pixel-runs.ts';
import { SEAL_BYTES, StackReader } from './stack-reader.ts';

/** A search that the thread is told to do; the next one comes when it has found what there is. */
export interface ToThread {
  readonly task: ChangeTask;
  readonly threads: number;
}

/** What the thread says: series are asked for by ports of their own. */
export type FromThread =
  | { readonly kind: 'reader'; readonly port: MessagePort }
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  | { readonly kind: 'found'; readonly changes: readonly FoundChange[] };

/** Surveys of each metric: of levels, of like pixels and of the neighbourhood. */
const SURVEYS = 3;

const port = parentPort!;
const threadsOfMine = new CrewOfThreads();
giveWay();

function connect(reader: MessagePort): void {
  port.postMessage({ kind: 'reader', port: reader } satisfies FromThread, [reader]);
}

function tell(message: FromThread): void {
  port.postMessage(message);
}

/** What a search goes over, and how. */
interface Search {
  readonly task: ChangeTask;
  readonly traits: readonly MetricTraits[];
  readonly reader: StackReader;
  readonly crew: PassCrew;
}

function searchOver({ task, threads }: ToThread): Search {
  const { spec, series } = task;
  const { port1, port2 } = new MessageChannel();
  connect(port2);
  const reader = new StackReader(port1, series);
  const traits = traitsOf(task);
  const passes = SURVEYS * traits.length + 1;
  let done = 0;
  /** Counts pixels that a pass has seen; a pixel is done when all have. */
  const seen = (pixels: number): void => {
    done += pixels;
    tell({ kind: 'progress', done: Math.floor(done / passes), total: spec.width * spec.height });
  };
  if (threads > 1) threadsOfMine.turnTo(task, threads, connect, seen);
  const crew = threads > 1 ? threadsOfMine : crewOfOne(task, { spec, traits, reader }, seen);
  return { task, traits, reader, crew };
}

async function run(search: Search): Promise<readonly FoundChange[]> {
  const {
    task: { spec, series },
    traits,
    crew,
  } = search;
  checkSpec(spec);
  const followed: FollowedMetric[] = [];
  for (const [metric, its] of traits.entries())
    followed.push({ traits: its, context: await contextOf(search, metric) });
  const parts = await crew.run({ kind: 'follow', metrics: [...traits.keys()], given: followed });
  const others = series.slice(1).map(({ metric }) => metric);
  const changes: FoundChange[] = [];
  for (const object of changeObjects(spec, traits[0]!, joinEvents(parts.flat()), others))
    changes.push({ ...object, evidence: await evidenceOf(search, followed, object) });
  return changes;
}

/** What the neighbourhood did in each scene, as it stands after the last; see `serialize` of node:v8 for its form. */
async function contextOf({ task, traits, reader, crew }: Search, metric: number): Promise<SceneContext> {
  const { spec, since, keeps } = task;
  const its = traits[metric]!;
  const metrics = [metric];
  const part = `contexts ${metric}`;
  const known = since === 0 ? undefined : (deserialize(await reader.saved(part)) as SceneContext);
  const [levels, ...moreLevels] = await crew.run({ kind: 'levels', metrics, given: null });
  for (const more of moreLevels) mergeLevelSurvey(levels!, more);
  const edges = classEdges(levels!, spec, known?.levels.edges);
  const [like, ...moreLike] = await crew.run({ kind: 'like', metrics, given: edges });
  for (const more of moreLike) mergeLikeSurvey(like!, more);
  const given = sceneLevels(like!, spec, its, known?.levels);
  const [survey, ...moreSurveys] = await crew.run({ kind: 'context', metrics, given });
  for (const more of moreSurveys) mergeContextSurvey(survey!, more);
  const context = sceneContext(survey!, spec, its, known);
  if (keeps) {
    const bytes = serialize(context);
    const sealed = new Uint8Array(bytes.byteLength + SEAL_BYTES);
    sealed.set(bytes);
    await reader.keep(part, sealed);
  }
  return context;
}

async function evidenceOf(
  { task: { spec }, reader }: Search,
  followed: readonly FollowedMetric[],
  object: ChangeObject,
) {
  const times = spec.timesMs.length;
  const observed = new Uint8Array(times);
  const runs = runsOf(object.pixels);
  const seedSeries: (Float32Array | Float64Array)[] = [];
  for (const metric of followed.keys()) {
    for (let r = 0; r < runs.length; r += 2) {
      const [start, length] = [runs[r]!, runs[r + 1]!];
      const values = await reader.read(metric, start, start + length);
      for (let p = 0; p < length; p++) noteObserved(observed, values.subarray(p * times, (p + 1) * times));
    }
    seedSeries.push(await reader.read(metric, object.seed.pixel, object.seed.pixel + 1));
  }
  return objectEvidence(spec, followed, object, seedSeries, observed);
}

port.on('message', (message: ToThread) => {
  // What it throws ends the thread, and so the search.
  void run(searchOver(message)).then((changes) => tell({ kind: 'found', changes }));
});
