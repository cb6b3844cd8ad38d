import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { dropDatabase, emptyDatabase, SILENT } from '../../../test/fixtures/database.ts';
import { openDatabase } from '../connection/database.ts';
import { migrate } from '../connection/migrate.ts';
import { migrations, renamedMigrations } from './index.ts';

/** Names of released migrations. Only add to this list: a database that records an unknown name cannot be opened. */
const LANDED = [
  '0001-foundation',
  '0002-collection-metrics',
  '0003-feeds',
  '0004-risk-watches',
  '0005-sandbox',
  '0006-deliveries',
  '0007-credentials',
  '0008-row-security',
  '0009-underived-stations',
  '0010-standing-feeds',
  '0011-simulated',
  '0012-change-versions',
  '0013-scene-readings',
  '0014-told-changes',
  '0015-claim-fates',
  '0016-event-order',
  '0017-list-indexes',
  '0018-token-proofs',
  '0019-people',
  '0020-account-caps',
  '0022-small-locks',
  '0023-key-list',
  '0024-former-writers',
  '0025-whole-account-records',
  '0026-wrapped-keys',
  '0027-former-client-keys',
  '0028-account-keys',
  '0029-incidents',
  '0030-quiet-hours',
  '0031-digests',
  '0032-places-of-accounts',
  '0035-mail',
  '0040-nodes',
  '0047-true-colour',
  '0049-jobs',
  '0050-search-units',
  '0051-past-incidents',
  '0055-traces',
  '0057-station-feeds',
  '0059-departures-of-members',
  '0061-attempts-by-week',
  '0062-workers-of-jobs',
  '0063-holders-of-units',
  '0066-accounts-in-keys-of-areas',
  '0067-accounts-in-keys-of-events',
];

const migrationsBefore = (first: string) =>
  Object.fromEntries(Object.entries(migrations).filter(([name]) => name < first));

test('released migrations keep their names and their order', () => {
  assert.deepEqual(Object.keys(migrations), LANDED);
  assert.deepEqual(Object.keys(migrations).toSorted(), LANDED);
  for (const name of Object.values(renamedMigrations)) assert.ok(LANDED.includes(name), name);
});

test('a database with a former name of a migration can be opened, and no migration runs twice', async (t) => {
  const url = await emptyDatabase();
  t.after(() => dropDatabase(url));
  const connection = { connectionString: url };
  const before = migrationsBefore('0011-simulated');
  await migrate({ connection, log: SILENT, migrations: before });
  const database = await openDatabase({ connection, log: SILENT });
  try {
    await sql`update groundwatch_migration set name = '0011-standing-feeds' where name = '0010-standing-feeds'`.execute(
      database.db,
    );
    assert.deepEqual(await migrate({ connection, log: SILENT }), LANDED.slice(10));
  } finally {
    await database.close();
  }
});

test('a database of a checkout that had a later migration first gets those between, and the same schema', async (t) => {
  const [url, whole] = [await emptyDatabase(), await emptyDatabase()];
  t.after(() => Promise.all([dropDatabase(url), dropDatabase(whole)]));
  const between = ['0050-search-units', '0051-past-incidents'];
  const had = Object.entries(migrationsBefore('0057-station-feeds')).filter(
    ([name]) => !between.includes(name),
  );
  await migrate({ connection: { connectionString: url }, log: SILENT, migrations: Object.fromEntries(had) });
  const ran = await migrate({ connection: { connectionString: url }, log: SILENT });
  assert.deepEqual(ran, [...between, ...LANDED.slice(LANDED.indexOf('0057-station-feeds'))]);
  await migrate({ connection: { connectionString: whole }, log: SILENT });
  const [other, fresh] = await Promise.all([url, whole].map(schemaOf));
  assert.deepEqual(other, fresh);
  assert.ok(fresh!.length > 300, `${fresh!.length} columns, indexes and policies`);
});

/** Columns, indexes and row policies of a database, sorted, since the order of columns is no part of the schema. */
async function schemaOf(url: string): Promise<string[]> {
  const database = await openDatabase({ connection: { connectionString: url }, log: SILENT });
  try {
    const { rows } = await sql<{ what: string }>`
      select concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) as what
        from information_schema.columns where table_schema = current_schema()
      union all select indexdef from pg_indexes where schemaname = current_schema()
      union all select concat_ws(' ', tablename, policyname, cmd, qual) from pg_policies where schemaname = current_schema()
    `.execute(database.db);
    return rows.map(({ what }) => what).toSorted();
  } finally {
    await database.close();
  }
}

test('collections of the simulated region are marked as simulated, and those of users are not', async (t) => {
  const url = await emptyDatabase();
  t.after(() => dropDatabase(url));
  const connection = { connectionString: url };
  const before = migrationsBefore('0011-simulated');
  await migrate({ connection, log: SILENT, migrations: before });
  const database = await openDatabase({ connection, log: SILENT });
  try {
    await sql`insert into accounts (id, name) values ('acc_a', 'a')`.execute(database.db);
    const collection = (id: string, environment: string, account: string | null, name: string) =>
      sql`insert into collections (id, environment, account_id, name, metric, unit, kind, bounds)
        values (${id}, ${environment}, ${account}, ${name}, 'temperature', 'degC', 'points', box '(1,1),(0,0)')`.execute(
        database.db,
      );
    await collection('col_region', 'sandbox', null, 'simulated-weather');
    await collection('col_own', 'sandbox', 'acc_a', 'simulated-weather');
    await collection('col_production', 'production', null, 'simulated-storms');
    await migrate({ connection, log: SILENT });
    const marked = await sql<{ id: string }>`select id from collections where simulated`.execute(database.db);
    assert.deepEqual(marked.rows, [{ id: 'col_region' }]);
  } finally {
    await database.close();
  }
});

test('changes that were confirmed before are told already, and suspicions are not', async (t) => {
  const url = await emptyDatabase();
  t.after(() => dropDatabase(url));
  const connection = { connectionString: url };
  await migrate({ connection, log: SILENT, migrations: migrationsBefore('0012-change-versions') });
  const database = await openDatabase({ connection, log: SILENT });
  try {
    await sql`insert into collections (id, environment, name, metric, unit, kind, bounds)
      values ('col_a', 'production', 'a', 'ndvi', '1', 'points', box '(1,1),(0,0)')`.execute(database.db);
    for (const [id, status, confirmed] of [
      ['chg_a', 'confirmed', '2026-06-01'],
      ['chg_b', 'rejected', '2026-06-01'],
      ['chg_c', 'suspected', null],
    ])
      await sql`insert into changes (id, environment, collection_id, model_version, object_key, type, status,
          confidence, metric, magnitude, area_m2, geometry, bounds, first_anomaly_at, detected_at, confirmed_at,
          digest, provenance)
        values (${id}, 'production', 'col_a', 'v', ${id}, 'burn', ${status}, .9, 'ndvi', -.4, 900, '{}',
          box '(1,1),(0,0)', '2026-05-01', '2026-06-01', ${confirmed}::date, 'd', '{}')`.execute(database.db);
    await migrate({ connection, log: SILENT });
    const { rows } = await sql`select id, told_as from changes order by id`.execute(database.db);
    assert.deepEqual(rows, [
      { id: 'chg_a', told_as: 'confirmed' },
      { id: 'chg_b', told_as: 'confirmed' },
      { id: 'chg_c', told_as: null },
    ]);
  } finally {
    await database.close();
  }
});
