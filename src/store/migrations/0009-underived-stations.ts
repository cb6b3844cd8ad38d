import { sql, type Kysely } from 'kysely';

/**
 * Stations of which something was written that the metrics computed from it do not know of yet; and anomalies of what is
 * computed from a collection of pixels, which are the same collection's in another metric.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    sql`alter table stations add column underived uuid`,
    sql`create index stations_underived on stations (collection_id, key) where underived is not null`,
    sql`alter table anomalies
      drop constraint anomalies_episode,
      add constraint anomalies_episode
        unique nulls not distinct (aoi_id, collection_id, station_id, metric, peril, started_at)`,
  ])
    await statement.execute(db);
}
