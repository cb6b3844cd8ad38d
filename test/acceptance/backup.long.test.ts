import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { secretBox, secretKeyFile } from '../../src/auth/secret-box.ts';
import { reseal } from '../../src/store/upkeep/reseal.ts';
import { emptyDatabase } from '../fixtures/database.ts';
import { formerBackup } from '../fixtures/former-backup.ts';
import { changeRecord, collectionRecord, putAoi, putCollection, square } from '../fixtures/records.ts';
import { startService, type TestService } from '../fixtures/service.ts';
import { PROGRAM } from '../fixtures/program.ts';

const DAY_MS = 86_400_000;

describe('backup of a live service, restored into an empty folder', () => {
  let folder: string;
  let live: TestService;
  let archive: string;
  let key: string;
  const collection = collectionRecord();
  const kept: { aois: string[]; change: string; events: string[]; scenes: number } = {
    aois: [],
    change: '',
    events: [],
    scenes: 0,
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-backup-'));
    await chmod(folder, 0o755);
    archive = join(folder, 'backup.tar');
    live = await startService();
    await live.cli('accounts', 'create', 'acme');
    key = String(
      (await live.cli('keys', 'create', '--account', 'acme', '--scopes', 'all', '--limit', '0'))['key'],
    );
    await live.cli('clients', 'create', '--account', 'acme', '--scopes', 'all');
    const { storage, cube } = await live.backstage();
    const observations = Array.from({ length: 40 }, (_, i) => ({
      time: new Date(Date.parse('2025-01-01') + i * DAY_MS).toISOString(),
      raw: 100 + i,
    }));
    await putCollection(await live.backstage(), collection, observations);
    const { id: accountId } = (await storage.accounts.byName('acme'))!;
    const aoi = await putAoi(storage, { accountId, environment: 'production' });
    const change = changeRecord(collection.id);
    await storage.changes.insert(change);
    await storage.changes.link(change, [aoi]);
    kept.aois.push(aoi.id);
    kept.change = change.id;
    kept.scenes = observations.length;
    const owner = { accountId, environment: 'production' } as const;
    // The first event is committed last, so the order is neither that of the ids nor that of the transaction ids.
    await storage.transaction(async (stores) => {
      const late = await stores.events.emit(owner, 'webhook.test', {});
      for (let n = 0; n < 3; n++) {
        kept.events.push(await storage.events.emit(owner, 'webhook.test', {}));
        await storage.eventLog.end(owner);
      }
      kept.events.push(late);
    });
    await storage.eventLog.end(owner);
    const hook = { url: 'https://hooks.invalid:1024/hook', events: ['*'] };
    assert.equal((await live.call('/v1/webhooks', { method: 'POST', key, json: hook })).status, 201);

    // Scenes and areas are written while the backup runs.
    const writes = { made: 0, wanted: true };
    const writing = (async () => {
      for (; writes.wanted; writes.made += 1) {
        const { made: more } = writes;
        const timeMs = Date.parse('2026-01-01') + more * DAY_MS;
        await cube.append(collection.id, { key: `more-${more}`, timeMs }, new Int16Array(4).fill(7));
        const json = { name: `more ${more}`, geometry: square(20, 46) };
        const made = await live.call('/v1/aois', { method: 'POST', key, json });
        assert.equal(made.status, 201, made.text);
      }
    })();
    while (writes.made < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    await live.cli('backup', archive);
    writes.wanted = false;
    await writing;
  });
  after(async () => {
    await live.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('what was there is there again: credentials, areas, changes, series, secrets, the audit chain', async () => {
    assert.equal((await stat(archive)).mode & 0o777, 0o600);
    const dataFolder = join(folder, 'restored');
    const settings: Record<string, string> = { GROUNDWATCH_DATA: dataFolder };
    if (process.env['GROUNDWATCH_TEST_DATABASE_URL']) settings['DATABASE_URL'] = await emptyDatabase();
    await run(['restore', archive], settings);
    const restored = await startService(settings);
    try {
      const call = (path: string) => restored.call(path, { key });
      const aois = (await call('/v1/aois')).json()['aois'] as { id: string; name: string }[];
      assert.ok(aois.some(({ id }) => id === kept.aois[0]));
      const numbers = aois
        .map(({ name }) => /^more (\d+)$/.exec(name)?.[1])
        .filter((text) => text !== undefined);
      assert.equal(new Set(numbers).size, numbers.length);
      assert.equal(numbers.length, Math.max(0, ...numbers.map((n) => Number(n) + 1)), 'one moment, no gaps');
      const [there, here] = await Promise.all(
        [live, restored].map((on) => on.call(`/v1/changes/${kept.change}`, { key })),
      );
      assert.equal(here!.text, there!.text);
      for (const from of kept.events.keys()) {
        const after = from === 0 ? '' : `&after=${kept.events[from - 1]}`;
        const { events } = (await call(`/v1/events?type=webhook.test${after}`)).json() as {
          events: { id: string }[];
        };
        assert.deepEqual(
          events.map(({ id }) => id),
          kept.events.slice(from),
          'positions in the events stay valid',
        );
      }
      const series = await call('/v1/historical?lat=46.01&lng=14.01&metric=ndvi&to=2025-12-31');
      assert.equal(series.status, 200, series.text);
      assert.equal((series.json()['series'] as unknown[]).length, kept.scenes);
      assert.equal((await restored.cli('audit', 'verify'))['intact'], true);
      const other = { ...settings, GROUNDWATCH_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };
      await assert.rejects(run(['accounts', 'list'], other), /expected the key under which .* got another/);
      const hooks = (await call('/v1/webhooks')).json()['webhooks'] as unknown[];
      assert.equal(hooks.length, 1);
      const { database } = await restored.backstage();
      const sealing = secretBox(await secretKeyFile(join(dataFolder, 'secret-key')));
      assert.ok((await reseal(database.db, sealing)) >= 2, 'its secrets open');
      const demo = await readFile(join(dataFolder, 'demo-key'), 'utf8');
      assert.equal((await restored.call('/v1/aois', { key: demo.trim() })).status, 200);
      assert.equal(restored.ca, live.ca, 'clients trust it as before');
    } finally {
      await restored.stop();
    }
    // When the key file is missing, no new key is created. A new key could not decrypt the stored secrets, and its file
    // would be where the user must restore the right key.
    const keyFile = join(dataFolder, 'secret-key');
    await rm(keyFile);
    await assert.rejects(run(['accounts', 'list'], settings), /expected the key under which .* got none/);
    await assert.rejects(stat(keyFile), { code: 'ENOENT' });
    await run(['secrets', 'forget'], settings);
    await run(['accounts', 'create', 'late'], settings);
  });

  test('tar reads the archive, and nothing is restored over anything', async () => {
    const { stdout } = await promisify(execFile)('tar', ['-tf', archive], { maxBuffer: 1e7 });
    for (const name of ['manifest.json', 'database/api_keys/000001', 'data/secret-key', 'data/tls/ca.pem'])
      assert.ok(stdout.split('\n').includes(name), name);
    await assert.rejects(run(['restore', archive], { GROUNDWATCH_DATA: live.dataFolder }), /empty folder/);
    await assert.rejects(live.cli('backup', archive), /cannot make/);
  });

  test('a backup to a public key opens with the secret key only, from the installation that was named', async () => {
    const [keyFile, sealed] = [join(folder, 'backup.key'), join(folder, 'backup.tar.age')];
    const recipient = String((await live.cli('backup-key', keyFile))['recipient']);
    assert.equal((await stat(keyFile)).mode & 0o777, 0o600);
    await assert.rejects(live.cli('backup-key', keyFile), /exists already/);
    await assert.rejects(live.cli('backup', '--recipient', 'age1x', sealed), /expected public keys of age/);
    const made = await live.cli('backup', '--recipient', recipient, sealed);
    assert.equal(made['encrypted'], true);
    const signer = String(made['signed_by']);
    const { stdout } = await promisify(execFile)('grep', ['-c', 'database/', sealed]).catch(
      (error: { stdout: string }) => error,
    );
    assert.equal(stdout.trim(), '0', 'no name of an entry can be read');
    const settings = await onServer('opened');
    await assert.rejects(run(['restore', sealed], settings), /expected --identity/);
    const stranger = `${signer.slice(0, -20)}${'A'.repeat(20)}`;
    const open = ['restore', '--identity', keyFile, '--signer'];
    await assert.rejects(run([...open, stranger, sealed], settings), /expected the signer/);
    await assert.rejects(run([...open, 'short', sealed], settings), /--signer: expected/);
    await run([...open, signer, sealed], settings);
    await run(['accounts', 'list'], settings);
  });

  test('what is damaged or no backup is refused in a sentence', async () => {
    const cut = join(folder, 'cut.tar');
    await promisify(execFile)('cp', [archive, cut]);
    await truncate(cut, (await stat(archive)).size - 20_000);
    await assert.rejects(run(['restore', cut], { GROUNDWATCH_DATA: join(folder, 'cut') }), /ends too soon/);
    const none = join(folder, 'none.tar');
    await promisify(execFile)('cp', [process.execPath, none]);
    await assert.rejects(run(['restore', none], { GROUNDWATCH_DATA: join(folder, 'none') }), /no archive/);
  });

  test('an account is erased by its id, from the service and from what a backup opens', async () => {
    const made = await live.cli('accounts', 'create', 'leaving');
    const id = String(made['id']);
    const keyOfLeaving = String(
      (await live.cli('keys', 'create', '--account', 'leaving', '--scopes', 'all'))['key'],
    );
    const list = (token: string) => live.call('/v1/aois', { key: token });
    assert.equal((await list(keyOfLeaving)).status, 200);
    const [sealed, gone] = [join(folder, 'leaving', 'b.tar'), join(folder, 'gone')];
    await mkdir(join(folder, 'leaving'));
    const { account_keys: keyFile } = await live.cli('backup', sealed);
    const { database, storage } = await live.backstage();
    await sql`insert into backup_places (folder) values (${gone})`.execute(database.db);
    await assert.rejects(live.cli('accounts', 'erase', id), /--confirm is required: it erases .* leaving/);
    await assert.rejects(
      live.cli('accounts', 'erase', id, '--confirm'),
      /can still be read for the account:\n\S*gone: ENOENT/,
      'a folder with a backup is not there: that is told, and the rest is done',
    );
    assert.equal((await readFile(String(keyFile), 'utf8')).includes(`"${id}":`), false);
    const done = await live.cli('accounts', 'erase', id, '--confirm', '--gone', gone);
    assert.deepEqual(done['unreachable'], []);
    assert.ok((done['key_files'] as string[]).includes(String(keyFile)));
    assert.equal(await storage.accounts.find(id), undefined);
    // The service looks again at a credential that it knows after a second.
    while ((await list(keyOfLeaving)).status !== 401) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal((await list(key)).status, 200);
    assert.equal((await storage.audit.verify()).intact, true);

    const settings = await onServer('left');
    const restored = JSON.parse(await run(['restore', sealed], settings)) as { erased: string[] };
    assert.deepEqual(restored.erased, [id]);
    assert.match(await run(['audit', 'verify'], settings), /"intact":true/);
  });

  test('a backup of a former release is restored, and its database migrated', async () => {
    const former = join(folder, 'former.tar');
    await writeFile(former, await formerBackup());
    const settings = await onServer('former');
    await run(['restore', former], settings);
    assert.match(await run(['accounts', 'list'], settings), /"name":"of a former release"/);
    assert.match(await run(['audit', 'verify'], settings), /"intact":true/);
  });

  /**
   * Settings of another folder, with a database on the server of the tests. The first test restores into a database that
   * the folder has to itself, whose cluster takes longer to make and to start.
   */
  async function onServer(name: string): Promise<Readonly<Record<string, string>>> {
    return { GROUNDWATCH_DATA: join(folder, name), DATABASE_URL: await emptyDatabase() };
  }

  /** Runs a command without a service. @returns its output. @throws Error with the output of the command when it fails */
  async function run(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<string> {
    const env = { ...process.env, GROUNDWATCH_LOG_LEVEL: 'warn', ...settings };
    return (await promisify(execFile)(process.execPath, [PROGRAM, ...args, '--json'], { env })).stdout;
  }
});
