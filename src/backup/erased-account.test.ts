// Long file: one account is looked for in the database, in the files, and in backups before and after its erasure.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { sql, type Kysely } from 'kysely';
import { testDatabase } from '../../test/fixtures/database.ts';
import { type FilledOwner, fillOwner } from '../../test/fixtures/filled-owner.ts';
import { markAccount, ownedTables } from '../../test/fixtures/marked-account.ts';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';
import { eraseAccount, type ErasureParts } from '../app/access/erase-account.ts';
import { secretBox } from '../auth/secret-box.ts';
import { openBytes } from '../base/sealed-bytes.ts';
import { FolderCubeStore } from '../cube/folder-cube-store.ts';
import { erasureParts } from '../main/erasure.ts';
import { auditStore } from '../store/audit/audit-store.ts';
import type { Database } from '../store/schema.ts';
import { housekeep } from '../store/upkeep/housekeeping.ts';
import { openBackupKey, unwrapAccountKey } from './account-keys.ts';
import { backUp, type BackupManifest } from './backup.ts';
import { readKeyFile } from './key-file.ts';
import { restoreDatabase, restoreFiles } from './restore.ts';
import { partsOf } from './sealed-rows.ts';
import { readTar } from './tar.ts';

const MARKER = 'xq-marked-7f3a';
const FILE_MARKER = 'xq-in-a-file-91';
const SPEC = { width: 2, height: 2, sampleType: 'int16' } as const;

