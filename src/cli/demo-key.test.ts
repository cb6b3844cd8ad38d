import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { testDatabase } from '../../test/fixtures/database.ts';
import type { Storage } from '../app/storage.ts';
import { newApiKey, parseApiKey } from '../auth/api-key.ts';
import { secretBox } from '../auth/secret-box.ts';
import { JobQueue } from '../store/job-queue.ts';
import { openStorage } from '../store/storage.ts';
import type { CliDeps } from './command.ts';
import { welcome } from './welcome.ts';

async function firstStart(t: TestContext) {
  const database = await testDatabase();
  t.after(() => database.close());
  const dataFolder = await mkdtemp(join(tmpdir(), 'groundwatch-demo-key-'));
  t.after(() => rm(dataFolder, { recursive: true }));
  const jobs = new JobQueue(database.db, () => undefined);
  const storage = openStorage(database, secretBox(Buffer.alloc(32)), jobs);
  const file = join(dataFolder, 'demo-key');
  return {
    storage,
    file,
    start: (over: Partial<Storage> = {}) =>
      welcome(
        {
          storage: { ...storage, ...over },
          newApiKey,
          clock: { now: () => Date.now() },
        } as unknown as CliDeps,
        { base: 'https://localhost:8443', dataFolder, caPath: undefined, hasSandbox: false },
      ),
    /** The database record of the key in the file. */
    kept: async () => storage.keys.find(parseApiKey((await readFile(file, 'utf8')).trim())!.id),
  };
}

test('services that start at once on a new installation create one demo key, the one in the file', async (t) => {
  const { start, storage, kept, file } = await firstStart(t);
  const texts = await Promise.all([start(), start(), start()]);
  const keys = await storage.keys.list();
  assert.equal(keys.length, 1);
  assert.equal((await kept())!.id, keys[0]!.id);
  assert.equal(texts.filter((text) => text.includes(keys[0]!.id.slice('key_'.length))).length, 1);
  if (process.platform !== 'win32') assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('a first start that was killed before it created the demo key is completed by the next', async (t) => {
  const { start, storage, kept } = await firstStart(t);
  const transaction: Storage['transaction'] = (work) =>
    storage.transaction(async (stores) => {
      await work(stores);
      throw new Error('killed');
    });
  await assert.rejects(start({ transaction }), { message: 'killed' });
  assert.equal((await storage.keys.list()).length, 0);
  await start();
  const key = await kept();
  assert.equal(key?.environment, 'sandbox');
  assert.doesNotMatch(await start(), /Demo key/);
  assert.equal((await kept())!.id, key.id);
});
