import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { uniform } from '../../test/oracles/simulated-series.ts';
import { metricTraits } from './metric.ts';
import { type MonitoredStack, monitorMetrics } from './monitor.ts';
import type { ChangeObject } from './object/objects.ts';
import { objectEvidence } from './object/provenance.ts';
import type { StackSpec } from './stack.ts';

const NDVI = metricTraits('ndvi')!;
const SIDE = 16; // pixels
const STEP_DAYS = 16;
const START_MS = Date.UTC(2015, 0, 3);
/** The felling: in the dry season of the third year. */
const FELLED_MS = Date.UTC(2017, 5, 15);

/** Rows and columns 4 to 8: 25 pixels. */
function isBlock(pixel: number): boolean {
  const [row, column] = [Math.floor(pixel / SIDE), pixel % SIDE];
  return row >= 4 && row <= 8 && column >= 4 && column <= 8;
}

/** Greenness of an evergreen forest: .80, and .76 in September. */
function forest(timeMs: number): number {
  return 0.78 + 0.02 * Math.cos((2 * Math.PI * (timeMs - Date.UTC(2015, 2, 10))) / (365.25 * DAY_MS));
}

/** Greenness of a double crop: soy until January and maize until May, as green as forest, and bare soil between them. */
function doubleCrop(timeMs: number): number {
  const month = new Date(timeMs).getUTCMonth() + 1;
  if (month >= 6 && month <= 10) return 0.28;
  return month === 2 ? 0.5 : 0.8;
}

/** Simulates scenes of forest with noise of .03, a quarter of the values clouded, and other cover where `cover` says so. */
function simulate(
  years: number,
  cover: (pixel: number, timeMs: number) => number | null,
): [StackSpec, Float64Array] {
  const next = uniform(5);
  const times = Math.floor((years * 365.25) / STEP_DAYS);
  const timesMs = Float64Array.from({ length: times }, (_, t) => START_MS + t * STEP_DAYS * DAY_MS);
  const values = new Float64Array(SIDE * SIDE * times);
  for (let p = 0; p < SIDE * SIDE; p++) {
    for (const [t, timeMs] of timesMs.entries()) {
      const noise = 0.06 * (next() + next() + next() - 1.5); // standard deviation .03
      const isCloudy = next() < 0.25;
      const level = cover(p, timeMs) ?? forest(timeMs);
      values[p * times + t] = isCloudy ? Number.NaN : level + noise;
    }
  }
  return [{ width: SIDE, height: SIDE, pixelAreaM2: 62_500, metric: 'ndvi', timesMs }, values];
}

/** Monitors the first `count` scenes. */
function monitored([spec, values]: [StackSpec, Float64Array], count: number): MonitoredStack {
  const times = spec.timesMs.length;
  const cut = Float64Array.from(
    { length: SIDE * SIDE * count },
    (_, i) => values[Math.floor(i / count) * times + (i % count)]!,
  );
  return monitorMetrics({ ...spec, timesMs: spec.timesMs.slice(0, count) }, { ndvi: cut });
}

const confirmedOf = ({ objects }: MonitoredStack): ChangeObject[] =>
  objects.filter(({ confirmedMs }) => confirmedMs !== null);

test('a forest that becomes a double crop is a conversion, confirmed within 120 days and standing at every later date', () => {
  const stack = simulate(6, (pixel, timeMs) =>
    isBlock(pixel) && timeMs >= FELLED_MS ? doubleCrop(timeMs) : null,
  );
  const times = stack[0].timesMs.length;
  const firstMs: number[] = [];
  for (const count of [66, 75, 90, times]) {
    const [change, ...others] = confirmedOf(monitored(stack, count));
    assert.deepEqual(others, [], `${count} scenes`);
    assert.equal(change?.status, 'confirmed', `${count} scenes`);
    assert.ok(change.pixels.every(isBlock) && change.pixels.length >= 23, `${change.pixels.length} of 25`);
    assert.ok(change.firstAnomalyMs >= FELLED_MS && change.firstAnomalyMs < FELLED_MS + 32 * DAY_MS);
    assert.ok(change.confirmedMs! < FELLED_MS + 120 * DAY_MS);
    firstMs.push(change.confirmedMs!);
    // The crops of the first wet season are as green as forest was.
    if (count >= 75) assert.equal(change.type, 'conversion', `${count} scenes`);
    assert.ok(change.confidence > 0.5, `${count} scenes: ${change.confidence}`);
  }
  assert.equal(new Set(firstMs).size, 1, 'the date of the confirmation does not move');
});

