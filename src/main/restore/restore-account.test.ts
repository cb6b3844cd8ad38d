import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql, type Kysely } from 'kysely';
import { type FilledOwner, fillOwner } from '../../../test/fixtures/filled-owner.ts';
import { ownedTables } from '../../../test/fixtures/marked-account.ts';
import { noObjectServer, ObjectServer } from '../../../test/fixtures/object-server.ts';
import { changeRecord, collectionRecord, putAoi } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { secretBox } from '../../auth/secret-box.ts';
import { backUp } from '../../backup/backup.ts';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import { ObjectCubeStore } from '../../cube/objects/object-cube-store.ts';
import { auditStore } from '../../store/audit/audit-store.ts';
import type { Database } from '../../store/schema.ts';
import type { Installation } from '../installation.ts';
import { restoreAccount } from './restore-account.ts';

const SPEC = { width: 2, height: 2, sampleType: 'int16' } as const;
/** Tables whose rows a restore of an account leaves as they are, or whose work it queues again. */
const OTHERWISE = new Set(
  'accounts account_use api_keys audit_log audit_pending event_heads idempotency_keys incident_heads jobs members'
    .concat(' oauth_clients oauth_grants publications refresh_tokens usage_days')
    .split(' '),
);

/** Tables with rows about what accounts share (changes, catalogues), which are not those of the backup. */
const ABOUT_SHARED = new Set(['aoi_changes', 'incident_marks', 'standing_feed_areas']);

