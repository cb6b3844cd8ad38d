import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noLayers, principal, testApp } from '../../test/fixtures/test-app.ts';

const NOW = 1_800_000_000_000;

test('the 1001st call under way is answered 429 at no cost to its caller, until another call is answered', async () => {
  const held: (() => void)[] = [];
  let holding = true;
  await using app = await testApp({
    clock: { now: () => NOW },
    layers: noLayers,
    authenticator: {
      authenticate: () =>
        holding ? new Promise((resolve) => held.push(() => resolve(principal()))) : principal(),
    },
  });
  const call = () => app.call({ url: '/v1/models' });
  const calls = Array.from({ length: 1000 }, call);
  while (held.length < 1000) await new Promise((resolve) => setImmediate(resolve));
  const shed = await call();
  assert.equal(shed.status, 429);
  assert.equal((shed.json()['error'] as { code: string }).code, 'rate_limited');
  assert.equal(shed.headers['retry-after'], '1');
  assert.equal(shed.headers['x-ratelimit-reset'], String(NOW / 1000 + 1));
  holding = false;
  held.pop()!();
  while ((await call()).status !== 200) await new Promise((resolve) => setImmediate(resolve));
  for (const release of held) release();
  for (const answer of await Promise.all(calls)) assert.equal(answer.status, 200);
  // A call is no longer counted once it is answered, with any status.
  for (let i = 0; i < 1500; i++) await app.call({ url: i % 2 === 0 ? '/v1/nothing' : '/v1/risk?lat=x' });
  assert.equal((await call()).status, 200);
});

test('bodies under way are limited to 128 MiB, counted by their declared length', async () => {
  let held = 0;
  const all = Promise.withResolvers<void>();
  await using app = await testApp({
    authenticator: {
      authenticate: () => {
        if (++held === 64) all.resolve();
        return new Promise(() => undefined);
      },
    },
  });
  const big = { method: 'POST', url: '/v1/aois', headers: { 'content-length': String(2 ** 21) } } as const;
  for (let i = 0; i < 64; i++)
    void app.app.inject({ ...big, headers: { ...big.headers, authorization: 'x' } });
  await all.promise;
  assert.equal((await app.app.inject({ ...big, headers: { ...big.headers } })).statusCode, 429);
  assert.equal((await app.app.inject({ url: '/healthz' })).statusCode, 200, 'a call without a body passes');
});
