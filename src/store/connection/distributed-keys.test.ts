import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { fillOwner, type FilledOwner } from '../../../test/fixtures/filled-owner.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { newId } from '../../base/ids.ts';
import { SCHEMA } from './database.ts';

/**
 * What each table would be on a distributed PostgreSQL such as Citus (docs/machines.md). Nothing was run on one.
 *
 * - `distributed`: the rows of an account are on one server. Each unique key, and each reference to another such table,
 *   contains the account.
 * - `reference`: every server has all rows: they are read before the account is known, or several accounts share them.
 * - `local`: one server has all rows.
 */
const KINDS: Readonly<Record<'distributed' | 'reference' | 'local', readonly string[]>> = {
  distributed: [
    'account_use',
    'anomalies',
    'aoi_changes',
    'aois',
    'deliveries',
    'delivery_attempts',
    'event_heads',
    'events',
    'idempotency_keys',
    'incident_areas',
    'incident_heads',
    'incident_marks',
    'incident_members',
    'incidents',
    'members',
    'risk_watches',
    'standing_feed_areas',
    'subscriptions',
    'usage_days',
    'webhooks',
  ],
  reference: [
    'account_keys',
    'accounts',
    'api_keys',
    'changes',
    'collections',
    'oauth_clients',
    'oauth_grants',
    'publications',
    'refresh_tokens',
    'risk_states',
    'scenes',
    'sealed_secrets',
    'signing_keys',
    'standing_feeds',
    'station_feeds',
    'station_series',
    'stations',
    'wrapped_keys',
  ],
  local: [
    'audit_head',
    'audit_log',
    'audit_pending',
    'backup_places',
    'environments',
    'former_locks',
    'ground_blocks',
    'groundwatch_migration',
    'groundwatch_migration_lock',
    'job_stream',
    'jobs',
    'mail_counts',
    'mail_refusals',
    'nodes',
    'release_floor',
    'sandbox',
    'search_units',
    'sessions',
    'spent_proofs',
  ],
};

/** Keys that release 1.3.0 writes by, as SQL of its conflict clauses. The release after this one drops them. */
const OF_FORMER_RELEASE: Readonly<Record<string, string>> = {
  anomalies_pkey: 'anomalies (id) values (null) on conflict (id) do update set severity = excluded.severity',
  aoi_changes_pkey:
    'aoi_changes (aoi_id) values (null) on conflict (aoi_id, change_id) do update set status = excluded.status',
  standing_feed_areas_pkey:
    'standing_feed_areas (aoi_id) values (null) on conflict (feed_id, aoi_id) do update set problem = excluded.problem',
  subscriptions_same: `subscriptions (aoi_id) values (null)
    on conflict (aoi_id, perils) where status <> 'cancelled' do nothing`,
};

/** A foreign key, with its first column and whether it contains the account on both sides. */
interface Reference {
  readonly name: string;
  readonly from: string;
  readonly column: string;
  readonly to: string;
  readonly hasAccount: boolean;
}

