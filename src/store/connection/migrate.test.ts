import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';

import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { Client } from 'pg';

import { UpstreamUnavailable } from '../../base/errors.ts';
import { dropDatabase, emptyDatabase, SILENT, testDatabase } from '../../../test/fixtures/database.ts';
import { openDatabase } from './database.ts';
import { BossEngine } from '../jobs/boss-engine.ts';
import { migrate } from './migrate.ts';
import { migrations, OWN_TRANSACTIONS } from '../migrations/index.ts';

const FIRST: Record<string, Migration> = {
  '0001-plots': { up: async (db) => void (await sql`create table plot (id int primary key)`.execute(db)) },
};
const SECOND: Record<string, Migration> = {
  ...FIRST,
  '0002-names': { up: async (db) => void (await sql`alter table plot add column name text`.execute(db)) },
};
const BROKEN: Record<string, Migration> = {
  ...SECOND,
  '0003-broken': { up: async (db) => void (await sql`create table half (id int); select 1 / 0`.execute(db)) },
};

async function database(t: TestContext): Promise<string> {
  const url = await emptyDatabase();
  t.after(() => dropDatabase(url));
  return url;
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

test('runs missing migrations once and in order', async (t) => {
  const connection = { connectionString: await database(t) };
  assert.deepEqual(await migrate({ connection, log: SILENT, migrations: FIRST }), ['0001-plots']);
  assert.deepEqual(await migrate({ connection, log: SILENT, migrations: SECOND }), ['0002-names']);
  assert.deepEqual(await migrate({ connection, log: SILENT, migrations: SECOND }), []);
  assert.deepEqual(await query(connection.connectionString, 'select id, name from groundwatch.plot'), []);
});

test('processes that start at the same time migrate once', async (t) => {
  const connection = { connectionString: await database(t) };
  const done = await Promise.all(
    Array.from({ length: 4 }, () => migrate({ connection, log: SILENT, migrations: SECOND })),
  );
  assert.deepEqual(done.flat(), ['0001-plots', '0002-names']);
});

test('a migration that fails is named, and the whole run is rolled back', async (t) => {
  const connection = { connectionString: await database(t) };
  await migrate({ connection, log: SILENT, migrations: FIRST });
  await assert.rejects(
    migrate({ connection, log: SILENT, migrations: BROKEN }),
    (error) =>
      error instanceof UpstreamUnavailable &&
      /^Migration 0003-broken failed: division by zero\. Nothing was changed\.$/.test(error.message),
  );
  assert.deepEqual(
    await query(
      connection.connectionString,
      `select table_name, column_name from information_schema.columns
       where table_schema = 'groundwatch' and table_name in ('plot', 'half')`,
    ),
    [{ table_name: 'plot', column_name: 'id' }],
  );
});

test('a migration with a transaction of its own fails alone, and the error names what stays', async (t) => {
  const connection = { connectionString: await database(t) };
  const [own = ''] = OWN_TRANSACTIONS;
  const known = { ...SECOND, [own]: BROKEN['0003-broken']! };
  await assert.rejects(
    migrate({ connection, log: SILENT, migrations: known }),
    new RegExp(
      `Migration ${own} failed: .*Migrations that were run before it stay: 0001-plots, 0002-names\\.$`,
    ),
  );
  assert.deepEqual(await query(connection.connectionString, 'select id, name from groundwatch.plot'), []);
  assert.deepEqual(
    await migrate({
      connection,
      log: SILENT,
      migrations: { ...known, [own]: { up: async () => undefined } },
    }),
    [own],
  );
});

test('a migration that ends in a deadlock with calls is run again', async (t) => {
  const connection = { connectionString: await database(t) };
  await migrate({ connection, log: SILENT, migrations: FIRST });
  await query(connection.connectionString, 'create table groundwatch.tree (id int)');
  const locking: Record<string, Migration> = {
    ...FIRST,
    '0002-locks': {
      up: async (db) => {
        await sql`alter table plot add column name text`.execute(db);
        await sql`alter table tree add column name text`.execute(db);
      },
    },
  };
  const caller = new Client(connection);
  await caller.connect();
  let migrating: Promise<readonly string[]>;
  try {
    await caller.query('begin; lock table groundwatch.tree');
    migrating = migrate({ connection, log: SILENT, migrations: locking });
    const waiting = `select from pg_locks where relation = 'groundwatch.tree'::regclass and not granted`;
    while ((await query(connection.connectionString, waiting)).length === 0) await setTimeout(10);
    // The migration has waited longer, so PostgreSQL ends it and not this call.
    await caller.query('lock table groundwatch.plot; commit');
  } finally {
    await caller.end();
  }
  assert.deepEqual(await migrating, ['0002-locks']);
});

test('a database of a newer release is refused, naming the unknown migrations', async (t) => {
  const connection = { connectionString: await database(t) };
  await migrate({ connection, log: SILENT, migrations: SECOND });
  await assert.rejects(
    migrate({ connection, log: SILENT, migrations: FIRST }),
    (error) => error instanceof UpstreamUnavailable && /newer release.*0002-names/.test(error.message),
  );
});

test('a release works on the database of the next one while its floor is known, and not after', async (t) => {
  const connection = { connectionString: await database(t) };
  await migrate({ connection, log: SILENT });
  const next = { ...migrations, '9998-expanded': { up: async () => undefined } };
  assert.deepEqual(await migrate({ connection, log: SILENT, migrations: next }), ['9998-expanded']);
  assert.deepEqual(await migrate({ connection, log: SILENT }), []);
  const { '0024-former-writers': _floor, ...older } = migrations;
  await assert.rejects(migrate({ connection, log: SILENT, migrations: older }), /newer release/);
  const contracted = {
    ...next,
    '9999-contracted': {
      up: async (db: Kysely<unknown>) => {
        await sql`update release_floor set oldest = '9998-expanded'`.execute(db);
      },
    },
  };
  assert.deepEqual(await migrate({ connection, log: SILENT, migrations: contracted }), ['9999-contracted']);
  await assert.rejects(migrate({ connection, log: SILENT }), /newer release.*9998-expanded, 9999-contracted/);
});

test('works for an ordinary role with another search_path and tables of the same names elsewhere', async (t) => {
  const url = await database(t);
  const role = `gw_test_${randomBytes(4).toString('hex')}`;
  await query(
    url,
    `create role ${role} login password 'only-for-this-test';
     create schema other; grant usage, create on schema other to ${role};
     create table other.plot (taken int); create table other.groundwatch_migration (taken int);
     alter role ${role} set search_path = other`,
  );
  // Drops the role after the database has been dropped, since the role owns objects in the database.
  t.after(() => query(Object.assign(new URL(url), { pathname: '/postgres' }).href, `drop role ${role}`));
  const connection = {
    connectionString: Object.assign(new URL(url), { username: role, password: 'only-for-this-test' }).href,
  };
  await assert.rejects(
    migrate({ connection, log: SILENT, migrations: FIRST }),
    (error) =>
      error instanceof UpstreamUnavailable &&
      error.message.includes(`create schema groundwatch authorization "${role}";`),
  );
  // An administrator creates the two schemas. The role needs no rights on the database itself.
  await query(
    url,
    `create schema groundwatch authorization ${role}; create schema groundwatch_jobs authorization ${role}`,
  );
  assert.deepEqual(await migrate({ connection, log: SILENT, migrations: SECOND }), [
    '0001-plots',
    '0002-names',
  ]);
  const opened = await openDatabase({ connection, log: SILENT });
  try {
    await sql`insert into plot (id, name) values (1, 'ours')`.execute(opened.db);
    const jobs = new BossEngine(opened.db, () => undefined);
    await jobs.start();
    await jobs.close();
  } finally {
    await opened.close();
  }
  assert.deepEqual(await query(connection.connectionString, 'select id, name from groundwatch.plot'), [
    { id: 1, name: 'ours' },
  ]);
});

test("the program's migrations run on an empty database and have run in a test database", async (t) => {
  const connection = { connectionString: await database(t) };
  assert.deepEqual(await migrate({ connection, log: SILENT }), Object.keys(migrations).toSorted());
  const cloned = await testDatabase();
  t.after(() => cloned.close());
  const names = await sql<{ name: string }>`select name from groundwatch_migration order by name`.execute(
    cloned.db,
  );
  assert.deepEqual(
    names.rows.map(({ name }) => name),
    Object.keys(migrations).toSorted(),
  );
});