for (const kind of ['folder', 'objects'] as const)
  describe(
    `one account of a backup, cubes in ${kind}`,
    { skip: kind === 'objects' && noObjectServer },
    () => {
      let [world, folder, server]: [TestStorage?, string?, ObjectServer?] = [];
      let [mine, other]: [FilledOwner?, FilledOwner?] = [];
      let [archive, cube]: [string?, (FolderCubeStore | ObjectCubeStore)?] = [];
      let kept: Readonly<Record<string, string>>;
      /** Collections of all accounts, and the change of the one that is removed after the backup. */
      let [shared, removed, gone] = ['', '', ''];
      const putShared = async (name: string) => {
        const collection = { ...collectionRecord({ accountId: null }), name };
        await world!.storage.collections.create(collection);
        return collection;
      };
      /** Publishes a change in the area of the account. @returns its id */
      const publish = async (collectionId: string): Promise<string> => {
        const { storage } = world!;
        const aoi = await storage.aois.find(mine!, mine!.ids.aoi);
        const change = changeRecord(collectionId);
        await storage.changes.insert(change);
        await storage.changes.link(change, [aoi!]);
        return change.id;
      };
      const sealing = secretBox(randomBytes(32));
      const clock = { now: () => Date.now() };

      const openCube = (cache: string): FolderCubeStore | ObjectCubeStore =>
        server === undefined
          ? new FolderCubeStore(join(folder!, 'data/cubes'))
          : new ObjectCubeStore({ place: server.place, cache: join(folder!, cache), cacheBytes: 1e9 });
      const restore = (named: string, path = archive!) => {
        const { database, storage } = world!;
        const objects = server && { ...server.place, cacheBytes: 1e9 };
        const installation = {
          config: { dataFolder: join(folder!, 'data'), objects, caFile: undefined },
          deps: { storage, cube, clock },
          database,
          sealing,
        } as unknown as Installation;
        const given = { path, identity: undefined, signer: undefined, keys: undefined };
        return restoreAccount(given, named, installation);
      };
      const backedUp = async (name: string): Promise<string> => {
        const path = join(folder!, name, 'backup.tar');
        await mkdir(join(folder!, name));
        const { pool } = world!.database;
        const objects =
          cube instanceof ObjectCubeStore
            ? { place: server!.place, cubes: cube.backups, copies: false }
            : undefined;
        const at = { dataFolder: join(folder!, 'data'), path, recipients: [], version: '1.4.0', nowMs: 0 };
        await backUp({ pool, sealing, ...at, objects });
        return path;
      };
      const valuesOf = async (id: string): Promise<readonly number[]> => {
        await cube!.close();
        cube = openCube(`node-${randomBytes(3).toString('hex')}`);
        return [...(await cube.readStrip(id, 0, 1)).values];
      };

      before(async () => {
        world = await testStorage(sealing);
        folder = await mkdtemp(join(tmpdir(), 'groundwatch-one-account-'));
        await mkdir(join(folder, 'data'));
        if (kind === 'objects') server = await ObjectServer.start(join(folder, 'server'));
        cube = openCube('node');
        mine = await fillOwner(world, world.owner);
        other = await fillOwner(world, world.others[1]!);
        for (const { ids } of [mine, other]) {
          await cube.create(ids.collection, SPEC);
          await cube.append(ids.collection, { key: 'a', timeMs: 0 }, Int16Array.of(1, 2, 3, 4));
        }
        await world.storage.eventLog.end(mine); // numbers its events
        for (const name of ['shared', 'removed']) {
          const { id } = await putShared(name);
          gone = await publish(id); // the last one is of the collection that is removed
          shared = name === 'shared' ? id : shared;
          removed = id;
        }
        for (const name of ['followed', 'dropped']) {
          await sql`insert into standing_feeds (id, environment, name, url, max_cloud_share, starts_at, every_s)
            values (${name}, 'production', ${name}, 'https://example.com/', 0.5, now(), 1)`.execute(
            world.database.db,
          );
          await sql`insert into standing_feed_areas (feed_id, aoi_id, account_id, asked_at)
            values (${name}, ${mine.ids.aoi}, ${mine.accountId}, now())`.execute(world.database.db);
        }
        kept = await rowsOf(world.database.db, mine.accountId);
        archive = await backedUp('first');
      });
      after(async () => {
        await cube?.close();
        await server?.stop();
        await world?.close();
        await rm(folder!, { recursive: true, force: true, maxRetries: 5 });
      });

      test('comes back as it was, with present credentials, and no other account is touched', async () => {
        const { storage, database } = world!;
        const { db } = database;
        const [{ ids }, others] = [mine!, other!.ids];
        await sql`update api_keys set revoked_at = now() where id = ${ids.key}`.execute(db);
        await sql`update aois set name = 'renamed' where account_id = ${mine!.accountId}`.execute(db);
        await sql`delete from webhooks where account_id = ${mine!.accountId}`.execute(db);
        await storage.events.emit(mine!, 'webhook.test', {});
        await storage.eventLog.end(mine!);
        await cube!.append(ids.collection, { key: 'wrong', timeMs: 1 }, Int16Array.of(9, 9, 9, 9));
        const later = collectionRecord(mine);
        await storage.collections.create(later);
        await cube!.create(later.id, SPEC);
        const news = await publish(shared);
        await storage.collections.remove(removed);
        await sql`delete from standing_feeds where id = 'dropped'`.execute(db);
        await putAoi(storage, other!);
        await cube!.append(others.collection, { key: 'new', timeMs: 1 }, Int16Array.of(5, 6, 7, 8));
        const theirs = await rowsOf(db, other!.accountId);
        const heads = await headsOf(db);

        const done = await restore('ours');
        assert.deepEqual([done.accountId, done.cubes], [mine!.accountId, 1]);
        const now = await rowsOf(db, mine!.accountId);
        for (const [table, rows] of Object.entries(kept))
          if (!OTHERWISE.has(table) && !ABOUT_SHARED.has(table)) assert.equal(now[table], rows, table);
        const links = linesOf(kept, 'aoi_changes').filter((line) => !line.includes(gone));
        assert.equal(links.length, linesOf(kept, 'aoi_changes').length - 1);
        const { rows: followed } = await sql`
          select feed_id from standing_feed_areas where account_id = ${mine!.accountId}`.execute(db);
        assert.deepEqual(followed, [{ feed_id: 'followed' }], 'a catalogue that is gone stays gone');
        const shownNow = linesOf(now, 'aoi_changes');
        assert.deepEqual(
          shownNow.filter((line) => !line.includes(news)),
          links,
        );
        assert.equal(shownNow.length, links.length + 1, 'what a shared collection published since is shown');
        assert.match(now['api_keys']!, /"revoked_at": "/, 'a key that was revoked stays revoked');
        assert.deepEqual(await headsOf(db), heads, 'no number of an event is used twice');
        assert.deepEqual(await rowsOf(db, other!.accountId), theirs);
        assert.deepEqual(await valuesOf(ids.collection), [1]);
        assert.deepEqual(await valuesOf(others.collection), [1, 5]);
        await assert.rejects(cube!.scenes(later.id), { name: 'NotFound' });
        const { rows: jobs } = await sql`
        select from jobs where account_id = ${mine!.accountId} and subject = ${ids.collection}`.execute(db);
        assert.equal(jobs.length, 1, 'its collection is searched again');
        assert.equal((await auditStore(db, sealing).verify()).intact, true);
        assert.equal((await readdir(join(folder!, 'data'))).includes('account-restore'), false);
      });

      test('comes back when the installation does not have it, with its credentials', async () => {
        const { db } = world!.database;
        await sql`delete from jobs where account_id = ${mine!.accountId}`.execute(db);
        for (const table of (await tablesOf(db)).toReversed())
          await sql`delete from ${sql.table(table)} where account_id = ${mine!.accountId}`.execute(db);
        await sql`delete from accounts where id = ${mine!.accountId}`.execute(db);
        await assert.rejects(restore('ours'), /there is no account ours here; expected the id/);
        await restore(mine!.accountId);
        const now = await rowsOf(db, mine!.accountId);
        const work = new Set(['account_use', 'audit_log', 'audit_pending', 'jobs', 'publications']);
        for (const [table, rows] of Object.entries(kept))
          if (!work.has(table) && !ABOUT_SHARED.has(table)) assert.equal(now[table], rows, table);
      });

      test('is refused while a node runs, if it was erased or is not in the backup, and nothing changes', async () => {
        const { storage, database } = world!;
        const { db } = database;
        const report = { host: 'h', version: '1', startedAt: new Date(), clockOffsetS: 0, load: 0 };
        const id = 'b7f4f36c-1111-4222-8333-444455556666';
        await storage.nodes.report({ ...report, id, roles: ['api'] });
        await assert.rejects(restore('ours'), /expected an installation whose services are stopped, got 1/i);
        await storage.nodes.leave(id);
        const fresh = await storage.accounts.create('fresh');
        await assert.rejects(restore('fresh'), /has no key of the account/);
        await backedUp('second');
        await rm(join(folder!, 'second/backup.tar'));
        const [taken] = [await putAoi(storage, other!)];
        await sql`delete from aois where id = ${mine!.ids.aoi}`.execute(db);
        await sql`update aois set id = ${mine!.ids.aoi} where id = ${taken.id}`.execute(db);
        const before = await rowsOf(db, mine!.accountId);
        await assert.rejects(restore('ours'), /has a row of aois that another account has here: aoi_/);
        assert.deepEqual(await rowsOf(db, mine!.accountId), before);
        assert.deepEqual(await valuesOf(mine!.ids.collection), [1]);
        await sql`insert into account_keys (account_id, erased_at) values (${fresh.id}, now())
        on conflict (account_id) do update set erased_at = now(), wrapped = null`.execute(db);
        await assert.rejects(restore('fresh'), /was erased, and cannot be restored/);
      });
    },
  );

function linesOf(rows: Readonly<Record<string, string>>, table: string): readonly string[] {
  return rows[table]!.split('\n');
}

/** The rows of an account, by table. */
async function rowsOf(db: Kysely<Database>, accountId: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const [table, account] of await ownedTables(db)) {
    const { rows } = await sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.table(table)} t
      where ${sql.raw(account)} = ${accountId} order by 1`.execute(db);
    found[table] = rows.map(({ row }) => row).join('\n');
  }
  return found;
}

async function headsOf(db: Kysely<Database>): Promise<unknown> {
  return (await sql`select account_id, environment, seq from event_heads order by 1, 2`.execute(db)).rows;
}

/** Tables with a column for the account, but for the accounts and the log, those that others refer to first. */
async function tablesOf(db: Kysely<Database>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select distinct c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'groundwatch'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and a.attname = 'account_id'
      and c.relname not in ('audit_log', 'audit_pending', 'account_keys')`.execute(db);
  const last = new Set([
    'collections',
    'aois',
    'webhooks',
    'events',
    'api_keys',
    'oauth_clients',
    'incidents',
  ]);
  return rows.map(({ name }) => name).toSorted((a, b) => Number(last.has(b)) - Number(last.has(a)));
}
