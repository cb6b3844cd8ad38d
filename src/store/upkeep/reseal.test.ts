import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { testStorage } from '../../../test/fixtures/storage.ts';
import { renewSecretKeyFile, secretFileBox } from '../../auth/secret-box.ts';
import { newId } from '../../base/ids.ts';
import { reseal } from './reseal.ts';
import { webhookStore } from '../webhook-store.ts';

/** Opens a database with a secret that is sealed under a key in a file. */
async function sealed(t: TestContext) {
  const world = await testStorage();
  t.after(() => world.close());
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-reseal-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'secret-key');
  const sealing = await secretFileBox(path);
  const { db } = world.database;
  const id = newId('webhook');
  const webhook = { ...world.owner, id, url: 'https://example.com/', events: ['*'] };
  await webhookStore(db, sealing).create({ ...webhook, status: 'active' }, 'whsec_kept');
  return {
    db,
    path,
    sealing,
    renew: () => renewSecretKeyFile(path),
    keys: async () => (await readFile(path, 'utf8')).trim().split('\n'),
    secret: async () => {
      const { secrets } = await db.selectFrom('webhooks').select('secrets').executeTakeFirstOrThrow();
      return sealing.open(Buffer.from(secrets[0]!.box, 'base64'));
    },
  };
}

test('a concurrent renewal of the key waits until all is sealed under the first new key, and nothing is lost', async (t) => {
  const { db, sealing, renew, keys, secret } = await sealed(t);
  const waits = async (): Promise<boolean> => {
    const { rows } = await sql<{ waits: boolean }>`select exists (select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock') as waits`.execute(db);
    return rows[0]!.waits;
  };
  let second: Promise<number> | undefined;
  const first = await reseal(db, sealing, async () => {
    const dropOlder = await renew();
    const [renewed] = await keys();
    second = reseal(db, sealing, renew);
    second.catch(() => undefined);
    while ((await keys())[0] === renewed && !(await waits())) await sleep(5);
    return dropOlder;
  });
  assert.equal(await second, first);
  assert.equal(await secret(), 'whsec_kept');
  assert.equal((await keys()).length, 2);
});

test('a renewal that is killed twice loses nothing, and the next complete one removes the unused keys', async (t) => {
  const { db, sealing, renew, keys, secret } = await sealed(t);
  const [first] = await keys();
  for (let i = 0; i < 2; i++)
    await assert.rejects(
      reseal(db, sealing, async () => {
        await renew();
        throw new Error('killed');
      }),
      { message: 'killed' },
    );
  assert.equal(await secret(), 'whsec_kept');
  await reseal(db, sealing, renew);
  assert.equal(await secret(), 'whsec_kept');
  const left = await keys();
  assert.equal(left.length, 2);
  assert.equal(left.includes(first!), false);
});
