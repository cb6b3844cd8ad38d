import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, JULIAN_YEAR_MS } from '../../base/time.ts';
import { metricTraits } from '../metric.ts';
import { PARAMETERS } from '../parameters.ts';
import type { StackSpec } from '../stack.ts';
import { likeBank } from './bank-builder.ts';
import { type BankSeries, type LikeBank, NEVER } from './like-bank.ts';

const SIDE = 12;
const TIMES = 60; // two and a half years
const NDVI = metricTraits('ndvi')!;
const CLEARED = 40; // scene from which pixel 0 is low
const isField = (pixel: number): boolean => pixel % SIDE >= 6;

function specOf(times: number): StackSpec {
  const timesMs = Float64Array.from({ length: times }, (_, t) => Date.UTC(2015, 0) + 16 * t * DAY_MS);
  return { width: SIDE, height: SIDE, pixelAreaM2: 900, metric: 'ndvi', timesMs };
}

/** Forest and fields, which differ by pixel and scene by up to .02. */
function seriesOf(times: number): BankSeries {
  const { timesMs } = specOf(times);
  const pixels = Array.from({ length: SIDE * SIDE }, (_, p) => p);
  const values = pixels.map((p) =>
    Float32Array.from(timesMs, (ms, t) => {
      const wave = Math.cos((2 * Math.PI * ms) / JULIAN_YEAR_MS);
      const level = isField(p) ? 0.5 + 0.3 * wave : 0.8 + 0.05 * wave;
      return level + 0.02 * Math.sin(7 * p + 3 * t) - (p === 0 && t >= CLEARED ? 0.4 : 0);
    }),
  );
  return { pixels, values };
}

function expectedOf({ lists, median }: LikeBank, times: number, pixel: number, t: number): number {
  return median[lists[t * SIDE * SIDE + pixel]! * times + t]!;
}

test('like pixels show what a pixel would be: forest for forest, a field for a field, also after one was cleared', () => {
  const bank = likeBank(specOf(TIMES), NDVI, seriesOf(TIMES));
  for (const t of [30, 45, 59]) {
    const wave = Math.cos((2 * Math.PI * specOf(TIMES).timesMs[t]!) / JULIAN_YEAR_MS);
    assert.ok(Math.abs(expectedOf(bank, TIMES, 0, t) - (0.8 + 0.05 * wave)) < 0.02, `forest, scene ${t}`);
    assert.ok(Math.abs(expectedOf(bank, TIMES, 11, t) - (0.5 + 0.3 * wave)) < 0.02, `field, scene ${t}`);
  }
  assert.equal(bank.lists[10 * SIDE * SIDE], -1, 'no list within the first year');
  assert.equal(bank.knownSince[(CLEARED + 2) * SIDE * SIDE], NEVER, 'a departure is no history');
  assert.notEqual(bank.knownSince[(CLEARED - 2) * SIDE * SIDE], NEVER);
});

test('a bank knows since which scene a pixel has fallen plainly, and the like pixels of each list', () => {
  const bank = likeBank(specOf(TIMES), NDVI, seriesOf(TIMES));
  const count = SIDE * SIDE;
  const since = (t: number, pixel: number): number => bank.fallenSince[t * count + pixel]!;
  assert.equal(since(CLEARED, 0), -1, 'one scene is not plain');
  assert.equal(since(CLEARED + 2, 0), CLEARED + 2);
  assert.equal(since(CLEARED + 8, 0), CLEARED + 2);
  for (let t = 0; t < TIMES; t++)
    for (let p = 1; p < count; p++) assert.equal(since(t, p), -1, `${p} at ${t}`);
  const list = bank.lists[45 * count + 11]!;
  const likes = bank.members.slice(list * PARAMETERS.likePixels, (list + 1) * PARAMETERS.likePixels);
  assert.ok(likes.every((q) => isField(bank.pixels[q]!)));
});

test('what a bank says of a scene does not depend on later scenes, nor on the order of its pixels', () => {
  const [whole, part] = [TIMES, 50].map((times) => likeBank(specOf(times), NDVI, seriesOf(times)));
  for (const pixel of [0, 5, 11, 143])
    for (let t = 25; t < 50; t++)
      assert.equal(expectedOf(whole!, TIMES, pixel, t), expectedOf(part!, 50, pixel, t));
  const { pixels, values } = seriesOf(TIMES);
  const turned = { pixels: pixels.toReversed(), values: values.toReversed() };
  assert.deepEqual(likeBank(specOf(TIMES), NDVI, turned), whole);
});

test('a bank that is continued is the same as one that is made at once, to the bit', () => {
  const whole = likeBank(specOf(TIMES), NDVI, seriesOf(TIMES));
  for (const since of [20, 30, 45, 59, 60]) {
    const before = likeBank(specOf(since), NDVI, seriesOf(since));
    assert.deepEqual(likeBank(specOf(TIMES), NDVI, seriesOf(TIMES), before), whole, `after ${since} scenes`);
  }
});

test('a bank of too few pixels is empty', () => {
  const { pixels, values } = seriesOf(TIMES);
  const few = { pixels: pixels.slice(0, 50), values: values.slice(0, 50) };
  assert.equal(likeBank(specOf(TIMES), NDVI, few).pixels.length, 0);
});
