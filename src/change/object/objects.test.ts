import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { confirmedEvent } from '../../../test/fixtures/pixel-event.ts';
import { DAY_MS } from '../../base/time.ts';
import { metricTraits } from '../metric.ts';
import { changeObjects, minimumMappingUnit } from './objects.ts';
import { eventAt, eventCount, joinEvents, packEvents } from '../pixel/pixel-events.ts';
import type { PixelEvent } from '../pixel/pixel-events.ts';
import type { StackSpec } from '../stack.ts';

/** Times of the scenes, one every 30 days. */
const timesMs = Float64Array.from({ length: 40 }, (_, t) => t * 30 * DAY_MS);
const spec: StackSpec = { width: 6, height: 5, pixelAreaM2: 900, metric: 'ndvi', timesMs };
const NDVI = metricTraits('ndvi')!;

const suspected = { status: 'suspected', confirmed: -1, posterior: 0.7 } as const;

function group(...events: readonly PixelEvent[]) {
  return changeObjects(spec, NDVI, packEvents(events.toSorted((a, b) => a.pixel - b.pixel))).map((object) => [
    object.status,
    [...object.pixels],
  ]);
}

test('pixels join by side and corner, but not across the edge of the grid', () => {
  assert.deepEqual(group(confirmedEvent(0), confirmedEvent(7), confirmedEvent(14)), [
    ['confirmed', [0, 7, 14]],
  ]);
  assert.deepEqual(group(confirmedEvent(4), confirmedEvent(5), confirmedEvent(11)), [
    ['confirmed', [4, 5, 11]],
  ]);
  assert.deepEqual(group(confirmedEvent(5), confirmedEvent(6), confirmedEvent(12)), []); // pixel 5 ends row 0, pixel 6 begins row 1
  assert.deepEqual(group(confirmedEvent(0), confirmedEvent(2), confirmedEvent(4)), []);
});

test('a change is measured by the leading metric, or by the next one observed since it began', () => {
  const unseen = { residual: Number.NaN, value: Number.NaN };
  const moves = [unseen, { residual: -0.3, value: 0.1 }];
  const events = packEvents([0, 1, 2].map((pixel) => confirmedEvent(pixel, { moves })));
  const [object] = changeObjects(spec, NDVI, events, ['nbr']);
  assert.deepEqual([object!.metric, object!.magnitude], ['nbr', -0.3]);
  const seen = packEvents([0, 1, 2].map((pixel) => confirmedEvent(pixel, { moves: moves.toReversed() })));
  const [other] = changeObjects(spec, NDVI, seen, ['nbr']);
  assert.deepEqual([other!.metric, other!.magnitude], [spec.metric, -0.3]);
});

test('opposite directions do not join, nor events more than a season from the seed', () => {
  assert.deepEqual(group(confirmedEvent(0), confirmedEvent(1), confirmedEvent(2, { direction: 1 })), []);
  assert.deepEqual(
    group(confirmedEvent(0), confirmedEvent(1), confirmedEvent(2, { firstAnomaly: 14, flagged: 15 })),
    [],
  );
  const late = confirmedEvent(2, { firstAnomaly: 13, flagged: 14, confirmed: 17 });
  assert.deepEqual(group(confirmedEvent(0), confirmedEvent(1), late), [['confirmed', [0, 1, 2]]]);
  // Each event begins within a season of its neighbour, but the last two begin more than a season after the seed. So
  // there are two changes, and the second one has too few pixels.
  const later = [3, 4].map((p) => confirmedEvent(p, { firstAnomaly: 16, flagged: 17, confirmed: 20 }));
  assert.deepEqual(group(confirmedEvent(0), confirmedEvent(1), late, ...later), [['confirmed', [0, 1, 2]]]);
});

