import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testStorage } from '../../test/fixtures/storage.ts';
import { newId } from '../base/ids.ts';
import { deliveryQueue } from './delivery-queue.ts';

test('pending deliveries of a closed account are sent when the account is opened again', async (t) => {
  const world = await testStorage();
  t.after(() => world.close());
  const { storage, database, sealing, owner } = world;
  const id = newId('webhook');
  const webhook = { ...owner, id, url: 'https://example.com/', events: ['*'], status: 'active' } as const;
  await storage.webhooks.create(webhook, 'whsec_x');
  const eventId = await storage.events.emit(owner, 'webhook.test', {});
  const queue = deliveryQueue(database.db, sealing);
  const claim = async () =>
    (await queue.claim({ limit: 10, leaseMs: 1000, perEndpoint: 10, room: new Map(), heldAccounts: [] })).map(
      (delivery) => delivery.eventId,
    );
  await storage.accounts.setDisabled(owner.accountId, new Date());
  assert.deepEqual(await claim(), []);
  await storage.accounts.setDisabled(owner.accountId, null);
  assert.deepEqual(await claim(), [eventId]);
});
