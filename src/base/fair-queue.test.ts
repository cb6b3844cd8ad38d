import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { FairQueue, NoPlace } from './fair-queue.ts';

const LONG_MS = 60_000;

test('one holder gets half of the places, and another one still finds one', () => {
  const queue = new FairQueue(10, 'places', LONG_MS);
  let held = 0;
  while (queue.enter('greedy')) held++;
  assert.equal(held, 5);
  assert.ok(queue.enter('other'));
});

test('a place that becomes free goes to the holder with the fewest, then to the one that waited longest', async () => {
  const queue = new FairQueue(4, 'places', LONG_MS);
  const order: string[] = [];
  const waits = (holder: string): Promise<void> => queue.wait(holder).then(() => void order.push(holder));
  assert.ok(queue.enter('a') && queue.enter('a') && queue.enter('b') && queue.enter('c'));
  const all = [waits('a'), waits('d'), waits('d'), waits('e')];
  await delay(0);
  assert.deepEqual(order, [], 'nothing is free');
  queue.leave('a');
  await all[1];
  assert.deepEqual(order, ['d'], 'a waited longer, but still has one');
  queue.leave('b');
  await all[3];
  assert.deepEqual(order, ['d', 'e'], 'd has one now');
  // Somebody who comes later does not overtake the waiting calls of the same holder.
  assert.equal(queue.enter('a'), false);
  for (const holder of ['c', 'd', 'e', 'a']) queue.leave(holder);
  await Promise.all(all);
  assert.deepEqual(new Set(order.slice(2)), new Set(['a', 'd']));
});

test('who waits too long is refused by the name of the limit, and its place in the queue is given up', async () => {
  const queue = new FairQueue(2, 'places of this account', 10);
  assert.ok(queue.enter('a'));
  await assert.rejects(queue.wait('a'), (error) => error instanceof NoPlace && error.held === 1);
  queue.leave('a');
  assert.ok(queue.enter('a'), 'nobody waits any more');
});

test('a place is given back when the work fails', async () => {
  const queue = new FairQueue(2, 'places', 10);
  for (let i = 0; i < 5; i++)
    await assert.rejects(
      queue.with('a', () => Promise.reject(new Error('broken'))),
      /broken/,
    );
  assert.equal(await queue.with('a', () => Promise.resolve(1)), 1);
});
