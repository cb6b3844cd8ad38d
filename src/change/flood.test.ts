import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { uniform } from '../../test/oracles/simulated-series.ts';
import { detectChanges } from './detect-changes.ts';

const SIDE = 20; // pixels
const STEP_DAYS = 8;
const START_MS = Date.UTC(2015, 0, 3);
/** In the third year. */
const FALLEN_MS = Date.UTC(2017, 5, 15);

/** Rows and columns 6 to 9: 16 pixels. */
function isBlock(pixel: number): boolean {
  const [row, column] = [Math.floor(pixel / SIDE), pixel % SIDE];
  return row >= 6 && row <= 9 && column >= 6 && column <= 9;
}

/** Simulates three and a half years of evergreen forest with noise of .03, of which a block has another level for some days. */
function found(level: number, days: number, metric = 'ndvi') {
  const next = uniform(5);
  const times = Math.floor((3.5 * 365.25) / STEP_DAYS);
  const timesMs = Float64Array.from({ length: times }, (_, t) => START_MS + t * STEP_DAYS * DAY_MS);
  const values = new Float64Array(SIDE * SIDE * times);
  for (let p = 0; p < SIDE * SIDE; p++)
    for (const [t, timeMs] of timesMs.entries()) {
      const noise = 0.06 * (next() + next() + next() - 1.5); // standard deviation .03
      const since = timeMs - FALLEN_MS;
      const isFallen = isBlock(p) && since >= 0 && since < days * DAY_MS;
      values[p * times + t] = (isFallen ? level : 0.8) + noise;
    }
  const changes = detectChanges({ width: SIDE, height: SIDE, pixelAreaM2: 62_500, metric, timesMs, values });
  return changes.filter(({ confirmedMs, pixels }) => confirmedMs !== null && pixels.some(isBlock));
}

test('a flood of forest that drains after 60 days is not confirmed', () => {
  assert.deepEqual(found(-0.2, 60), []);
});

test('bare soil is confirmed before 60 days, and a reservoir after 90', () => {
  const [soil, ...others] = found(0.2, 1000);
  assert.equal(others.length, 0);
  const [water, ...further] = found(-0.2, 1000);
  assert.equal(further.length, 0);
  for (const object of [soil!, water!]) assert.ok(object.pixels.length >= 15);
  const days = [soil!, water!].map(({ confirmedMs }) => (confirmedMs! - FALLEN_MS) / DAY_MS);
  assert.ok(days[0]! < 60, `${days[0]}`);
  assert.ok(days[1]! >= 90 && days[1]! <= 90 + 2 * STEP_DAYS, `${days[1]}`);
});

test('a burn ratio below 0 is no water: char has it', () => {
  const [burn] = found(-0.2, 1000, 'nbr');
  assert.ok((burn!.confirmedMs! - FALLEN_MS) / DAY_MS < 60);
});
