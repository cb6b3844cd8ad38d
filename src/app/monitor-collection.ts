import { MODEL_VERSION, PARAMETERS } from '../monitor/parameters.ts';
import { digestOf } from './canonical-json.ts';
import { withoutRepeats, type ClaimedChange } from './claimed-change.ts';
import {
  metricGroups,
  readCollectionStack,
  sharedScenes,
  type CollectionMetric,
  type CollectionStack,
  type SharedScene,
} from './collection-stack.ts';
import type { Deps } from './deps.ts';
import {
  type ChangeRun,
  type ChangeTask,
  findChanges,
  type FoundChange,
  type ReadSeries,
} from './find-changes.ts';
import { changesOf, publishChanges, type PublishReport } from './publish-changes.ts';
import { refreshAnomalies } from './refresh-anomalies.ts';
import { resumeChanges } from './resume-changes.ts';
import type { Aoi, Collection, Stores } from './stores.ts';
import { STRIP_PIXELS } from './strip-grid.ts';

/** Runs tried before giving up, when scenes keep arriving while the monitor works. */
const MAX_RUNS = 5;

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

async function monitorChanges(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  collection: Collection,
  how: Omit<ChangeRun, 'files'>,
): Promise<MonitorReport> {
  for (let run = 0; run < MAX_RUNS; run++) {
    const stack = await readCollectionStack(deps, collection);
    const { id } = stack[0].collection;
    const state = stateOf(stack, deps.version);
    if ((await deps.storage.collections.monitoredAs(id)) === state) return nothingNew(deps, stack);
    const objects = await search(stack, (group, part) => changesOnwards(deps, group, part), how);
    if (objects === undefined) continue;
    const published = await deps.storage.transaction(async (stores) => {
      await stores.collections.lock(id);
      const now = await readCollectionStack({ storage: stores, cube: deps.cube }, collection);
      if (stateOf(now, deps.version) !== state) return undefined;
      const softwareVersion = `groundwatch ${deps.version}`;
      const report = await publishChanges(stores, { stack, objects, softwareVersion });
      await stores.collections.setMonitoredAs(id, state);
      // Queued as well as done below: a crash in between must not leave the anomalies behind.
      for (const { accountId, environment, id } of await watching(stores, collection))
        await stores.jobs.refreshAnomaliesOnce({ accountId, environment, aoiId: id });
      return report;
    });
    if (published !== undefined) return { ...published, ran: true };
  }
  throw new Error(`${collection.name}: scenes kept arriving while it was monitored; run the ingest again`);
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
  return await search(stack, (group, how) => changesTogether(deps, group, how), { progress });
}

type Run = Omit<ChangeRun, 'files'>;

/** Changes found in each group of metrics by a search. */
async function search(
  stack: CollectionStack,
  find: (group: readonly CollectionMetric[], how: Run) => Promise<readonly ClaimedChange[]>,
  how: Run,
): Promise<readonly ClaimedChange[] | undefined> {
  const groups = metricGroups(stack);
  const claimed: ClaimedChange[] = [];
  try {
    for (const [done, group] of groups.entries()) {
      const progress = (part: number, total: number): void =>
        how.progress(Math.floor((done * total + part) / groups.length), total);
      claimed.push(...(await find(group, { ...how, progress })));
    }
  } catch (error) {
    if (error instanceof ScenesMoved) return undefined;
    throw error;
  }
  return groups.length > 1 ? withoutRepeats(claimed) : claimed;
}

/** Changes found in metrics that are looked at together, from the first scene on; the first metric leads. */
async function changesTogether(
  deps: Pick<Deps, 'cube'>,
  group: readonly CollectionMetric[],
  how: Run,
): Promise<readonly ClaimedChange[]> {
  const moments = sharedScenes(group);
  const series = readerOf(deps, group);
  const saved = (): Promise<never> => Promise.reject(new Error('nothing was saved'));
  const files = { series, saved, keep: () => Promise.resolve() };
  const task = { ...stackOf(group, moments), since: 0, keeps: false };
  return claimsOf(group, moments, await findChanges(task, { ...how, files }));
}

/** The same, going on from what the run before has left. */
async function changesOnwards(
  deps: Pick<Deps, 'cube' | 'version'>,
  group: readonly CollectionMetric[],
  how: Run,
): Promise<readonly ClaimedChange[]> {
  const moments = sharedScenes(group);
  const stack = stackOf(group, moments);
  const { timesMs: _times, ...grid } = stack.spec;
  const metrics = stack.series.map(({ metric, scale, offset }) => [metric, scale, offset]);
  const resumable = {
    states: deps.cube,
    cubeId: group[0]!.collection.id,
    basis: {
      about: digestOf([
        MODEL_VERSION,
        PARAMETERS,
        deps.version,
        process.version,
        STRIP_PIXELS,
        grid,
        metrics,
      ]),
      moments: moments.map(({ timeMs, at }) =>
        [timeMs, ...at.map((i, m) => (i < 0 ? '-' : group[m]!.scenes[i]!.sha256))].join(' '),
      ),
    },
    stack,
    read: readerOf(deps, group),
  };
  return claimsOf(group, moments, await resumeChanges(resumable, how));
}

/** Reads the series of a group's metrics. @throws ScenesMoved when their scenes are not those of the group */
function readerOf(deps: Pick<Deps, 'cube'>, group: readonly CollectionMetric[]): ReadSeries {
  return async (m, from, to) => {
    const { collection, scenes } = group[m]!;
    const strip = await deps.cube.readStrip(collection.id, from, to);
    if (
      strip.scenes.length !== scenes.length ||
      strip.scenes.some((scene, i) => scene.sha256 !== scenes[i]!.sha256)
    )
      throw new ScenesMoved();
    return strip.values;
  };
}

/** A group's metrics as one stack. */
function stackOf(
  group: readonly CollectionMetric[],
  moments: readonly SharedScene[],
): Omit<ChangeTask, 'since' | 'keeps'> {
  const [{ collection }] = group as readonly [CollectionMetric];
  return {
    spec: {
      width: collection.grid.width,
      height: collection.grid.height,
      pixelAreaM2: collection.pixelAreaM2,
      metric: collection.metric,
      timesMs: Float64Array.from(moments, ({ timeMs }) => timeMs),
    },
    series: group.map(({ collection: { metric, scale, offset }, scenes }, m) => ({
      metric,
      scale,
      offset,
      sceneCount: scenes.length,
      at: Int32Array.from(moments, ({ at }) => at[m]!),
    })),
  };
}

/** What was found, with the scenes that it rests on. */
function claimsOf(
  group: readonly CollectionMetric[],
  moments: readonly SharedScene[],
  found: readonly FoundChange[],
): readonly ClaimedChange[] {
  const [{ collection }] = group as readonly [CollectionMetric];
  return found.map((change) => ({
    ...change,
    collection,
    metrics: group.map((metric) => metric.collection.metric),
    flaggedMs: moments[change.seed.flagged]!.timeMs,
    scenes: change.evidence.scenes.flatMap(({ scene, role }) =>
      group.flatMap(({ collection, scenes }, m) => {
        const i = moments[scene]!.at[m]!;
        return i < 0 ? [] : [{ collection, scene: scenes[i]!, role }];
      }),
    ),
  }));
}

class ScenesMoved extends Error {
  override readonly name = 'ScenesMoved';
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