test('a component too small to stand alone joins the object that it touches when both were flagged within a season', () => {
  const object = [0, 1, 2, 3].map((p) => confirmedEvent(p));
  const splinter = [4, 5].map((p) => confirmedEvent(p, { firstAnomaly: 14, flagged: 15 }));
  assert.deepEqual(group(...object, ...splinter), [['confirmed', [0, 1, 2, 3, 4, 5]]]);
  const late = [4, 5].map((p) => confirmedEvent(p, { firstAnomaly: 14, flagged: 16 }));
  assert.deepEqual(group(...object, ...late), [['confirmed', [0, 1, 2, 3]]]);
  // A component that is large enough for an object is a separate change.
  const other = [4, 5, 11].map((p) => confirmedEvent(p, { firstAnomaly: 14, flagged: 15 }));
  assert.deepEqual(group(...object, ...other), [
    ['confirmed', [0, 1, 2, 3]],
    ['confirmed', [4, 5, 11]],
  ]);
});

test('a confirmed seed grows by suspected pixels until it is less than 30 % of the whole', () => {
  const around = (count: number): PixelEvent[] =>
    Array.from({ length: count }, (_, i) => confirmedEvent(i + 1, suspected));
  assert.deepEqual(group(confirmedEvent(0), ...around(2)), [['confirmed', [0, 1, 2]]]);
  assert.deepEqual(group(confirmedEvent(0), ...around(4)), [['suspected', [1, 2, 3, 4]]]);
  assert.deepEqual(group(...around(3)), [['suspected', [1, 2, 3]]]);
});

test('an object is recovered when most of its pixels are, and rejected when all are', () => {
  const back = { status: 'recovered', recovered: 25 } as const;
  assert.deepEqual(group(confirmedEvent(0), confirmedEvent(1, back), confirmedEvent(2, back)), [
    ['recovered', [0, 1, 2]],
  ]);
  assert.deepEqual(group(confirmedEvent(0), confirmedEvent(1), confirmedEvent(2, back)), [
    ['confirmed', [0, 1, 2]],
  ]);
  const not = { status: 'rejected', confirmed: -1, rejected: 14, posterior: 0.3 } as const;
  assert.deepEqual(
    group(confirmedEvent(0, not), confirmedEvent(1, not), confirmedEvent(2, not), confirmedEvent(3)),
    [['rejected', [0, 1, 2]]],
  );
});

test('an object whose first pixels recovered before the third was confirmed has recovered when it was confirmed', () => {
  const back = { status: 'recovered', recovered: 20 } as const;
  const events = [confirmedEvent(0, back), confirmedEvent(1, back), confirmedEvent(2, { confirmed: 24 })];
  const [object] = changeObjects(spec, NDVI, packEvents(events));
  assert.deepEqual(
    [object!.status, object!.confirmedMs, object!.recoveredMs],
    ['recovered', timesMs[24], timesMs[24]],
  );
});

test('an object has the right dates, seed, size and confidence', () => {
  const [object] = changeObjects(
    spec,
    NDVI,
    packEvents([
      confirmedEvent(8, { confirmed: 19, magnitude: -0.1 }),
      confirmedEvent(9, { firstAnomaly: 9, flagged: 12, confirmed: 16, magnitude: -0.3, harmonic: false }),
      confirmedEvent(14, { flagged: 13, confirmed: 15 }),
      confirmedEvent(15, { ...suspected, flagged: 20 }),
    ]),
  );
  assert.equal(object!.seed.pixel, 14); // flagged after pixels 8 and 9, but confirmed before them
  assert.equal(object!.seedAnomalyMs, timesMs[10]);
  assert.equal(object!.firstAnomalyMs, timesMs[9]); // a tenth of these pixels is at most one: the earliest
  assert.equal(object!.confirmedMs, timesMs[19]); // the minimum mapping unit is three pixels
  assert.equal(object!.detectedMs, timesMs[19]);
  assert.equal(object!.magnitude, -0.2);
  // The departures lasted 270 days, and a confirmation needs 90: 270 / (270 + 90) = .75.
  assert.ok(Math.abs(object!.score - (0.75 * (0.99 + 0.99 + 0.99 * 0.9)) / 3) < 1e-12);
  assert.equal(object!.type, 'vegetation_loss');
});

