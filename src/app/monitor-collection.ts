import { MODEL_VERSION } from '../monitor/parameters.ts';
import { metricTraits } from '../monitor/metric.ts';
import { digestOf } from './canonical-json.ts';
import type { Deps } from './deps.ts';
import { findChanges } from './find-changes.ts';
import type { CubeScene } from './ports.ts';
import { publishChanges, type PublishReport } from './publish-changes.ts';
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
    const scenes = await deps.cube.scenes(collection.id);
    const state = stateOf(scenes, deps.version);
    if ((await deps.storage.collections.monitoredAs(collection.id)) === state)
      return nothingNew(deps, collection);
    const objects = await findIn(deps, collection, scenes, progress);
    if (objects === undefined) continue;
    const published = await deps.storage.transaction(async (stores) => {
      await stores.collections.lock(collection.id);
      if (stateOf(await deps.cube.scenes(collection.id), deps.version) !== state) return undefined;
      const report = await publishChanges(stores, {
        collection,
        scenes,
        objects,
        softwareVersion: `groundwatch ${deps.version}`,
      });
      await stores.collections.setMonitoredAs(collection.id, state);
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

/** Objects found in the scenes; undefined when the cube's scenes changed meanwhile. */
async function findIn(
  deps: Pick<Deps, 'cube'>,
  collection: Collection,
  scenes: readonly CubeScene[],
  progress: (done: number, total: number) => void,
) {
  if (metricTraits(collection.metric) === null || scenes.length === 0) return [];
  const { grid, metric, pixelAreaM2, scale, offset } = collection;
  let moved = false;
  const read = async (from: number, to: number): Promise<Float32Array | Float64Array> => {
    const strip = await deps.cube.readStrip(collection.id, from, to);
    moved ||=
      strip.scenes.length !== scenes.length ||
      strip.scenes.some((scene, i) => scene.sha256 !== scenes[i]!.sha256);
    if (moved) throw new ScenesMoved();
    const values = strip.values.slice();
    if (scale !== 1 || offset !== 0)
      for (let i = 0; i < values.length; i++) values[i] = values[i]! * scale + offset;
    return values;
  };
  try {
    return await findChanges(
      {
        width: grid.width,
        height: grid.height,
        pixelAreaM2,
        metric,
        timesMs: Float64Array.from(scenes, (s) => s.timeMs),
      },
      read,
      progress,
    );
  } catch (error) {
    if (error instanceof ScenesMoved) return undefined;
    throw error;
  }
}

class ScenesMoved extends Error {
  override readonly name = 'ScenesMoved';
}

/** What a run rests on: the scenes, the model and the software. */
function stateOf(scenes: readonly CubeScene[], version: string): string {
  return digestOf([MODEL_VERSION, version, scenes.map(({ key, timeMs, sha256 }) => [key, timeMs, sha256])]);
}

async function nothingNew(deps: Pick<Deps, 'storage'>, collection: Collection): Promise<MonitorReport> {
  const known = await deps.storage.changes.ofCollection(collection.id, MODEL_VERSION);
  const confirmed = known.filter(({ status }) => status === 'confirmed').length;
  return { inserted: 0, updated: 0, unchanged: known.length, confirmed, ran: false };
}
