import { sql, type Kysely } from 'kysely';
import {
  accountKey,
  addReferences,
  type AccountReference,
  dropReferences,
  lockTables,
  putAccountInKey,
} from '../connection/account-key.ts';
import { isPrepared, nextKey, type PreparedIndex } from '../connection/prepared-index.ts';

const REFERENCES: readonly AccountReference[] = [
  { from: 'subscriptions', column: 'aoi_id', to: 'aois' },
  { from: 'risk_watches', column: 'aoi_id', to: 'aois' },
  { from: 'risk_watches', column: 'subscription_id', to: 'subscriptions' },
  { from: 'anomalies', column: 'aoi_id', to: 'aois' },
  { from: 'aoi_changes', column: 'aoi_id', to: 'aois' },
  { from: 'standing_feed_areas', column: 'aoi_id', to: 'aois' },
];

const KEYED = ['aois', 'subscriptions', 'risk_watches'];
const EPISODE =
  'nulls not distinct (aoi_id, collection_id, station_id, metric, peril, started_at, account_id)';
const UNIQUE: readonly PreparedIndex[] = [
  { table: 'anomalies', name: 'anomalies_key', definition: '(id, account_id)' },
  { table: 'aoi_changes', name: 'aoi_changes_key', definition: '(aoi_id, change_id, account_id)' },
  {
    table: 'subscriptions',
    name: 'subscriptions_once',
    definition: "(aoi_id, perils, account_id) where status <> 'cancelled'",
  },
];

/** What is built before, while calls go on. */
export const INDEXES: readonly PreparedIndex[] = [
  ...KEYED.map((table) => accountKey(table, ['id'])),
  {
    table: 'anomalies',
    name: nextKey('anomalies_episode'),
    definition: EPISODE.replace(/^(nulls not distinct) (.*)$/, '$2 $1'),
  },
  ...UNIQUE,
];

/**
 * Puts the account into the keys of areas, of what refers to them, and into these references (decision 78). The progress
 * of catalogues gets the account of its area; for rows of release 1.3.0 a trigger finds it.
 *
 * Release 1.3.0 writes with `on conflict` over `anomalies_pkey`, `aoi_changes_pkey`, `subscriptions_same` and
 * `standing_feed_areas_pkey`, so these stay as they are, beside keys with the account, until the release after this one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await lockTables(db, [
    'aois',
    'subscriptions',
    'risk_watches',
    'anomalies',
    'aoi_changes',
    'standing_feed_areas',
  ]);
  await dropReferences(db, REFERENCES);
  for (const table of KEYED) await putAccountInKey(db, table, ['id']);
  for (const { table, name, definition } of UNIQUE)
    if (!(await isPrepared(db, name)))
      await sql.raw(`create unique index ${name} on ${table} ${definition}`).execute(db);
  const episode = (await isPrepared(db, nextKey('anomalies_episode')))
    ? `using index ${nextKey('anomalies_episode')}`
    : EPISODE;
  for (const statement of [
    sql`alter table anomalies drop constraint anomalies_episode`,
    sql.raw(`alter table anomalies add constraint anomalies_episode unique ${episode}`),
    sql`alter table standing_feed_areas add column account_id text collate "C"`,
    sql`update standing_feed_areas set account_id = (select account_id from aois where aois.id = aoi_id)`,
    sql`alter table standing_feed_areas alter column account_id set not null`,
    sql`create unique index standing_feed_areas_key on standing_feed_areas (feed_id, aoi_id, account_id)`,
    sql`create function account_of_feed_area() returns trigger language plpgsql set search_path from current as $$ begin
      select account_id into new.account_id from aois where id = new.aoi_id;
      return new;
    end $$`,
    sql`create trigger standing_feed_areas_account before insert on standing_feed_areas
      for each row when (new.account_id is null) execute function account_of_feed_area()`,
  ])
    await statement.execute(db);
  await addReferences(db, REFERENCES);
}
