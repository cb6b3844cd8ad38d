import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metricTraits } from './metric.ts';

test('each metric names its fall and its rise, and other metrics have no traits', () => {
  const types = (metric: string) => [metricTraits(metric)?.fall, metricTraits(metric)?.rise];
  for (const metric of ['ndvi', 'evi', 'savi', 'nbr', 'ndmi', 'moisture']) {
    assert.deepEqual(types(metric), ['vegetation_loss', 'vegetation_gain']);
  }
  for (const metric of ['ndwi', 'mndwi']) assert.deepEqual(types(metric), ['water_loss', 'water_gain']);
  assert.deepEqual(types('ndbi'), [null, 'built_up']);
  assert.deepEqual(types('displacement'), ['ground_subsidence', 'ground_uplift']);
  for (const metric of ['precipitation', 'NDVI', '__proto__']) assert.equal(metricTraits(metric), null);
});
