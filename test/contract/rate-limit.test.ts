import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Unauthorized } from '../../src/base/errors.ts';
import type { Authenticator } from '../../src/app/access/principal.ts';
import type { CubeStore } from '../../src/app/series/cube-store.ts';
import type { Storage } from '../../src/app/storage.ts';
import { ACCOUNT_LIMITS } from '../../src/contract/limits.ts';
import type { CallAnswer } from '../fixtures/http-caller.ts';
import { collectionRecord } from '../fixtures/records.ts';
import { noLayers, principal, testApp } from '../fixtures/test-app.ts';
import { refusal } from './refusals.ts';

const START = 1_800_000_000_000;

/** Accepts keys whose name states their rate limit: the key `60-a` may spend 60 units per minute. */
const byLimit: Authenticator = {
  authenticate(authorization) {
    const [, name = ''] = /^Bearer (\d+-\w+)$/.exec(authorization ?? '') ?? [];
    if (name === '') throw new Unauthorized('Unknown');
    return principal({ keyId: name, rateLimit: Number.parseInt(name, 10) });
  },
};

function limits(answer: CallAnswer) {
  const { headers } = answer;
  const told = {
    limit: Number(headers['x-ratelimit-limit']),
    remaining: Number(headers['x-ratelimit-remaining']),
    reset: Number(headers['x-ratelimit-reset']),
  };
  const [, remaining, wait] = /^"default";r=(\d+);t=(\d+)$/.exec(headers['ratelimit'] ?? '') ?? [];
  const [, quota] = /^"default";q=(\d+);w=60$/.exec(headers['ratelimit-policy'] ?? '') ?? [];
  return { ...told, ietf: { limit: Number(quota), remaining: Number(remaining), wait: Number(wait) } };
}

