import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RAMPED_METRICS, rampColours, rampOf, shownRange } from './colour-ramp.ts';

test('every ramp has colours and, if it has a range, the lower value first', () => {
  for (const metric of [...RAMPED_METRICS, 'something else']) {
    const { colours, range, aroundZero } = rampOf(metric);
    assert.ok(
      colours.every((colour) => /^#[0-9a-f]{6}$/.test(colour)),
      metric,
    );
    assert.ok(range === null || range[0] < range[1], metric);
    // The middle colour of a ramp around zero means zero.
    assert.ok(aroundZero !== true || colours.length % 2 === 1, metric);
  }
});

test('colours are interpolated between those given, which stand at equal steps', () => {
  assert.deepEqual(rampColours(['#000000', '#64c832'], 3), [
    [0, 0, 0],
    [50, 100, 25],
    [100, 200, 50],
  ]);
  assert.deepEqual(rampColours(['#000000', '#ff0000', '#0000ff'], 5)[3], [128, 0, 128]);
});

test('the range is that of most values, rounded outward; around zero it is symmetric', () => {
  const values = Float32Array.from({ length: 1001 }, (_, i) => i / 10);
  values[1000] = 1e6;
  values[999] = Number.NaN;
  assert.deepEqual(shownRange(rampOf('something else'), values), [1, 98]);
  assert.deepEqual(shownRange(rampOf('displacement'), Float32Array.of(-3.21, 0, 1)), [-3.3, 3.3]);
});

test('without values, and with one value only, the range is one that can be drawn', () => {
  assert.deepEqual(shownRange(rampOf('x'), Float32Array.of(Number.NaN)), [0, 1]);
  assert.deepEqual(shownRange(rampOf('x'), Float32Array.of(5, 5)), [4, 6]);
  assert.deepEqual(shownRange(rampOf('displacement'), Float32Array.of(0)), [-1, 1]);
});
