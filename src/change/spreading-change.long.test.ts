import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { monitorMetrics } from './monitor.ts';
import type { StackSpec } from './stack.ts';

const SIDE = 24;
const EVERY_DAYS = 10;
const SCENES = 200; // 5.5 years
const START_MS = Date.UTC(2015, 0, 3);
const FIRE = 150; // index of the scene at which the fire begins

/** Uniform numbers in [0, 1) from a seed: mulberry32. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Simulates a season of +-.1 about a level, with white noise of .03, 30 % of values clouded, and a given effect. */
function simulate(
  seed: number,
  level: number,
  effect: (pixel: number, scene: number) => number,
): Float32Array {
  const next = uniform(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const clouds = uniform(99); // the same clouds in all metrics
  return Float32Array.from({ length: SIDE * SIDE * SCENES }, (_, i) => {
    const scene = i % SCENES;
    const season = 0.1 * Math.cos((2 * Math.PI * scene * EVERY_DAYS) / 365.25);
    const value = level + season + 0.03 * normal() + effect(Math.floor(i / SCENES), scene);
    return clouds() < 0.3 ? Number.NaN : value;
  });
}

function specOf(metric: string, scenes = SCENES): StackSpec {
  const timesMs = Float64Array.from({ length: scenes }, (_, t) => START_MS + t * EVERY_DAYS * DAY_MS);
  return { width: SIDE, height: SIDE, pixelAreaM2: 900, metric, timesMs };
}

/** Returns the first `scenes` scenes of a stack. */
function until(values: Float32Array, scenes: number): Float32Array {
  return Float32Array.from(
    { length: SIDE * SIDE * scenes },
    (_, i) => values[Math.floor(i / scenes) * SCENES + (i % scenes)]!,
  );
}

const row = (pixel: number): number => Math.floor(pixel / SIDE);
const column = (pixel: number): number => pixel % SIDE;
/** A square of 6 x 6 pixels that burns first, and the adjacent square of 6 x 6 that the fire reaches 80 days later. */
const isFirst = (pixel: number): boolean =>
  row(pixel) >= 6 && row(pixel) < 12 && column(pixel) >= 6 && column(pixel) < 12;
const isNext = (pixel: number): boolean =>
  row(pixel) >= 6 && row(pixel) < 12 && column(pixel) >= 12 && column(pixel) < 18;

test('a fire that spreads is one change, which keeps its id while it grows', () => {
  const values = simulate(1, 0.6, (pixel, scene) =>
    (isFirst(pixel) && scene >= FIRE) || (isNext(pixel) && scene >= FIRE + 8) ? -0.35 : 0,
  );
  const confirmed = [FIRE + 11, FIRE + 16, SCENES].map((scenes) => {
    const { objects } = monitorMetrics(specOf('ndvi', scenes), { ndvi: until(values, scenes) });
    return objects.filter((object) => object.confirmedMs !== null);
  });
  for (const objects of confirmed) assert.equal(objects.length, 1);
  const [young, grown, whole] = confirmed.map(([object]) => object!);
  assert.deepEqual([grown!.seed.pixel, whole!.seed.pixel], [young!.seed.pixel, young!.seed.pixel]);
  assert.deepEqual(
    [grown!.seedAnomalyMs, whole!.seedAnomalyMs],
    [young!.seedAnomalyMs, young!.seedAnomalyMs],
  );
  assert.ok(whole!.pixels.length > young!.pixels.length);
  const outside = whole!.pixels.filter((pixel) => !isFirst(pixel) && !isNext(pixel));
  assert.ok(whole!.pixels.length >= 70, `${whole!.pixels.length} pixels`);
  assert.deepEqual([...outside], []);
  assert.equal(whole!.firstAnomalyMs, START_MS + FIRE * EVERY_DAYS * DAY_MS);
});

test('a change of most of its surroundings is not taken for weather: the undisturbed rest shows the weather', () => {
  const isBurnt = (pixel: number): boolean => column(pixel) < 11; // 46 % of the pixels
  const values = simulate(2, 0.6, (pixel, scene) => (isBurnt(pixel) && scene >= FIRE ? -0.35 : 0));
  const { objects } = monitorMetrics(specOf('ndvi'), { ndvi: values });
  const confirmed = objects.filter((object) => object.confirmedMs !== null);
  assert.deepEqual(
    confirmed.map(({ type }) => type),
    ['vegetation_loss'],
  );
  assert.ok(confirmed[0]!.pixels.length > 240 && confirmed[0]!.pixels.every(isBurnt));
});

test('several indices determine the type together: a burn by its burn ratio, in either order', () => {
  const burn = (fall: number) => (pixel: number, scene: number) =>
    isFirst(pixel) && scene >= FIRE ? -fall : 0;
  const ndvi = simulate(3, 0.6, burn(0.3));
  const nbr = simulate(4, 0.35, burn(0.65));
  for (const metric of ['ndvi', 'nbr']) {
    const { objects } = monitorMetrics(specOf(metric), { ndvi, nbr });
    const confirmed = objects.filter((object) => object.confirmedMs !== null);
    assert.deepEqual(
      confirmed.map(({ type, pixels }) => [type, pixels.length]),
      [['burn', 36]],
    );
    const { moves } = confirmed[0]!;
    assert.ok(
      Math.abs(moves['ndvi']!.residual + 0.3) < 0.05 && Math.abs(moves['nbr']!.residual + 0.65) < 0.05,
    );
  }
});

test('two indices find at least what one finds, and a rise of the built-up index is evidence of a loss', () => {
  const small = (sign: number) => (pixel: number, scene: number) =>
    isFirst(pixel) && scene >= FIRE ? -0.06 * sign : 0;
  const ndvi = simulate(5, 0.6, small(1));
  const ndbi = simulate(6, -0.3, small(-1));
  const pixelsIn = (objects: ReturnType<typeof monitorMetrics>['objects']): number =>
    objects
      .filter((object) => object.confirmedMs !== null)
      .reduce((sum, { pixels }) => sum + pixels.length, 0);
  const alone = pixelsIn(monitorMetrics(specOf('ndvi'), { ndvi }).objects);
  const together = pixelsIn(monitorMetrics(specOf('ndvi'), { ndvi, ndbi }).objects);
  assert.ok(together >= alone && alone > 0, `${together} pixels together, ${alone} alone`);
});

test('metrics that cannot be followed together are refused by name', () => {
  const ndvi = simulate(7, 0.6, () => 0);
  assert.throws(() => monitorMetrics(specOf('nbr'), { ndvi }), /no values of nbr/);
  assert.throws(
    () => monitorMetrics(specOf('ndvi'), { ndvi, river_flow: ndvi }),
    /river_flow makes no changes/,
  );
  assert.throws(() => monitorMetrics(specOf('ndvi'), { ndvi, nbr: ndvi.slice(1) }), /nbr do not fill/);
});
