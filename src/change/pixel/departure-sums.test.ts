import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DepartureSums } from './departure-sums.ts';

test('after clearing, nothing of the pixel before is left', () => {
  const used = new DepartureSums();
  for (let scene = 0; scene < 6; scene++) used.update(scene, -6, -6, false, false);
  used.clear();
  const fresh = new DepartureSums();
  for (const sums of [used, fresh]) sums.update(0, -3, -2, false, false);
  assert.equal(fresh.isLow(-1), true);
  assert.equal(used.isLow(-1), true, 'the fall of the pixel before was larger');
  assert.deepEqual(used.values, fresh.values);
});
