import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { type Kysely, sql } from 'kysely';
import { dropDatabase, emptyDatabase, SILENT } from '../../../../test/fixtures/database.ts';
import { listEvents } from '../../../app/events/read-events.ts';
import type { Owner } from '../../../app/owner.ts';
import { secretBox } from '../../../auth/secret-box.ts';
import { newId } from '../../../base/ids.ts';
import { openDatabase } from '../../connection/database.ts';
import { migrate } from '../../connection/migrate.ts';
import { orderAllEvents } from '../../events/event-order.ts';
import { JobQueue } from '../../job-queue.ts';
import { migrations } from '../index.ts';
import type { Database } from '../../schema.ts';
import { openStorage } from '../../storage.ts';

/** A database before the migration, with one account. */
async function formerDatabase(t: TestContext) {
  const url = await emptyDatabase();
  const connection = { connectionString: url };
  const former = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0016'));
  await migrate({ connection, log: SILENT, migrations: former });
  const database = await openDatabase({ connection, log: SILENT });
  const jobs = new JobQueue(database.db, () => undefined);
  t.after(async () => {
    await jobs.close();
    await database.close();
    await dropDatabase(url);
  });
  const storage = openStorage(database, secretBox(randomBytes(32)), jobs);
  const { id: accountId } = await storage.accounts.create('ours');
  const owner: Owner = { accountId, environment: 'production' };
  return { db: database.db, storage, owner, upgrade: () => migrate({ connection, log: SILENT }) };
}

/** Writes an event as the former release does, in the transaction of the handle. */
async function write(db: Kysely<Database>, { accountId, environment }: Owner): Promise<string> {
  const id = newId('event');
  await sql`insert into events (account_id, environment, id, type, body)
    values (${accountId}, ${environment}, ${id}, 'webhook.test', '{}')`.execute(db);
  return id;
}

/** Starts a transaction with two events around what happens in between. */
async function around<T>(db: Kysely<Database>, owner: Owner, work: () => Promise<T>) {
  return db.transaction().execute(async (transaction) => {
    const first = await write(transaction, owner);
    const between = await work();
    return { first, between, last: await write(transaction, owner) };
  });
}

/** Reads the events after one, as the former release does. */
async function formerPoll(db: Kysely<Database>, owner: Owner, after: string | undefined): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from events
    where account_id = ${owner.accountId} and environment = ${owner.environment}
      and xid < pg_snapshot_xmin(pg_current_snapshot())
      and (${after ?? null}::text is null or (xid, id) > (select xid, id from events where id = ${after ?? null}))
    order by xid, id`.execute(db);
  return rows.map(({ id }) => id);
}

test('events keep their order when the database is upgraded, and every position stays valid', async (t) => {
  const { db, storage, owner, upgrade } = await formerDatabase(t);
  const { first, between, last } = await around(db, owner, () => write(db, owner));
  const others = [await write(db, owner), await write(db, owner)];
  const former = await formerPoll(db, owner, undefined);
  assert.deepEqual(former, [first, last, between, ...others], 'in order of the transactions, not of the ids');
  await upgrade();
  const fresh = await storage.events.emit(owner, 'webhook.test', {});
  for (const [i, after] of [undefined, ...former].entries()) {
    const page = { after, type: undefined, limit: 10 };
    const { events } = await listEvents(storage, owner, page);
    assert.deepEqual(
      events.map(({ id }) => id),
      [...former.slice(i), fresh],
    );
  }
});

test('in the hour after the upgrade, both releases give the same order to one reader', async (t) => {
  const { db, storage, owner, upgrade } = await formerDatabase(t);
  await write(db, owner);
  await upgrade();
  /** Reads what is new, in turn by the former and this release, as a client of two nodes does. */
  const seen: string[] = [];
  let turn = 0;
  const poll = async (): Promise<void> => {
    const after = seen.at(-1);
    if (turn++ % 2 === 0) seen.push(...(await formerPoll(db, owner, after)));
    else {
      const { events } = await listEvents(storage, owner, { after, type: undefined, limit: 100 });
      seen.push(...events.map(({ id }) => id));
    }
  };
  for (let i = 0; i < 4; i++)
    await around(db, owner, async () => {
      await poll();
      await write(db, owner);
      await poll();
      await storage.events.emit(owner, 'webhook.test', {});
      await orderAllEvents(db);
      await poll();
    });
  await poll();
  await poll();
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from events`.execute(db);
  assert.equal(new Set(seen).size, seen.length, 'one came twice');
  assert.equal(seen.length, rows[0]!.count, 'one was missed');
  assert.deepEqual(seen, await formerPoll(db, owner, undefined));
  // The hour is over: open transactions delay nothing.
  await sql`update event_heads set by_xid_until = now()`.execute(db);
  await around(db, owner, async () => {
    const id = await storage.events.emit(owner, 'webhook.test', {});
    const after = seen.at(-1);
    const { events } = await listEvents(storage, owner, { after, type: undefined, limit: 100 });
    assert.deepEqual(
      events.map((event) => event.id),
      [id],
    );
  });
});