describe('rate limits', () => {
  let now = START;
  const clock = { now: () => now };
  const models = { url: '/v1/layers' };
  const batchOf = (count: number) => ({
    method: 'POST' as const,
    url: '/v1/risk/batch',
    payload: { locations: Array.from({ length: count }, () => ({ lat: 1, lng: 1, peril: 'flood' })) },
  });

  test('both families count down to the boundary and are exact there', async () => {
    await using app = await testApp({ clock, authenticator: byLimit, layers: noLayers });
    now = START;
    for (let spent = 1; spent <= 6; spent++) {
      const answer = await app.call({ ...models, key: '6-a' });
      assert.equal(answer.status, 200);
      // One unit is refilled every ten seconds.
      const [remaining, wait] = [6 - spent, spent * 10];
      assert.deepEqual(limits(answer), {
        limit: 6,
        remaining,
        reset: START / 1000 + wait,
        ietf: { limit: 6, remaining, wait },
      });
      assert.equal(answer.headers['retry-after'], undefined);
    }
    now = START + 9_999;
    const refused = await app.call({ ...models, key: '6-a' });
    refusal(refused, 429, 'the seventh call');
    assert.equal(limits(refused).reset, START / 1000 + 10);
    assert.equal(refused.headers['retry-after'], '1');
    now = START + 10_000;
    assert.equal((await app.call({ ...models, key: '6-a' })).status, 200);
    const again = await app.call({ ...models, key: '6-a' });
    refusal(again, 429, 'at once again');
    assert.equal(again.headers['retry-after'], '10');
    assert.equal(limits(again).reset, now / 1000 + 10);
    assert.deepEqual(limits(again).ietf, { limit: 6, remaining: 0, wait: 10 });
    assert.equal((await app.call({ ...models, key: '6-b' })).status, 200, 'keys share a budget');
  });

  test('a batch costs one unit for each 50 locations; refused, it costs nothing and passes when it was told to', async () => {
    await using app = await testApp({ clock, authenticator: byLimit, layers: noLayers });
    now = START;
    let left = 60;
    for (const [count, units] of [
      [1, 1],
      [50, 1],
      [51, 2],
      [100, 2],
      [1000, 20],
    ] as const) {
      const answer = await app.call({ ...batchOf(count), key: '60-a' });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(limits(answer).remaining, (left -= units), `${count} locations`);
    }
    await app.call({ ...batchOf(1000), key: '60-a' });
    for (let tries = 0; tries < 5; tries++) {
      const refused = await app.call({ ...batchOf(1000), key: '60-a' });
      refusal(refused, 429, 'a batch too dear');
      assert.equal(limits(refused).remaining, 14);
      assert.equal(refused.headers['retry-after'], '6');
    }
    now = START + 5_999;
    assert.equal((await app.call({ ...batchOf(1000), key: '60-a' })).status, 429);
    now = START + 6_000;
    assert.equal((await app.call({ ...batchOf(1000), key: '60-a' })).status, 200);
    // A call that costs more than the whole limit is charged the whole limit, so that it can succeed.
    assert.equal(limits(await app.call({ ...batchOf(1000), key: '5-a' })).remaining, 0);
    assert.equal((await app.call({ ...batchOf(1), key: '5-a' })).status, 429);
    // A call with an invalid body costs one unit.
    assert.equal(limits(await app.call({ ...batchOf(1001), key: '60-b' })).remaining, 59);
  });

  test('a series costs one unit for each 1,000 points given', async () => {
    const points = 2500;
    const collection = collectionRecord({ sampleType: 'float32', scale: 1 });
    const scenes = Array.from({ length: points }, (_, i) => ({
      key: `${i}`,
      timeMs: i * 60_000,
      sha256: '',
    }));
    const cube = {
      readStrip: async () => ({ scenes, values: new Float32Array(points) }),
    } as unknown as CubeStore;
    const storage = {
      collections: { observing: async () => ({ rasters: [collection], pointIds: [] }) },
    } as unknown as Storage;
    await using app = await testApp({ clock, authenticator: byLimit, cube, storage });
    now = START;
    let left = 60;
    for (const [limit, units] of [
      [1, 1],
      [1000, 1],
      [1001, 2],
      [2000, 2],
      [10_000, 3],
    ] as const) {
      const url = `/v1/historical?lat=46.01&lng=14.01&metric=ndvi&limit=${limit}`;
      const answer = await app.call({ url, key: '60-a' });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(limits(answer).remaining, (left -= units), `limit ${limit}`);
    }
  });

  test('forty keys of 60 units have together the budget of their account, also over a key without a limit', async () => {
    const accountLimits = { ...ACCOUNT_LIMITS, units: 100 };
    await using app = await testApp({ clock, authenticator: byLimit, layers: noLayers }, { accountLimits });
    now = START;
    let passed = 0;
    for (let key = 0; key < 40; key++)
      for (let i = 0; i < 3; i++)
        if ((await app.call({ ...models, key: `60-k${key}` })).status === 200) passed++;
    assert.equal(passed, 100);
    const refused = await app.call({ ...models, key: '0-free' });
    refusal(refused, 429, 'a call above the budget of the account');
    assert.match(refused.text, /Units of this account, of all its credentials, are limited to 100 a minute/);
    assert.equal(refused.headers['x-ratelimit-limit'], '100');
    assert.equal(refused.headers['retry-after'], '1');
  });

  test('a key without a limit is never refused; failed authentication is limited by address', async () => {
    await using app = await testApp({ clock, authenticator: byLimit, layers: noLayers });
    now = START;
    for (let i = 0; i < 700; i++) assert.equal((await app.call({ ...models, key: '0-a' })).status, 200);
    const statuses = new Map<number, number>();
    for (let i = 0; i < 610; i++) {
      const { status } = await app.call({ ...models, key: 'wrong' });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    assert.deepEqual(
      [...statuses],
      [
        [401, 600],
        [429, 10],
      ],
    );
    assert.equal((await app.call({ ...models, key: '60-a' })).status, 200, 'a good key suffers for bad ones');
    const elsewhere = await app.call({ ...models, key: 'wrong', remoteAddress: '192.0.2.7' });
    assert.equal(elsewhere.status, 401);
  });
});
