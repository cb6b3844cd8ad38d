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
    'somewhere in 2 areas of 10 km²',
  );
  assert.equal(sizeInWords({ area_count: 2, area_m2: null }, [{ area_m2: 9e6 }]), 'somewhere in 2 areas');
  assert.equal(
    sizeInWords({ area_count: 1, area_m2: null }, [{ area_m2: 9e6 }]),
    'somewhere in an area of 9 km²',
  );
});

test('the largest change says how sure it is; without one, how rare it is by chance', () => {
  assert.equal(sureInWords({ severity: 'high' }, changes), '97 % sure');
  assert.equal(sureInWords({ severity: 'critical' }, []), 'rarer than 1 in 10,000 readings');
});

test('an incident goes on, is over, or has left a change', () => {
  assert.equal(stateInWords({ status: 'open' }), 'ongoing');
  assert.equal(stateInWords({ status: 'closed' }), 'over');
  assert.equal(stateInWords({ status: 'standing' }), 'still there, nothing new');
});
