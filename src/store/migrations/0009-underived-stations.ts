import { sql, type Kysely } from 'kysely';

/**
 * Marks stations with new observations that the derived series do not include yet. Anomalies of metrics derived from a
 * raster collection belong to the same collection, so the metric becomes part of the unique key.
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
