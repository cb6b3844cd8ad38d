import { setTimeout as sleep } from 'node:timers/promises';
import { MODEL_VERSION, PARAMETERS } from '../../change/parameters.ts';
import { timed } from '../../base/observed.ts';
import { digestOf } from '../../base/canonical-json.ts';
import { withoutDuplicates, type ClaimedChange } from './claimed-change.ts';
import {
  metricGroups,
  readCollectionStack,
  sharedScenes,
  type CollectionMetric,
  type CollectionStack,
  type MetricGroup,
} from './collection-stack.ts';
import { sceneSources, sourceOf, type SceneSources } from './change-record.ts';
import type { Deps } from '../deps.ts';
import type { ChangeTask, StateBasis } from './search/change-task.ts';
import { type ChangeRun, findChanges } from './search/find-changes.ts';
import type { FoundChange } from './search/found-change.ts';
import { type Publication, PublicationLost, withPublication } from './publication.ts';
import { publishRun, type PublishReport } from './publish-changes.ts';
import { regroupAll } from '../incidents/regroup-incidents.ts';
import { refreshAnomalies } from '../anomalies/refresh-anomalies.ts';
import { ScenesChanged } from './search/scenes-changed.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Collection } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';
import { snowCubeId } from '../series/snow-cube.ts';
import { STRIP_PIXELS } from './search/strip-size.ts';

/** Maximum number of runs when scenes keep arriving during a search. */
const MAX_RUNS = 5;
const STILL_MS = 2_000; // the monitor stops waiting for other ingests if no scene arrives for this long
const MOST_LOOKS = 300; // maximum number of waits of `STILL_MS`: 10 minutes in total
const JOBS_AT_ONCE = 100; // number of jobs that are queued in one transaction

