import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';

import { sql } from 'kysely';
import { Client } from 'pg';

import { InvalidInput, UpstreamUnavailable } from '../../base/errors.ts';
import { dropDatabase, emptyDatabase, SILENT, testDatabase } from '../../../test/fixtures/database.ts';
import { openDatabase } from './database.ts';

test('numbers, dates and times are read with the types of the table interfaces', async (t) => {
  const database = await testDatabase();
  t.after(() => database.close());
  const { rows } = await sql`
    select 9007199254740991::int8 as whole, count(*) as counted, date '1700-02-28' as day, 0.1::float8 as real,
           timestamptz '2026-01-02 03:04:05.678+09' as moment, 1e20::numeric as exact from (values (1), (2)) as v`.execute(
    database.db,
  );
  assert.deepEqual(rows, [
    {
      whole: 9_007_199_254_740_991,
      counted: 2,
      day: '1700-02-28',
      real: 0.1,
      moment: new Date('2026-01-01T18:04:05.678Z'),
      exact: '100000000000000000000',
    },
  ]);
});

test('an integer beyond 2^53 fails its query and the connection stays usable', async (t) => {
  const database = await testDatabase();
  t.after(() => database.close());
  await assert.rejects(sql`select 9007199254740993::int8 as whole`.execute(database.db), RangeError);
  assert.deepEqual((await sql`select 1 as one`.execute(database.db)).rows, [{ one: 1 }]);
});

test('a text that begins a transaction and fails within it leaves no connection in that transaction', async (t) => {
  const world = await testDatabase();
  t.after(() => world.close());
  const database = await openDatabase({ connection: world.connection, log: SILENT, poolSize: 1 });
  t.after(() => database.close());
  await assert.rejects(sql`begin; select 1 / 0; commit`.execute(database.db), { code: '22012' });
  assert.deepEqual((await sql`select 1 as one`.execute(database.db)).rows, [{ one: 1 }]);
});

test('connections use our schema, UTC and our limits, whatever settings the role or the database has', async (t) => {
  const database = await testDatabase();
  t.after(() => database.close());
  const name = sql.id(new URL(database.url).pathname.slice(1));
  await sql`create schema other`.execute(database.db);
  await sql`alter database ${name} set search_path = other`.execute(database.db);
  await sql`alter database ${name} set timezone = 'Asia/Tokyo'`.execute(database.db);
  await sql`alter database ${name} set datestyle = 'German'`.execute(database.db);
  const again = await openDatabase({
    connection: database.connection,
    log: SILENT,
    statementTimeoutMs: 1_000,
  });
  t.after(() => again.close());
  const { rows } = await sql`
    select current_schema() as schema, current_setting('timezone') as zone, date '2026-01-02' as day,
           current_setting('application_name') as name`.execute(again.db);
  assert.deepEqual(rows, [{ schema: 'groundwatch', zone: 'UTC', day: '2026-01-02', name: 'groundwatch' }]);
  await assert.rejects(sql`select pg_sleep(5)`.execute(again.db), { code: '57014' });
});

test('a probe asks over a connection of each pool, of which the one may be used up', async (t) => {
  const world = await testDatabase();
  t.after(() => world.close());
  const database = await openDatabase({ connection: world.connection, log: SILENT, poolSize: 1 });
  t.after(() => database.close());
  await database.probe();
  const handles = [database.db, database.boundTo({ accountId: 'acc_a', environment: 'production' })];
  for (const [i, handle] of handles.entries()) {
    let answered = false;
    let probing: Promise<void> | undefined;
    await handle.transaction().execute(async (transaction) => {
      await sql`select 1`.execute(transaction);
      probing = database.probe().then(() => void (answered = true));
      // The other pool answers what was asked after the probe.
      for (let n = 0; n < 3; n++) await sql`select 1`.execute(handles[1 - i]!);
      assert.equal(answered, false, `pool ${i}`);
    });
    await probing;
  }
});

test('a lost idle connection is logged and replaced', async (t) => {
  const database = await testDatabase();
  t.after(() => database.close());
  const warnings: string[] = [];
  const log = { info: () => undefined, warn: (message: string) => void warnings.push(message) };
  const other = await openDatabase({ connection: database.connection, log, poolSize: 1 });
  t.after(() => other.close());
  const lost = once(other.pool, 'error');
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid()`.execute(database.db);
  await lost;
  assert.deepEqual((await sql`select 1 as one`.execute(other.db)).rows, [{ one: 1 }]);
  assert.match(warnings.join(), /connection was lost/);
});

test('a database in another encoding is refused', async (t) => {
  const url = await emptyDatabase();
  const latin = `${new URL(url).pathname.slice(1)}_latin`;
  const latinUrl = Object.assign(new URL(url), { pathname: `/${latin}` }).href;
  t.after(async () => {
    await dropDatabase(latinUrl);
    await dropDatabase(url);
  });
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `create database "${latin}" template template0 encoding 'LATIN1' locale_provider libc locale 'C'`,
  );
  await client.end();
  await assert.rejects(
    openDatabase({ connection: { connectionString: latinUrl }, log: SILENT }),
    (error) =>
      error instanceof InvalidInput && error.param === 'DATABASE_URL' && /LATIN1/.test(error.message),
  );
});

test('a URL that is not PostgreSQL is refused without repeating its password', async () => {
  for (const connectionString of [
    '',
    'mysql://u:geheim@h/d',
    'u:geheim@h/d',
    'postgres://u:geheim@h:99999/d',
  ]) {
    await assert.rejects(
      openDatabase({ connection: { connectionString }, log: SILENT }),
      (error) => error instanceof InvalidInput && !error.message.includes('geheim'),
    );
  }
});

test('a server that refuses or closes the connection, or is unknown, is named without the password', async (t) => {
  const hangsUp = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(hangsUp, 'listening');
  t.after(() => hangsUp.close());
  const address = hangsUp.address();
  assert.ok(address !== null && typeof address === 'object');
  for (const host of ['127.0.0.1:1', 'localhost:1', `127.0.0.1:${address.port}`]) {
    await assert.rejects(
      openDatabase({ connection: { connectionString: `postgres://u:geheim@${host}/d` }, log: SILENT }),
      (error) =>
        error instanceof UpstreamUnavailable &&
        error.message.includes(`d at ${host} cannot be used: `) &&
        !error.message.endsWith(': ') &&
        !error.message.includes('geheim'),
    );
  }
});
