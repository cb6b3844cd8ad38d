import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS, JULIAN_YEAR_MS } from '../base/time.ts';
import { firstScenes, type Stack } from '../../test/oracles/resumed-passes.ts';
import { uniform } from '../../test/oracles/simulated-series.ts';
import { compareWatched } from '../../test/oracles/watched-pixels.ts';
import { monitorMetrics } from './monitor.ts';
import type { ChangeObject } from './object/objects.ts';

const SIDE = 16; // pixels
const STEP_DAYS = 8;
const START_MS = Date.UTC(2015, 0, 3);
const CHANGED_MS = Date.UTC(2018, 0, 10);

/** Rows and columns 4 to 8: 25 pixels. */
function isBlock(pixel: number): boolean {
  const [row, column] = [Math.floor(pixel / SIDE), pixel % SIDE];
  return row >= 4 && row <= 8 && column >= 4 && column <= 8;
}

/** Greenness of a savanna, highest in March. */
function savanna(timeMs: number): number {
  return 0.5 + 0.1 * Math.cos((2 * Math.PI * (timeMs - Date.UTC(2015, 2, 10))) / JULIAN_YEAR_MS);
}

/** The same with crops that are greener or browner for six weeks each, so that no departure lasts. */
function crops(timeMs: number): number {
  return savanna(timeMs) + 0.2 * Math.sin((8 * Math.PI * (timeMs - START_MS)) / JULIAN_YEAR_MS);
}

/** Six years of scenes with noise of .05; the block has crops from 2018 until `untilMs`. */
function simulate(untilMs: number): Stack {
  const next = uniform(11);
  const times = Math.floor((6 * 365.25) / STEP_DAYS);
  const timesMs = Float64Array.from({ length: times }, (_, t) => START_MS + t * STEP_DAYS * DAY_MS);
  const ndvi = new Float64Array(SIDE * SIDE * times);
  for (let p = 0; p < SIDE * SIDE; p++)
    for (const [t, timeMs] of timesMs.entries()) {
      const noise = 0.1 * (next() + next() + next() - 1.5);
      const isCloudy = next() < 0.25;
      const isCrops = isBlock(p) && timeMs >= CHANGED_MS && timeMs < untilMs;
      const level = isCrops ? crops(timeMs) : savanna(timeMs);
      ndvi[p * times + t] = isCloudy ? Number.NaN : level + noise;
    }
  const spec = { width: SIDE, height: SIDE, pixelAreaM2: 62_500, metric: 'ndvi', timesMs };
  return { spec, metrics: { ndvi } };
}

function confirmed({ spec, metrics }: Stack): readonly ChangeObject[] {
  return monitorMetrics(spec, metrics).objects.filter(({ confirmedMs }) => confirmedMs !== null);
}

/** Number of scenes until some days after the change. */
function scenesUntil({ spec }: Stack, days: number): number {
  return spec.timesMs.findIndex((ms) => ms > CHANGED_MS + days * DAY_MS);
}

test('savanna that becomes crops departs on both sides: one change of seasonality, found within 300 days', () => {
  const stack = simulate(Number.POSITIVE_INFINITY);
  for (const days of [300, 500, 800]) {
    const [change, ...others] = confirmed(firstScenes(stack, scenesUntil(stack, days)));
    assert.deepEqual(others, [], `${days} days`);
    assert.equal(change?.type, 'conversion');
    assert.equal(change.status, 'confirmed');
    assert.ok(change.pixels.every(isBlock) && change.pixels.length >= 15, `${change.pixels.length} of 25`);
    assert.ok(Math.abs(change.firstAnomalyMs - CHANGED_MS) < 60 * DAY_MS);
  }
});

test('crops that end soon after they were noted have recovered a year later', () => {
  const stack = simulate(CHANGED_MS + 208 * DAY_MS);
  const [change, ...others] = confirmed(stack);
  assert.deepEqual(others, []);
  assert.equal(change?.status, 'recovered');
});

test('the kernel stops where a change of seasonality may be noted', () => {
  const stack = simulate(CHANGED_MS + 330 * DAY_MS);
  compareWatched(stack, scenesUntil(stack, 250), 5);
});
