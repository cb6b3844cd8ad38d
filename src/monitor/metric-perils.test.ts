import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METRIC_PERILS, metricsForPeril } from './metric-perils.ts';

test('each peril watches the metrics that methods.md names for it', () => {
  for (const [peril, metrics] of [
    ['flood', ['precipitation', 'river_flow', 'mndwi']],
    ['wildfire', ['fwi', 'nbr', 'ndvi', 'moisture']],
    ['storm', ['gust', 'pressure']],
    ['subsidence', ['displacement_rate']],
  ] as const) {
    for (const metric of metrics) assert.ok(metricsForPeril(peril).includes(metric), `${peril} ${metric}`);
  }
});

test('keys are lower case, without repetition, and a normalised difference moisture index is watched as moisture is', () => {
  for (const metrics of Object.values(METRIC_PERILS)) {
    assert.equal(new Set(metrics).size, metrics.length);
    for (const metric of metrics) assert.match(metric, /^[a-z][a-z0-9_]*$/);
    assert.equal(metrics.includes('ndmi'), metrics.includes('moisture'));
  }
});
