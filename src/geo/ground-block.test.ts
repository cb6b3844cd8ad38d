import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groundBlocks } from './ground-block.ts';
import type { Bbox } from './bbox.ts';

const share = (a: Bbox, b: Bbox): boolean => {
  const others = new Set(groundBlocks([b]));
  return groundBlocks([a]).some((block) => others.has(block));
};

test('boxes that share a point share a block, also across the antimeridian and at the poles', () => {
  let seed = 1;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const box = (): Bbox => {
    const [west, south] = [random() * 360 - 180, random() * 180 - 90];
    return [west, south, west + random() * 40, Math.min(90, south + random() * 40)];
  };
  for (let i = 0; i < 500; i++) {
    const [a, b] = [box(), box()];
    const turns = [-360, 0, 360];
    const overlap = turns.some(
      (turn) => a[0] <= b[2] + turn && b[0] + turn <= a[2] && a[1] <= b[3] && b[1] <= a[3],
    );
    if (overlap) assert.ok(share(a, b), `${a.join()} and ${b.join()}`);
  }
  assert.ok(share([179.5, 0, 180.5, 1], [-180, 0, -179, 1]));
  assert.ok(share([-180, 90, 180, 90], [12, 89, 13, 90]));
});

test('ground that is near but not shared has other blocks', () => {
  assert.deepEqual(groundBlocks([[14.2, 46.1, 14.3, 46.2]]).length, 1);
  for (const [east, north] of [
    [1, 0],
    [0, 1],
    [-1, -1],
    [31, 0],
    [16, 5],
  ] as const)
    assert.ok(!share([14.2, 46.1, 14.3, 46.2], [14.2 + east, 46.1 + north, 14.3 + east, 46.2 + north]));
});

test('the whole Earth is all blocks, and each number occurs once, in order', () => {
  const whole = groundBlocks([
    [-180, -90, 180, 90],
    [0, 0, 1, 1],
  ]);
  assert.deepEqual(
    whole,
    Array.from({ length: 32 * 32 }, (_, i) => i),
  );
  assert.deepEqual(groundBlocks([]), []);
});
