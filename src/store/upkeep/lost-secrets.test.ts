import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testStorage } from '../../../test/fixtures/storage.ts';
import { newId } from '../../base/ids.ts';
import { secretBox } from '../../auth/secret-box.ts';
import { auditStore } from '../audit/audit-store.ts';
import { countSecrets, forgetSecrets, hasSecrets, opensSecrets } from './lost-secrets.ts';
import { webhookStore } from '../webhook-store.ts';

test('secrets of a lost key are counted and deleted, all others are kept, and the service works again', async () => {
  const world = await testStorage();
  try {
    const { db } = world.database;
    const lost = secretBox(Buffer.alloc(32, 1));
    const here = secretBox(Buffer.alloc(32, 2));
    assert.equal(await hasSecrets(db), false);
    const entry = { actor: 'operator', action: 'test', target: null, accountId: null, environment: null };
    const told = [{ ...entry, address: null, requestId: null, result: 'done' as const, count: 1 }];
    await auditStore(db, lost).record(told);
    const make = async (sealing: typeof lost): Promise<string> => {
      const webhook = { ...world.owner, id: newId('webhook'), url: 'https://example.com/', events: ['*'] };
      await webhookStore(db, sealing).create({ ...webhook, status: 'active' }, 'whsec_kept');
      return webhook.id;
    };
    const [closed, open] = [await make(lost), await make(here)];

    assert.deepEqual(
      [await hasSecrets(db), await opensSecrets(db, lost), await opensSecrets(db, here)],
      [true, true, false],
    );
    assert.deepEqual(await countSecrets(db, here), { all: 3, closed: 2 });
    await assert.rejects(auditStore(db, here).record(told));

    const forgotten = await forgetSecrets(db, here, () => 'whsec_unknown');
    assert.deepEqual(forgotten, { webhooks: 1, signingKeys: 0, auditChain: true });
    assert.deepEqual((await countSecrets(db, here)).closed, 0);
    await auditStore(db, here).record(told);
    const webhooks = webhookStore(db, here);
    const [one, other] = [await webhooks.find(world.owner, closed), await webhooks.find(world.owner, open)];
    assert.deepEqual([one?.status, other?.status], ['disabled', 'active']);
    assert.match(one?.disabledReason ?? '', /rotate the secret/);
    const secrets = async (id: string): Promise<readonly string[]> => {
      const row = await db.selectFrom('webhooks').select('secrets').where('id', '=', id).executeTakeFirst();
      return row!.secrets.map(({ box }) => here.open(Buffer.from(box, 'base64')));
    };
    assert.deepEqual([await secrets(closed), await secrets(open)], [['whsec_unknown'], ['whsec_kept']]);
    assert.deepEqual(await forgetSecrets(db, here, () => 'x'), {
      webhooks: 0,
      signingKeys: 0,
      auditChain: false,
    });
  } finally {
    await world.close();
  }
});
