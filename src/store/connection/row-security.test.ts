// Long file: one suite uses one database in which every table has rows of two owners.
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { dropDatabase, SILENT } from '../../../test/fixtures/database.ts';
import { auditEntry, type FilledOwner, fillOwner } from '../../../test/fixtures/filled-owner.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import type { Owner } from '../../app/owner.ts';
import type { Storage } from '../../app/storage.ts';
import { RUNTIME_ROLE } from './row-security.ts';
import { openDatabase, SCHEMA } from './database.ts';
import { errorCode } from './error-code.ts';
import { migrate } from './migrate.ts';
import { orderAllEvents } from '../events/event-order.ts';
import type { Database } from '../schema.ts';

/** Tables of the installation itself. A bound connection does not need these tables and sees none of their rows. */
const CLOSED = new Set([
  'signing_keys',
  'wrapped_keys',
  'spent_proofs',
  'sandbox',
  'risk_states',
  'standing_feeds',
  'standing_feed_areas',
  'station_feeds',
  'sessions',
  'publications',
  'release_floor',
  'account_keys',
  'backup_places',
  'mail_counts',
  'mail_refusals',
  'nodes',
  'job_stream',
  'search_units',
]);
/**
 * Tables that all accounts use: the head of the audit chain, its sealed key, and the locks of environments and of blocks
 * of ground.
 */
const SHARED = new Set(['audit_head', 'sealed_secrets', 'environments', 'ground_blocks', 'former_locks']);
/** Tables in which kysely records migrations. Bound connections have no access to them. */
const MIGRATIONS = new Set(['groundwatch_migration', 'groundwatch_migration_lock']);

const PAGE = { limit: 100, after: undefined };

