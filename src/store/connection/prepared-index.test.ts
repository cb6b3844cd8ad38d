import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { sql } from 'kysely';
import { databaseCopies, dropDatabase, SILENT } from '../../../test/fixtures/database.ts';
import { migrations, PREPARED } from '../migrations/index.ts';
import { type OpenDatabase, openDatabase } from './database.ts';
import { migrate, type MigrateOptions } from './migrate.ts';

const [FIRST = ''] = Object.keys(PREPARED);
const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < FIRST));

const copy = databaseCopies(async (url) => {
  const connection = { connectionString: url };
  await migrate({ connection, log: SILENT, migrations: before });
  const database = await openDatabase({ connection, log: SILENT });
  await sql`insert into accounts (id, name) values ('acc_a', 'a')`.execute(database.db);
  await sql`insert into aois (id, account_id, environment, name, geometry, bounds, area_m2)
    select 'aoi_' || i, 'acc_a', 'production', 'a', '{}', box '(1,1),(0,0)', 1 from generate_series(1, 3) as i`.execute(
    database.db,
  );
  await database.close();
});

/** A database as it is before the migrations whose indexes are prepared. */
async function formerDatabase(t: TestContext): Promise<OpenDatabase & { readonly url: string }> {
  const url = await copy();
  const database = await openDatabase({ connection: { connectionString: url }, log: SILENT });
  t.after(async () => {
    await database.close();
    await dropDatabase(url);
  });
  return Object.assign(database, { url });
}

/** Migrates to the end. @returns what the log says of indexes */
async function finish(
  { url }: { readonly url: string },
  options: Partial<MigrateOptions>,
): Promise<string[]> {
  const told: string[] = [];
  const note = (text: string): void => void told.push(text);
  await migrate({ connection: { connectionString: url }, log: { info: note, warn: note }, ...options });
  return told.filter((text) => !text.startsWith('Database migrated'));
}

/** All indexes and keys, with the partitions that have them of their whole. */
async function keysOf({ db }: OpenDatabase): Promise<unknown> {
  const indexes = await sql`select tablename, indexname, indexdef from pg_indexes
    where schemaname = 'groundwatch' order by 1, 2`.execute(db);
  const constraints =
    await sql`select conrelid::regclass::text as of, conname, pg_get_constraintdef(oid) as is,
      (select conname from pg_constraint as whole where whole.oid = one.conparentid) as whole
    from pg_constraint as one where connamespace = 'groundwatch'::regnamespace and contype in ('p', 'u')
    order by 1, 2`.execute(db);
  return [indexes.rows, constraints.rows];
}

let whole: Promise<unknown> | undefined;

/** The keys of a small database, whose indexes the migrations build. */
const keysOfWhole = (t: TestContext): Promise<unknown> =>
  (whole ??= formerDatabase(t).then(async (database) => {
    assert.deepEqual(await finish(database, {}), []);
    return keysOf(database);
  }));

test('indexes that were built before the migration become the same keys as those that it builds', async (t) => {
  const large = await formerDatabase(t);
  const told = await finish(large, { largeBytes: 0 });
  const built = told.map(
    (text) => /^Building (\w+) for a migration, while calls go on\.$/.exec(text)?.[1] ?? text,
  );
  const partitions = ['delivery_attempts_before_pkey_next', 'delivery_attempts_rest_pkey_next'];
  const wanted = Object.values(PREPARED)
    .flat()
    .map(({ name }) => name)
    .filter((name) => name !== 'delivery_attempts_pkey_next');
  assert.deepEqual(new Set(built), new Set([...wanted, ...partitions]));
  assert.deepEqual(await keysOf(large), await keysOfWhole(t));
});

test('processes that start together build each index once', async (t) => {
  const shared = await formerDatabase(t);
  const told = await Promise.all([1, 2, 3].map(() => finish(shared, { largeBytes: 0 })));
  const built = told.flat().filter((text) => text.startsWith('Building'));
  assert.equal(new Set(built).size, built.length, built.join());
  assert.deepEqual(
    told.flat().filter((text) => text.includes('could not')),
    [],
  );
  assert.deepEqual(await keysOf(shared), await keysOfWhole(t));
});

for (const largeBytes of [0, undefined])
  test(`what a killed process left of an index is replaced, ${largeBytes === 0 ? 'before' : 'in'} the migration`, async (t) => {
    const killed = await formerDatabase(t);
    // Three areas have the account, so that the index stays half built.
    for (const name of ['aois_pkey_next', 'aoi_changes_key'])
      await assert.rejects(
        sql.raw(`create unique index concurrently ${name} on aois (account_id)`).execute(killed.db),
        {
          code: '23505',
        },
      );
    await finish(killed, largeBytes === undefined ? {} : { largeBytes });
    assert.deepEqual(await keysOf(killed), await keysOfWhole(t));
  });

test('an index that nothing needs any more is dropped', async (t) => {
  const database = await formerDatabase(t);
  await finish(database, {});
  await sql`create unique index aois_pkey_next on aois (id, account_id)`.execute(database.db);
  await finish(database, {});
  const { rows } = await sql`select from pg_indexes where indexname like '%\\_next'`.execute(database.db);
  assert.deepEqual(rows, []);
});