/** Options for a search over the cubes of a collection. */
interface Run extends Omit<ChangeRun, 'cubes'> {
  /** Function that waits for the given time [ms] while another ingest runs; undefined: a timer. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Result of monitoring a collection. */
export interface MonitorReport extends PublishReport {
  /** False if scenes, model and software version are the same as in the previous run, so that nothing was searched. */
  readonly ran: boolean;
}

/**
 * Searches all scenes of a collection for changes, publishes them, and then updates the anomalies of the areas
 * with a subscription, and the incidents of all of these. Does nothing if scenes, model and software version are the same as in the previous run.
 * Several processes may do this at once: a result is published only if it is based on all current scenes. If only
 * later scenes were added, the search resumes from the saved state of the previous run.
 * @param signal aborts the search; nothing is published after that
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
  await regroupAll(deps.storage, signal);
  return report;
}

/**
 * Searches and publishes like `monitorCollection`, but does not update the anomalies itself. It queues jobs that
 * update them; the caller may update them sooner.
 */
export async function monitorChanges(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  collection: Collection,
  how: Run,
): Promise<MonitorReport> {
  for (let run = 0; run < MAX_RUNS; run++) {
    if (run > 0) await standStill(deps, collection, how);
    const stack = await readCollectionStack(deps, collection);
    const { id } = stack[0].collection;
    const state = await currentState(deps.storage, stack, deps.version);
    if ((await deps.storage.collections.monitoredAs(id)) === state) return nothingNew(deps, stack);
    const objects = await timed('search', () => search(deps, stack, how, deps.version));
    if (objects === undefined) continue;
    const published = await publishSearch(deps, collection, stack, state, objects, how.signal);
    if (published !== undefined) return { ...published, ran: true };
  }
  throw new Error(`${collection.name}: scenes kept arriving while it was monitored; run the ingest again`);
}

/**
 * Publishes the results of a search. Returns undefined if other scenes are there now, or if another process has
 * published the collection since.
 */
async function publishSearch(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  collection: Collection,
  stack: CollectionStack,
  state: string,
  objects: readonly ClaimedChange[],
  signal: AbortSignal | undefined,
): Promise<PublishReport | undefined> {
  const { id } = stack[0].collection;
  const publish = async (publication: Publication): Promise<PublishReport | undefined> => {
    const now = await readCollectionStack(deps, collection);
    if ((await currentState(deps.storage, now, deps.version)) !== state) return undefined;
    if ((await deps.storage.collections.monitoredAs(id)) === state) return undefined; // another process was faster
    const by = { modelVersion: MODEL_VERSION, softwareVersion: `groundwatch ${deps.version}` };
    const report = await publishRun(publication, { stack, objects, by });
    // The caller refreshes the anomalies. The jobs make sure that this happens even if the process crashes before.
    const aois = await watching(deps.storage, collection);
    for (let from = 0; from < aois.length; from += JOBS_AT_ONCE)
      await publication.part(async ({ jobs }) => {
        for (const { accountId, environment, id } of aois.slice(from, from + JOBS_AT_ONCE))
          await jobs.refreshAnomalies({ accountId, environment, aoiId: id });
      });
    await publication.part((stores) => stores.collections.setMonitoredAs(id, state));
    return report;
  };
  try {
    return await timed('publication', () => withPublication(deps.storage, id, publish, signal));
  } catch (error) {
    if (error instanceof PublicationLost) return undefined;
    throw error;
  }
}

/** Waits until no other ingest adds scenes to the collection. A search that starts before then would be outdated. */
async function standStill(
  deps: Pick<Deps, 'storage' | 'cube' | 'version'>,
  collection: Collection,
  { pause = sleep, signal }: Run,
): Promise<void> {
  let before: string | undefined;
  for (let look = 0; look < MOST_LOOKS; look++) {
    const stack = await readCollectionStack(deps, collection);
    const now = await currentState(deps.storage, stack, deps.version);
    if (now === before) return;
    before = now;
    await pause(STILL_MS);
    signal?.throwIfAborted();
  }
}

/** Areas with an active subscription that overlap the collection. */
async function watching(
  stores: Stores,
  { environment, accountId, bounds }: Collection,
): Promise<readonly Aoi[]> {
  const found = await stores.subscriptions.activeOver(environment, accountId, bounds);
  return [...new Map(found.map(({ aoi }) => [aoi.id, aoi])).values()];
}

/**
 * Searches a collection for changes from its first scene, without saved states. Returns undefined if the scenes
 * changed during the search. Writes nothing.
 */
export async function searchCollection(
  deps: Pick<Deps, 'cube'>,
  stack: CollectionStack,
  progress: (done: number, total: number) => void,
): Promise<readonly ClaimedChange[] | undefined> {
  return await search(deps, stack, { progress });
}

/**
 * Searches each group of metrics for changes. Groups with scenes at the same moments are searched together.
 * @param version software version: only saved states of this version are used; undefined: no saved states are used
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
    if (error instanceof ScenesChanged) return undefined;
    throw error;
  }
  const all = groups.flatMap((group) => claimed.get(group)!);
  return groups.length > 1 ? withoutDuplicates(all) : all;
}

/** Grid size and moments of a group, as a text. Groups with the same text can be searched together. */
function momentsOf(group: MetricGroup): string {
  const [{ collection }] = group as readonly [CollectionMetric];
  const { width, height } = collection.grid;
  return [width, height, ...sharedScenes(group).map(({ timeMs }) => timeMs)].join(' ');
}

/** Builds one search over groups of metrics with the same moments, and the function that converts its results. */
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
    series: metrics.map(({ collection: { id, metric, sampleType, scale, offset }, scenes, snow }, m) => ({
      metric,
      cubeId: id,
      sampleType,
      scale,
      offset,
      digests: scenes.map(({ sha256 }) => sha256),
      at: Int32Array.from(moments, ({ at }) => at[m]!),
      snow: snow && { cubeId: snowCubeId(id), digests: snow.map(({ sha256 }) => sha256) },
    })),
    groups: groups.map((group) => group.map((metric) => metrics.indexOf(metric))),
  };
  const task: ChangeTask = { ...stack, basis: version === undefined ? undefined : basisOf(stack, version) };
  /**
   * Adds collections and scenes to found changes. `scenes` is computed when it is read, because most changes are not
   * published.
   */
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

/** Describes the inputs that a saved state of a stack depends on. */
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

/** Digest of the inputs of a run with the sources that are recorded at present. */
async function currentState(
  stores: Pick<Stores, 'collections'>,
  stack: CollectionStack,
  version: string,
): Promise<string> {
  return monitoredState(stack, await sceneSources(stores, stack), version);
}

/**
 * Digest of the inputs of a run: the scenes of every metric and their sources, the model and the software version. An
 * ingest records the source of a scene shortly after it stored the samples. The state then differs, so that the next
 * run adds the source to the provenance.
 */
export function monitoredState(stack: CollectionStack, sources: SceneSources, version: string): string {
  const told = stack.map(({ collection, scenes, snow }) => [
    collection.metric,
    scenes.map(({ key, timeMs, sha256 }) => {
      const source = sourceOf(sources, collection.id, key);
      return [key, timeMs, sha256, source?.href, source?.reading];
    }),
    ...(snow === undefined ? [] : [snow.map(({ key, sha256 }) => [key, sha256])]),
  ]);
  return digestOf([MODEL_VERSION, version, told]);
}

async function nothingNew(deps: Pick<Deps, 'storage'>, stack: CollectionStack): Promise<MonitorReport> {
  let [unchanged, confirmed] = [0, 0];
  for (const { collection } of stack) {
    const count = await deps.storage.changes.countOf(collection.id);
    unchanged += count.all;
    confirmed += count.confirmed;
  }
  return { inserted: 0, updated: 0, unchanged, confirmed, ran: false };
}
