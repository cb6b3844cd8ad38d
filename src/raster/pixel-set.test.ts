import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PixelSet } from './pixel-set.ts';

test('a set marks the pixels that were added, and no others', () => {
  const set = new PixelSet(19);
  assert.equal(set.isEmpty, true);
  for (const pixel of [0, 7, 8, 18, 8]) set.add(pixel);
  assert.equal(set.isEmpty, false);
  const samples = new Int16Array(19).fill(5);
  set.mark(samples, -1);
  assert.deepEqual([...samples], [-1, 5, 5, 5, 5, 5, 5, -1, -1, 5, 5, 5, 5, 5, 5, 5, 5, 5, -1]);
});
