import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { dropDatabase, emptyDatabase, SILENT } from '../../../test/fixtures/database.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { idFloor, newId } from '../../base/ids.ts';
import { openDatabase, type OpenDatabase } from '../connection/database.ts';
import { errorCode } from '../connection/error-code.ts';
import { migrate } from '../connection/migrate.ts';
import { migrations } from '../migrations/index.ts';
import { keepAttemptWeeks } from './attempt-weeks.ts';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
const KEPT_MS = 30 * DAY_MS;
const NOW_MS = Math.floor(Date.now() / WEEK_MS) * WEEK_MS + 3 * WEEK_MS; // after the end of the former table

describe('attempts of deliveries are kept by week', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  const keep = (nowMs: number) => keepAttemptWeeks(world.database.db, nowMs, nowMs - KEPT_MS);
  /** Writes the delivery of an event that was made at a time, with one attempt. @returns its id */
  async function attempted(atMs: number, webhookId = ''): Promise<string> {
    const { db } = world.database;
    const delivery = newId('delivery', atMs);
    const { accountId } = world.owner;
    if (webhookId !== '')
      await sql`insert into deliveries (account_id, id, event_id, webhook_id)
        select ${accountId}, ${delivery}, id, ${webhookId} from events limit 1`.execute(db);
    await sql`insert into delivery_attempts (account_id, delivery_id, attempt, attempted_at, duration_ms)
      values (${accountId}, ${delivery}, 1, ${new Date(atMs)}, 1)`.execute(db);
    return delivery;
  }
  /** Returns the partition in which the attempts of each delivery are. */
  async function places(...deliveries: readonly string[]): Promise<readonly (string | undefined)[]> {
    const { rows } = await sql<{ id: string; place: string }>`
      select delivery_id as id, tableoid::regclass::text as place from delivery_attempts`.execute(
      world.database.db,
    );
    return deliveries.map((delivery) => rows.find(({ id }) => id === delivery)?.place);
  }
  const nameOf = (ms: number): string =>
    `delivery_attempts_${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}`;

  test('an attempt without a partition is not refused, and moves to its week once that is made', async () => {
    const at = NOW_MS + 10 * WEEK_MS;
    const [one, later] = [await attempted(at), await attempted(at + 8 * WEEK_MS)];
    const rest = 'delivery_attempts_rest';
    assert.deepEqual(await places(one, later), [rest, rest]);
    await keep(at);
    assert.deepEqual(await places(one, later), [nameOf(at), rest]);
    assert.deepEqual(await places(await attempted(at + 2 * WEEK_MS - 1)), [nameOf(at + WEEK_MS)]);
  });

  test('weeks that are over are dropped whole, with no dead rows, and no others', async () => {
    const at = NOW_MS + 30 * WEEK_MS;
    await keep(at);
    const [old, newer] = [await attempted(at), await attempted(at + WEEK_MS)];
    await keep(at + WEEK_MS + KEPT_MS - 1);
    assert.deepEqual(await places(old, newer), [nameOf(at), nameOf(at + WEEK_MS)]);
    await keep(at + WEEK_MS + KEPT_MS);
    assert.deepEqual(await places(old, newer), [undefined, nameOf(at + WEEK_MS)]);
    const { rows } = await sql`select relname from pg_class where relname = ${nameOf(at)}`.execute(
      world.database.db,
    );
    assert.deepEqual(rows, []);
    // What comes for a week that was dropped goes by its own age.
    await attempted(at);
    await keep(at + WEEK_MS + KEPT_MS);
    assert.deepEqual((await places(newer)).length, 1);
    const left =
      await sql`select from delivery_attempts where delivery_id < ${idFloor('delivery', at + WEEK_MS)}`.execute(
        world.database.db,
      );
    assert.equal(left.rows.length, 0);
  });

  test('a table that a call holds is not waited for: the next time makes up for it', async () => {
    const at = NOW_MS + 60 * WEEK_MS;
    const one = await attempted(at);
    const caller = await world.database.pool.connect();
    try {
      await caller.query('begin; lock table delivery_attempts_rest in access share mode');
      await keep(at);
      assert.deepEqual(await places(one), ['delivery_attempts_rest']);
    } finally {
      await caller.query('rollback');
      caller.release();
    }
    await Promise.all([keep(at), keep(at)]);
    await keep(at);
    assert.deepEqual(await places(one), [nameOf(at)]);
  });

  test('the log of a delivery is read from one partition, also under row-level security', async () => {
    const delivery = await attempted(NOW_MS);
    for (const db of [world.database.db, world.database.boundTo(world.owner)]) {
      const plan = await db.transaction().execute(async (transaction) => {
        const { rows } = await sql<{ 'QUERY PLAN': string }>`explain select * from delivery_attempts
          where delivery_id = ${sql.lit(delivery)} order by attempt`.execute(transaction);
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
      assert.equal(new Set(plan.match(/delivery_attempts_(?:before|rest|\d+)/g)).size, 1, plan);
    }
  });

  test('an owner reaches attempts by the whole table only', async () => {
    await attempted(NOW_MS);
    const { rows } = await sql<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
      where inhparent = 'delivery_attempts'::regclass`.execute(world.database.db);
    assert.ok(rows.length > 4);
    for (const { name } of rows)
      for (const statement of [
        sql`select from ${sql.table(name)}`,
        sql`delete from ${sql.table(name)}`,
        sql`update ${sql.table(name)} set attempt = attempt`,
        sql`insert into ${sql.table(name)} select * from delivery_attempts`,
      ])
        await assert.rejects(
          statement.execute(world.database.boundTo(world.owner)),
          (error) => errorCode(error) === '42501',
          name,
        );
  });

  test('attempts of an endpoint go with it, and no others', async () => {
    const { storage, owner } = world;
    const bound = storage.boundTo(owner);
    const ids = [newId('webhook'), newId('webhook')] as const;
    for (const id of ids)
      await bound.webhooks.create(
        { ...owner, id, url: 'https://example.com/', events: ['*'], status: 'active' },
        'whsec_a',
      );
    await storage.events.emit(owner, 'webhook.test', {});
    const [gone, kept] = [await attempted(NOW_MS, ids[0]), await attempted(Date.now(), ids[1])];
    assert.equal(await bound.webhooks.remove(owner, ids[0]), true);
    const found = await places(gone, kept);
    assert.deepEqual(
      found.map((place) => place !== undefined),
      [false, true],
    );
  });
});

describe('the migration to weeks', () => {
  const FIRST = '0061-attempts-by-week';
  /** Makes a database of before, with a delivery that has an attempt. */
  async function former(): Promise<{ readonly url: string; readonly database: OpenDatabase }> {
    const url = await emptyDatabase();
    const connection = { connectionString: url };
    await migrate({
      connection,
      log: SILENT,
      migrations: Object.fromEntries(Object.entries(migrations).filter(([name]) => name < FIRST)),
    });
    const database = await openDatabase({ connection, log: SILENT });
    for (const statement of [
      sql`insert into accounts (id, name) values ('acc_a', 'a')`,
      sql`insert into webhooks (account_id, environment, id, url, events, secrets, status)
        values ('acc_a', 'production', 'wh_a', 'https://example.com/', '{}', '[]', 'active')`,
      sql`insert into events (account_id, environment, id, type, body) values ('acc_a', 'production', 'evt_a', 't', '{}')`,
      sql`insert into deliveries (account_id, id, event_id, webhook_id) values ('acc_a', ${newId('delivery')}, 'evt_a', 'wh_a')`,
    ])
      await statement.execute(database.db);
    return { url, database };
  }
  /** The statement of release 1.3.0. */
  const attempt = (n: number) =>
    sql`insert into delivery_attempts (account_id, delivery_id, attempt, attempted_at, duration_ms, status, answer, error)
      select account_id, id, ${n}::int, now(), 1, 200, 'ok', null from deliveries returning delivery_id`;

  test('the rows are where they were and not copied, and the release before goes on', async (t) => {
    const { url, database } = await former();
    t.after(async () => {
      await database.close();
      await dropDatabase(url);
    });
    const { db } = database;
    await attempt(1).execute(db);
    const files = async (table: string) =>
      (await sql`select pg_relation_filenode(${table}::regclass) as file`.execute(db)).rows;
    const before = await files('delivery_attempts');
    // A call that holds the deliveries for longer than the migration waits.
    const caller = await database.pool.connect();
    await caller.query('begin; update deliveries set attempts = 1');
    const migrating = migrate({ connection: { connectionString: url }, log: SILENT });
    await sql`select pg_sleep(0.7)`.execute(db);
    await caller.query(
      `insert into delivery_attempts select account_id, id, 2, now(), 1, 200, 'ok', null from deliveries`,
    );
    await caller.query('commit');
    caller.release();
    assert.ok((await migrating).includes(FIRST));
    assert.deepEqual(await files('delivery_attempts_before'), before);
    const rights = await sql`select has_table_privilege('groundwatch_runtime', name, 'select') as "isRead"
      from unnest('{delivery_attempts,delivery_attempts_before}'::text[]) as name`.execute(db);
    assert.deepEqual(rights.rows, [{ isRead: true }, { isRead: false }]);
    await attempt(3).execute(db);
    const { rows } =
      await sql`select attempt, tableoid::regclass::text as place from delivery_attempts order by 1`.execute(
        db,
      );
    const place = 'delivery_attempts_before';
    assert.deepEqual(
      rows,
      [1, 2, 3].map((n) => ({ attempt: n, place })),
    );
    await assert.rejects(attempt(3).execute(db), { code: '23505' });
    // The release before deletes endpoints and events by statements of its own.
    await sql`delete from webhooks`.execute(db);
    assert.equal((await sql`select from delivery_attempts`.execute(db)).rows.length, 0);
  });

  test('one that is ended half-way leaves the table as it was, and runs again', async (t) => {
    const { url, database } = await former();
    t.after(async () => {
      await database.close();
      await dropDatabase(url);
    });
    await attempt(1).execute(database.db);
    const connection = { connectionString: url };
    const ended = {
      ...migrations,
      [FIRST]: {
        up: async (db: Parameters<NonNullable<(typeof migrations)[string]['up']>>[0]) => {
          await migrations[FIRST]!.up(db);
          await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db);
        },
      },
    };
    await assert.rejects(migrate({ connection, log: SILENT, migrations: ended }));
    await attempt(2).execute(database.db);
    assert.ok((await migrate({ connection, log: SILENT })).includes(FIRST));
    assert.equal((await sql`select from delivery_attempts`.execute(database.db)).rows.length, 2);
  });
});
