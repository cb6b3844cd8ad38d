import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knotsAt } from './isotonic.ts';

test('is linear between knots and constant beyond them', () => {
  const knots = [
    [0.2, 0.1],
    [0.6, 0.5],
  ] as const;
  assert.deepEqual([knotsAt(knots, 0), knotsAt(knots, 0.2), knotsAt(knots, 1)], [0.1, 0.1, 0.5]);
  assert.ok(Math.abs(knotsAt(knots, 0.4) - 0.3) < 1e-15);
});