describe('row-level security separates accounts and environments where a query does not', () => {
  let world: TestStorage;
  let mine: FilledOwner;
  /**
   * Values that occur only in rows of other owners: the id of the other account, and the ids of all rows of other
   * accounts or environments.
   */
  let foreign: readonly string[];
  let theirs: FilledOwner;
  let tables: readonly string[];
  before(async () => {
    world = await testStorage();
    const { storage, owner, others, database } = world;
    const [elsewhere, , stranger] = others as [Owner, Owner, Owner];
    mine = await fillOwner(world, owner);
    const away = await fillOwner(world, elsewhere);
    theirs = await fillOwner(world, { ...stranger, environment: owner.environment });
    foreign = [theirs.accountId, ...Object.values(away.ids), ...Object.values(theirs.ids)];
    await storage.signingKeys.add({
      id: 'a-key',
      privateJwk: '{}',
      publicJwk: {},
      createdAt: new Date(),
    });
    await sql`insert into wrapped_keys (id, wrapped) values ('first', 'vault:v1:a')`.execute(database.db);
    await sql`insert into account_keys (account_id, wrapped) values (${theirs.accountId}, ${Buffer.alloc(60)})`.execute(
      database.db,
    );
    await sql`insert into mail_counts (hash, day, count) values ('\\x00', '2026-11-24', 1)`.execute(
      database.db,
    );
    await sql`insert into mail_refusals (hash, refused_at) values ('\\x00', now())`.execute(database.db);
    await sql`insert into backup_places (folder) values ('/backups')`.execute(database.db);
    await storage.turns.take('a search', ['levels-0']);
    await storage.nodes.report({
      id: randomUUID(),
      roles: ['worker'],
      host: 'a',
      version: '1',
      startedAt: new Date(),
      clockOffsetS: 0,
      load: 0,
    });
    await storage.sandbox.begin(7);
    await sql`
      insert into standing_feeds (id, environment, name, url, max_cloud_share, starts_at, every_s)
      values ('a-catalogue', 'production', 'a', 'https://example.com/', 0.5, now(), 1)`.execute(database.db);
    await sql`
      insert into station_feeds (id, environment, name, provider, metric, stations, starts_at, every_s)
      values ('a-feed', 'production', 'a', 'usgs', 'river_flow', '[]', now(), 1)`.execute(database.db);
    await sql`
      insert into standing_feed_areas (feed_id, aoi_id, asked_at)
      values ('a-catalogue', ${mine.ids.aoi}, now())`.execute(database.db);
    await storage.watches.adopt([{ environment: 'production', peril: 'flood', state: 'as-is' }], true);
    await orderAllEvents(database.db);
    await storage.transaction((stores) => stores.audit.record([owner, ...others].map(auditEntry)));
    await sql`
      insert into publications (collection_id, holder, held_until)
      values (${mine.ids.collection}, gen_random_uuid(), now())`.execute(database.db);
    const { rows } = await sql<{ name: string }>`
      select relname as name from pg_class
      where relnamespace = ${SCHEMA}::regnamespace and relkind in ('r', 'p', 'v', 'm')
        and not relispartition order by 1`.execute(database.db);
    tables = rows.map(({ name }) => name).filter((name) => !MIGRATIONS.has(name));
  });
  after(() => world.close());

  /** Returns a condition for the rows of a table that do not belong to the owner. */
  const othersOf = (table: string) =>
    CLOSED.has(table)
      ? sql`true`
      : sql`to_jsonb(held)::text like any (${foreign.map((one) => `%${one}%`)}::text[])`;
  const count = async (db: Kysely<Database>, table: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table)} held where ${othersOf(table)}`.execute(db);
    return rows[0]!.count;
  };
  /**
   * Runs a statement bound to the owner and rolls it back.
   * @returns the number of changed rows, or `refused`
   */
  const attempt = async (statement: ReturnType<typeof sql>): Promise<'refused' | number> => {
    const undo = new Error('taken back');
    let changed = 0;
    try {
      await world.database
        .boundTo(world.owner)
        .transaction()
        .execute(async (transaction) => {
          changed = Number((await statement.execute(transaction)).numAffectedRows ?? 0n);
          throw undo;
        });
    } catch (error) {
      if (error === undo) return changed;
      // 42501 (insufficient_privilege): no right, or refused by a policy. P0001 (raise_exception): the audit log is
      // append-only.
      if (['42501', 'P0001'].includes(errorCode(error) ?? '')) return 'refused';
      throw error;
    }
    return changed;
  };

  test('unfiltered reads, updates, deletes and inserts in every table reach only rows of the owner', async () => {
    assert.ok(tables.length > 25, `the tables are found: ${tables.join()}`);
    const bound = world.database.boundTo(world.owner);
    for (const table of tables.filter((name) => !SHARED.has(name))) {
      const there = await count(world.database.db, table);
      assert.ok(there > 0, `${table}: this test puts rows of others into it, or it proves nothing`);
      assert.equal(await count(bound, table), 0, `${table}: rows of others are seen`);
      const { rows } = await sql<{ column: string; row: string }>`
        select (select attname from pg_attribute where attrelid = ${table}::regclass and attnum = 1) as column,
          to_jsonb(held)::text as row
        from ${sql.table(table)} held where ${othersOf(table)} limit 1`.execute(world.database.db);
      const { column, row } = rows[0]!;
      const name = sql.table(table);
      for (const [what, statement] of [
        [
          'updated',
          sql`update ${name} held set ${sql.ref(column)} = ${sql.ref(column)} where ${othersOf(table)}`,
        ],
        ['updated without a condition', sql`update ${name} set ${sql.ref(column)} = ${sql.ref(column)}`],
        ['deleted', sql`delete from ${name} held where ${othersOf(table)}`],
      ] as const) {
        const changed = await attempt(statement);
        const own = what.endsWith('condition') ? await ownRows(table) : 0;
        assert.ok(
          changed === 'refused' || changed <= own,
          `${table}: rows of others are ${what}: ${changed}`,
        );
      }
      assert.equal(
        await attempt(
          sql`insert into ${name} (${await writable(table)})
            select ${await writable(table)} from jsonb_populate_record(null::${name}, ${row}::jsonb)`,
        ),
        'refused',
        `${table}: a row of another is written`,
      );
      assert.equal(await count(world.database.db, table), there);
    }
    for (const table of MIGRATIONS)
      assert.equal(await attempt(sql`select from ${sql.table(table)}`), 'refused', table);
    for (const table of SHARED)
      assert.doesNotMatch(
        JSON.stringify((await sql`select * from ${sql.table(table)}`.execute(bound)).rows),
        new RegExp(foreign.join('|')),
      );
  });
  /** The columns of a table that the database does not compute. */
  const writable = async (table: string) => {
    const { rows } = await sql<{ name: string }>`
      select attname as name from pg_attribute
      where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`.execute(
      world.database.db,
    );
    return sql.join(rows.map(({ name }) => sql.ref(name)));
  };
  const ownRows = async (table: string): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table)} held where not (${othersOf(table)})`.execute(
      world.database.db,
    );
    return rows[0]!.count;
  };

  test('store methods without an owner parameter find rows of the bound owner only', async () => {
    const bound = world.storage.boundTo(world.owner);
    const findsIn = async (storage: Storage, { ids }: FilledOwner): Promise<readonly boolean[]> =>
      (
        await Promise.all([
          storage.keys.find(ids.key),
          storage.clients.find(ids.client),
          storage.aois.locate(ids.aoi),
          storage.changes.locate(ids.change),
          storage.collections.find(ids.collection),
          storage.stations.find(ids.pointCollection),
        ])
      ).map((found) => found !== undefined);
    assert.deepEqual(await findsIn(bound, mine), Array(6).fill(true));
    assert.deepEqual(await findsIn(bound, theirs), Array(6).fill(false));
    assert.deepEqual(await findsIn(world.storage, theirs), Array(6).fill(true), 'across accounts');
    assert.deepEqual((await bound.keys.list()).length, 1);
    assert.deepEqual((await bound.accounts.list()).length, 1);
    await bound.keys.end(theirs.ids.key, new Date());
    assert.equal((await world.storage.keys.find(theirs.ids.key))?.revokedAt, null);
    assert.deepEqual(await bound.anomalies.ofArea(theirs.ids.aoi), []);
    assert.equal((await bound.anomalies.ofArea(mine.ids.aoi)).length, 1);
  });

  test('a statement that includes rows of another owner has no effect', async () => {
    const { storage, owner } = world;
    const before = (await storage.deliveries.list(theirs, theirs.ids.webhook, PAGE)).items.length;
    const emit = storage.boundTo(owner).events.emitAll([
      { owner, type: 'webhook.test', data: {} },
      { owner: theirs, type: 'webhook.test', data: {} },
    ]);
    await assert.rejects(emit, { code: '42501' });
    assert.equal((await storage.deliveries.list(theirs, theirs.ids.webhook, PAGE)).items.length, before);
  });

  test('a connection that is bound to one owner after the other shows each their own rows', async () => {
    const { database, owner } = world;
    const one = await openDatabase({ connection: database.connection, log: SILENT, poolSize: 1 });
    try {
      const ids = async (who: Owner) =>
        (await one.boundTo(who).selectFrom('aois').select('id').execute()).map(({ id }) => id);
      for (const who of [owner, theirs, owner, theirs]) {
        const expected = who === owner ? mine : theirs;
        assert.deepEqual(await ids(who), [expected.ids.aoi]);
      }
      // The pool has only one connection. The other owner waits for it and gets it after a transaction that failed.
      const failing = one
        .boundTo(owner)
        .transaction()
        .execute(async () => {
          throw new Error('no');
        });
      const [next] = await Promise.all([ids(theirs), failing.catch(() => undefined)]);
      assert.deepEqual(next, [theirs.ids.aoi]);
    } finally {
      await one.close();
    }
  });

  test('the role of bound connections owns nothing and has no special rights', async () => {
    const { rows } = await sql<Record<string, unknown>>`
      select current_user::text as name, rolsuper, rolbypassrls, rolcreaterole, rolcanlogin,
        (select count(*)::int from pg_class where relowner = pg_roles.oid) as owned
      from pg_roles where rolname = current_user`.execute(world.database.boundTo(world.owner));
    assert.deepEqual(rows, [
      {
        name: RUNTIME_ROLE,
        rolsuper: false,
        rolbypassrls: false,
        rolcreaterole: false,
        rolcanlogin: false,
        owned: 0,
      },
    ]);
  });

  test('a search by place uses its index under row-level security', async () => {
    for (const [view, place, index] of [
      ['readable_stations', sql`position <@ box '(15,47),(14,46)'`, 'stations_position'],
      ['readable_changes', sql`bounds && box '(15,47),(14,46)'`, 'changes_bounds'],
      ['readable_aois', sql`deleted_at is null and bounds && box '(15,47),(14,46)'`, 'aois_bounds'],
    ] as const) {
      const plan = await world.database
        .boundTo(world.owner)
        .transaction()
        .execute(async (transaction) => {
          await sql`set local enable_seqscan = off`.execute(transaction);
          return sql`explain select id from ${sql.table(view)} where ${place}`.execute(transaction);
        });
      assert.match(JSON.stringify(plan.rows), new RegExp(index));
    }
  });
});

