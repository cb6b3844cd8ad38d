import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { uniform } from '../../test/oracles/simulated-series.ts';
import { metricTraits } from './metric.ts';
import { monitorStack } from './monitor.ts';
import type { ChangeObject } from './object/objects.ts';

const NDVI = metricTraits('ndvi')!;
const SIDE = 16; // pixels
const STEP_DAYS = 16;
const START_MS = Date.UTC(2015, 0, 3);
const GROWN_MS = Date.UTC(2017, 4, 20); // in the third year

/** Whether a pixel is in a plot of five rows, or in a strip of four pixels if it has one column. */
function isGrown(pixel: number, columns: number): boolean {
  const [row, column] = [Math.floor(pixel / SIDE), pixel % SIDE];
  return row >= 4 && row < (columns === 1 ? 8 : 9) && column >= 4 && column < 4 + columns;
}

/**
 * Simulates pasture (.62 NDVI in March, .42 in September, noise of .04), a part of which is greener by .12 from May of the
 * third year on, and finds its changes.
 * @param columns number of columns of the part, see `isGrown`
 */
function simulate(columns: number): readonly ChangeObject[] {
  const times = Math.floor((3.5 * 365.25) / STEP_DAYS);
  const timesMs = Float64Array.from({ length: times }, (_, t) => START_MS + t * STEP_DAYS * DAY_MS);
  const next = uniform(9);
  const values = new Float64Array(SIDE * SIDE * times);
  for (let p = 0; p < SIDE * SIDE; p++) {
    for (const [t, timeMs] of timesMs.entries()) {
      const season = Math.cos((2 * Math.PI * (timeMs - Date.UTC(2015, 2, 10))) / (365.25 * DAY_MS));
      const noise = 0.08 * (next() + next() + next() - 1.5); // standard deviation .04
      values[p * times + t] =
        0.52 + 0.1 * season + noise + (isGrown(p, columns) && timeMs >= GROWN_MS ? 0.12 : 0);
    }
  }
  const spec = {
    width: SIDE,
    height: SIDE,
    pixelAreaM2: 62_500,
    metric: 'ndvi',
    timesMs,
  };
  return monitorStack(spec, NDVI, values).objects.filter(({ confirmedMs }) => confirmedMs !== null);
}

const daysOf = ({ confirmedMs }: ChangeObject): number => (confirmedMs! - GROWN_MS) / DAY_MS;

test('a plot that is a little greener from a day on is confirmed together, sooner than a strip of four pixels', () => {
  const [change, ...others] = simulate(5);
  assert.deepEqual(others, []);
  assert.ok(change!.pixels.length >= 20 && change!.pixels.every((pixel) => isGrown(pixel, 5)));
  assert.ok(daysOf(change!) <= 64, `after ${daysOf(change!)} days`);
  const strip = simulate(1);
  assert.equal(strip.length, 1);
  assert.ok(daysOf(strip[0]!) > 64, `the strip after ${daysOf(strip[0]!)} days`);
});
