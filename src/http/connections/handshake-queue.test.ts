import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { HandshakeQueue } from './handshake-queue.ts';

test('without a flood a handshake begins at once, whatever the standing', async () => {
  const queue = new HandshakeQueue();
  for (const standing of ['good', 'new', 'bad'] as const) {
    let begun = false;
    queue.add('a', standing, () => (begun = true));
    assert.ok(begun, standing);
    await nextTurn();
  }
});

test('in a flood the good go first, then the new, then the bad; addresses take turns', async () => {
  let nowMs = 0; // a clock of its own, so that a busy machine earns no rate between two lines
  const queue = new HandshakeQueue(() => nowMs);
  const begun: string[] = [];
  const add = (address: string, standing: 'good' | 'new' | 'bad'): void => {
    queue.add(address, standing, () => begun.push(address));
  };
  for (let i = 0; i < 1_000; i++) add(`bad${i % 10}`, 'bad');
  for (let turn = 0; turn < 200; turn++) await nextTurn();
  assert.equal(begun.length, 40, 'as many as may begin at once');
  begun.length = 0;
  add('new', 'new');
  add('good', 'good');
  assert.deepEqual(begun, ['good'], 'at once, though a thousand wait');
  while (!begun.includes('new')) {
    await delay(1);
    nowMs++;
  }
  assert.deepEqual(
    begun.filter((address) => address.startsWith('bad')),
    [],
    'the new one is the first of the others',
  );
  begun.length = 0;
  while (begun.length < 10) {
    await delay(1);
    nowMs += 10;
  }
  assert.equal(new Set(begun).size, 10, 'one of each address');
});

test('a connection that was closed while it waited is left out', async () => {
  const queue = new HandshakeQueue();
  let begun = 0;
  const leave = Array.from({ length: 500 }, () => queue.add('a', 'new', () => begun++));
  for (const each of leave) each();
  const before = begun;
  await delay(50);
  assert.equal(begun, before);
});
