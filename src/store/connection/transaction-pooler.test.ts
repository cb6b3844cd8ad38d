import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { dropDatabase, emptyDatabase, SILENT } from '../../../test/fixtures/database.ts';
import { noPgBouncer, startPgBouncer, type PgBouncer } from '../../../test/fixtures/pgbouncer.ts';
import { openDatabase, type OpenDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { isBehindPooler } from './transaction-pooler.ts';

describe('PgBouncer in transaction mode', { skip: noPgBouncer }, () => {
  let direct: string;
  let pooler: PgBouncer;
  let database: OpenDatabase;
  const owner = (accountId: string) => ({ accountId, environment: 'production' as const });

  before(async () => {
    direct = await emptyDatabase();
    pooler = await startPgBouncer(direct);
    const connection = { connectionString: pooler.through(direct) };
    await migrate({ connection, log: SILENT });
    database = await openDatabase({ connection, log: SILENT, poolSize: 6 });
  });
  after(async () => {
    await database?.close();
    await pooler?.stop();
    await dropDatabase(direct);
  });

  test('is noticed, and a server without a pooler is not taken for one', async () => {
    assert.equal(await isBehindPooler(pooler.through(direct)), true);
    assert.equal(await isBehindPooler(direct), false);
    const withOptions = new URL(direct);
    withOptions.searchParams.set('options', '-c search_path=public');
    assert.equal(await isBehindPooler(withOptions.href), false);
    assert.equal(database.isPooled, true);
  });

  test('each statement has our settings, and none of them stays on a connection of the server', async () => {
    const asked = sql<{ schema: string; limit: string; role: string }>`
      select current_schema() as schema, current_setting('statement_timeout') as limit, current_user as role`;
    const [own, bound] = await Promise.all(
      [database.db, database.boundTo(owner('a'))].map(async (db) => (await asked.execute(db)).rows[0]!),
    );
    assert.deepEqual([own!.schema, own!.limit], ['groundwatch', '1min']);
    assert.deepEqual([bound!.schema, bound!.role], ['groundwatch', 'groundwatch_runtime']);
    for (let i = 0; i < 8; i++) {
      const { rows } = await database.pool.query<{ role: string; account: string | null; limit: string }>(
        `select current_user as role, nullif(current_setting('groundwatch.account', true), '') as account,
           current_setting('statement_timeout') as limit`,
      );
      assert.notEqual(rows[0]!.role, 'groundwatch_runtime');
      assert.deepEqual([rows[0]!.account, rows[0]!.limit], [null, '0']);
    }
  });

  test('handles of many owners at once see their own account only, in and outside of transactions', async () => {
    const account = sql<{ account: string }>`select current_setting('groundwatch.account') as account`;
    const ask = async (i: number): Promise<string> => {
      const db = database.boundTo(owner(`it's ${i}`));
      if (i % 2 === 0) return (await account.execute(db)).rows[0]!.account;
      return db.transaction().execute(async (transaction) => {
        await sql`select pg_sleep(0.005)`.execute(transaction);
        return (await account.execute(transaction)).rows[0]!.account;
      });
    };
    // In rounds of twice the connections: who waits for one waits for some seconds only.
    const seen: string[] = [];
    for (let round = 0; round < 5; round++)
      seen.push(...(await Promise.all(Array.from({ length: 12 }, (_, i) => ask(12 * round + i)))));
    assert.equal(seen.length, 60);
    assert.deepEqual(
      seen,
      seen.map((_, i) => `it's ${i}`),
    );
  });

  test('a statement that fails is rolled back, alone and in a transaction', async () => {
    await sql`create table groundwatch.kept (value int check (value > 0))`.execute(database.db);
    await sql`insert into kept values (1)`.execute(database.db);
    await assert.rejects(sql`insert into kept values (2), (-1)`.execute(database.db), { code: '23514' });
    await assert.rejects(
      database.db.transaction().execute(async (transaction) => {
        await sql`insert into kept values (3)`.execute(transaction);
        throw new Error('no');
      }),
      /no/,
    );
    const { rows } = await sql<{ value: number }>`select value from kept`.execute(database.db);
    assert.deepEqual(rows, [{ value: 1 }]);
    const open = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`.execute(database.db);
    assert.deepEqual(open.rows, [{ count: 0 }]);
  });

  test('processes that migrate at the same time leave no lock behind', async () => {
    const connection = { connectionString: pooler.through(direct) };
    const done = await Promise.all([1, 2, 3].map(() => migrate({ connection, log: SILENT })));
    assert.deepEqual(done, [[], [], []]);
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_locks join pg_database on pg_database.oid = database
      where locktype = 'advisory' and datname = current_database()`.execute(database.db);
    assert.deepEqual(rows, [{ count: 0 }]);
  });
});
