import { setImmediate } from 'node:timers/promises';
import type { ClaimedChange } from './claimed-change.ts';
import type { CollectionStack } from './collection-stack.ts';
import { rejected, REJECTED_CONFIDENCE } from './change-digest.ts';
import { eventOf } from './change-events.ts';
import { withHistory, type StatedBy } from './change-versions.ts';
import { sceneSources, toChangeRecord } from './change-record.ts';
import { newId } from '../../base/ids.ts';
import { changeFamilies, type ChangeFamily } from './change-families.ts';
import { objectKeyOf, knownChanges } from './known-change.ts';
import type { ChangeOutline, StatedChange } from './change-store.ts';
import { PublishedPart, type Statement } from './published-part.ts';
import type { Publication } from './publication.ts';
import type { Storage } from '../storage.ts';

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
 * were not found again. Changes that another model found are known changes too. Publishing the same run again changes
 * nothing.
 *
 * This takes several transactions, each with the events of its changes. Changes that depend on each other are in one of
 * them. After a crash the next run recognises what was published, and publishes the rest. Between the transactions only
 * an outline of each recorded change is in memory.
 */
export async function publishRun(publication: Publication, run: MonitorRun): Promise<PublishReport> {
  const { storage } = publication;
  const sources = await sceneSources(storage, run.stack);
  const records = await recordedOutlines(storage, run.stack);
  const known = knownChanges(run.objects, records, run.by.modelVersion);
  const report = { inserted: 0, updated: 0, unchanged: 0, confirmed: 0 };
  /** States what the run says of the changes of a family. Leaves out what is recorded already. */
  const stated = async ({ objects, gone }: ChangeFamily): Promise<readonly Statement[]> => {
    const statements: Statement[] = [];
    const ids = new Map<ClaimedChange, string>();
    for (const object of objects) {
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
      const whole = before === undefined ? known.partOf.get(object) : undefined;
      statements.push(statementOf(run, change, before, whole));
    }
    for (const record of gone) {
      // Releases before 1.4.0 left the former confidence in a rejected change. Such a change is stated again.
      if (record.status === 'rejected' && record.confidence === REJECTED_CONFIDENCE) {
        report.unchanged++;
        continue;
      }
      report.updated++;
      const cover = known.coveredBy.get(record);
      statements.push(rejectionOf(run, record, cover && ids.get(cover)));
    }
    return statements;
  };
  const part = new PublishedPart(publication, run.stack[0].collection);
  for (const family of changeFamilies(run.objects, records, known)) await part.add(await stated(family));
  await part.publish();
  return report;
}

/** Statement of a found change, with the history of the record that it continues or of which it is a part. */
function statementOf(
  { by }: MonitorRun,
  change: StatedChange,
  before: ChangeOutline | undefined,
  whole: ChangeOutline | undefined,
): Statement {
  const reads = before?.id ?? whole?.id;
  return {
    id: change.id,
    isNew: before === undefined,
    reads,
    state(record) {
      const forerunner = record && { record, isSame: before !== undefined };
      const now = withHistory(change, by, new Date(), forerunner);
      return { change: now, type: eventOf(now, before && record) };
    },
  };
}

/** Statement that a recorded change is not found any more. @param within id of the change that covers its ground now */
function rejectionOf({ by }: MonitorRun, { id }: ChangeOutline, within: string | undefined): Statement {
  return {
    id,
    isNew: false,
    reads: id,
    state(record) {
      const gone = record!;
      const now = withHistory(rejected(gone), by, new Date(), { record: gone, isSame: true }, within);
      return { change: now, type: eventOf(now, gone) };
    },
  };
}

/** Outlines of the recorded changes of a collection, for all its metrics, whichever model found them. */
async function recordedOutlines(
  storage: Pick<Storage, 'changes'>,
  stack: CollectionStack,
): Promise<readonly ChangeOutline[]> {
  const known: ChangeOutline[] = [];
  for (const { collection } of stack)
    for await (const some of storage.changes.outlines(collection.id)) known.push(...some);
  return known;
}
