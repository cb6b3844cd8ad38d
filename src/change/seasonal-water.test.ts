import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { uniform } from '../../test/oracles/simulated-series.ts';
import { monitorMetrics } from './monitor.ts';
import type { ChangeObject } from './object/objects.ts';

const SIDE = 24; // pixels
const STEP_DAYS = 8;
const START_MS = Date.UTC(2020, 2, 1);

/** Meadows of which a block of 64 pixels is under water from a day on, in all months or from November to February. */
function changes(days: number, isWet: (timeMs: number) => boolean): readonly ChangeObject[] {
  const next = uniform(3);
  const times = Math.floor(days / STEP_DAYS);
  const timesMs = Float64Array.from({ length: times }, (_, t) => START_MS + t * STEP_DAYS * DAY_MS);
  const values = new Float64Array(SIDE * SIDE * times);
  for (let p = 0; p < SIDE * SIDE; p++) {
    const [row, column] = [Math.floor(p / SIDE), p % SIDE];
    const isLow = row >= 5 && row < 13 && column >= 5 && column < 13;
    for (const [t, timeMs] of timesMs.entries()) {
      const noise = 0.05 * (next() + next() + next() - 1.5);
      values[p * times + t] = next() < 0.3 ? Number.NaN : (isLow && isWet(timeMs) ? 0.4 : -0.4) + noise;
    }
  }
  const spec = { width: SIDE, height: SIDE, pixelAreaM2: 100, metric: 'mndwi', timesMs };
  return monitorMetrics(spec, { mndwi: values }).objects.filter(({ status }) => status !== 'rejected');
}

test('in a record of a year, meadows that are flooded in winter are no claim, whether they are each year or for good', () => {
  const isWinter = (timeMs: number) => [10, 11, 0, 1].includes(new Date(timeMs).getUTCMonth());
  for (const days of [290, 330, 360]) assert.deepEqual(changes(days, isWinter), []);
  assert.deepEqual(
    changes(330, (timeMs) => timeMs >= Date.UTC(2020, 10, 1)),
    [],
  );
});

test('a lake that is new in the second winter is a suspicion, and stands confirmed in the third year', () => {
  const isLake = (timeMs: number) => timeMs >= Date.UTC(2021, 10, 1);
  const [suspicion, ...others] = changes(680, isLake);
  assert.deepEqual(others, []);
  assert.deepEqual([suspicion!.type, suspicion!.status], ['water_gain', 'suspected']);
  const [lake, ...more] = changes(1200, isLake);
  assert.deepEqual(more, []);
  assert.deepEqual([lake!.type, lake!.status], ['water_gain', 'confirmed']);
  assert.ok(lake!.pixels.length >= 60, `${lake!.pixels.length} of 64 pixels`);
});
