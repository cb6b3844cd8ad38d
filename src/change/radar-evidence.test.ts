import assert from 'node:assert/strict';
import { test } from 'node:test';
import { radarRegion } from '../../test/oracles/radar-region.ts';
import { detectChanges } from './detect-changes.ts';
import { metricTraits } from './metric.ts';

test('cross-polarised backscatter of an orbit is evidence of greenness, co-polarised is followed by nothing', () => {
  assert.equal(metricTraits('vh_orbit_98')?.phenomenon, 'greenness');
  assert.equal(metricTraits('vh_orbit_98')?.fall, 'vegetation_loss');
  assert.equal(metricTraits('vv_orbit_98'), null);
  assert.equal(metricTraits('vh')?.phenomenon, 'backscatter');
});

test('clearings under permanent cloud are found by radar and optical scenes together, each orbit with its own level', () => {
  const region = radarRegion({
    seed: 3,
    side: 21,
    years: 5,
    cloud: 0.5,
    swing: 0,
    looks: 60,
    fallDb: [3, 1.5],
  });
  const { side, timesMs, optical, radar, clearings, clearingOf } = region;
  const times = timesMs.length;
  // From half a year before the first clearing on, the ground is never seen through the clouds again.
  const cloudyMs = Math.min(...clearings.map(({ ms }) => ms)) - 180 * 86_400_000;
  for (const values of Object.values(optical))
    for (let i = 0; i < values.length; i++) if (timesMs[i % times]! > cloudyMs) values[i] = Number.NaN;
  const spec = {
    width: side,
    height: side,
    pixelAreaM2: 900,
    metric: 'ndvi',
    timesMs,
    values: optical['ndvi']!,
  };
  const confirmed = (others: Readonly<Record<string, Float32Array>>) =>
    detectChanges({ ...spec, others }).filter(({ confirmedMs }) => confirmedMs !== null);
  assert.deepEqual(confirmed({}), []);
  const found = confirmed({ vh_orbit_98: radar['vh_orbit_98']!, vh_orbit_171: radar['vh_orbit_171']! });
  const hit = new Set(found.flatMap(({ pixels }) => [...pixels].map((pixel) => clearingOf[pixel]!)));
  assert.equal(clearings.filter((_, i) => hit.has(i)).length, clearings.length);
  assert.ok(found.every(({ type, metric }) => type === 'vegetation_loss' && metric.startsWith('vh_orbit_')));
});
