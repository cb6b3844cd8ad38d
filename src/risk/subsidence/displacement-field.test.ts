import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DisplacementFitter } from './displacement-field.ts';
import { velocityGradient } from './displacement-gradient.ts';
import { JULIAN_YEAR_MS } from '../../base/time.ts';
import { fitDisplacement } from './displacement-series.ts';

const DAY_MS = 86_400_000;
/** Dates every twelve days over four years. */
const TIMES_MS = Array.from({ length: 122 }, (_, i) => i * 12 * DAY_MS);
const MIDDLE_MS = TIMES_MS.at(-1)! / 2;

/** Deterministic noise in [-1, 1]. */
const rough = (i: number): number => Math.sin(i * 12.9898 + (i % 7) * 78.233);

/**
 * Series of pixels with seasons, gaps and an outlier. The velocity is 3 mm/yr times the index of the pixel; every
 * third pixel has an acceleration.
 */
function stack(pixelCount: number): Float32Array {
  const values = new Float32Array(pixelCount * TIMES_MS.length);
  for (let pixel = 0; pixel < pixelCount; pixel++) {
    for (const [i, ms] of TIMES_MS.entries()) {
      const t = (ms - MIDDLE_MS) / JULIAN_YEAR_MS;
      const bend = pixel % 3 === 0 ? 4 : 0;
      const seen =
        3 * pixel * t + 0.5 * bend * t * t + 2 * Math.cos(2 * Math.PI * t) + rough(pixel * 997 + i);
      values[pixel * TIMES_MS.length + i] = pixel % 2 === 1 && i % 5 === 2 ? Number.NaN : seen;
    }
    values[pixel * TIMES_MS.length + 33] = 500;
  }
  return values;
}

function fitted(values: Float32Array, pixelCount: number, perPass = pixelCount) {
  const fitter = new DisplacementFitter(TIMES_MS, pixelCount);
  const n = TIMES_MS.length;
  for (let from = 0; from < pixelCount; from += perPass)
    fitter.fit(values.subarray(from * n, Math.min(pixelCount, from + perPass) * n), from);
  return fitter.finish();
}

test('every pixel of a stack is fitted like a single series', () => {
  const values = stack(12);
  const { velocity, error, acceleration, correlationFactor } = fitted(values, 12);
  for (let pixel = 0; pixel < 12; pixel++) {
    const displacementsMm = values.subarray(pixel * 122, (pixel + 1) * 122);
    const alone = fitDisplacement({ timesMs: TIMES_MS, displacementsMm }, { maxFoundSteps: 0 });
    const off = Math.abs(velocity[pixel]! - alone.velocity.value);
    assert.ok(
      off < 0.05 * alone.velocity.error + 0.01,
      `${pixel}: ${velocity[pixel]}, ${alone.velocity.value}`,
    );
    const ratio = error[pixel]! / correlationFactor / (alone.velocity.error / alone.correlationFactor);
    assert.ok(Math.abs(ratio - 1) < 0.05, `${pixel}: error ${ratio}`);
    if (pixel % 3 === 0) assert.ok(Math.abs(acceleration![pixel]! - 4) < 0.3, `${acceleration![pixel]}`);
    else assert.equal(acceleration![pixel], 0);
  }
});

test('the fit is the same in one pass or many, and with the dates in any order', () => {
  const values = stack(12);
  const whole = fitted(values, 12);
  assert.deepEqual(fitted(values, 12, 5), whole);
  const order = TIMES_MS.map((_, i) => (i * 37) % 122);
  const shuffled = Float32Array.from(values, (_, k) => values[k - (k % 122) + order[k % 122]!]!);
  const fitter = new DisplacementFitter(
    order.map((i) => TIMES_MS[i]!),
    12,
  );
  fitter.fit(shuffled, 0);
  for (const [i, v] of fitter.finish().velocity.entries()) assert.ok(Math.abs(v - whole.velocity[i]!) < 1e-4);
});

test('a pixel observed on fewer than six dates is nodata; a stack with fewer than six dates is refused', () => {
  const values = stack(2);
  values.fill(Number.NaN, 0, 117);
  const { velocity, error } = fitted(values, 2);
  assert.deepEqual([Number.isNaN(velocity[0]!), Number.isNaN(error[0]!)], [true, true]);
  assert.ok(Number.isFinite(velocity[1]!));
  assert.throws(
    () =>
      new DisplacementFitter(
        [0, 1, 2, 2, 2, 2, 2].map((day) => day * DAY_MS),
        1,
      ),
    RangeError,
  );
});

/** A velocity field with cells of 50 by 100 m. */
function field(velocity: readonly number[], error: number, width: number) {
  const height = velocity.length / width;
  return {
    velocity: Float32Array.from(velocity),
    ownError: new Float32Array(velocity.length).fill(error),
    width,
    height,
    cellWidthM: new Float64Array(height).fill(50),
    cellHeightM: new Float64Array(height).fill(100),
  };
}

test('a plane has its slope everywhere, also in corners and next to nodata', () => {
  const plane = Array.from({ length: 30 }, (_, i) => 3 * (i % 6) - 8 * Math.floor(i / 6));
  plane[14] = Number.NaN;
  const gradient = velocityGradient(field(plane, 0.01, 6));
  // 3 mm/yr per column of 50 m and 8 mm/yr per row of 100 m: slopes 0.06 and 0.08.
  for (const [i, slope] of gradient.entries()) {
    if (i === 14) assert.ok(Number.isNaN(slope));
    else assert.ok(Math.abs(slope - 0.1) < 1e-3, `${i}: ${slope}`);
  }
});

test('a slope within its errors is 0, and a cell without neighbours has none', () => {
  const bumps = Array.from({ length: 25 }, (_, i) => rough(i));
  assert.ok(velocityGradient(field(bumps, 3, 5)).every((slope) => slope === 0));
  const alone = Array.from({ length: 25 }, (_, i) => (i === 12 || i === 13 || i === 14 ? i : Number.NaN));
  assert.ok(velocityGradient(field(alone, 0.1, 5)).every(Number.isNaN));
});
