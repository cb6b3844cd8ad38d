import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { uniform } from '../../test/oracles/simulated-series.ts';
import { compareWatched } from '../../test/oracles/watched-pixels.ts';
import { monitorMetrics } from './monitor.ts';
import type { StackSpec } from './stack.ts';

const EDGE = 40;
const TIMES = 100;
/** Columns of grass east of the wood, and of the river east of the grass. */
const [GRASS, RIVER] = [20, 38];
/** Scene from which a pond of the grass has dried up: rows and columns 30 to 35. */
const DRY_FROM = 50;

/** Whether a pixel is of a pond that dries up. */
function isPond(row: number, column: number): boolean {
  return row >= 30 && row < 36 && column >= 30 && column < 36;
}

/**
 * MNDWI of a wood, grass, a pond and a river. Wood and grass are moister by turns, so that after some seasons hardly any pixel
 * but the river is left in the highest class.
 */
function valley(): { spec: StackSpec; metrics: { mndwi: Float64Array } } {
  const next = uniform(11);
  const noise = (): number => next() + next() + next() + next() - 2;
  const mndwi = new Float64Array(EDGE * EDGE * TIMES);
  for (let p = 0; p < EDGE * EDGE; p++) {
    const [row, column] = [Math.floor(p / EDGE), p % EDGE];
    const side = column < GRASS ? -1 : 1;
    const its = 0.02 * noise();
    for (let t = 0; t < TIMES; t++) {
      const ground = its - 0.48 + side * 0.06 * Math.cos((2 * Math.PI * t * 12) / 365.25);
      const isWater = column >= RIVER || (isPond(row, column) && t < DRY_FROM);
      const value = isWater ? 0.65 + 0.2 * noise() : ground + 0.03 * noise();
      mndwi[p * TIMES + t] = Math.round(1e4 * value) / 1e4;
    }
  }
  const timesMs = Float64Array.from({ length: TIMES }, (_, t) => Date.UTC(2020, 5, 1) + t * 12 * DAY_MS);
  return {
    spec: { width: EDGE, height: EDGE, pixelAreaM2: 400, metric: 'mndwi', timesMs },
    metrics: { mndwi },
  };
}

test('grass beside a river has lost no water, though they begin in one class; a pond that dries up has', () => {
  const { spec, metrics } = valley();
  const { objects } = monitorMetrics(spec, metrics);
  const confirmed = objects.filter(({ confirmedMs }) => confirmedMs !== null);
  const pixels = confirmed.flatMap((object) => [...object.pixels]);
  const lost = pixels.filter((p) => isPond(Math.floor(p / EDGE), p % EDGE));
  assert.deepEqual([...new Set(confirmed.map(({ type }) => type))], ['water_loss']);
  assert.equal(pixels.length, lost.length);
  assert.ok(lost.length >= 30, `${lost.length} of 36 pixels of the pond`);
});

test('the kernel and the engine alone leave such a class in the same scene, bit by bit', () => {
  const { scenes, of } = compareWatched(valley(), 30, 7);
  assert.ok(scenes / of > 0.25, `${scenes / of}`);
});