test('a login that may not create roles runs without row-level security, reports it, and uses it once it is granted', async () => {
  const world = await testStorage();
  const { db, url } = world.database;
  const login = `plain_${randomBytes(6).toString('hex')}`;
  const address = new URL(url);
  address.pathname = `/${login}`;
  address.username = login;
  address.password = 'plain';
  const connection = { connectionString: address.href };
  try {
    await sql`create role ${sql.id(login)} login password 'plain'`.execute(db);
    await sql`create database ${sql.id(login)} owner ${sql.id(login)} template template0`.execute(db);
    await migrate({ connection, log: SILENT });
    const without = await openDatabase({ connection, log: SILENT });
    try {
      assert.equal(without.rowSecurityProblem, `${login} may not act as ${RUNTIME_ROLE}`);
      assert.equal(without.boundTo(world.owner), without.db, 'the first wall stands alone');
    } finally {
      await without.close();
    }
    await sql`grant ${sql.id(RUNTIME_ROLE)} to ${sql.id(login)}`.execute(db);
    assert.deepEqual(await migrate({ connection, log: SILENT }), []);
    const walled = await openDatabase({ connection, log: SILENT });
    try {
      assert.equal(walled.rowSecurityProblem, undefined);
      await walled.db.insertInto('accounts').values({ id: 'acc_x', name: 'theirs' }).execute();
      assert.deepEqual(await walled.boundTo(world.owner).selectFrom('accounts').selectAll().execute(), []);
      assert.equal((await walled.db.selectFrom('accounts').selectAll().execute()).length, 1);
    } finally {
      await walled.close();
    }
  } finally {
    await dropDatabase(address.href);
    await sql`drop role if exists ${sql.id(login)}`.execute(db);
    await world.close();
  }
});
