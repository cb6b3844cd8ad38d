import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Aoi } from '../../src/client/index.ts';
import { areasOf, membersInWords, sizeInWords, stateInWords, sureInWords } from './incident-words.ts';

const changes = [
  { area_m2: 20_000, confidence: 0.8 },
  { area_m2: 30_000, confidence: 0.97 },
];

test('members are counted by their kind', () => {
  assert.equal(membersInWords({ anomaly_count: 1, change_count: 0 }), '1 anomaly');
  assert.equal(membersInWords({ anomaly_count: 3, change_count: 2 }), '3 anomalies and 2 changes');
});

test('an incident is as large as the ground of its changes, and without changes its areas are named', () => {
  const [ridge, plain] = [
    { area_m2: 9e6, name: 'Ridge' },
    { area_m2: 1e6, name: 'Plain' },
  ];
  const of = (count: number) => ({ area_count: count, area_m2: null });
  assert.equal(sizeInWords({ area_count: 1, area_m2: 45_000 }, [ridge]), '4.5 ha');
  assert.equal(sizeInWords(of(1), [ridge]), 'size not known, within an area of 9 km²');
  assert.equal(sizeInWords(of(1), []), 'size not known, within an area');
  assert.equal(sizeInWords(of(2), [ridge, plain]), 'size not known, within Ridge and Plain');
  assert.equal(sizeInWords(of(3), [ridge, plain]), 'size not known, within Ridge, Plain and 1 more area');
  assert.equal(sizeInWords(of(2), []), 'size not known, within 2 areas');
  const many = Array.from({ length: 12 }, (_, i) => ({ area_m2: 1, name: `A${i}` }));
  assert.equal(sizeInWords(of(12), many), 'size not known, within A0, A1, A2, A3 and 8 more areas');
});

test('the largest change says how sure it is; without one, how rare it is by chance', () => {
  assert.equal(sureInWords({ severity: 'high' }, changes), '97 % sure that it lasts');
  assert.equal(
    sureInWords({ severity: 'critical' }, []),
    'chance alone gives such a reading less than once in 10,000',
  );
});

test('an incident goes on, is over, or has left a change', () => {
  const seen = '2025-04-11T10:00:00.000Z';
  assert.equal(stateInWords({ status: 'open', last_observed_at: null }), 'ongoing');
  assert.equal(stateInWords({ status: 'closed', last_observed_at: seen }), 'over');
  assert.equal(
    stateInWords({ status: 'standing', last_observed_at: seen }),
    'still there, nothing new when last observed, 11 Apr 2025',
  );
  assert.equal(
    stateInWords({ status: 'open', last_observed_at: seen }, Date.parse('2026-11-28T22:00:00Z')),
    'ongoing when last observed, 11 Apr 2025, 19 months ago',
  );
});

test('the areas of an incident keep its order, the main one first', () => {
  const areas = [{ id: 'aoi_a' }, { id: 'aoi_b' }] as unknown as readonly Aoi[];
  const own = areasOf({ aoi_ids: ['aoi_b', 'aoi_gone', 'aoi_a'] }, areas);
  assert.deepEqual(
    own.map(({ id }) => id),
    ['aoi_b', 'aoi_a'],
  );
});
