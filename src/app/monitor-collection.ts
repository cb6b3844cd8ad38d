import { MODEL_VERSION } from '../monitor/parameters.ts';
import { digestOf } from './canonical-json.ts';
import { withoutRepeats, type ClaimedChange } from './claimed-change.ts';
import {
  metricGroups,
  readCollectionStack,
  sharedScenes,
  type CollectionMetric,
  type CollectionStack,
} from './collection-stack.ts';
import type { Deps } from './deps.ts';
import { findChanges } from './find-changes.ts';
import { changesOf, publishChanges, type PublishReport } from './publish-changes.ts';
import { refreshAnomalies } from './refresh-anomalies.ts';
import type { Aoi, Collection, Stores } from './stores.ts';

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
 * is published only if it rests on all the scenes there are.
 */
export async function monitorCollection(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  collection: Collection,
  progress: (done: number, total: number) => void,
): Promise<MonitorReport> {
  const report = await monitorChanges(deps, collection, progress);
  if (report.ran)
    for (const aoi of await watching(deps.storage, collection)) await refreshAnomalies(deps, aoi, aoi.id);
  return report;
}

async function monitorChanges(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  collection: Collection,
  progress: (done: number, total: number) => void,
): Promise<MonitorReport> {
  for (let run = 0; run < MAX_RUNS; run++) {
    const stack = await readCollectionStack(deps, collection);
    const { id } = stack[0].collection;
    const state = stateOf(stack, deps.version);
    if ((await deps.storage.collections.monitoredAs(id)) === state) return nothingNew(deps, stack);
    const objects = await changesIn(deps, stack, progress);
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
        await stores.jobs.refreshAnomalies({ accountId, environment, aoiId: id });
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

/** Changes found in a collection's scenes; undefined when the cube's scenes changed meanwhile. Nothing is written. */
export async function changesIn(
  deps: Pick<Deps, 'cube'>,
  stack: CollectionStack,
  progress: (done: number, total: number) => void,
): Promise<readonly ClaimedChange[] | undefined> {
  const groups = metricGroups(stack);
  const claimed: ClaimedChange[] = [];
  try {
    for (const [done, group] of groups.entries()) {
      claimed.push(
        ...(await changesTogether(deps, group, (part, total) =>
          progress(Math.floor((done * total + part) / groups.length), total),
        )),
      );
    }
  } catch (error) {
    if (error instanceof ScenesMoved) return undefined;
    throw error;
  }
  return groups.length > 1 ? withoutRepeats(claimed) : claimed;
}

/** Changes found in metrics that are looked at together; the first leads. */
async function changesTogether(
  deps: Pick<Deps, 'cube'>,
  group: readonly CollectionMetric[],
  progress: (done: number, total: number) => void,
): Promise<readonly ClaimedChange[]> {
  const [{ collection }] = group as readonly [CollectionMetric];
  const moments = sharedScenes(group);
  const read = async (m: number, from: number, to: number): Promise<Float32Array | Float64Array> => {
    const { collection, scenes } = group[m]!;
    const strip = await deps.cube.readStrip(collection.id, from, to);
    if (
      strip.scenes.length !== scenes.length ||
      strip.scenes.some((scene, i) => scene.sha256 !== scenes[i]!.sha256)
    )
      throw new ScenesMoved();
    return strip.values;
  };
  const found = await findChanges(
    {
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
    },
    read,
    progress,
  );
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
