import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { testDatabase } from '../../test/fixtures/database.ts';
import { testStorage } from '../../test/fixtures/storage.ts';
import { secretBox } from '../auth/secret-box.ts';
import { accountErasure } from '../store/upkeep/account-erasure.ts';
import { forgetSecrets } from '../store/upkeep/lost-secrets.ts';
import { reseal } from '../store/upkeep/reseal.ts';
import { backUp } from './backup.ts';
import { clearKeyFiles, readKeyFile } from './key-file.ts';
import { restoreDatabase, restoreFiles } from './restore.ts';

async function installation(t: TestContext, first: Buffer) {
  const world = await testStorage(secretBox(first));
  const folder = await mkdtemp(join(tmpdir(), 'groundwatch-keys-'));
  t.after(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });
  const { pool, db } = world.database;
  await mkdir(join(folder, 'data'));
  await mkdir(join(folder, 'backups'));
  return {
    db,
    pool,
    account: world.owner.accountId,
    backups: join(folder, 'backups'),
    backUp: (name: string, ...keys: Buffer[]) =>
      backUp({
        pool,
        sealing: secretBox(...keys),
        dataFolder: join(folder, 'data'),
        path: join(folder, 'backups', name),
        recipients: [],
        version: '1.4.0',
        nowMs: 0,
      }),
    restore: async (name: string, key: Buffer): Promise<readonly string[]> => {
      const into = await mkdtemp(join(folder, 'into-'));
      const source = { path: join(folder, 'backups', name) };
      const { keys } = await restoreFiles(source, into, async () => secretBox(key));
      const database = await testDatabase();
      try {
        await restoreDatabase(source, database.pool, keys);
        return (await database.db.selectFrom('accounts').select('name').orderBy('name').execute()).map(
          (account) => account.name,
        );
      } finally {
        await database.close();
      }
    },
  };
}

test('backups from before and after a rotation open with the one key file beside them', async (t) => {
  const [first, second] = [randomBytes(32), randomBytes(32)];
  const { db, backUp: make, restore, backups } = await installation(t, first);
  const before = await make('before.tar', first);
  await reseal(db, secretBox(second, first));
  const after = await make('after.tar', second);
  assert.equal(after.accountKeys, before.accountKeys);
  assert.deepEqual((await readdir(backups)).toSorted(), [
    'after.tar',
    'before.tar',
    basename(after.accountKeys),
  ]);
  assert.deepEqual(await restore('before.tar', first), ['ours', 'theirs']);
  assert.deepEqual(await restore('after.tar', second), ['ours', 'theirs']);
});

test('a lost key gives later backups keys of their own, and an erasure reaches both key files', async (t) => {
  const [lost, next] = [randomBytes(32), randomBytes(32)];
  const { db, pool, account, backUp: make, restore } = await installation(t, lost);
  const old = await make('old.tar', lost);
  await forgetSecrets(db, secretBox(next), () => 'whsec_new');
  const present = await make('present.tar', next);
  assert.notEqual(present.accountKeys, old.accountKeys);
  assert.deepEqual(await restore('present.tar', next), ['ours', 'theirs']);
  assert.deepEqual(await restore('old.tar', lost), ['ours', 'theirs'], 'by those who still have the key');

  const erasure = accountErasure(db, secretBox(next));
  await erasure.begin(account, new Date());
  const { cleared } = await clearKeyFiles(pool);
  assert.deepEqual(cleared.toSorted(), [old.accountKeys, present.accountKeys].toSorted());
  for (const path of cleared)
    assert.deepEqual([Object.hasOwn((await readKeyFile(path)).accounts, account)], [false]);
  assert.deepEqual(await restore('old.tar', lost), ['theirs']);
  assert.deepEqual(await restore('present.tar', next), ['theirs']);
});
