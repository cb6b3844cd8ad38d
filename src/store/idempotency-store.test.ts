import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';
import { InvalidInput } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { housekeep } from './upkeep/housekeeping.ts';

const DAY_MS = 86_400_000;
const HASH = Buffer.alloc(32, 1);
const ANSWER = { status: 201, location: '/v1/webhooks/x', body: { id: 'x', secret: 'whsec_plain' } };

describe('stored responses of repeated requests', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());
  const claim = (key: string, hash = HASH, operation = 'registerWebhook') =>
    world.storage.idempotency.claim(world.owner, key, operation, hash);
  async function answered(key: string): Promise<void> {
    assert.equal(await claim(key), undefined);
    await world.storage.idempotency.keep(world.owner, key, ANSWER);
  }
  const age = (key: string, ms: number) =>
    world.database.db
      .updateTable('idempotency_keys')
      .set({ created_at: new Date(Date.now() - ms) })
      .where('key', '=', key)
      .execute();

  test('the first request is processed; a repeated one gets its response', async () => {
    await answered('a');
    assert.deepEqual(await claim('a'), ANSWER);
  });

  test('a key that was used for another request is refused; keys of different owners are independent', async () => {
    await answered('b');
    const isRefusal = (error: unknown) => error instanceof InvalidInput && error.param === 'Idempotency-Key';
    await assert.rejects(claim('b', Buffer.alloc(32, 2)), isRefusal);
    await assert.rejects(claim('b', HASH, 'createAoi'), isRefusal);
    for (const other of world.others)
      assert.equal(await world.storage.idempotency.claim(other, 'b', 'createAoi', HASH), undefined);
  });

  test('the response, which may contain a secret, is not readable in the database', async () => {
    await answered('c');
    const row = await world.database.db
      .selectFrom('idempotency_keys')
      .select('answer')
      .where('key', '=', 'c')
      .executeTakeFirstOrThrow();
    assert.ok(row.answer !== null && !row.answer.includes('whsec_plain'));
  });

  test('after 24 hours the key can be used again, and housekeeping has deleted the response', async () => {
    await answered('d');
    await age('d', DAY_MS - 60_000);
    assert.deepEqual(await claim('d'), ANSWER);
    await age('d', DAY_MS + 1000);
    assert.equal(await claim('d', Buffer.alloc(32, 9)), undefined);
    await answered('e');
    await age('e', DAY_MS + 1000);
    await housekeep(world.database.db, Date.now());
    const { db } = world.database;
    const left = await db.selectFrom('idempotency_keys').select('key').where('key', '=', 'e').execute();
    assert.deepEqual(left, []);
  });

  test('a concurrent request with the same key waits for the first and gets its response', async () => {
    const key = newId('request');
    const working = Promise.withResolvers<void>();
    const claimed = Promise.withResolvers<void>();
    const first = world.storage.transaction(async (stores) => {
      assert.equal(await stores.idempotency.claim(world.owner, key, 'registerWebhook', HASH), undefined);
      claimed.resolve();
      await working.promise;
      await stores.idempotency.keep(world.owner, key, ANSWER);
    });
    await claimed.promise;
    let isAnswered = false;
    const second = claim(key).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(isAnswered, false, 'the second did not wait');
    working.resolve();
    await first;
    assert.deepEqual(await second, ANSWER);
  });

  test('when the first request fails, the second one is processed', async () => {
    const key = newId('request');
    const claimed = Promise.withResolvers<void>();
    const failing = Promise.withResolvers<void>();
    const first = world.storage.transaction(async (stores) => {
      await stores.idempotency.claim(world.owner, key, 'registerWebhook', HASH);
      claimed.resolve();
      await failing.promise;
    });
    await claimed.promise;
    const second = claim(key, Buffer.alloc(32, 7));
    failing.reject(new Error('no space left'));
    await assert.rejects(first, /no space left/);
    assert.equal(await second, undefined);
  });
});
