import { sql, type Kysely } from 'kysely';
import type { PaintedChange, PaintedFilter } from '../../app/changes/change-store.ts';
import type { Owner } from '../../app/owner.ts';
import { overlaps } from '../connection/bounds.ts';
import type { Database } from '../schema.ts';

/** The changes of a collection that were confirmed on a day and that any area of an owner shows, the largest first. */
export async function paintedChanges(
  db: Kysely<Database>,
  { accountId, environment }: Owner,
  { collectionId, bounds, day }: PaintedFilter,
  most: number,
): Promise<readonly PaintedChange[]> {
  // Their pixels are read after the largest have been picked, since they are kept with the provenance, which is large.
  const { rows } = await sql<PaintedChange>`
    select whole.first_anomaly_at as "firstAnomalyAt", whole.confidence, whole.magnitude,
      whole.provenance #> '{pixels,runs}' as runs
    from (
      select id, area_m2 from readable_changes as changes
      where ${overlaps('changes.bounds', bounds)} and collection_id = ${collectionId}
        and status in ('confirmed', 'recovered') and confirmed_at <= ${day}::date
        and (recovered_at is null or recovered_at > ${day}::date)
        and exists (
          select from aoi_changes link join aois on aois.id = link.aoi_id
          where link.change_id = changes.id and link.account_id = ${accountId}
            and link.environment = ${environment} and aois.deleted_at is null)
      order by area_m2 desc, id limit ${most}
    ) as found join changes whole on whole.id = found.id
    order by whole.first_anomaly_at, whole.id`.execute(db);
  return rows;
}
