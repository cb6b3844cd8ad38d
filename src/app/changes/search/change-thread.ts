// Worker thread that find-changes.ts starts: opens the cubes, coordinates a search and processes strips itself.
import { availableParallelism } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { deserialize, serialize } from 'node:v8';
import { alertEvidence } from '../../../change/alert/alert-evidence.ts';
import { type SceneContext, sceneContext } from '../../../change/scene/context.ts';
import { mergeContextSurvey } from '../../../change/scene/context-survey.ts';
import { classEdges, mergeLevelSurvey } from '../../../change/scene/levels.ts';
import { mergeLikeSurvey, sceneLevels } from '../../../change/scene/like-pixels.ts';
import type { FollowedMetric } from '../../../change/pixel/metric-track.ts';
import { changeObjects, type ChangeObject } from '../../../change/object/objects.ts';
import { PARAMETERS } from '../../../change/parameters.ts';
import { joinEvents } from '../../../change/pixel/pixel-events.ts';
import { noteObserved, objectEvidence } from '../../../change/object/provenance.ts';
import { checkSpec, type StackSpec } from '../../../change/stack.ts';
import { type ChangeTask, traitsOf } from './change-task.ts';
import type { FoundChange } from './found-change.ts';
import { lowerThreadPriority } from '../../../base/thread-priority.ts';
import { openCubes } from './open-cubes.ts';
import { PassCrew } from './pass-crew.ts';
import { runsOf } from '../../../raster/pixel-runs.ts';
import { ResumableSearch } from './resumable-search.ts';
import { CHECKSUM_BYTES } from './saved-part.ts';
import type { FromSearchThread, SearchOrder, ToSearchThread } from './search-messages.ts';
import type { SearchedCubes } from './searched-cubes.ts';
import { StackReader } from './stack-reader.ts';
import type { PixelEvents } from '../../../change/pixel/pixel-events.ts';
import { type PassJob, type PassKind, partName, type StackPasses, type StackSource } from './stack-pass.ts';
import { STRIP_PIXELS } from './strip-size.ts';
import { withoutPersistentSnow } from './without-snow.ts';
import { type Series, sharedStrips, type SharedStrips, StripCache } from './strip-cache.ts';

/** Maximum number of changes per message: deserialising them takes the receiver some milliseconds. */
const CHANGES_PER_MESSAGE = 20;
/** Number of survey passes per metric: the passes `levels`, `like` and `context`. */
const SURVEYS = 3;
/**
 * Time that the `follow` pass of a group takes, in units of the time of one survey pass over one metric (from
 * profiles of the simulated region).
 */
const FOLLOWING_SURVEYS = 8;
/** Number of values up to which a single thread is used: it finishes before a second thread could start. */
const FEW_VALUES = 2_000_000;
/** Time to load and save the state of a pixel, expressed as the number of scenes processed in that time. */
const RESUMING_SCENES = 3;
/**
 * Maximum memory for the surveys of all threads [bytes]. A tile of 10980 x 10980 pixels with 700 scenes takes 290 MB
 * per thread.
 */
const SURVEY_BYTES = 600_000_000;

const port = parentPort!;
const crew = new PassCrew();
let strips: SharedStrips | undefined;
let search: ResumableSearch | undefined;
lowerThreadPriority();

function send(message: FromSearchThread): void {
  port.postMessage(message);
}

/**
 * Number of threads for a stack: one per core, or fewer if memory is short. The threads run at a lower priority than
 * request handling.
 */
function threadsFor({ spec: { width, height, timesMs }, series }: ChangeTask, since: number): number {
  const scenes = timesMs.length - since;
  const resuming = since === 0 ? 0 : RESUMING_SCENES;
  if (width * height * series.length * (scenes + resuming) <= FEW_VALUES) return 1;
  const { cellPixels, maxCells, histogramBins } = PARAMETERS;
  const cells = Math.min(maxCells, Math.ceil(width / cellPixels) * Math.ceil(height / cellPixels));
  const surveyBytes = cells * Math.max(1, scenes) * histogramBins * Uint32Array.BYTES_PER_ELEMENT;
  return Math.max(1, Math.min(availableParallelism(), Math.floor(SURVEY_BYTES / surveyBytes)));
}

/** A running search: its stack, and the function that runs a pass over it. */
interface Search extends StackSource {
  readonly cubes: Pick<SearchedCubes, 'readStrip'>;
  readonly task: ChangeTask;
  readonly pass: <K extends PassKind>(job: PassJob<K>) => Promise<readonly StackPasses[K]['part'][]>;
  /** Reports pixels of a pass as processed that need not be processed. */
  readonly seen: (kind: PassKind, pixels: number) => void;
}

