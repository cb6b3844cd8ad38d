import { setTimeout as sleep } from 'node:timers/promises';
import { MODEL_VERSION, PARAMETERS } from '../../change/parameters.ts';
import { digestOf } from '../../base/canonical-json.ts';
import { withoutRepeats, type ClaimedChange } from './claimed-change.ts';
import {
  metricGroups,
  readCollectionStack,
  sharedScenes,
  type CollectionMetric,
  type CollectionStack,
  type MetricGroup,
} from './collection-stack.ts';
import type { Deps } from '../deps.ts';
import {
  type ChangeRun,
  type ChangeTask,
  findChanges,
  type FoundChange,
  type StateBasis,
} from './search/find-changes.ts';
import { changesOf, publishChanges, type PublishReport } from './publish-changes.ts';
import { refreshAnomalies } from '../anomalies/refresh-anomalies.ts';
import { ScenesMoved } from './search/scenes-moved.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Collection } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';
import { STRIP_PIXELS } from './search/strip-grid.ts';

/** Runs tried before giving up, when scenes keep arriving while the monitor works. */
const MAX_RUNS = 5;
const STILL_MS = 2_000; // between two looks that find the same scenes: then no other ingest is at work, or only a slow one
const MOST_LOOKS = 300; // ten minutes

/** How a search over a collection's cubes goes. */
interface Run extends Omit<ChangeRun, 'cubes'> {
  /** Waits for so long [ms], between two looks. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** What came of monitoring a collection; undefined counts where there was nothing to do. */
export interface MonitorReport extends PublishReport {
  /** False when the scenes and the model are those of the run before. */
  readonly ran: boolean;
}

/**
 * Looks for changes in everything a collection holds and publishes what it finds, then brings up to date the anomalies
 * of the areas that watch it. Does nothing when nothing is new. Any number of processes may do this at once: a result
 * is published only if it rests on all the scenes there are. The work goes on from where the run before left it, when the
 * scenes are the same and more.
 * @param signal gives the search up, with its reason; what has not been published by then is not
 */
export async function monitorCollection(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  collection: Collection,
  progress: (done: number, total: number) => void,
  signal?: AbortSignal,
): Promise<MonitorReport> {
  const report = await monitorChanges(deps, collection, { progress, signal });
  if (report.ran)
    for (const aoi of await watching(deps.storage, collection)) await refreshAnomalies(deps, aoi, aoi.id);
  return report;
}

/** The same without the anomalies, which the caller brings up to date, or the jobs that are queued for them. */
export async function monitorChanges(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  collection: Collection,
  how: Run,
): Promise<MonitorReport> {
  for (let run = 0; run < MAX_RUNS; run++) {
    if (run > 0) await standStill(deps, collection, how);
    const stack = await readCollectionStack(deps, collection);
    const { id } = stack[0].collection;
    const state = stateOf(stack, deps.version);
    if ((await deps.storage.collections.monitoredAs(id)) === state) return nothingNew(deps, stack);
    const objects = await search(deps, stack, how, deps.version);
    if (objects === undefined) continue;
    const published = await deps.storage.transaction(async (stores) => {
      await stores.collections.lock(id);
      const now = await readCollectionStack({ storage: stores, cube: deps.cube }, collection);
      if (stateOf(now, deps.version) !== state) return undefined;
      const softwareVersion = `groundwatch ${deps.version}`;
      const report = await publishChanges(stores, { stack, objects, softwareVersion });
      // An ingest under way records its scenes a little after they are stored. Then it looks again, and tells where they came from.
      if (await isRecorded(stores, stack)) await stores.collections.setMonitoredAs(id, state);
      // Queued as well as done below: a crash in between must not leave the anomalies behind.
      for (const { accountId, environment, id } of await watching(stores, collection))
        await stores.jobs.refreshAnomaliesOnce({ accountId, environment, aoiId: id });
      return report;
    });
    if (published !== undefined) return { ...published, ran: true };
  }
  throw new Error(`${collection.name}: scenes kept arriving while it was monitored; run the ingest again`);
}

/** Whether the database knows every scene that the cubes hold. */
async function isRecorded(stores: Pick<Stores, 'collections'>, stack: CollectionStack): Promise<boolean> {
  for (const { collection, scenes } of stack) {
    const known = new Map(
      (await stores.collections.scenes(collection.id)).map((scene) => [scene.key, scene]),
    );
    if (scenes.some(({ key, sha256 }) => known.get(key)?.sha256 !== sha256)) return false;
  }
  return true;
}

/** Waits for another ingest of the collection: while its scenes come, every search would be in vain. */
async function standStill(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  collection: Collection,
  { pause = sleep, signal }: Run,
): Promise<void> {
  let before: string | undefined;
  for (let look = 0; look < MOST_LOOKS; look++) {
    const now = stateOf(await readCollectionStack(deps, collection), deps.version);
    if (now === before) return;
    before = now;
    await pause(STILL_MS);
    signal?.throwIfAborted();
  }
}

/** Areas with an active subscription that a collection's scenes speak of. */
async function watching(
  stores: Stores,
  { environment, accountId, bounds }: Collection,
): Promise<readonly Aoi[]> {
  const found = await stores.subscriptions.activeOver(environment, accountId, bounds);
  return [...new Map(found.map(({ aoi }) => [aoi.id, aoi])).values()];
}

/**
 * Changes found in a collection's scenes, from the first on, whatever was saved of earlier runs; undefined when the cube's
 * scenes changed meanwhile. Nothing is written.
 */
export async function changesIn(
  deps: Pick<Deps, 'cube'>,
  stack: CollectionStack,
  progress: (done: number, total: number) => void,
): Promise<readonly ClaimedChange[] | undefined> {
  return await search(deps, stack, { progress });
}

/**
 * Changes found in each group of metrics; those that have scenes of the same moments are searched together.
 * @param version of the software, for a search that goes on from what the one before has left; undefined: none does
 */
async function search(
  { cube }: Pick<Deps, 'cube'>,
  stack: CollectionStack,
  how: Run,
  version?: string,
): Promise<readonly ClaimedChange[] | undefined> {
  const groups = metricGroups(stack);
  const searches = [...Map.groupBy(groups, momentsOf).values()];
  const claimed = new Map<MetricGroup, readonly ClaimedChange[]>();
  try {
    for (const [done, together] of searches.entries()) {
      const progress = (part: number, total: number): void =>
        how.progress(Math.floor((done * total + part) / searches.length), total);
      const { task, claims } = searchOf(together, version);
      const found = await findChanges(task, { ...how, progress, cubes: cube.address });
      for (const [g, group] of together.entries()) claimed.set(group, claims(group, found[g]!));
    }
  } catch (error) {
    if (error instanceof ScenesMoved) return undefined;
    throw error;
  }
  const all = groups.flatMap((group) => claimed.get(group)!);
  return groups.length > 1 ? withoutRepeats(all) : all;
}

/** The moments that a group's metrics have scenes of, on one ground: the same text for the same ones. */
function momentsOf(group: MetricGroup): string {
  const [{ collection }] = group as readonly [CollectionMetric];
  const { width, height } = collection.grid;
  return [width, height, ...sharedScenes(group).map(({ timeMs }) => timeMs)].join(' ');
}

/** Groups of metrics with the same moments as one search, and what was found as claims. */
function searchOf(groups: readonly MetricGroup[], version: string | undefined) {
  const metrics = [...new Set(groups.flat())];
  const [{ collection }] = metrics as [CollectionMetric];
  const { grid, pixelAreaM2 } = collection;
  const moments = sharedScenes(metrics);
  const stack = {
    spec: {
      width: grid.width,
      height: grid.height,
      pixelAreaM2,
      metric: collection.metric,
      timesMs: Float64Array.from(moments, ({ timeMs }) => timeMs),
    },
    series: metrics.map(({ collection: { id, metric, sampleType, scale, offset }, scenes }, m) => ({
      metric,
      cubeId: id,
      sampleType,
      scale,
      offset,
      digests: scenes.map(({ sha256 }) => sha256),
      at: Int32Array.from(moments, ({ at }) => at[m]!),
    })),
    groups: groups.map((group) => group.map((metric) => metrics.indexOf(metric))),
  };
  const task: ChangeTask = { ...stack, basis: version === undefined ? undefined : basisOf(stack, version) };
  /** What was found in a group, with the scenes that it rests on: listed when it is published, as most of it is not. */
  const claims = (group: MetricGroup, found: readonly FoundChange[]): readonly ClaimedChange[] => {
    const columns = group.map((metric) => ({ ...metric, m: metrics.indexOf(metric) }));
    return found.map((change) => ({
      ...change,
      collection: group[0]!.collection,
      metrics: group.map((metric) => metric.collection.metric),
      flaggedMs: moments[change.seed.flagged]!.timeMs,
      get scenes() {
        return change.evidence.scenes.flatMap(({ scene, role }) =>
          columns.flatMap(({ collection, scenes, m }) => {
            const i = moments[scene]!.at[m]!;
            return i < 0 ? [] : [{ collection, scene: scenes[i]!, role }];
          }),
        );
      },
    }));
  };
  return { task, claims };
}

/** What a state of a stack rests on. */
function basisOf({ spec, series }: ChangeTask, version: string): StateBasis {
  const { timesMs, ...grid } = spec;
  const metrics = series.map(({ metric, scale, offset }) => [metric, scale, offset]);
  return {
    about: digestOf([MODEL_VERSION, PARAMETERS, version, process.version, STRIP_PIXELS, grid, metrics]),
    moments: Array.from(timesMs, (timeMs, t) =>
      [timeMs, ...series.map(({ digests, at }) => (at[t]! < 0 ? '-' : digests[at[t]!]))].join(' '),
    ),
  };
}

/** What a run rests on: the scenes of every metric, the model and the software. */
export function stateOf(stack: CollectionStack, version: string): string {
  const told = stack.map(({ collection, scenes }) => [
    collection.metric,
    scenes.map(({ key, timeMs, sha256 }) => [key, timeMs, sha256]),
  ]);
  return digestOf([MODEL_VERSION, version, told]);
}

async function nothingNew(deps: Pick<Deps, 'storage'>, stack: CollectionStack): Promise<MonitorReport> {
  const known = await changesOf(deps.storage, stack);
  const confirmed = known.filter(({ status }) => status === 'confirmed').length;
  return { inserted: 0, updated: 0, unchanged: known.length, confirmed, ran: false };
}
