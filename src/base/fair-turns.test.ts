import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairTurns } from './fair-turns.ts';

test('works begin at once within a turn, then a few in each turn, in a circle of their holders', async () => {
  const turns = new FairTurns(2);
  const begun: string[] = [];
  for (let i = 0; i < 5; i++) turns.run('a', () => begun.push(`a${i}`));
  turns.run('b', () => begun.push('b0'));
  assert.deepEqual(begun, ['a0', 'a1']);
  await nextTurn();
  assert.deepEqual(begun, ['a0', 'a1', 'a2', 'b0']);
  await nextTurn();
  assert.deepEqual(begun, ['a0', 'a1', 'a2', 'b0', 'a3', 'a4']);
  await nextTurn();
  turns.run('c', () => begun.push('c0'));
  assert.equal(begun.at(-1), 'c0', 'nothing waits, so it begins at once');
});

test('timers and input are served between two turns', async () => {
  const turns = new FairTurns(1);
  let begun = 0;
  const work = (): void => {
    begun++;
    const started = performance.now();
    while (performance.now() - started < 0.2); // all together take longer than the shortest timer, 1 ms
  };
  for (let i = 0; i < 100; i++) turns.run('a', work);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.ok(begun < 100, `${begun} began before a timer that was due`);
  for (let turn = 0; turn < 100; turn++) await turns.turn('b');
  assert.equal(begun, 100);
});
