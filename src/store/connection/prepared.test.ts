import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { testDatabase, type TestDatabase } from '../../../test/fixtures/database.ts';
import { prepare } from './prepared.ts';

const ASK = prepare<{ readonly value: unknown }>(
  'what a table holds',
  'select value from held where $1::boolean',
);

describe('prepared statements', () => {
  let database: TestDatabase;
  before(async () => {
    database = await testDatabase();
    await sql`create table held (value int)`.execute(database.db);
    await sql`insert into held values (7)`.execute(database.db);
  });
  after(() => database.close());

  test('each is planned once per connection under its name; other statements are not prepared', async () => {
    await database.db.connection().execute(async (db) => {
      for (let i = 0; i < 3; i++) assert.deepEqual(await ASK(db, [true]), [{ value: 7 }]);
      const { rows } = await sql`select name, (generic_plans + custom_plans)::int as asked
        from pg_prepared_statements`.execute(db);
      assert.deepEqual(rows, [{ name: 'what a table holds', asked: 3 }]);
    });
  });

  test('after a change of its table a statement fails once, then works over a new connection', async () => {
    assert.deepEqual(await ASK(database.db, [true]), [{ value: 7 }]);
    await sql`alter table held alter column value type text`.execute(database.db);
    await assert.rejects(ASK(database.db, [true]), /cached plan must not change result type/);
    assert.deepEqual(await ASK(database.db, [true]), [{ value: '7' }]);
  });
});
