import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lanes } from './lanes.ts';

test('a slow attempt leaves the quick lane and makes room there', () => {
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

test('an account with too many slow attempts is held back, and no other', () => {
  const lanes = new Lanes({ quick: 9, slow: 99, slowOfAccount: 2 });
  for (const account of ['a', 'b', 'a']) {
    lanes.enter();
    lanes.slow(account);
  }
  assert.deepEqual(lanes.heldAccounts, ['a']);
  lanes.leave('a', true);
  assert.deepEqual(lanes.heldAccounts, []);
});

test('no attempt starts while the slow lane is full', () => {
  const lanes = new Lanes({ quick: 9, slow: 2, slowOfAccount: 9 });
  for (const account of ['a', 'b']) {
    lanes.enter();
    lanes.slow(account);
  }
  assert.equal(lanes.room, 0);
  lanes.leave('a', true);
  assert.equal(lanes.room, 9);
});

test('the quick lane grows with each attempt that ends in it, up to its limit; slow attempts do not count', () => {
  const lanes = new Lanes({ quick: 100 });
  assert.equal(lanes.room, 32);
  for (let i = 0; i < 32; i++) lanes.enter();
  assert.equal(lanes.room, 0);
  lanes.slow('a');
  lanes.leave('a', true);
  assert.equal(lanes.room, 1);
  for (let i = 0; i < 31; i++) lanes.leave('a', false);
  assert.equal(lanes.room, 63);
  for (let i = 0; i < 63; i++) lanes.enter();
  for (let i = 0; i < 63; i++) lanes.leave('a', false);
  assert.equal(lanes.room, 100);
});
