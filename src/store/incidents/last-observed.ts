import { sql, type Kysely } from 'kysely';
import type { Owner } from '../../app/owner.ts';
import type { Database } from '../schema.ts';
import { ownedBy as of } from './owned-by.ts';

/** Members of each kind whose sources are looked at, those that began last. */
const NEWEST = 3;

const newest = (kind: 'anomaly' | 'change') => sql`
  select id from incident_members where incident_id = incidents.id and kind = ${kind}
    and account_id = incidents.account_id and environment = incidents.environment
  order by from_ms desc limit ${NEWEST}`;

const lastScene = (collection: string) => sql`
  (select observed_at from scenes where collection_id = ${sql.ref(collection)} order by observed_at desc limit 1)`;

/**
 * Newest image or reading of the sources of the newest members of an incident of the table `incidents`; null where
 * nothing is known of them. Stations are those of anomalies.
 */
export const LAST_OBSERVED = sql<Date | null>`(
  select max(seen.at) from (
    select case when anomalies.station_id is null then ${lastScene('anomalies.collection_id')}
        else to_timestamp(stations.last_ms / 1000) end as at
      from (${newest('anomaly')}) as member join anomalies on anomalies.id = member.id
      left join stations on stations.id = anomalies.station_id
    union all
    select ${lastScene('changes.collection_id')} from (${newest('change')}) as member
      join changes on changes.id = member.id
  ) as seen)`;

/** When the sources of some incidents were last observed. */
export async function lastObserved(
  db: Kysely<Database>,
  owner: Owner,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; at: Date | null }>`
    select id, ${LAST_OBSERVED} as at from incidents where ${of(owner)} and id = any(${ids})`.execute(db);
  return new Map(rows.flatMap(({ id, at }) => (at === null ? [] : [[id, at] as const])));
}