test('a forest that burns and is green again within a year has recovered, and is no conversion', () => {
  const stack = simulate(6, (pixel, timeMs) =>
    isBlock(pixel) && timeMs >= FELLED_MS && timeMs < FELLED_MS + 200 * DAY_MS ? 0.3 : null,
  );
  const changes = confirmedOf(monitored(stack, stack[0].timesMs.length));
  assert.deepEqual(
    changes.map(({ type, status }) => [type, status]),
    [['vegetation_loss', 'recovered']],
  );
  const [burn] = changes as [ChangeObject];
  assert.ok(burn.pixels.every(isBlock) && burn.pixels.length >= 23, `${burn.pixels.length} of 25`);
  // It ends in the season of the fire: not when the forest is green in January, but in the next dry season.
  assert.ok(burn.recoveredMs! > FELLED_MS + 330 * DAY_MS && burn.recoveredMs! < FELLED_MS + 500 * DAY_MS);
});

test('where most of the forest is cleared, the rest is not expected to be low', () => {
  const isCleared = (pixel: number): boolean => pixel % SIDE < 10; // 160 of 256 pixels
  const stack = simulate(5, (pixel, timeMs) => (isCleared(pixel) && timeMs >= FELLED_MS ? 0.3 : null));
  const changes = confirmedOf(monitored(stack, stack[0].timesMs.length));
  const pixels = new Set(changes.flatMap((change) => [...change.pixels]));
  assert.ok([...pixels].every(isCleared) && pixels.size >= 150, `${pixels.size} of 160`);
  assert.ok(changes.every(({ status, type }) => status === 'confirmed' && type === 'vegetation_loss'));
});

test('a felling of more than .2 is confirmed by neighbours after two looks, as evidence states, and four pixels wait', () => {
  for (const [side, days] of [
    [5, 48],
    [2, 60],
  ] as const) {
    const isFelled = (pixel: number): boolean =>
      isBlock(pixel) && pixel % SIDE < 4 + side && pixel < (4 + side) * SIDE;
    const stack = simulate(4, (pixel, timeMs) => (isFelled(pixel) && timeMs >= FELLED_MS ? 0.3 : null));
    const [spec, values] = stack;
    const { objects, context } = monitored(stack, spec.timesMs.length);
    const felled = objects.find(({ confirmedMs }) => confirmedMs !== null);
    assert.equal(felled!.status, 'confirmed');
    assert.equal(felled!.pixels.length, side * side);
    const lag = (felled!.detectedMs - FELLED_MS) / DAY_MS;
    assert.ok(side === 5 ? lag <= days : lag >= days, `${lag} days`);
    const times = spec.timesMs.length;
    const series = values.subarray(felled!.seed.pixel * times, (felled!.seed.pixel + 1) * times);
    const observed = new Uint8Array(times).fill(1);
    const { path } = objectEvidence(spec, [{ traits: NDVI, context }], felled!, [series], observed);
    const told = spec.timesMs[felled!.seed.confirmed]!;
    const since = path.filter(({ timeMs }) => timeMs >= told && timeMs < told + 200 * DAY_MS);
    assert.ok(since.length > 5 && since.every(({ state }) => state === 'confirmed'));
  }
});
