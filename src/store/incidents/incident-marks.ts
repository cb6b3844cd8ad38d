import { sql, type Kysely } from 'kysely';
import type { Owner } from '../../app/owner.ts';
import type { ChangeStatus } from '../../contract/changes.ts';
import type { Database } from '../schema.ts';

/** Statuses of changes that are members of incidents. */
export const MEMBER_STATUSES: readonly ChangeStatus[] = ['confirmed', 'recovered'];

/** Whether members are marked, for the pulse. */
export const MARKS_WAIT = '(select true from incident_marks order by account_id, environment limit 1)';

// A mark is a new row each time. If two were one row, an update could find the mark of an earlier one that is being
// taken, and would be lost.

/** Marks anomalies that are written, or about to be removed. @param past ids of those that were past when found */
export async function markAnomalies(
  db: Kysely<Database>,
  ids: readonly string[],
  past: readonly string[] = [],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`insert into incident_marks (account_id, environment, kind, id, past)
    select account_id, environment, 'anomaly', id, id = any(${past}) from anomalies where id = any(${ids})`.execute(
    db,
  );
}

/**
 * Marks a change for all accounts that it is linked to. Suspicions are members of no incident, so that only those are
 * marked that were members before.
 */
export async function markChange(
  db: Kysely<Database>,
  { id, status }: { readonly id: string; readonly status: ChangeStatus },
): Promise<void> {
  const isMember = MEMBER_STATUSES.includes(status)
    ? sql<boolean>`true`
    : sql<boolean>`exists (select from incident_members m where m.kind = 'change' and m.id = change_id
        and m.account_id = aoi_changes.account_id and m.environment = aoi_changes.environment)`;
  await sql`insert into incident_marks (account_id, environment, kind, id)
    select distinct account_id, environment, 'change', change_id from aoi_changes
    where change_id = ${id} and ${isMember}`.execute(db);
}

/** Marks changes that were known and became visible to one owner. */
export async function markChanges(
  db: Kysely<Database>,
  { accountId, environment }: Owner,
  changes: readonly { readonly id: string; readonly status: ChangeStatus }[],
): Promise<void> {
  const ids = changes.filter(({ status }) => MEMBER_STATUSES.includes(status)).map(({ id }) => id);
  if (ids.length === 0) return;
  await sql`insert into incident_marks (account_id, environment, kind, id, past)
    select ${accountId}, ${environment}::environment, 'change', id, true from unnest(${ids}::text[]) as id`.execute(
    db,
  );
}

/** Marks the anomalies and changes of an area: its name, its subscriptions or its existence changed. */
export async function markArea(db: Kysely<Database>, aoiId: string): Promise<void> {
  await sql`insert into incident_marks (account_id, environment, kind, id)
    select account_id, environment, 'anomaly', id from anomalies where aoi_id = ${aoiId}
    union all
    select account_id, environment, 'change', change_id from aoi_changes
    where aoi_id = ${aoiId} and status = any(${MEMBER_STATUSES})`.execute(db);
}

/** Marks the anomalies and changes of a collection that is about to be removed. */
export async function markCollection(db: Kysely<Database>, collectionId: string): Promise<void> {
  await sql`insert into incident_marks (account_id, environment, kind, id)
    select account_id, environment, 'anomaly', id from anomalies where collection_id = ${collectionId}
    union all
    select distinct link.account_id, link.environment, 'change', link.change_id
    from changes join aoi_changes link on link.change_id = changes.id
    where changes.collection_id = ${collectionId} and changes.status = any(${MEMBER_STATUSES})`.execute(db);
}

/**
 * Marks recent anomalies and changes that are no members, and members that were removed. A release without incidents,
 * which may run beside this one, sets no marks.
 * @param since start of what counts as recent
 */
export async function markMissed(db: Kysely<Database>, since: Date): Promise<void> {
  await sql`insert into incident_marks (account_id, environment, kind, id)
    select account_id, environment, 'anomaly', id from anomalies
    where published_at > ${since} and not exists (
      select from incident_members m where m.kind = 'anomaly' and m.id = anomalies.id)
    union all
    select distinct account_id, environment, 'change', change_id from aoi_changes link
    where published_at > ${since} and status = any(${MEMBER_STATUSES}) and not exists (
      select from incident_members m where m.kind = 'change' and m.id = link.change_id
        and m.account_id = link.account_id and m.environment = link.environment)
    union all
    select account_id, environment, kind, id from incident_members m
    where kind = 'anomaly' and not exists (select from anomalies where anomalies.id = m.id)`.execute(db);
}

/** Ids of which each mark says that they are past. */
export function pastIn(
  rows: readonly { readonly id: string; readonly past: boolean }[],
): ReadonlySet<string> {
  const past = new Set(rows.map(({ id }) => id));
  for (const row of rows) if (!row.past) past.delete(row.id);
  return past;
}
