import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeType } from './change-type.ts';
import { metricTraits } from '../metric.ts';

const typeOf = (
  metric: string,
  direction: -1 | 1,
  moves: Readonly<Record<string, readonly [before: number, after: number]>>,
) =>
  changeType(
    metric,
    metricTraits(metric)!,
    direction,
    new Map(
      Object.entries(moves).map(([key, [before, after]]) => [
        key,
        { residual: after - before, value: after },
      ]),
    ),
  );

test('one index alone keeps its own type', () => {
  assert.equal(typeOf('ndvi', -1, { ndvi: [0.8, 0.4] }), 'vegetation_loss');
  assert.equal(typeOf('ndvi', 1, { ndvi: [0.4, 0.8] }), 'vegetation_gain');
  assert.equal(typeOf('mndwi', 1, { mndwi: [-0.4, 0.3] }), 'water_gain');
  assert.equal(typeOf('ndbi', -1, { ndbi: [0.2, -0.2] }), null);
  assert.equal(typeOf('displacement', -1, { displacement: [0, -40] }), 'ground_subsidence');
});

test('a fall of the burn ratio is a burn: Landsat pixel of the 2002 fire near Walker, California (lcmap-pyccd h03v09), .22 to -.48', () => {
  assert.equal(typeOf('ndvi', -1, { ndvi: [0.33, 0.07], nbr: [0.22, -0.48] }), 'burn');
  assert.equal(typeOf('nbr', -1, { nbr: [0.22, -0.48] }), 'burn');
});

test('a clearing that leaves soil is no burn, nor is a fall of low severity', () => {
  assert.equal(typeOf('ndvi', -1, { ndvi: [0.85, 0.3], nbr: [0.7, 0.1] }), 'vegetation_loss');
  assert.equal(typeOf('ndvi', -1, { ndvi: [0.4, 0.3], nbr: [0.0, -0.2] }), 'vegetation_loss');
});

test('a rise or fall of the water index is water, whichever way greenness went', () => {
  assert.equal(typeOf('ndvi', -1, { ndvi: [0.6, -0.1], mndwi: [-0.4, 0.4], nbr: [0.4, -0.2] }), 'water_gain');
  assert.equal(typeOf('ndvi', 1, { ndvi: [-0.1, 0.4], mndwi: [0.4, -0.3] }), 'water_loss');
  assert.equal(typeOf('ndvi', -1, { ndvi: [0.8, 0.3], mndwi: [-0.5, -0.2] }), 'vegetation_loss');
});

test('a built-up index that rises above 0 where hardly any green is left is built up', () => {
  assert.equal(typeOf('ndvi', -1, { ndvi: [0.6, 0.1], ndbi: [-0.2, 0.1], mndwi: [-0.4, -0.3] }), 'built_up');
  assert.equal(typeOf('ndbi', 1, { ndbi: [-0.2, 0.1], ndvi: [0.6, 0.4] }), 'vegetation_loss');
});

test('radar: a fall to the backscatter of smooth water is water, a smaller one is a clearing', () => {
  assert.equal(typeOf('vv', -1, { vv: [-9, -20] }), 'water_gain');
  assert.equal(typeOf('vh', -1, { vh: [-13, -16] }), 'vegetation_loss');
  assert.equal(typeOf('vv', 1, { vv: [-20, -9] }), 'water_loss');
});
