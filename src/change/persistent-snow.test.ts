import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPersistentSnow } from './persistent-snow.ts';

test('snow is persistent from three quarters of the clear and snowy looks on', () => {
  assert.equal(isPersistentSnow(25, 75), true);
  assert.equal(isPersistentSnow(26, 75), false);
  assert.equal(isPersistentSnow(0, 1), true);
  assert.equal(isPersistentSnow(0, 0), false);
  assert.equal(isPersistentSnow(40, 0), false);
});
