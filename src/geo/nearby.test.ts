import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bboxesOverlap } from './bbox.ts';
import { expandBbox, distanceM } from './nearby.ts';

test('a degree is 111 km along a meridian and the equator, half of that along the parallel of 60', () => {
  assert.ok(Math.abs(distanceM([10, 45], [10, 46]) - 111_195) < 1);
  assert.ok(Math.abs(distanceM([179.5, 0], [-179.5, 0]) - 111_195) < 1);
  assert.ok(Math.abs(distanceM([10, 60], [11, 60]) - 55_597) < 10);
  assert.equal(distanceM([10, 45], [10, 45]), 0);
  assert.ok(Math.abs(distanceM([0, 90], [77, -90]) - 20_015_115) < 1);
});

test('the expanded box contains every place within the distance, also across the antimeridian and at a pole', () => {
  let seed = 3;
  const random = (low: number, high: number): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return low + (seed / 2 ** 32) * (high - low);
  };
  let inside = 0;
  for (let i = 0; i < 20_000; i++) {
    const lat = random(-89.9, 89.9);
    const lng = i % 2 === 0 ? 179.9 : random(-180, 180);
    const radiusM = 10 ** random(2, 6);
    const degrees = radiusM / 111_000;
    const other = [random(-180, 180), Math.max(-90, Math.min(90, lat + random(-degrees, degrees)))] as const;
    if (i % 3 > 0) (other as unknown as number[])[0] = lng + random(-2, 2) * degrees;
    const place = [((((other[0] + 180) % 360) + 360) % 360) - 180, other[1]] as const;
    if (distanceM([lng, lat], place) > radiusM) continue;
    inside++;
    const box = expandBbox([lng, lat, lng, lat], radiusM);
    assert.ok(
      bboxesOverlap(box, [place[0], place[1], place[0], place[1]]),
      `${lng} ${lat} ${radiusM} ${place.join(' ')}`,
    );
  }
  assert.ok(inside > 3000);
  assert.deepEqual(expandBbox([10, 89.999, 10, 89.999], 1000).slice(2), [180, 90]);
});
