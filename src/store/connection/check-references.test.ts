import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { dropDatabase, emptyDatabase, SILENT } from '../../../test/fixtures/database.ts';
import { migrations } from '../migrations/index.ts';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';

test('rows from before the keys of accounts are checked, and one of two accounts is told and stays', async (t) => {
  const url = await emptyDatabase();
  t.after(() => dropDatabase(url));
  const connection = { connectionString: url };
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0066'));
  await migrate({ connection, log: SILENT, migrations: before });
  const database = await openDatabase({ connection, log: SILENT });
  const { db } = database;
  const unchecked = async (): Promise<readonly unknown[]> =>
    (
      await sql<{ name: string }>`select conname as name from pg_constraint
        where contype = 'f' and not convalidated`.execute(db)
    ).rows.map(({ name }) => name);
  try {
    await sql`insert into accounts (id, name) values ('acc_a', 'a'), ('acc_b', 'b')`.execute(db);
    await sql`insert into aois (account_id, environment, id, name, geometry, bounds, area_m2)
      values ('acc_a', 'production', 'aoi_a', 'a', '{}', box '(1,1),(0,0)', 1)`.execute(db);
    await sql`insert into standing_feeds (id, environment, name, url, max_cloud_share, starts_at, every_s)
      values ('a-catalogue', 'production', 'a', 'https://example.com/', 0.5, now(), 1)`.execute(db);
    await sql`insert into standing_feed_areas (feed_id, aoi_id, asked_at)
      values ('a-catalogue', 'aoi_a', now())`.execute(db);
    await sql`insert into subscriptions (account_id, environment, id, aoi_id, perils, status) values
      ('acc_a', 'production', 'sub_a', 'aoi_a', '{flood}', 'active'),
      ('acc_b', 'production', 'sub_b', 'aoi_a', '{storm}', 'active')`.execute(db);
    const told: string[] = [];
    const log = { info: () => undefined, warn: (message: string) => void told.push(message) };
    assert.equal(
      (await migrate({ connection, log })).length,
      Object.keys(migrations).length - Object.keys(before).length,
    );
    assert.match(told.join('\n'), /^A row of subscriptions refers to a row .*aoi_a, acc_b.*$/);
    assert.deepEqual(await unchecked(), ['subscriptions_aoi_id_fkey']);
    assert.deepEqual((await sql`select account_id from standing_feed_areas`.execute(db)).rows, [
      { account_id: 'acc_a' },
    ]);
    await sql`delete from subscriptions where id = 'sub_b'`.execute(db);
    await migrate({ connection, log });
    assert.equal(told.length, 1);
    assert.deepEqual(await unchecked(), []);
    await sql`delete from aois`.execute(db);
    assert.deepEqual((await sql`select from subscriptions`.execute(db)).rows, []);
  } finally {
    await database.close();
  }
});
