import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { wokenLoop } from './woken-loop.ts';

const until = async (isTrue: () => boolean): Promise<void> => {
  for (let tries = 0; !isTrue(); tries++, await sleep(5)) assert.ok(tries < 6_000);
};

test('work is done at once, then when it is woken, and at most once in the pace', async () => {
  const times: number[] = [];
  const loop = wokenLoop({
    work: () => Promise.resolve(times.push(performance.now())),
    onError: (error) => assert.fail(String(error)),
    paceMs: 100,
    restMs: 600_000,
  });
  await until(() => times.length === 1);
  await sleep(200);
  assert.equal(times.length, 1, 'nothing woke it');
  for (let i = 0; i < 5; i++) loop.wake();
  await until(() => times.length === 2);
  loop.wake();
  await until(() => times.length === 3);
  assert.ok(times[2]! - times[1]! >= 98, `${times[2]! - times[1]!} ms`);
  await loop.stop();
});

test('it is done without being woken after the time of rest, and failures do not end it', async () => {
  const told: string[] = [];
  let done = 0;
  const loop = wokenLoop({
    work: () => Promise.reject(new Error(String(++done))),
    onError: (error) => told.push((error as Error).message),
    paceMs: 5,
    restMs: 20,
  });
  await until(() => done >= 3);
  await loop.stop();
  assert.deepEqual(told.slice(0, 3), ['1', '2', '3']);
});

test('a stop waits for the work that runs, tells it, and begins none', async () => {
  const ended = Promise.withResolvers<void>();
  let [begun, isOver] = [0, false];
  const loop = wokenLoop({
    work: async (stop) => {
      begun += 1;
      stop.addEventListener('abort', () => ended.resolve());
      await ended.promise;
      isOver = true;
    },
    onError: (error) => assert.fail(String(error)),
    paceMs: 0,
    restMs: 0,
  });
  await until(() => begun === 1);
  await loop.stop();
  assert.deepEqual([begun, isOver], [1, true]);
});
