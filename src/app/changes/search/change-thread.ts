// Worker thread that find-changes.ts starts: opens the cubes, coordinates a search and processes strips itself.
import { availableParallelism } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { collectGarbage } from '../../../base/collect-garbage.ts';
import type { FollowedMetric } from '../../../change/pixel/metric-track.ts';
import { changeObjects } from '../../../change/object/objects.ts';
import { PARAMETERS } from '../../../change/parameters.ts';
import { checkSpec } from '../../../change/stack.ts';
import { BLOCK_STRIPS, blocksOf, type Phase } from './block.ts';
import { BlockSearch } from './block-search.ts';
import { openSearchState, UNITS_PART, type UnitsOfState } from './block-state.ts';
import { type ChangeTask, traitsOf } from './change-task.ts';
import type { FoundChange } from './found-change.ts';
import { withEvidence } from './found-evidence.ts';
import { lowerThreadPriority } from '../../../base/thread-priority.ts';
import { openCubes } from './open-cubes.ts';
import { PassCrew } from './pass-crew.ts';
import { ResumableSearch, STATELESS, type StateReference } from './resumable-search.ts';
import { readPart, sealed } from './saved-part.ts';
import { isLarge } from './search-heap.ts';
import type { FromSearchThread, HelpOrder, SearchOrder, ToSearchThread } from './search-messages.ts';
import type { SearchedCubes } from './searched-cubes.ts';
import { type RunningSearch, type SearchPasses, surveyedMetrics } from './search-passes.ts';
import type { Keeps, PassKind, PassState } from './stack-pass.ts';
import { StackReader } from './stack-reader.ts';
import { latestWork, UnitNotSaved, UnitRunner } from './unit-runner.ts';
import { ALONE, type UnitTurns } from './unit-turns.ts';
import { WholeSearch } from './whole-search.ts';
import { withoutPersistentSnow } from './without-snow.ts';
import { sharedStrips, type SharedStrips, StripCache } from './strip-cache.ts';

/** Maximum number of changes per message: deserialising them takes the receiver some milliseconds. */
const CHANGES_PER_MESSAGE = 20;
/** Minimum time between two reports of progress [ms]: each wakes the thread that answers requests. */
const PROGRESS_MS = 100;
/** Number of survey passes per metric: the passes `levels`, `like` and `context`. */
const SURVEYS = 3;
/**
 * Time that the `follow` pass of a group takes, in units of the time of one survey pass over one metric (from
 * profiles of the simulated region).
 */
const FOLLOWING_SURVEYS = 8;
/**
 * Number of values up to which a single thread is used. It takes some 3 s. A second thread compiles the code again, so
 * that two take half as much processor time more (bench/results/change-search.md).
 */
const FEW_VALUES = 3_000_000;
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

async function run({
  task,
  cubes: address,
  threads,
  isShared,
}: SearchOrder): Promise<readonly (readonly FoundChange[])[]> {
  checkSpec(task.spec);
  let since = 0;
  const cubes = await openCubes(address);
  try {
    const blocks = blocksOf(task);
    const isDivided = task.basis !== undefined && blocks.length > 1;
    strips = isDivided ? undefined : sharedStrips(task, strips);
    search = new ResumableSearch(cubes, task);
    return await search.run(async (state, left, name) => {
      ({ since } = state);
      /** Assigns the stack to the threads. @param keeps what the search saves */
      const begin = (keeps: Keeps): RunningSearch => {
        crew.releaseStack();
        const stack = { task, cubes: address, strips, since, keeps, left };
        crew.assignStack(stack, (threads ?? threadsFor(task, since)) - 1);
        return runningSearch(task, cubes, { ...state, keeps }, left);
      };
      const running = begin(state.keeps);
      if (!isDivided || name === undefined) return await changesOf(running, new WholeSearch(running));
      const { cubeId } = task.series[0]!;
      try {
        const place = { cubeId, search: name, blocks };
        const found = await changesOf(
          running,
          new BlockSearch(running, place, isShared ? ASKED : ALONE, isShared),
        );
        const units: UnitsOfState = { search: name, blockStrips: task.blockStrips ?? BLOCK_STRIPS };
        await state.keep(UNITS_PART, sealed(new TextEncoder().encode(JSON.stringify(units))));
        return found;
      } catch (error) {
        if (!(error instanceof UnitNotSaved)) throw error;
        // There is no room for the results of units, so nothing is saved.
        await search!.giveUp();
        const whole = begin('nothing');
        return await changesOf(whole, new WholeSearch(whole));
      }
    });
  } finally {
    search = undefined;
    crew.releaseStack();
    await cubes.close();
  }
}

