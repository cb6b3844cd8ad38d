import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Layer } from '../../src/client/index.ts';
import { coversMiddle, layerGroups, outlineOfLayer } from './layer-groups.ts';

const layer = (over: Partial<Layer>): Layer => ({
  layer: 'flood-depth',
  version: 'v1',
  unit: 'm',
  return_period_years: 100,
  resolution_m: 90,
  date: '2024-01-01',
  licence: 'CC0',
  source: 'made up',
  perils: ['flood'],
  coverage: [10, 40, 20, 50],
  ...over,
});

test('maps that differ in their return period are one group', () => {
  const groups = layerGroups([
    layer({}),
    layer({ return_period_years: 10 }),
    layer({ layer: 'elevation', return_period_years: null }),
  ]);
  assert.deepEqual(
    groups.map(({ first, returnPeriods }) => [first.layer, returnPeriods]),
    [
      ['flood-depth', [10, 100]],
      ['elevation', []],
    ],
  );
});

test('a map covers the middle of the view or not, also across the antimeridian', () => {
  assert.equal(coversMiddle(layer({}), [14, 44, 16, 46]), true);
  assert.equal(coversMiddle(layer({}), [24, 44, 26, 46]), false);
  const pacific = layer({ coverage: [170, -20, -170, 0] });
  assert.equal(coversMiddle(pacific, [179, -11, -177, -9]), true);
  assert.equal(coversMiddle(pacific, [0, -11, 2, -9]), false);
  assert.deepEqual((outlineOfLayer(pacific).coordinates[0] as number[][])[1], [190, -20]);
});
