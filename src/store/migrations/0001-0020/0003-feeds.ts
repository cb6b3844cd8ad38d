import { sql, type Kysely } from 'kysely';

/**
 * Adds series at stations. A collection now consists of pixels (`raster`) or of stations (`points`, without a grid),
 * and an anomaly can belong to a station. The observations of a station are stored in rows, each with the times [ms]
 * and values of one period as little-endian doubles. For evenly spaced times, only the first and the step are stored.
 * The periods of a station's rows never overlap.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const statements = [
    sql`alter table collections
      add column kind text not null default 'raster' check (kind in ('raster', 'points')),
      add column derived_from text[],
      add column silent_after timestamptz,
      alter column scale drop not null,
      alter column value_offset drop not null,
      alter column sample_type drop not null,
      alter column grid drop not null,
      alter column pixel_area_m2 drop not null,
      add constraint collections_grid check (kind = 'points'
        or num_nulls(scale, value_offset, sample_type, grid, pixel_area_m2) = 0)`,
    sql`create table stations (
      collection_id text collate "C" not null references collections on delete cascade,
      id text collate "C" primary key,
      key text not null,
      position point not null,
      observations integer not null default 0,
      first_ms double precision,
      last_ms double precision,
      unique (collection_id, key)
    )`,
    sql`create index stations_position on stations using gist (position)`,
    sql`create table station_series (
      station_id text collate "C" not null references stations on delete cascade,
      first_ms double precision not null,
      last_ms double precision not null,
      times bytea not null,
      values bytea not null,
      primary key (station_id, first_ms)
    )`,
    // Stored without compression: measured values hardly compress, and decompression costs more than reading them.
    sql`alter table station_series alter column times set storage external,
      alter column values set storage external`,
    sql`alter table anomalies
      add column station_id text collate "C" references stations on delete cascade,
      drop constraint anomalies_aoi_id_collection_id_peril_started_at_key,
      add constraint anomalies_episode
        unique nulls not distinct (aoi_id, collection_id, station_id, peril, started_at)`,
    sql`create index anomalies_station on anomalies (station_id) where station_id is not null`,
  ];
  for (const statement of statements) await statement.execute(db);
}
