import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Bbox } from '../../../geo/bbox.ts';
import { joinInto } from './boxes-of-areas.ts';

test('boxes that meet become one, also where a box joins two that did not meet', () => {
  const boxes: Bbox[] = [];
  for (const box of [
    [0, 0, 1, 1],
    [4, 0, 5, 1],
    [20, 20, 21, 21],
    [2, 0, 3, 1],
  ] as const)
    joinInto(boxes, box);
  assert.equal(boxes.length, 4);
  joinInto(boxes, [0.5, 0.5, 2.5, 0.6]);
  joinInto(boxes, [2.9, 0.5, 4.1, 3]);
  assert.deepEqual(
    boxes.toSorted((a, b) => a[0] - b[0]),
    [
      [0, 0, 5, 3],
      [20, 20, 21, 21],
    ],
  );
});
