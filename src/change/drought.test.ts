import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../base/time.ts';
import { uniform } from '../../test/oracles/simulated-series.ts';
import { monitorMetrics } from './monitor.ts';
import type { ChangeObject } from './object/objects.ts';

const SIDE = 64; // pixels
const BLOCK = 8; // pixels; a block is either wood or meadow
const STEP_DAYS = 15;

const placeOf = (pixel: number): readonly [row: number, column: number] => [
  Math.floor(pixel / SIDE),
  pixel % SIDE,
];
const isMeadow = (pixel: number): boolean => {
  const [row, column] = placeOf(pixel);
  return (Math.floor(row / BLOCK) + Math.floor(column / BLOCK)) % 3 === 0;
};
/** Whether a pixel is in a square of 5 x 5 pixels in the wood, which is felled or is a meadow. */
const isInSquare = (pixel: number): boolean => {
  const [row, column] = placeOf(pixel);
  return row >= 9 && row < 14 && column >= 1 && column < 6;
};

interface Ground {
  /** Whether meadows are as green as woods all year, unless it is dry; by default not. */
  readonly isAlike?: boolean;
  /** Whether a pixel is meadow; by default `isMeadow`. */
  readonly isGrass?: (pixel: number) => boolean;
  readonly stepDays?: number;
}

/**
 * Simulates the NDVI of woods (.55 in winter, .8 in summer) and of meadows (.35 and .8), and finds its changes.
 * Droughts lower meadows by .25.
 * @param felled day on which the square is felled
 */
function simulate(
  days: number,
  droughts: readonly (readonly [from: number, to: number])[],
  felled: number,
  { isAlike = false, isGrass = isMeadow, stepDays = STEP_DAYS }: Ground = {},
) {
  const times = Math.floor(days / stepDays);
  const timesMs = Float64Array.from(
    { length: times },
    (_, t) => Date.UTC(2020, 0, 5) + t * stepDays * DAY_MS,
  );
  const next = uniform(3);
  const values = new Float32Array(SIDE * SIDE * times);
  for (let p = 0; p < SIDE * SIDE; p++) {
    const own = 0.06 * (next() - 0.5);
    for (let t = 0; t < times; t++) {
      const day = t * stepDays;
      const season = Math.max(0, Math.sin((2 * Math.PI * (day - 90)) / 365.25));
      const isDry = droughts.some(([from, to]) => day >= from && day < to);
      const green = 0.6 + 0.2 * Math.sqrt(season);
      const meadow = (isAlike ? green : 0.35 + 0.45 * Math.sqrt(season)) - (isDry ? 0.25 : 0);
      const wood = day >= felled && isInSquare(p) ? 0.2 : green;
      values[p * times + t] = (isGrass(p) ? meadow : wood) + own + 0.06 * (next() - 0.5);
    }
  }
  const spec = { width: SIDE, height: SIDE, pixelAreaM2: 400, metric: 'ndvi', timesMs };
  return monitorMetrics(spec, { ndvi: values }).objects;
}

const claims = (objects: readonly ChangeObject[]): readonly (readonly [string, number])[] =>
  objects
    .filter(({ status }) => status !== 'rejected')
    .map(({ status, pixels }) => [status, pixels.length] as const);

test('in a record of seven months, a drought that browns the meadows but not the woods is no change, and felled wood is one', () => {
  const objects = simulate(260, [[195, 260]], 190);
  assert.deepEqual(claims(objects), [['suspected', 25]]);
  assert.ok(objects.every(({ pixels }) => pixels.every((pixel) => !isMeadow(pixel))));
});

test('a drought in the third summer, after one in the second, is no change', () => {
  const droughts = [
    [545, 620],
    [910, 985],
  ] as const;
  assert.deepEqual(claims(simulate(985, droughts, 1e9)), []);
});

test('meadows that were as green as woods in a moist year are no change in a dry summer, and wood felled in it is one', () => {
  const objects = simulate(900, [[530, 620]], 540, { isAlike: true });
  const confirmed = objects.filter(({ confirmedMs }) => confirmedMs !== null);
  assert.deepEqual(claims(confirmed), [['confirmed', 25]]);
  assert.ok(confirmed[0]!.pixels.every(isInSquare));
  assert.ok(
    confirmed[0]!.confirmedMs! < Date.UTC(2020, 0, 5) + 600 * DAY_MS,
    'it does not wait for the winter',
  );
});

test('a meadow among green ground that dries up in two summers is no change, and in one summer alone it is one', () => {
  const ground = { isAlike: true, isGrass: isInSquare, stepDays: 5 };
  const [first, second] = [
    [570, 590],
    [925, 950],
  ] as const;
  assert.deepEqual(claims(simulate(955, [first, second], 1e9, ground)), []);
  assert.deepEqual(claims(simulate(955, [second], 1e9, ground)), [['confirmed', 25]]);
});
