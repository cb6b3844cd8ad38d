import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commonFalls, fallSlot, partOf, startFalls } from './common-fall.ts';
import { countValue } from './histogram.ts';
import { metricTraits } from '../metric.ts';

const NDVI = metricTraits('ndvi')!;
const SPEC = { width: 8, height: 6, pixelAreaM2: 900, metric: 'ndvi', timesMs: new Float64Array(1) };
const MEADOW = 9;
const FALL = -0.25; // size of the fall [NDVI]
const EACH = 10; // number of pixels of the class in each part

/** Computes the common falls of a class in a scene, given the share of its pixels that has fallen in each part. */
function falls(fallenIn: (part: number) => number): (part: number) => number {
  const counts = startFalls(SPEC, NDVI, 1);
  for (let part = 0; part < 16; part++)
    for (let i = 0; i < EACH; i++)
      countValue(counts, fallSlot(part, MEADOW), i < fallenIn(part) * EACH ? FALL : 0.001 * i);
  const common = commonFalls(counts, 1, 0, NDVI, undefined);
  return (part) => common[fallSlot(part, MEADOW)]!;
}

test('the grid has four by four parts, whatever its shape', () => {
  assert.deepEqual(
    [0, 7, 8, 40, 47].map((pixel) => partOf(SPEC, pixel)),
    [0, 3, 0, 12, 15],
  );
  assert.deepEqual(
    [0, 2, 5].map((pixel) => partOf({ ...SPEC, width: 6, height: 1 }, pixel)),
    [0, 1, 3],
  );
});

test('a fall of a third of a class everywhere is common, and one of a fifth is not', () => {
  const drought = falls(() => 0.4);
  for (let part = 0; part < 16; part++) assert.ok(Math.abs(drought(part) - FALL) < 0.02, `${drought(part)}`);
  const some = falls(() => 0.2);
  for (let part = 0; part < 16; part++) assert.equal(some(part), 0);
});

test('a fire that takes all of the class in one part and in those around it is not common', () => {
  const fire = falls((part) => (part === 5 ? 1 : 0));
  for (let part = 0; part < 16; part++) assert.equal(fire(part), 0, `part ${part}`);
  // If the fire also covers the eight parts around the middle part, the fall is still not common for the middle part.
  const isNear = (part: number): boolean => Math.floor(part / 4) < 3 && part % 4 < 3;
  const large = falls((part) => (isNear(part) ? 1 : 0));
  assert.equal(large(5), 0);
  assert.ok(large(15) < -0.2, 'far from it, it counts for what it is');
});

test('earlier scenes keep their falls, and few pixels or a metric without seasons give none', () => {
  const before = new Float64Array(16 * 16).fill(-0.1);
  const common = commonFalls(startFalls(SPEC, NDVI, 1), 2, 1, NDVI, before);
  assert.deepEqual(Array.from(common.subarray(0, 4)), [-0.1, 0, -0.1, 0]);
  const water = metricTraits('mndwi')!;
  assert.equal(startFalls(SPEC, water, 3).counts.length, 0);
  assert.equal(commonFalls(startFalls(SPEC, water, 3), 3, 0, water, undefined).length, 0);
  assert.equal(startFalls({ ...SPEC, width: 3, height: 3 }, NDVI, 3).counts.length, 0, 'nine pixels');
});

test('each surveyed pixel of a part can be counted', () => {
  for (const [width, height, step] of [
    [1030, 1030, 1], // parts of up to 258 x 258 pixels
    [1030, 1030, 2],
    [263_000, 4, 1],
    [525_000, 3, 2],
  ] as const) {
    const spec = { ...SPEC, width, height };
    const surveyed = new Float64Array(16);
    for (let row = 0; row < height; row += step)
      for (let column = 0; column < width; column += step) surveyed[partOf(spec, row * width + column)]!++;
    const { counts } = startFalls(spec, NDVI, 1, 16, step);
    const most = Math.max(...surveyed);
    counts[0] = most;
    assert.equal(counts[0], most, `${width} x ${height}, step ${step}`);
  }
});
