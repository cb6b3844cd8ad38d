import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { KNOWN_METRICS, perilsOf } from './known-metrics.ts';
import { metricsForPeril } from './metrics.ts';

test('the page of the method lists the side of each metric that indicates each peril', () => {
  const page = readFileSync(new URL('../../../docs/methods/anomaly.md', import.meta.url), 'utf8');
  const sides = (side: 'above' | 'below', peril: string) =>
    KNOWN_METRICS.filter(({ perils }) => perils[side].some((one) => one === peril))
      .map(({ key }) => `\`${key}\``)
      .join(', ') || 'none';
  for (const peril of ['flood', 'subsidence', 'wildfire', 'storm'])
    assert.ok(
      page.includes(`| ${peril} | ${sides('above', peril)} | ${sides('below', peril)} |`),
      `| ${peril} | ${sides('above', peril)} | ${sides('below', peril)} |`,
    );
});

test('no peril is indicated by both sides of a metric, but moving ground', () => {
  for (const { key, perils } of KNOWN_METRICS)
    for (const peril of perils.above)
      assert.equal(perils.below.includes(peril), peril === 'subsidence', `${key} ${peril}`);
});

test('a metric is watched for the perils of both its sides', () => {
  const month = KNOWN_METRICS.find(({ key }) => key === 'precipitation_30d')!;
  assert.deepEqual(perilsOf(month.perils), ['flood', 'wildfire']);
  for (const peril of ['flood', 'wildfire'] as const)
    assert.ok(metricsForPeril(peril).includes('precipitation_30d'));
});
