import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assessPlace, type ArrayLayer } from './array-layers.ts';
import { riskScore } from './score.ts';

const AMSTERDAM = { lat: 52.37, lng: 4.89 };
const GRID = { width: 2, height: 2, west: 4.8, north: 52.4, cell: [0.1, 0.1], resolutionM: 90 } as const;
const depth = (returnPeriodYears: number, value: number): ArrayLayer => ({
  ...GRID,
  layer: 'flood-depth',
  returnPeriodYears,
  values: Array.from({ length: 4 }, () => value),
});

test('maps of depth become a score with a confidence, higher for deeper water', () => {
  const shallow = assessPlace('flood', AMSTERDAM, [depth(10, 0), depth(100, 0.2)]);
  const deep = assessPlace('flood', AMSTERDAM, [depth(10, 0.5), depth(100, 2)]);
  assert.ok(shallow.confidence > 0 && deep.confidence > 0);
  assert.ok(deep.riskScore > shallow.riskScore);
  assert.equal(deep.riskScore, riskScore(deep.expectedAnnualDamageRatio));
  assert.match(deep.modelVersion, /^flood-v/);
});

test('without a value at the place the answer is the prior, with confidence 0', () => {
  const prior = assessPlace('flood', AMSTERDAM, []);
  assert.equal(prior.confidence, 0);
  for (const layers of [
    [depth(10, Number.NaN)],
    [{ ...depth(10, 1), west: 100 }],
    [{ ...depth(10, 1), north: 0 }],
  ])
    assert.equal(assessPlace('flood', AMSTERDAM, layers).riskScore, prior.riskScore);
});

test('a grid may cross the antimeridian', () => {
  const layer = { ...depth(10, 1), west: 179.9, north: 0.1 };
  assert.ok(assessPlace('flood', { lat: 0, lng: -179.95 }, [layer]).confidence > 0);
});

test('what cannot be right is refused by name', () => {
  const refused = (layers: readonly ArrayLayer[], message: RegExp, place = AMSTERDAM) =>
    assert.throws(() => assessPlace('flood', place, layers), { name: 'RangeError', message });
  refused([depth(10, -9999)], /flood-depth: expected .* got -9999; missing values are NaN/);
  refused([{ ...depth(10, 1), values: [1, 2, 3] }], /2 x 2 values, got 3/);
  refused([{ ...depth(10, 1), layer: 'depth' }], /layer depth: expected one of/);
  refused([{ ...GRID, layer: 'flood-depth', values: [1, 1, 1, 1] }], /return period/);
  refused([{ ...depth(10, 1), layer: 'elevation' }], /elevation has no return period/);
  refused([{ ...depth(10, 1), resolutionM: Number.NaN }], /resolution above 0/);
  refused([{ ...depth(10, 1), date: 'yesterday' }], /date/);
  refused([{ ...depth(10, 1), cell: [0, 1] }], /cells of a positive size/);
  refused([], /out of range/, { lat: 91, lng: 0 });
  assert.throws(() => assessPlace('hail' as never, AMSTERDAM, []), /peril: expected one of .*got hail/);
});