describe('the schema could be distributed by accounts', () => {
  let world: TestStorage;
  let mine: FilledOwner;
  let theirs: FilledOwner;
  let references: readonly Reference[];
  before(async () => {
    world = await testStorage();
    const { owner, others, database } = world;
    mine = await fillOwner(world, owner);
    theirs = await fillOwner(world, { ...others.at(-1)!, environment: owner.environment });
    for (const { ids } of [mine, theirs]) {
      const catalogue = newId('collection');
      await sql`insert into standing_feeds (id, environment, name, url, max_cloud_share, starts_at, every_s)
        values (${catalogue}, 'production', ${catalogue}, 'https://example.com/', 0.5, now(), 1)`.execute(
        database.db,
      );
      // As release 1.3.0 does, without the account.
      await sql`insert into standing_feed_areas (feed_id, aoi_id, asked_at)
        values (${catalogue}, ${ids['aoi']}, now())`.execute(database.db);
    }
    const { rows } = await sql<Reference>`
      select conname as name, a.relname as "from", b.relname as "to",
        (select attname from pg_attribute where attrelid = conrelid and attnum = conkey[1]) as "column",
        exists (
          select from unnest(conkey, confkey) as pair (child, parent)
          join pg_attribute c on c.attrelid = conrelid and c.attnum = child and c.attname = 'account_id'
          join pg_attribute p on p.attrelid = confrelid and p.attnum = parent and p.attname = 'account_id'
        ) as "hasAccount"
      from pg_constraint join pg_class a on a.oid = conrelid join pg_class b on b.oid = confrelid
      where contype = 'f' and connamespace = ${SCHEMA}::regnamespace order by 1`.execute(database.db);
    references = rows;
  });
  after(() => world.close());

  const kindOf = (table: string): string =>
    Object.entries(KINDS).find(([, names]) => names.includes(table))?.[0] ?? `none: ${table}`;

  test('each table has one kind', async () => {
    const { rows } = await sql<{ name: string }>`select relname as name from pg_class
      where relnamespace = ${SCHEMA}::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(
      world.database.db,
    );
    assert.deepEqual(rows.map(({ name }) => name).toSorted(), Object.values(KINDS).flat().toSorted());
  });

  test('each unique key of a distributed table contains the account, which is never null', async () => {
    const { db } = world.database;
    const { rows } = await sql<{ name: string; table: string; hasAccount: boolean }>`
      select i.relname as name, t.relname as "table", exists (
        select from pg_attribute where attrelid = indrelid and attname = 'account_id' and attnotnull
          and attnum = any(indkey::int2[])) as "hasAccount"
      from pg_index join pg_class i on i.oid = indexrelid join pg_class t on t.oid = indrelid
      where indisunique and t.relnamespace = ${SCHEMA}::regnamespace and not t.relispartition`.execute(db);
    const without = rows.filter(({ table, hasAccount }) => kindOf(table) === 'distributed' && !hasAccount);
    assert.deepEqual(without.map(({ name }) => name).toSorted(), Object.keys(OF_FORMER_RELEASE));
    const columns = await sql<{ table: string }>`select relname as "table" from pg_class
      join pg_attribute on attrelid = pg_class.oid and attname = 'account_id' and attnotnull
      where relnamespace = ${SCHEMA}::regnamespace`.execute(db);
    const owned = new Set(columns.rows.map(({ table }) => table));
    assert.deepEqual(
      KINDS.distributed.filter((table) => !owned.has(table)),
      [],
    );
  });

  test('the conflict clauses of release 1.3.0 find their keys', async () => {
    for (const statement of Object.values(OF_FORMER_RELEASE))
      await sql`explain insert into ${sql.raw(statement)}`.execute(world.database.db);
  });

  test('a reference stays within an account, or leads to a table that each server has', () => {
    const allowed = (one: Reference): boolean => {
      const [from, to] = [kindOf(one.from), kindOf(one.to)];
      return to === 'reference' || (from === 'distributed' && to === 'distributed' && one.hasAccount);
    };
    assert.ok(references.length > 40);
    assert.deepEqual(
      references.filter((one) => !allowed(one)),
      [],
    );
  });

  test('the database refuses a row that refers to a row of another account', async () => {
    const { db } = world.database;
    const between = references.filter(({ to }) => kindOf(to) === 'distributed');
    assert.equal(between.length, 10);
    for (const { name, from, column, to } of between) {
      const id = async (accountId: string): Promise<unknown> =>
        (
          await sql<{ id: string }>`select ${sql.id(column)} as id from ${sql.id(from)}
            where account_id = ${accountId} and ${sql.id(column)} is not null limit 1`.execute(db)
        ).rows[0]?.id;
      const foreign = await id(theirs.accountId);
      assert.ok(foreign !== undefined && foreign !== (await id(mine.accountId)), `rows of ${from}`);
      const insert = sql`insert into ${sql.id(from)} select row.* from (
          select to_jsonb(one) as one from ${sql.id(from)} one
          where account_id = ${mine.accountId} and ${sql.id(column)} is not null limit 1
        ) mine, jsonb_populate_record(null::${sql.id(from)},
          one || jsonb_build_object(${column}::text, ${foreign}::text)
          || case when one ? 'id' then jsonb_build_object('id', ${newId('aoi')}::text) else '{}' end) as row`;
      const update = sql`update ${sql.id(from)} set ${sql.id(column)} = ${foreign}
        where account_id = ${mine.accountId} and ${sql.id(column)} is not null`;
      // Without their own rows, which have the same keys.
      const deletion = sql`delete from ${sql.id(from)} where account_id = ${theirs.accountId}`;
      for (const statement of [insert, update])
        await assert.rejects(
          db.transaction().execute(async (transaction) => {
            await deletion.execute(transaction);
            await statement.execute(transaction);
          }),
          { code: '23503', constraint: name },
          `${from} to ${to}`,
        );
    }
  });
});
