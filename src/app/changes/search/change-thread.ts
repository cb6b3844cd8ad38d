// Thread of find-changes.ts: leads a search over the cubes that it opens, and takes part in its passes.
import { availableParallelism } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { deserialize, serialize } from 'node:v8';
import { mergeContextSurvey, type SceneContext, sceneContext } from '../../../change/scene/context.ts';
import { classEdges, mergeLevelSurvey } from '../../../change/scene/levels.ts';
import { mergeLikeSurvey, sceneLevels } from '../../../change/scene/like-pixels.ts';
import type { FollowedMetric } from '../../../change/pixel/metric-track.ts';
import { changeObjects, type ChangeObject } from '../../../change/object/objects.ts';
import { PARAMETERS } from '../../../change/parameters.ts';
import { joinEvents } from '../../../change/pixel/pixel-events.ts';
import { noteObserved, objectEvidence } from '../../../change/object/provenance.ts';
import { checkSpec, type StackSpec } from '../../../change/stack.ts';
import { type ChangeTask, type FoundChange, traitsOf } from './find-changes.ts';
import { giveWay } from '../../../base/give-way.ts';
import { openCubes } from './open-cubes.ts';
import { PassCrew } from './pass-crew.ts';
import { runsOf } from '../../../raster/pixel-runs.ts';
import type { CubeAddress } from '../../series/cube-store.ts';
import { ResumableSearch } from './resume-changes.ts';
import { SEAL_BYTES } from './saved-part.ts';
import { StackReader } from './series-reader.ts';
import type { PassJob, PassKind, StackPasses, StackSource } from './stack-pass.ts';
import { type Series, sharedStrips, type SharedStrips, StripCache } from './strip-cache.ts';

/** A search that the thread is told to do; the next one comes when it has found what there is. */
export interface SearchOrder {
  readonly task: ChangeTask;
  readonly cubes: CubeAddress;
  /** This one included; undefined: as many as the stack is worth. */
  readonly threads: number | undefined;
}

/** What the thread is told: a search, that more of what was found can come, or to give up what is under way, and itself. */
export type ToThread =
  | { readonly kind: 'search'; readonly order: SearchOrder }
  | { readonly kind: 'more' }
  | { readonly kind: 'stop' };

/** What the thread says. */
export type FromThread =
  | { readonly kind: 'progress'; readonly done: number; readonly total: number }
  /** Some of what was found in a group; more comes when it is asked for. */
  | { readonly kind: 'found'; readonly group: number; readonly changes: readonly FoundChange[] }
  | { readonly kind: 'over' };

/** Changes that are told at once: who hears of them takes some milliseconds to make them out. */
const TOLD_AT_ONCE = 20;
/** Surveys of each metric: of levels, of like pixels and of the neighbourhood. */
const SURVEYS = 3;
/** What it takes to follow a group, in surveys of a metric: by profiles of the simulated region. */
const FOLLOWING_SURVEYS = 8;
/** Values to go through up to which one thread is done before another has started. */
const FEW_VALUES = 2_000_000;
/** What it takes to take a pixel's state up and to leave it, in scenes of a run. */
const RESUMING_SCENES = 3;
/** Memory for the threads' surveys together [bytes]: a tile of 10980 x 10980 with 700 scenes takes 290 MB each. */
const SURVEY_BYTES = 600_000_000;

const port = parentPort!;
const crew = new PassCrew();
let strips: SharedStrips | undefined;
let search: ResumableSearch | undefined;
giveWay();

function tell(message: FromThread): void {
  port.postMessage(message);
}

/** Threads that share a stack: every core, since they give way to what answers requests, as far as memory goes. */
function threadsFor({ spec: { width, height, timesMs }, series }: ChangeTask, since: number): number {
  const scenes = timesMs.length - since;
  const resuming = since === 0 ? 0 : RESUMING_SCENES;
  if (width * height * series.length * (scenes + resuming) <= FEW_VALUES) return 1;
  const { cellPixels, maxCells, histogramBins } = PARAMETERS;
  const cells = Math.min(maxCells, Math.ceil(width / cellPixels) * Math.ceil(height / cellPixels));
  const surveyBytes = cells * Math.max(1, scenes) * histogramBins * Uint32Array.BYTES_PER_ELEMENT;
  return Math.max(1, Math.min(availableParallelism(), Math.floor(SURVEY_BYTES / surveyBytes)));
}

/** A search under way: its stack, and what goes over it. */
interface Search extends StackSource {
  readonly task: ChangeTask;
  readonly pass: <K extends PassKind>(job: PassJob<K>) => Promise<readonly StackPasses[K]['part'][]>;
}

