import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lanes } from './lanes.ts';

test('what has become slow gives its place to what is quick', () => {
  const lanes = new Lanes({ quick: 2, slow: 3, slowOfAccount: 9 });
  lanes.enter();
  lanes.enter();
  assert.equal(lanes.room, 0);
  lanes.slow('a');
  assert.equal(lanes.room, 1);
  lanes.leave('a', true);
  lanes.leave('b', false);
  assert.equal(lanes.room, 2);
});

test('an account with its share of slow ones is held back, and no other', () => {
  const lanes = new Lanes({ quick: 9, slow: 99, slowOfAccount: 2 });
  for (const account of ['a', 'b', 'a']) {
    lanes.enter();
    lanes.slow(account);
  }
  assert.deepEqual(lanes.heldAccounts, ['a']);
  lanes.leave('a', true);
  assert.deepEqual(lanes.heldAccounts, []);
});

test('with the slow lane full nothing begins', () => {
  const lanes = new Lanes({ quick: 9, slow: 2, slowOfAccount: 9 });
  for (const account of ['a', 'b']) {
    lanes.enter();
    lanes.slow(account);
  }
  assert.equal(lanes.room, 0);
  lanes.leave('a', true);
  assert.equal(lanes.room, 9);
});
