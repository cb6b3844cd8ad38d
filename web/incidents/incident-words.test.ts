import assert from 'node:assert/strict';
import { test } from 'node:test';
import { membersInWords, sizeInWords, stateInWords, sureInWords } from './incident-words.ts';

const changes = [
  { area_m2: 20_000, confidence: 0.8 },
  { area_m2: 30_000, confidence: 0.97 },
];

test('members are counted by their kind', () => {
  assert.equal(membersInWords({ anomaly_count: 1, change_count: 0 }), '1 anomaly');
  assert.equal(membersInWords({ anomaly_count: 3, change_count: 2 }), '3 anomalies and 2 changes');
});

test('an incident is as large as the ground of its changes, and without changes as its areas', () => {
  assert.equal(sizeInWords({ area_count: 1, area_m2: 45_000 }, [{ area_m2: 9e6 }]), '4.5 ha');
  assert.equal(
    sizeInWords({ area_count: 2, area_m2: null }, [{ area_m2: 9e6 }, { area_m2: 1e6 }]),
    'size not known, within 2 areas of 10 km² in all',
  );
  assert.equal(
    sizeInWords({ area_count: 2, area_m2: null }, [{ area_m2: 9e6 }]),
    'size not known, within 2 areas',
  );
  assert.equal(
    sizeInWords({ area_count: 1, area_m2: null }, [{ area_m2: 9e6 }]),
    'size not known, within an area of 9 km²',
  );
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
