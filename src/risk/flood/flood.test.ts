import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LayerMeta, LayerReading } from '../assessment.ts';
import { floodModel } from './flood.ts';

const CARDS: readonly LayerMeta[] = (
  [
    ['flood-depth', 10],
    ['flood-depth', 100],
    ['flood-depth', 500],
    ['coastal-flood-depth', 100],
    ['flood-protection', null],
    ['elevation', null],
    ['coast-distance', null],
    ['water-distance', null],
    ['major-river-distance', null],
    ['height-above-water', null],
  ] as const
).map(([layer, returnPeriodYears]) => ({
  layer,
  version: 'v1',
  unit: '',
  returnPeriodYears,
  resolutionM: 100,
  date: '2026-01-01',
  licence: 'none',
  source: 'test',
}));

/** Returns one reading per card; null means nodata. */
function readings(values: readonly (number | null)[]): LayerReading[] {
  return values.map((value) => (value === null ? { ok: false, reason: 'nodata' } : { ok: true, value }));
}

const PLACES = [
  readings([0, 0.8, 2, null, null, 3, 40, 1, 2, 1]), // river map, near the river
  readings([null, null, null, null, null, 0.5, 1, 60, 60, 30]), // low ground by the sea
  readings([null, null, null, null, null, 90, 70, 1, 1, 0.2]), // on a river's bank, no map
  readings([null, null, null, 1.4, 50, 1, 0.5, 2, 60, 2]), // sea map, behind a dike
  readings([null, null, null, null, null, 900, 300, 60, 60, 200]), // dry
];

test('the answer for a place does not depend on earlier queries, for both assess and explain', () => {
  const alone = PLACES.map((place) => floodModel.prepare(CARDS).assess(place, 52, 5));
  assert.equal(new Set(alone.map(({ riskScore }) => riskScore)).size, PLACES.length);
  const assessor = floodModel.prepare(CARDS);
  for (const before of PLACES)
    for (const [i, place] of PLACES.entries()) {
      assessor.assess(before, 52, 5);
      assert.deepEqual(assessor.assess(place, 52, 5), alone[i]);
      assessor.explain(before, 52, 5);
      const { riskScore, confidence, expectedAnnualDamageRatio } = assessor.explain(place, 52, 5);
      assert.deepEqual({ riskScore, confidence, expectedAnnualDamageRatio }, alone[i]);
    }
});