async function run({ task, cubes: address, threads }: SearchOrder): Promise<readonly FoundChange[][]> {
  const { spec, groups } = task;
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
      crew.assignStack(stack, (threads ?? threadsFor(task, since)) - 1);
      const surveyed = traits.filter(({ phenomenon }) => phenomenon !== 'alert').length;
      const surveys = SURVEYS * surveyed + FOLLOWING_SURVEYS * groups.length;
      let done = 0;
      /** Reports progress in pixels. A pixel counts as done after all passes. */
      const seen = (kind: PassKind, pixels: number): void => {
        done += kind === 'follow' || kind === 'alerts' ? FOLLOWING_SURVEYS * pixels : pixels;
        send({ kind: 'progress', done: Math.floor(done / surveys), total: spec.width * spec.height });
      };
      const source = { spec, traits, reader, state };
      return await changesOf({
        ...source,
        cubes,
        task,
        pass: (job) => crew.run(source, job, (pixels) => seen(job.kind, pixels)),
        seen,
      });
    });
  } finally {
    search = undefined;
    crew.releaseStack();
    await cubes.close();
  }
}

/** Finds the changes of each group of metrics. The neighbourhood of a metric is surveyed once for all groups. */
async function changesOf(search: Search): Promise<readonly FoundChange[][]> {
  const { task, traits } = search;
  const followed = new Map<number, FollowedMetric>();
  for (const [metric, its] of traits.entries())
    if (its.phenomenon !== 'alert')
      followed.set(metric, { traits: its, context: await contextOf(search, metric) });
  const changes: FoundChange[][] = [];
  for (const group of task.groups) {
    const names = group.map((metric) => task.series[metric]!.metric);
    const spec = { ...search.spec, metric: names[0]! };
    // A group of alerts has one metric and no neighbourhood statistics.
    const given = group.flatMap((metric) => followed.get(metric) ?? []);
    const parts =
      given.length === 0
        ? await search.pass({ kind: 'alerts', metrics: group, given: null })
        : await follow(search, group, given);
    const { cubes, reader } = search;
    const joined = joinEvents(parts.flat());
    const events = await withoutPersistentSnow(cubes, reader, task.series, group[0]!, joined);
    const found: FoundChange[] = [];
    for (const object of changeObjects(spec, traits[group[0]!]!, events, names.slice(1)))
      found.push({ ...object, evidence: await evidenceOf(search, spec, group, given, object) });
    changes.push(found);
  }
  return changes;
}

/** Follows each pixel of a group. Strips that a search had finished before it died are not followed again. */
async function follow(
  search: Search,
  metrics: readonly number[],
  given: readonly FollowedMetric[],
): Promise<readonly (readonly PixelEvents[])[]> {
  const { state, spec } = search;
  const job = { kind: 'follow', metrics, given } as const;
  if (state.keeps === 'nothing') return await search.pass(job);
  const pixels = spec.width * spec.height;
  const known = new Uint8Array(Math.ceil(pixels / STRIP_PIXELS));
  const events: PixelEvents[] = [];
  for (const index of known.keys()) {
    const kept = await state.kept(partName(job, index));
    if (kept?.note === undefined) continue;
    events.push(deserialize(kept.note) as PixelEvents);
    known[index] = 1;
    search.seen('follow', Math.min(pixels, (index + 1) * STRIP_PIXELS) - index * STRIP_PIXELS);
  }
  return events.length === 0 ? await search.pass(job) : [events, ...(await search.pass({ ...job, known }))];
}

/** Computes the neighbourhood statistics of each scene of one metric. Saves them, serialised with `node:v8`. */
async function contextOf({ spec, traits, state, pass, seen }: Search, metric: number): Promise<SceneContext> {
  const its = traits[metric]!;
  const metrics = [metric];
  const part = `contexts ${metric}`;
  // It is saved after the states of all strips, so a search that had saved it needs none of the three passes.
  const done = state.keeps === 'states' ? await state.kept(part) : undefined;
  if (done !== undefined) {
    for (const kind of ['levels', 'like', 'context'] as const) seen(kind, spec.width * spec.height);
    return deserialize(done.bytes) as SceneContext;
  }
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
  if (state.keeps === 'states') {
    const bytes = serialize(context);
    const sealed = new Uint8Array(bytes.byteLength + CHECKSUM_BYTES);
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
  if (followed.length === 0) return alertEvidence(spec, object, seedSeries[0]!, observed);
  return objectEvidence(spec, followed, object, seedSeries, observed);
}

/** Function to call when the receiver asks for the next changes. */
let more = (): void => undefined;

/** Runs a search and sends the changes found. */
async function runOrder(order: SearchOrder): Promise<void> {
  for (const [group, found] of (await run(order)).entries()) {
    for (let at = 0; at < found.length; at += CHANGES_PER_MESSAGE) {
      const asked = new Promise<void>((resolve) => (more = resolve));
      send({ kind: 'found', group, changes: found.slice(at, at + CHANGES_PER_MESSAGE) });
      await asked;
    }
  }
  send({ kind: 'over' });
}

/** Discards the state that is being written, if any, then ends the thread. */
async function stop(): Promise<void> {
  await search?.giveUp();
  process.exit();
}

port.on('message', (message: ToSearchThread) => {
  // An error thrown here ends this thread, and the search then fails in find-changes.ts.
  if (message.kind === 'search') void runOrder(message.order);
  else if (message.kind === 'more') more();
  else void stop();
});
