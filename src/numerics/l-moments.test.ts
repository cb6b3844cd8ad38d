import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleLMoments } from './l-moments.ts';

const SAMPLE = [2, 3, 4, 2.4, 5.5, 1.2, 5.4, 2.2, 7.1, 1.3, 1.5];

function near(actual: number, expected: number, tolerance: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}, expected ${expected} within ${tolerance}`);
}

test('sample L-moments equal the reference of methods.md (Hosking 1990)', () => {
  const { l1, l2, t3 } = sampleLMoments(SAMPLE);
  near(l1, 3.23636364, 5e-9);
  near(l2, 1.14181818, 5e-9);
  near(t3, 0.27388535, 5e-9);
});

test('L-moments of a straight ramp are those of the uniform distribution (Hosking 1990, table 1: l2 = 1/6, t3 = t4 = 0)', () => {
  const n = 2001;
  const { l1, l2, t3, t4 } = sampleLMoments(Array.from({ length: n }, (_, i) => i / (n - 1)));
  near(l1, 0.5, 1e-12);
  near(l2, 1 / 6, 1e-3);
  near(t3, 0, 1e-9);
  near(t4, 0, 1e-3);
});

test('samples that are too short, constant or not finite are refused', () => {
  assert.throws(() => sampleLMoments([1, 2]), RangeError);
  assert.throws(() => sampleLMoments([1, 2, Number.NaN]), RangeError);
  assert.throws(() => sampleLMoments([4, 4, 4, 4]), RangeError);
});
