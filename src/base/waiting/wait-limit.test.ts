import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { inWaitLimit, withWaitLimit } from './wait-limit.ts';

const nothing = (): void => assert.fail('nothing is given back');
const late = (): Error => new Error('late');
const wait = (ms: number, given: string[] = []): Promise<string> =>
  inWaitLimit(
    () => sleep(ms, 'got'),
    (got) => given.push(got),
    late,
  );

test('the waits of a call take a bounded time together, and what comes too late is given back', async () => {
  const given: string[] = [];
  const begunMs = performance.now();
  await withWaitLimit(200, async () => {
    assert.equal(await wait(20), 'got');
    await assert.rejects(wait(2_000, given), /late/);
    // Nothing more is begun.
    await assert.rejects(
      inWaitLimit(() => assert.fail('nothing is begun'), nothing, late),
      /late/,
    );
  });
  assert.ok(performance.now() - begunMs < 2_000);
  assert.deepEqual(given, []);
  await sleep(2_100);
  assert.deepEqual(given, ['got']);
});

test('a wait that fails tells its own error', async () => {
  const failing = inWaitLimit(() => Promise.reject(new Error('broken')), nothing, late);
  await assert.rejects(failing, /broken/);
  await withWaitLimit(1_000, () =>
    assert.rejects(
      inWaitLimit(() => Promise.reject(new Error('broken')), nothing, late),
      /broken/,
    ),
  );
});

test('without a call, and in what a call has left behind, nothing is limited', async () => {
  assert.equal(await wait(5), 'got');
  const over = Promise.withResolvers<void>();
  let left: Promise<string> | undefined;
  await withWaitLimit(20, async () => {
    left = over.promise.then(() => wait(60));
    await assert.rejects(wait(500), /late/);
  });
  over.resolve();
  assert.equal(await left, 'got');
});