test('the minimum mapping unit is 500 m2 and three pixels, or one pixel of a hectare', () => {
  assert.deepEqual([100, 400, 900, 10_000, 53_664].map(minimumMappingUnit), [5, 3, 3, 1, 1]);
});

test('for a grid smaller than the mapping unit, the grid is the unit', () => {
  const only = (width: number) =>
    changeObjects({ ...spec, width, height: 1 }, NDVI, packEvents([confirmedEvent(0)])).map(
      ({ status }) => status,
    );
  assert.deepEqual([1, 2, 6].map(only), [['confirmed'], [], []]);
});

test('events can be packed, unpacked and joined in the order of their pixels', () => {
  const first = [confirmedEvent(3, suspected), confirmedEvent(9, { direction: 1, harmonic: false })];
  const second = [confirmedEvent(20, { status: 'recovered', recovered: 30, magnitude: -0.123456789 })];
  const joined = joinEvents([packEvents(second), packEvents([]), packEvents(first)]);
  assert.equal(eventCount(joined), 3);
  assert.deepEqual(
    [0, 1, 2].map((i) => eventAt(joined, i)),
    [...first, ...second],
  );
});

test('the rings of one motion are one change, which grows outwards and keeps its seed and its beginning', () => {
  const motion: StackSpec = { ...spec, metric: 'displacement' };
  const traits = metricTraits('displacement')!;
  const sinking = (pixels: readonly number[], scene: number, over: Partial<PixelEvent> = {}) =>
    pixels.map((pixel) =>
      confirmedEvent(pixel, {
        firstAnomaly: scene,
        flagged: scene + 2,
        confirmed: scene + 4,
        magnitude: -20,
        ...over,
      }),
    );
  const found = (...events: readonly PixelEvent[]) =>
    changeObjects(motion, traits, packEvents(events.toSorted((a, b) => a.pixel - b.pixel)));
  const middle = sinking([13, 14, 15], 5);
  const ring = sinking([7, 8, 9], 15);
  const rim = sinking([1, 2, 3], 30);
  const [young] = found(...middle);
  const [old, ...others] = found(...middle, ...ring, ...rim);
  assert.equal(others.length, 0);
  assert.equal(old!.type, 'ground_subsidence');
  assert.deepEqual([...old!.pixels], [1, 2, 3, 7, 8, 9, 13, 14, 15]);
  assert.deepEqual(
    [old!.seed.pixel, old!.firstAnomalyMs, old!.confirmedMs],
    [young!.seed.pixel, young!.firstAnomalyMs, young!.confirmedMs],
  );
  // The other sign, ground that rests between, and a motion that had ended are other changes.
  assert.equal(found(...middle, ...sinking([7, 8, 9], 15, { direction: 1, magnitude: 20 })).length, 2);
  assert.equal(found(...middle, ...rim).length, 2);
  const ended = { status: 'recovered', recovered: 14 } as const;
  assert.equal(found(...sinking([13, 14, 15], 5, ended), ...ring).length, 2);
  // Ground cover goes on being told by its season.
  assert.equal(
    changeObjects(spec, NDVI, packEvents([...ring, ...middle].map((one) => ({ ...one, magnitude: -0.2 }))))
      .length,
    2,
  );
});

test('a million rejected events become objects in a small heap: they stay packed', async () => {
  const worker = new Worker(new URL('../../../test/oracles/many-rejected-events.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 64 },
  });
  // `once` rejects when the thread ends for want of memory. Five pixels that touch in each of a thousand rows are objects.
  const [objects] = (await once(worker, 'message')) as [number];
  assert.equal(objects, 1000);
});
