import { setTimeout as sleep } from 'node:timers/promises';
import { MODEL_VERSION } from '../../change/parameters.ts';
import { timed } from '../../base/observed.ts';
import { digestOf } from '../../base/canonical-json.ts';
import type { ClaimedChange } from './claimed-change.ts';
import { readCollectionStack, type CollectionStack } from './collection-stack.ts';
import { sceneSources, sourceOf, type SceneSources } from './change-record.ts';
import type { Deps } from '../deps.ts';
import { type Publication, PublicationLost, withPublication } from './publication.ts';
import { publishRun, type PublishReport } from './publish-changes.ts';
import { regroupAll } from '../incidents/regroup-incidents.ts';
import { refreshAnomalies } from '../anomalies/refresh-anomalies.ts';
import { searchStack, type SearchRun } from './search-collection.ts';
import { shareSearches } from './share-search.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { Collection } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';

/** Maximum number of runs when scenes keep arriving during a search. */
const MAX_RUNS = 5;
const STILL_MS = 2_000; // the monitor stops waiting for other ingests if no scene arrives for this long
const MOST_LOOKS = 300; // maximum number of waits of `STILL_MS`: 10 minutes in total
const JOBS_AT_ONCE = 100; // number of jobs that are queued in one transaction

/** Options for monitoring a collection. */
interface Run extends SearchRun {
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
  const shared = shareSearches(deps, collection.id);
  for (let run = 0; run < MAX_RUNS; run++) {
    if (run > 0) await standStill(deps, collection, how);
    const stack = await readCollectionStack(deps, collection);
    const { id } = stack[0].collection;
    const state = await currentState(deps.storage, stack, deps.version);
    if ((await deps.storage.collections.monitoredAs(id)) === state) return nothingNew(deps, stack);
    const objects = await timed('search', async () => {
      try {
        return await searchStack(deps, stack, { turnsOf: shared.turnsOf, ...how }, deps.version);
      } finally {
        await shared.end();
      }
    });
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