async function run({ task, cubes: address, threads }: SearchOrder): Promise<readonly FoundChange[][]> {
  const { spec, series, groups } = task;
  checkSpec(spec);
  const traits = traitsOf(task);
  const cubes = await openCubes(address);
  try {
    strips = sharedStrips(task, strips);
    const reader = new StackReader(cubes, task, strips && new StripCache(task, strips));
    search = new ResumableSearch(cubes, task);
    return await search.run(async (state, left) => {
      const { since, keeps } = state;
      const stack = { task, cubes: address, strips, since, keeps, left };
      crew.turnTo(stack, (threads ?? threadsFor(task, since)) - 1);
      const surveys = SURVEYS * series.length + FOLLOWING_SURVEYS * groups.length;
      let done = 0;
      /** Counts pixels that a pass has seen; a pixel is done when all have. */
      const seen = (kind: PassKind, pixels: number): void => {
        done += kind === 'follow' ? FOLLOWING_SURVEYS * pixels : pixels;
        tell({ kind: 'progress', done: Math.floor(done / surveys), total: spec.width * spec.height });
      };
      const source = { spec, traits, reader, state };
      return await changesOf({
        ...source,
        task,
        pass: (job) => crew.run(source, job, (pixels) => seen(job.kind, pixels)),
      });
    });
  } finally {
    search = undefined;
    crew.leave();
    await cubes.close();
  }
}

/** The changes of each group of metrics, whose neighbourhoods are surveyed once. */
async function changesOf(search: Search): Promise<readonly FoundChange[][]> {
  const { task, traits } = search;
  const followed: FollowedMetric[] = [];
  for (const [metric, its] of traits.entries())
    followed.push({ traits: its, context: await contextOf(search, metric) });
  const changes: FoundChange[][] = [];
  for (const group of task.groups) {
    const names = group.map((metric) => task.series[metric]!.metric);
    const spec = { ...search.spec, metric: names[0]! };
    const given = group.map((metric) => followed[metric]!);
    const events = joinEvents((await search.pass({ kind: 'follow', metrics: group, given })).flat());
    const found: FoundChange[] = [];
    for (const object of changeObjects(spec, given[0]!.traits, events, names.slice(1)))
      found.push({ ...object, evidence: await evidenceOf(search, spec, group, given, object) });
    changes.push(found);
  }
  return changes;
}

/** What the neighbourhood did in each scene, as it stands after the last; see `serialize` of node:v8 for its form. */
async function contextOf({ spec, traits, state, pass }: Search, metric: number): Promise<SceneContext> {
  const its = traits[metric]!;
  const metrics = [metric];
  const part = `contexts ${metric}`;
  const known = state.since === 0 ? undefined : (deserialize(await state.saved(part)) as SceneContext);
  const [levels, ...moreLevels] = await pass({ kind: 'levels', metrics, given: null });
  for (const more of moreLevels) mergeLevelSurvey(levels!, more);
  const edges = classEdges(levels!, spec, known?.levels.edges);
  const [like, ...moreLike] = await pass({ kind: 'like', metrics, given: edges });
  for (const more of moreLike) mergeLikeSurvey(like!, more);
  const given = sceneLevels(like!, spec, its, known?.levels);
  const [survey, ...moreSurveys] = await pass({ kind: 'context', metrics, given });
  for (const more of moreSurveys) mergeContextSurvey(survey!, more);
  const context = sceneContext(survey!, spec, its, known);
  if (state.keeps) {
    const bytes = serialize(context);
    const sealed = new Uint8Array(bytes.byteLength + SEAL_BYTES);
    sealed.set(bytes);
    await state.keep(part, sealed);
  }
  return context;
}

async function evidenceOf(
  { reader }: Search,
  spec: StackSpec,
  group: readonly number[],
  followed: readonly FollowedMetric[],
  object: ChangeObject,
) {
  const times = spec.timesMs.length;
  const observed = new Uint8Array(times);
  const runs = runsOf(object.pixels);
  const seedSeries: Series[] = [];
  for (const metric of group) {
    for (let r = 0; r < runs.length; r += 2) {
      const [start, length] = [runs[r]!, runs[r + 1]!];
      const values = await reader.read(metric, start, start + length);
      for (let p = 0; p < length; p++) noteObserved(observed, values.subarray(p * times, (p + 1) * times));
    }
    seedSeries.push(await reader.read(metric, object.seed.pixel, object.seed.pixel + 1));
  }
  return objectEvidence(spec, followed, object, seedSeries, observed);
}

/** Hears that more can come. */
let more = (): void => undefined;

/** Searches, and tells what was found. */
async function obey(order: SearchOrder): Promise<void> {
  for (const [group, found] of (await run(order)).entries()) {
    for (let at = 0; at < found.length; at += TOLD_AT_ONCE) {
      const asked = new Promise<void>((resolve) => (more = resolve));
      tell({ kind: 'found', group, changes: found.slice(at, at + TOLD_AT_ONCE) });
      await asked;
    }
  }
  tell({ kind: 'over' });
}

/** Ends the thread, once nothing half-written is left. */
async function stop(): Promise<void> {
  await search?.giveUp();
  process.exit();
}

port.on('message', (message: ToThread) => {
  // What it throws ends the thread, and so the search.
  if (message.kind === 'search') void obey(message.order);
  else if (message.kind === 'more') more();
  else void stop();
});
