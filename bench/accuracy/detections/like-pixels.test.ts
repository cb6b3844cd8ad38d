import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../calibration/simulated-case.ts';
import { likePixels } from './like-pixels.ts';
import { DAY_MS } from '../../../src/base/time.ts';

const SIDE = 12;
const TIMES = 92; // four years of 16 days
const timesMs = Float64Array.from({ length: TIMES }, (_, t) => Date.UTC(2010, 0) + 16 * t * DAY_MS);
const CHANGED = Date.UTC(2011, 5, 1); // after 17 months
const WEATHER = Date.UTC(2012, 8, 1); // three scenes in which all pixels fall
const COPPICED = Date.UTC(2012, 3, 1); // a fall from which a pixel comes back within half a year

const isField = (p: number): boolean => p % SIDE >= 8; // fields beside a forest
const isCleared = (p: number): boolean => p % SIDE < 3 && Math.floor(p / SIDE) < 3;
const isCoppiced = (p: number): boolean => p % SIDE === 6 && Math.floor(p / SIDE) >= 9;

/** Forest and fields with noise of .02, of which nine forest pixels become fields and three are cut and grow again. */
function stack() {
  const random = new Random(5);
  const ndvi = new Float32Array(SIDE * SIDE * TIMES);
  for (let p = 0; p < SIDE * SIDE; p++)
    for (let t = 0; t < TIMES; t++) {
      const ms = timesMs[t]!;
      const wave = Math.cos((2 * Math.PI * (ms - timesMs[0]!)) / (365.25 * DAY_MS));
      const asField = isField(p) || (isCleared(p) && ms >= CHANGED);
      const isCut = isCoppiced(p) && ms >= COPPICED && ms < COPPICED + 180 * DAY_MS;
      const weather = ms >= WEATHER && ms < WEATHER + 48 * DAY_MS ? 0.15 : 0;
      const level = asField ? 0.55 + 0.3 * wave : 0.8 + 0.05 * wave;
      ndvi[p * TIMES + t] = level - weather - (isCut ? 0.3 : 0) + 0.02 * random.normal();
    }
  return { width: SIDE, height: SIDE, pixelAreaM2: 53_700, timesMs, metrics: { ndvi } };
}

test('forest that becomes a field stands after four months, weather of all and coppice that grows again do not', () => {
  const found = likePixels(stack(), 'ndvi');
  const cleared = Array.from({ length: SIDE * SIDE }, (_, p) => p).filter(isCleared);
  assert.deepEqual(
    found.map(({ pixel }) => pixel).toSorted((a, b) => a - b),
    cleared,
  );
  for (const { onsetMs, toldMs } of found) {
    assert.ok(Math.abs(onsetMs - CHANGED) <= 48 * DAY_MS);
    assert.ok(toldMs >= onsetMs && toldMs <= CHANGED + 120 * DAY_MS);
  }
});
