import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlockMeans, brightnessOf } from './true-colour.ts';

test('brightness grows from 1 to 255, and no observation has none', () => {
  // .35 * 2^-1.8 is shown at half of the range: 1 + 127.
  assert.deepEqual(
    [Number.NaN, -0.1, 0, 0.35 * 2 ** -1.8, 0.35, 1.2].map(brightnessOf),
    [0, 1, 1, 128, 255, 255],
  );
});

test('blocks are averaged without what was not observed, also at the edge', () => {
  const values = Float32Array.of(1, 3, 5, 7, Number.NaN, 9, Number.NaN, Number.NaN, 2);
  const [whole, inParts] = [new BlockMeans(3, 3, 2), new BlockMeans(3, 3, 2)];
  whole.add(values, 0);
  for (let row = 0; row < 3; row++) inParts.add(values.subarray(3 * row, 3 * row + 3), row);
  for (const means of [whole, inParts])
    assert.deepEqual([...means.means()], [11 / 3, 7, Number.NaN, 2].map(Math.fround));
  const single = new BlockMeans(3, 3, 1);
  single.add(values, 0);
  assert.deepEqual([...single.means()], [...values]);
});