describe('an erased account', () => {
  let world: TestStorage;
  let folder: string;
  let data: string;
  let cube: FolderCubeStore;
  let doomed: FilledOwner;
  let other: FilledOwner;
  let parts: ErasureParts;
  let kept: Readonly<Record<string, string>>;
  let earlier: { archive: string; keyFile: string };
  const installationKey = randomBytes(32);
  const sealing = secretBox(installationKey);

  before(async () => {
    world = await testStorage(sealing);
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-erased-'));
    data = join(folder, 'data');
    await mkdir(data);
    await writeFile(join(data, 'secret-key'), installationKey.toString('base64'));
    cube = new FolderCubeStore(join(data, 'cubes'));
    const { owner, others, database, storage } = world;
    doomed = await filled(others[1]!);
    other = await filled(owner);
    // Filling an account groups the marked members of all accounts, so the marks come last.
    for (const { accountId } of [doomed, other])
      await sql`insert into incident_marks (account_id, environment, kind, id)
        values (${accountId}, 'production', 'change', 'chg_1')`.execute(database.db);
    await writeFile(join(data, 'demo-key'), `gw_production_${doomed.ids['key']}_${FILE_MARKER}`);
    await markAccount(database.db, doomed.accountId, MARKER);
    await storage.audit.record([
      {
        actor: MARKER,
        action: 'createAoi',
        target: MARKER,
        accountId: doomed.accountId,
        environment: 'production',
        address: MARKER,
        requestId: MARKER,
        result: MARKER,
        count: 1,
      },
    ]);
    const clock = { now: () => Date.now() };
    parts = erasureParts({ clock, storage, cube, dataFolder: data }, database, sealing);
    earlier = await backedUp('before');
  });
  after(async () => {
    await cube.close();
    await world.close();
    await rm(folder, { recursive: true });
  });

  /** Fills every table, and a cube of the collection and its snow. */
  async function filled(owner: FilledOwner | TestStorage['owner']): Promise<FilledOwner> {
    const { db } = world.database;
    const made = await fillOwner(world, owner);
    await world.storage.eventLog.end(owner);
    await sql`insert into station_feeds
        (id, environment, account_id, name, provider, base, metric, stations, starts_at, every_s)
      values (${`sf-${owner.accountId}`}, 'production', ${owner.accountId}, ${owner.accountId}, 'usgs', 'u', 'm', '[]',
        now(), 1)`.execute(db);
    await sql`insert into standing_feeds (id, environment, account_id, name, url, max_cloud_share, starts_at, every_s)
      values (${`feed-${owner.accountId}`}, 'production', ${owner.accountId}, ${owner.accountId}, 'u', .5, now(), 1)`.execute(
      db,
    );
    await sql`insert into standing_feed_areas (feed_id, aoi_id, asked_at)
      values (${`feed-${owner.accountId}`}, ${made.ids.aoi}, now())`.execute(db);
    await sql`insert into publications (collection_id, holder, held_until)
      values (${made.ids.collection}, gen_random_uuid(), now())`.execute(db);
    await sql`insert into audit_pending (id, at, place, account_id, environment, actor, action, result, count, mac)
      values (gen_random_uuid(), now(), 0, ${owner.accountId}, 'production', 'a', 'a', 'done', 1, '')`.execute(
      db,
    );
    for (const id of [made.ids.collection, `${made.ids.collection}-snow`]) {
      await cube.create(id, SPEC);
      const key = owner === world.owner ? 'scene' : FILE_MARKER;
      await cube.append(id, { key, timeMs: 0 }, Int16Array.of(1, 2, 3, 4));
    }
    return made;
  }

  async function backedUp(name: string) {
    const archive = join(folder, name, 'backup.tar');
    await mkdir(join(folder, name));
    const { pool } = world.database;
    const made = await backUp({
      pool,
      sealing,
      dataFolder: data,
      path: archive,
      recipients: [],
      version: '1.4.0',
      nowMs: 0,
    });
    return { archive, keyFile: made.accountKeys };
  }

  test('is in a backup, in every table and file, and only there where its key opens', async () => {
    const bytes = await readFile(earlier.archive);
    for (const text of [MARKER, FILE_MARKER, Buffer.from(MARKER).toString('hex')])
      assert.equal(bytes.includes(text), false, `${text} can be read without a key`);
    const found = await readableIn(earlier);
    const tables = await ownedTables(world.database.db);
    const unmarked = new Set([
      'audit_pending',
      'event_heads',
      'incident_areas',
      'incident_heads',
      'publications',
    ]);
    for (const table of tables.keys())
      if (!unmarked.has(table))
        assert.ok(
          found.some((name) => name.startsWith(`database/${table}/`)),
          `${table}: ${found.join()}`,
        );
    for (const file of [
      'demo-key',
      `cubes/${doomed.ids.collection}/`,
      `cubes/${doomed.ids.collection}-snow/`,
    ])
      assert.ok(
        found.some((name) => name.startsWith(`sealed/${doomed.accountId}/${file}`)),
        file,
      );
  });

  test('is gone when its erasure was cut off at every step and then repeated, and the log tells it', async () => {
    const { db } = world.database;
    const request = { accountId: doomed.accountId, actor: 'operator test' };
    await sql`delete from audit_pending where mac = ''`.execute(db); // no entry: the table had to be marked
    kept = await rowsOf(db, other.accountId);
    const keyFiles = [earlier.keyFile, join(folder, 'meanwhile', basename(earlier.keyFile))];
    let cuts = 0;
    for (; ; cuts++) {
      const erased = await eraseAccount(cutAfter(parts, cuts), request).catch((error: Error) => error);
      if (!(erased instanceof Error)) {
        assert.deepEqual(erased, { cleared: keyFiles, unreachable: [] });
        break;
      }
      assert.equal(erased.message, 'killed');
      if (cuts === 2)
        assert.deepEqual(await readableIn(await backedUp('meanwhile')), [], 'in a backup at that time');
      if (cuts > 0 && (await world.storage.accounts.find(doomed.accountId)) !== undefined) {
        const listed = (await world.storage.accounts.list()).find(({ id }) => id === doomed.accountId);
        assert.equal(listed?.isBeingErased, true);
        await assert.rejects(world.storage.accounts.setDisabled(doomed.accountId, null), /is being erased/);
      }
    }
    assert.ok(cuts > 6, `${cuts} steps`);
    assert.deepEqual(await eraseAccount(parts, request), { cleared: keyFiles, unreachable: [] });
    for (const [table, account] of await ownedTables(db)) {
      const { rows } = await sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.table(table)} t
        where ${sql.raw(account)} = ${doomed.accountId}`.execute(db);
      assert.equal(rows.length > 0, table === 'audit_log', table);
      for (const { row } of rows) assert.equal(row.includes(MARKER), false, row);
    }
    assert.deepEqual(await rowsOf(db, other.accountId), kept, 'the other account is as it was');
    assert.deepEqual((await readdir(join(data, 'cubes'))).toSorted(), cubesOf(other));
    assert.equal((await readdir(data)).includes('demo-key'), false);
    const { rows } =
      await sql`select left_files from account_keys where account_id = ${doomed.accountId}`.execute(db);
    assert.deepEqual(rows, [{ left_files: null }], 'nothing is left to do');
    const audit = auditStore(db, sealing);
    assert.equal((await audit.verify()).intact, true);
    const told = [];
    for await (const entries of audit.read())
      told.push(...entries.filter(({ action }) => action === 'accounts erase'));
    assert.deepEqual(
      [
        ...new Set(
          told.map(({ actor, target, accountId, result }) => [actor, target, accountId, result].join()),
        ),
      ],
      [`operator test,${doomed.accountId},,begun`],
    );
    await audit.record([
      { ...NOWHERE, actor: MARKER, action: 'a', target: MARKER, accountId: doomed.accountId },
    ]);
    await housekeep(db, Date.now());
    for await (const entries of audit.read())
      assert.equal(
        entries.some(({ actor }) => actor === MARKER),
        false,
        'a late entry is erased by the upkeep',
      );
    assert.equal((await audit.verify()).intact, true);
    const used = { environment: 'production', credentialId: 'key_a', day: '2026-11-24', units: 3 } as const;
    await world.storage.usage.add([doomed, other].map(({ accountId }) => ({ ...used, accountId })));
    const units = await world.storage.usage.since(other, '2026-11-24');
    assert.deepEqual(
      units,
      [{ credentialId: 'key_a', day: '2026-11-24', units: 3 }],
      'its late usage costs no other',
    );
    await assert.rejects(eraseAccount(parts, { ...request, accountId: 'acct_none' }), /There is no account/);
  });

  test('is in no byte of the backup that was made before, with every key that remains', async () => {
    assert.equal(Object.hasOwn((await readKeyFile(earlier.keyFile)).accounts, doomed.accountId), false);
    assert.deepEqual(await readableIn(earlier), []);
  });

  test('is not restored from that backup; the other account is, and the log holds', async (t) => {
    const restored = await testDatabase();
    t.after(() => restored.close());
    const into = join(folder, 'restored');
    await mkdir(into);
    const source = { path: earlier.archive };
    const { keys } = await restoreFiles(source, into, async () => sealing);
    await restoreDatabase(source, restored.pool, keys);
    assert.deepEqual(keys.skipped, [doomed.accountId]);
    assert.deepEqual(await rowsOf(restored.db, other.accountId), kept);
    for (const [table, account] of await ownedTables(restored.db)) {
      const { rows } = await sql`select from ${sql.table(table)} t
        where ${sql.raw(account)} = ${doomed.accountId}`.execute(restored.db);
      assert.equal(rows.length > 0, table === 'audit_log', table);
    }
    assert.deepEqual((await readdir(join(into, 'cubes'))).toSorted(), cubesOf(other));
    const again = new FolderCubeStore(join(into, 'cubes'));
    assert.deepEqual([...(await again.readStrip(other.ids.collection, 0, 4)).values], [1, 2, 3, 4]);
    await again.close();
    const audit = auditStore(restored.db, sealing);
    await sql`delete from audit_pending where mac = ''`.execute(restored.db); // no entry, as above
    assert.match(
      JSON.stringify(await audit.verify()),
      /not as it was recorded/,
      'without an entry that tells it, an erased entry is an altered one',
    );
    await audit.record([
      { ...NOWHERE, actor: 'operator', action: 'accounts erase', target: doomed.accountId },
    ]);
    assert.equal((await audit.verify()).intact, true);
    const { rows } = await sql`select account_id from account_keys where erased_at is not null`.execute(
      restored.db,
    );
    assert.deepEqual(rows, [{ account_id: doomed.accountId }], 'it stays erased');
  });

  test('does not come back with a later backup into the same folder, or an older copy of its key', async () => {
    const { erased } = await readKeyFile(earlier.keyFile);
    assert.deepEqual(erased, [doomed.accountId]);
    await rm(earlier.archive);
    await writeFile(
      earlier.keyFile,
      JSON.stringify({ accounts: { [doomed.accountId]: 'AAAA', acct_of_a_later_state: 'BBBB' }, erased: [] }),
    );
    const { pool } = world.database;
    await backUp({
      pool,
      sealing,
      dataFolder: data,
      path: earlier.archive,
      recipients: [],
      version: '',
      nowMs: 0,
    });
    const now = await readKeyFile(earlier.keyFile);
    assert.deepEqual(
      Object.keys(now.accounts).toSorted(),
      ['acct_of_a_later_state', other.accountId].toSorted(),
    );
    assert.deepEqual(now.erased, [doomed.accountId]);
  });

  test('a backup without its key file, or with one that is too old, is refused', async (t) => {
    const { archive, keyFile } = await backedUp('refused');
    const text = await readFile(keyFile, 'utf8');
    const attempt = async (content: string | undefined): Promise<unknown> => {
      await rm(keyFile, { force: true });
      if (content !== undefined) await writeFile(keyFile, content);
      const into = await mkdtemp(join(folder, 'into-'));
      return restoreFiles({ path: archive }, into, async () => sealing);
    };
    await assert.rejects(attempt(undefined), {
      name: 'InvalidInput',
      message: /--keys: cannot read .*account-keys/,
    });
    await assert.rejects(attempt('no keys'), {
      name: 'InvalidInput',
      message: /expected the keys of the accounts/,
    });
    await assert.rejects(attempt('{"accounts":{},"erased":[]}'), {
      name: 'InvalidInput',
      message: new RegExp(`has no key of the account ${other.accountId}`),
    });
    await assert.rejects(attempt(text.replace(/: "[\w+/]{60,}=*"/, ': "AAAA"')), /is damaged/);
    const into = await mkdtemp(join(folder, 'into-'));
    await writeFile(keyFile, text);
    await assert.rejects(
      restoreFiles({ path: archive }, into, async () => secretBox(randomBytes(32))),
      /does not open the keys of this backup/,
    );
    assert.ok(await attempt(text));
    t.diagnostic('refused four times, then read');
  });

  /** Names of entries of an archive in which a marker can be read, with every key that is there. */
  async function readableIn({ archive, keyFile }: typeof earlier): Promise<readonly string[]> {
    const { accounts } = await readKeyFile(keyFile);
    const found: string[] = [];
    const note = (name: string, bytes: Buffer): void => {
      const hex = Buffer.from(MARKER).toString('hex');
      if ([MARKER, FILE_MARKER, hex].some((text) => bytes.includes(text))) found.push(name);
    };
    note('the archive', await readFile(archive));
    note('the key file', await readFile(keyFile));
    const keys: Buffer[] = [installationKey];
    for await (const { name, content } of readTar(asStream(await readFile(archive)))) {
      const bytes = await buffer(content);
      if (name === 'manifest.json') {
        const { box } = (JSON.parse(bytes.toString('utf8')) as BackupManifest).backup_key!;
        const kept = openBackupKey(Buffer.from(box, 'base64'), sealing);
        keys.push(kept.key);
        for (const [id, wrapped] of Object.entries(accounts))
          keys.push(unwrapAccountKey(kept, id, Buffer.from(wrapped, 'base64')));
      }
      const sealed: [string, Buffer][] = [];
      if (name.startsWith('sealed/')) sealed.push([`${name} 0`, bytes]);
      if (name.startsWith('database/'))
        for await (const { kind, account, bytes: rows } of partsOf(name, asStream(bytes)))
          if (kind === 'sealed') sealed.push([`${name} ${account}`, rows]);
          else note(name, rows);
      for (const [about, box] of sealed)
        for (const key of keys)
          try {
            note(name, openBytes(key, box, about));
          } catch {
            // not under this key
          }
    }
    return found;
  }

  async function rowsOf(db: Kysely<Database>, accountId: string): Promise<Readonly<Record<string, string>>> {
    const all: Record<string, string> = {};
    for (const [table, account] of await ownedTables(db)) {
      if (table === 'audit_pending') continue;
      const { rows } = await sql<{ row: string }>`select to_jsonb(t)::text as row from ${sql.table(table)} t
        where ${sql.raw(account)} = ${accountId} order by 1`.execute(db);
      assert.ok(rows.length > 0, table);
      all[table] = rows.map(({ row }) => row).join('\n');
    }
    return all;
  }

  function cubesOf({ ids }: FilledOwner): readonly string[] {
    return [ids.collection, `${ids.collection}-snow`];
  }
});

const NOWHERE = {
  accountId: null,
  environment: null,
  address: null,
  requestId: null,
  result: 'done',
  count: 1,
};

/** The parts of an erasure that is killed before its n-th step. */
function cutAfter(parts: ErasureParts, steps: number): ErasureParts {
  let left = steps;
  const step =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (left-- <= 0) throw new Error('killed');
      return work(...args);
    };
  const { audit, erasure } = parts;
  return {
    clock: parts.clock,
    audit: { record: step((entries) => audit.record(entries)) },
    erasure: {
      begin: step((id, at) => erasure.begin(id, at)),
      removeRows: step((id) => erasure.removeRows(id)),
      end: step((id) => erasure.end(id)),
    },
    clearKeyFiles: step(parts.clearKeyFiles),
    removeFiles: step(parts.removeFiles),
    removeBackedUp: step(parts.removeBackedUp),
    removeDemoKey: step(parts.removeDemoKey),
  };
}

async function* asStream(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
