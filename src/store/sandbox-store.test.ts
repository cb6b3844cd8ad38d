import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { holdSandbox } from '../app/sandbox/hold-sandbox.ts';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';

describe('the state of the simulated region', () => {
  let fixture: TestStorage;
  before(async () => {
    fixture = await testStorage();
  });
  after(() => fixture.close());

  test('there is no state until it is created, and it is created once', async () => {
    const { sandbox } = fixture.storage;
    assert.equal(await sandbox.read(), undefined);
    await sandbox.begin(7);
    await sandbox.begin(8);
    const state = await sandbox.read();
    assert.deepEqual(
      { seed: state?.seed, day: state?.day, progress: state?.progress, readyAt: state?.readyAt },
      { seed: 7, day: 0, progress: 0, readyAt: null },
    );
  });

  test('there is one holder at a time; a dead holder loses the state and can no longer write', async () => {
    const { sandbox } = fixture.storage;
    assert.equal(await sandbox.hold('a', 60_000), true);
    assert.equal(await sandbox.hold('b', 60_000), false);
    assert.equal(await sandbox.renew('a', 50), true);
    await sleep(100);
    assert.equal(await sandbox.hold('b', 60_000), true);
    assert.equal(await sandbox.renew('a', 60_000), false);
    await assert.rejects(sandbox.moveTo('a', 5), /taken over/);
    await sandbox.moveTo('b', 5);
    await sandbox.note('b', 0.5);
    await sandbox.finish('b', new Date(1e12));
    await sandbox.release('a');
    assert.equal(await sandbox.hold('c', 1000), false);
    await sandbox.release('b');
    // Renewing does not take the lease again, neither after its release nor after another holder took it over.
    assert.equal(await sandbox.renew('b', 60_000), false);
    assert.equal(await sandbox.renew('a', 60_000), false);
    const state = await sandbox.read();
    assert.deepEqual([state?.day, state?.progress, state?.readyAt], [5, 1, new Date(1e12)]);
  });

  test('processes work on the state in turns', async () => {
    const running: string[] = [];
    const work = (name: string) =>
      holdSandbox(fixture, Infinity, async () => {
        running.push(`${name} begins`);
        await sleep(30);
        running.push(`${name} ends`);
      });
    await Promise.all([work('a'), work('b'), work('c')]);
    for (let i = 0; i < running.length; i += 2)
      assert.equal(running[i]!.replace(' begins', ''), running[i + 1]!.replace(' ends', ''));
    assert.equal(running.length, 6);
    let refused: unknown = 'not tried';
    await holdSandbox(fixture, Infinity, async () => {
      refused = await holdSandbox(fixture, 0, () => Promise.resolve('done'));
    });
    assert.equal(refused, undefined);
  });

  test('the last use of a sandbox credential is reported', async () => {
    const { storage, owner } = fixture;
    assert.equal(await storage.sandbox.lastUsedAt(), null);
    const key = {
      id: 'key_1',
      secretHash: Buffer.alloc(32),
      scopes: [],
      rateLimit: 0,
      expiresAt: null,
      accountId: owner.accountId,
    };
    await storage.keys.create({ ...key, environment: 'sandbox' } as never);
    await storage.keys.create({ ...key, id: 'key_2', environment: 'production' } as never);
    await storage.keys.touch('key_1', new Date(1e12));
    await storage.keys.touch('key_2', new Date(2e12));
    assert.deepEqual(await storage.sandbox.lastUsedAt(), new Date(1e12));
    const client = { id: 'client_1', name: 'one', secretHash: Buffer.alloc(32), scopes: [], rateLimit: 0 };
    await storage.clients.create({ ...client, accountId: owner.accountId, environment: 'sandbox' } as never);
    await storage.clients.create({
      ...client,
      id: 'client_2',
      accountId: owner.accountId,
      environment: 'staging',
    } as never);
    await storage.clients.touch('client_2', new Date(3e12));
    assert.deepEqual(await storage.sandbox.lastUsedAt(), new Date(1e12));
    await storage.clients.touch('client_1', new Date(1.5e12));
    assert.deepEqual(await storage.sandbox.lastUsedAt(), new Date(1.5e12), 'a token of a client counts');
  });
});
