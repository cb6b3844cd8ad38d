import { sql, type Kysely } from 'kysely';

/**
 * Adds a mark for stations with new observations that the derived series do not include yet. Anomalies of metrics that
 * are derived from a raster collection belong to the same collection, so the metric becomes part of their unique key.
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
