import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { monitorMetrics } from './monitor.ts';
import type { ChangeObject } from './object/objects.ts';
import type { StackSpec } from './stack.ts';

const START_MS = Date.UTC(2015, 0, 3);
const SIDE = 24; // pixels; woods in the left half, fields of 4 columns and 6 rows in the right half
const WOODS = 12; // number of columns with woods

/** Hashes integers to a uniform number in [0, 1), so that the dates of a field do not depend on earlier calls. */
function uniform(...of: readonly number[]): number {
  let mixed = 0x9e3779b9;
  for (const number of of) mixed = Math.imul(mixed ^ (number + 0x7f4a7c15), 0x85ebca6b) ^ (mixed >>> 13);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

const fieldOf = (pixel: number): number =>
  pixel % SIDE < WOODS ? -1 : 10 * Math.floor(pixel / SIDE / 6) + Math.floor((pixel % SIDE) / 4);

/**
 * Greenness of a field that is sown on the same date and cut on a different date each year; the second year is dry.
 */
function fieldGreen(field: number, timeMs: number): number {
  const date = new Date(timeMs);
  const year = date.getUTCFullYear();
  const day = (timeMs - Date.UTC(year, 0, 1)) / DAY_MS;
  const green = 100 + 40 * uniform(1, field);
  const cut = 230 + 40 * uniform(2, field, year);
  const dry = year === 2016 && day > 150 && day < 240 ? 0.75 : 1;
  return 0.22 + 0.56 * dry * Math.max(0, Math.min(1, (day - green) / 30, (cut - day) / 10));
}

/** Simulates the values of each pixel: a scene every 10 days, white noise of .02, a third of the values clouded. */
function simulate(
  years: number,
  effect: (value: number, pixel: number, timeMs: number) => number,
): readonly [StackSpec, Float32Array] {
  const times = Math.floor((years * 365.25) / 10);
  const timesMs = Float64Array.from({ length: times }, (_, t) => START_MS + t * 10 * DAY_MS);
  const values = new Float32Array(SIDE * SIDE * times);
  for (let p = 0; p < SIDE * SIDE; p++) {
    for (let t = 0; t < times; t++) {
      const time = timesMs[t]!;
      const season = Math.cos((2 * Math.PI * (time - Date.UTC(2015, 6, 1))) / (365.25 * DAY_MS));
      const ground = fieldOf(p) < 0 ? 0.68 + 0.12 * season : fieldGreen(fieldOf(p), time);
      const noise = 0.04 * (uniform(3, p, t) + uniform(4, p, t) + uniform(5, p, t) - 1.5); // standard deviation .02
      values[p * times + t] = uniform(6, p, t) < 1 / 3 ? Number.NaN : effect(ground, p, time) + noise;
    }
  }
  return [{ width: SIDE, height: SIDE, pixelAreaM2: 400, metric: 'ndvi', timesMs }, values];
}

const confirmedOf = (objects: readonly ChangeObject[]): ChangeObject[] =>
  objects.filter(({ confirmedMs }) => confirmedMs !== null);

test('fields that are cut at a different date each year, also in a dry one, are no change', () => {
  for (const years of [1.5, 2.5, 4]) {
    const [spec, values] = simulate(years, (value) => value);
    assert.deepEqual(confirmedOf(monitorMetrics(spec, { ndvi: values }).objects), []);
  }
});

test('a wood felled among them in its third spring is one change, from the day of the felling on', () => {
  const felledMs = Date.UTC(2017, 3, 20);
  const isFelled = (pixel: number): boolean => {
    const [row, col] = [Math.floor(pixel / SIDE), pixel % SIDE];
    return row >= 6 && row < 12 && col >= 4 && col < 8;
  };
  const [spec, values] = simulate(3, (value, pixel, time) =>
    isFelled(pixel) && time >= felledMs ? 0.25 : value,
  );
  const confirmed = confirmedOf(monitorMetrics(spec, { ndvi: values }).objects);
  assert.deepEqual(
    confirmed.map(({ type, status }) => [type, status]),
    [['vegetation_loss', 'confirmed']],
  );
  const [{ pixels, firstAnomalyMs }] = confirmed as [ChangeObject];
  assert.ok(pixels.length >= 20 && pixels.every(isFelled), `${pixels.length} of 24 pixels`);
  assert.ok(firstAnomalyMs >= felledMs && firstAnomalyMs < felledMs + 45 * DAY_MS);
});

test('two poor summers taken for a loss against a short history are recovered by a third, even if that one is not quite normal', () => {
  const [poorFrom, poorTo] = [Date.UTC(2015, 7, 1), Date.UTC(2016, 9, 1)];
  const isPoor = (pixel: number): boolean =>
    Math.floor(pixel / SIDE) >= 8 && Math.floor(pixel / SIDE) < 16 && pixel % SIDE < 6;
  const [spec, values] = simulate(3, (value, pixel, time) => {
    if (!isPoor(pixel) || time < poorFrom) return value;
    return value - (time < poorTo ? 0.25 : 0.06);
  });
  const [loss, ...others] = confirmedOf(monitorMetrics(spec, { ndvi: values }).objects);
  assert.ok(loss!.pixels.length >= 40 && loss!.pixels.every(isPoor), `${loss!.pixels.length} of 48 pixels`);
  assert.equal(loss!.status, 'recovered');
  assert.ok(loss!.recoveredMs! >= poorTo && loss!.recoveredMs! < Date.UTC(2017, 7, 1));
  assert.deepEqual(others, []);
});

test('water that stays as it is while the land around greens is no change, and a field that becomes water is one in NDVI with NBR', () => {
  const floodedMs = Date.UTC(2018, 4, 10);
  const isPond = (pixel: number): boolean => fieldOf(pixel) === 3;
  const isReservoir = (pixel: number): boolean => fieldOf(pixel) === 24;
  const world = (water: number) =>
    simulate(5, (value, pixel, time) => {
      // In the last year all vegetation is greener than ever before.
      const lush = time >= Date.UTC(2019, 2, 1) ? 0.1 : 0;
      return isPond(pixel) || (isReservoir(pixel) && time >= floodedMs) ? water : value + lush;
    });
  const [spec, ndvi] = world(-0.3);
  const [, nbr] = world(0.85); // NBR of water is high: water is darkest in the short-wave infrared
  const confirmed = confirmedOf(monitorMetrics(spec, { ndvi, nbr }).objects);
  const pixels = new Set(confirmed.flatMap((object) => [...object.pixels]));
  assert.ok(confirmed.every(({ seed }) => seed.direction < 0));
  assert.ok(pixels.size >= 20 && [...pixels].every(isReservoir), `${pixels.size} of 24 pixels`);
});
