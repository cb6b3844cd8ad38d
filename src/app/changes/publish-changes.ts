import { setImmediate } from 'node:timers/promises';
import { simplifyArea } from '../../geo/simplify.ts';
import type { ClaimedChange } from './claimed-change.ts';
import type { CollectionStack } from './collection-stack.ts';
import { rejected, REJECTED_CONFIDENCE } from './change-digest.ts';
import { eventOf } from './change-events.ts';
import { withHistory, type StatedBy } from './change-versions.ts';
import { sceneSources, toChangeRecord } from './change-record.ts';
import { newId } from '../../base/ids.ts';
import { objectKeyOf, knownChanges } from './known-change.ts';
import { intersecting } from '../areas/measure-area.ts';
import { presentChange } from './present-change.ts';
import type { Aoi } from '../areas/aoi-store.ts';
import type { ChangeRecord, NewChange } from './change-store.ts';
import type { Collection } from '../series/collection-store.ts';
import type { Stores } from '../storage.ts';
import { EVENT_VERTICES } from '../../contract/limits.ts';

/** Result of publishing a monitor run: numbers of changes of the collection. */
export interface PublishReport {
  readonly inserted: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Number of changes of the collection that are confirmed now. */
  readonly confirmed: number;
}

/** The results of one monitor run. */
export interface MonitorRun {
  readonly stack: CollectionStack;
  readonly objects: readonly ClaimedChange[];
  readonly by: StatedBy;
}

/**
 * Records the changes that a monitor run found: inserts new changes, updates known changes, and rejects changes that
 * were not found again. Changes that another model found are known changes too. Emits the events in the same
 * transaction. Publishing the same run again changes nothing.
 */
export async function publishChanges(stores: Stores, run: MonitorRun): Promise<PublishReport> {
  const { collection } = run.stack[0];
  await stores.changes.lockPublishing(collection.environment, 'publish');
  const sources = await sceneSources(stores, run.stack);
  const records = await recordedChanges(stores, run.stack);
  const known = knownChanges(run.objects, records, run.by.modelVersion);
  const now = new Date();
  const ids = new Map<ClaimedChange, string>();
  const report = { inserted: 0, updated: 0, unchanged: 0, confirmed: 0 };
  for (const object of run.objects) {
    const before = known.records.get(object);
    // A change that was rejected before it was ever published is not recorded.
    if (before === undefined && object.status === 'rejected') continue;
    await setImmediate(); // the outline and digest of a change take some milliseconds: let requests run in between
    const id = before?.id ?? newId('change');
    ids.set(object, id);
    const change = toChangeRecord(run.by, object, objectKeyOf(object), id, sources);
    if (change.status === 'confirmed') report.confirmed++;
    if (before?.digest === change.digest && before.objectKey === change.objectKey) {
      report.unchanged++;
      continue;
    }
    if (before === undefined) report.inserted++;
    else report.updated++;
    const whole = known.partOf.get(object);
    const forerunner = before ? { record: before, isSame: true } : whole && { record: whole, isSame: false };
    await put(stores, collection, withHistory(change, run.by, now, forerunner), before);
  }
  const kept = new Set(known.records.values());
  for (const gone of records.filter((record) => !kept.has(record))) {
    // Releases before 1.4.0 left the former confidence in a rejected change. Such a change is stated again.
    if (gone.status === 'rejected' && gone.confidence === REJECTED_CONFIDENCE) {
      report.unchanged++;
      continue;
    }
    report.updated++;
    const cover = known.coveredBy.get(gone);
    const within = cover && ids.get(cover);
    await put(
      stores,
      collection,
      withHistory(rejected(gone), run.by, now, { record: gone, isSame: true }, within),
      gone,
    );
  }
  return report;
}

/** The recorded changes of a collection, for all its metrics, whichever model found them. */
export async function recordedChanges(
  stores: Pick<Stores, 'changes'>,
  stack: CollectionStack,
): Promise<readonly ChangeRecord[]> {
  const known: ChangeRecord[] = [];
  for (const { collection } of stack) known.push(...(await stores.changes.ofCollection(collection.id)));
  return known;
}

async function put(
  stores: Stores,
  collection: Collection,
  change: NewChange,
  before: ChangeRecord | undefined,
): Promise<void> {
  if (before === undefined) await stores.changes.insert(change);
  else await stores.changes.update(change);
  const candidates = await stores.aois.overlapping(
    collection.environment,
    collection.accountId,
    change.bounds,
  );
  const touched = await intersecting(
    change.geometry,
    candidates.map((aoi) => aoi.geometry),
  );
  const aois = candidates.filter((_, i) => touched[i]);
  await stores.changes.link(change, aois);
  const type = eventOf(change, before);
  if (type === undefined) return;
  for (const [accountId, theirs] of Map.groupBy(aois, (aoi) => aoi.accountId))
    await stores.events.emit(
      { accountId, environment: collection.environment },
      type,
      eventData(change, theirs, before),
    );
}

function eventData(
  change: NewChange,
  aois: readonly Aoi[],
  before: ChangeRecord | undefined,
): Readonly<Record<string, unknown>> {
  const now = new Date();
  const listed = {
    ...change,
    geometry: simplifyArea(change.geometry, EVENT_VERTICES),
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  };
  return {
    ...presentChange(
      listed,
      aois.map((aoi) => aoi.id),
    ),
    url: `/v1/changes/${change.id}`,
  };
}
