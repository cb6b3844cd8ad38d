import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleBilinear, sampleNearest, type SampleWindow } from './sample.ts';

const plane: SampleWindow = { values: [0, 1, 2, 10, 11, 12, 20, 21, 22], width: 3, height: 3, nodata: -9999 };

test('nearest sampling takes the pixel at the place', () => {
  assert.equal(sampleNearest(plane, 0, 0), 0);
  assert.equal(sampleNearest(plane, 0.999, 0.999), 0);
  assert.equal(sampleNearest(plane, 1, 0.5), 1);
  assert.equal(sampleNearest(plane, 3, 3), 22);
  for (const [x, y] of [
    [-0.001, 1],
    [3.001, 1],
    [1, -0.001],
    [1, 3.001],
    [Number.NaN, 1],
  ] as const) {
    assert.ok(Number.isNaN(sampleNearest(plane, x, y)));
    assert.ok(Number.isNaN(sampleBilinear(plane, x, y)));
  }
});

test('bilinear sampling reproduces a plane between centres, and values at centres exactly', () => {
  for (let y = 0.5; y <= 2.5; y += 0.25) {
    for (let x = 0.5; x <= 2.5; x += 0.25)
      assert.equal(sampleBilinear(plane, x, y), x - 0.5 + 10 * (y - 0.5));
  }
  assert.equal(sampleBilinear(plane, 0.1, 0.1), 0, 'constant in the outer half pixel');
  assert.equal(sampleBilinear(plane, 3, 3), 22);
});

test('nodata is never averaged', () => {
  for (const missing of [-9999, Number.NaN]) {
    const window = { values: Float64Array.of(4, missing, 8, 4), width: 2, height: 2, nodata: -9999 };
    assert.equal(sampleBilinear(window, 0.75, 0.5), 4);
    const mixed = sampleBilinear(window, 0.9, 0.9); // weights .36, .24, .24, .16 for 4, nodata, 8, 4
    assert.ok(Math.abs(mixed - (0.36 * 4 + 0.24 * 8 + 0.16 * 4) / 0.76) < 1e-12);
    assert.ok(Number.isNaN(sampleBilinear(window, 1.25, 0.5)), 'the pixel itself is nodata');
    assert.ok(Number.isNaN(sampleNearest(window, 1.25, 0.5)));
  }
});

test('without a nodata value every number is a value', () => {
  const window = { values: [-9999, -9999], width: 2, height: 1, nodata: null };
  assert.equal(sampleBilinear(window, 1, 0.5), -9999);
});