/** Runs units of a search that another process leads, until none is free. */
async function help({ cubes: address, cubeId, search: name, threads }: HelpOrder): Promise<void> {
  const cubes = await openCubes(address);
  try {
    let phase: Phase | undefined;
    for (;;) {
      const work = await latestWork(cubes, cubeId, name);
      // Nothing is free in a phase that was worked on already.
      if (work === undefined || work.phase === phase) return;
      const { task, since, keeps, left } = work;
      phase = work.phase;
      const saved = left && (await openSearchState(cubes, left.cubeId));
      try {
        if (saved?.heading !== left?.heading) return;
        crew.releaseStack();
        const stack = { task, cubes: address, strips: undefined, since, keeps, left };
        crew.assignStack(stack, (threads ?? threadsFor(task, since)) - 1);
        const state = { ...STATELESS, since, keeps };
        const running = runningSearch(
          task,
          cubes,
          saved === undefined ? state : { ...state, saved: (part) => readPart(saved, part) },
          left,
        );
        const place = { cubeId, search: name, blocks: blocksOf(task) };
        await new UnitRunner(running, place, ASKED).work(phase, work.jobs, false);
      } finally {
        await saved?.close();
      }
    }
  } finally {
    crew.releaseStack();
    await cubes.close();
  }
}

function runningSearch(
  task: ChangeTask,
  cubes: SearchedCubes,
  state: PassState,
  left: StateReference | undefined,
): RunningSearch {
  const { spec, groups } = task;
  const traits = traitsOf(task);
  const reader = new StackReader(cubes, task, strips && new StripCache(task, strips));
  const surveyed = surveyedMetrics({ traits }).length;
  const surveys = SURVEYS * surveyed + FOLLOWING_SURVEYS * groups.length;
  const total = spec.width * spec.height;
  let done = 0;
  let reportedMs = Number.NEGATIVE_INFINITY;
  /** Reports progress in pixels. A pixel counts as done after all passes. */
  const seen = (kind: PassKind, pixels: number): void => {
    done += kind === 'follow' || kind === 'alerts' ? FOLLOWING_SURVEYS * pixels : pixels;
    const whole = Math.floor(done / surveys);
    if (whole < total && performance.now() - reportedMs < PROGRESS_MS) return;
    reportedMs = performance.now();
    send({ kind: 'progress', done: whole, total });
  };
  return {
    spec,
    traits,
    reader,
    state,
    cubes,
    task,
    left,
    seen,
    pass: (source, job) => crew.run(source, job, (pixels) => seen(job.kind, pixels)),
  };
}

/** Finds the changes of each group of metrics. The neighbourhood of a metric is surveyed once for all groups. */
async function changesOf(
  search: RunningSearch,
  passes: SearchPasses,
): Promise<readonly (readonly FoundChange[])[]> {
  const { task, traits, cubes, reader } = search;
  const followed = new Map<number, FollowedMetric>();
  for (const [metric, context] of await passes.contexts())
    followed.set(metric, { traits: traits[metric]!, context });
  const events = await passes.events(followed);
  if (search.state.since === 0 && isLarge(strips)) await endPasses(search);
  else if (strips === undefined) await collectGarbage(); // a large stack, searched without shared strips
  const changes: (readonly FoundChange[])[] = [];
  for (const [g, group] of task.groups.entries()) {
    const names = group.map((metric) => task.series[metric]!.metric);
    const spec = { ...search.spec, metric: names[0]! };
    const given = group.flatMap((metric) => followed.get(metric) ?? []);
    const clear = await withoutPersistentSnow(cubes, reader, task.series, group[0]!, events[g]!);
    const objects = changeObjects(spec, traits[group[0]!]!, clear, names.slice(1));
    changes.push(await withEvidence(reader, spec, group, given, objects));
  }
  return changes;
}

/**
 * Frees what only the passes of a large search need: the strips that the threads share, and the other threads. A search
 * of a scene more leaves its memory to the next, since allocating it takes longer than filling it. The state is saved
 * before, because without the strips a scene that arrives ends the search.
 */
async function endPasses({ state, reader }: RunningSearch): Promise<void> {
  await state.settle();
  strips = undefined;
  reader.leaveCache();
  await Promise.all([crew.end(), collectGarbage()]);
}

/** Function to call with the answer of the receiver to `take`. */
let taken: (unit: string | undefined) => void = () => undefined;

/** Turns that the receiver decides. */
const ASKED: UnitTurns = {
  take: (name, units) => {
    const answer = new Promise<string | undefined>((resolve) => (taken = resolve));
    send({ kind: 'take', search: name, units });
    return answer;
  },
  giveBack: async (name, unit) => send({ kind: 'given back', search: name, unit }),
};

/** Function to call when the receiver asks for the next changes. */
let more = (): void => undefined;

/** Runs a search and sends the changes found. */
async function runOrder(order: SearchOrder): Promise<void> {
  const changes = await run(order);
  for (const [group, found] of changes.entries()) {
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
  else if (message.kind === 'help') void help(message.order).then(() => send({ kind: 'over' }));
  else if (message.kind === 'more') more();
  else if (message.kind === 'taken') taken(message.unit);
  else void stop();
});
