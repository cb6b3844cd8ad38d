import assert from 'node:assert/strict';
import { test } from 'node:test';
import { severityOf } from './severity.ts';

test('severity by tail probability: .05, .01, .001, .0001 (contract: anomalies)', () => {
  assert.equal(severityOf(0.0500001), undefined);
  assert.equal(severityOf(0.05), 'low');
  assert.equal(severityOf(0.0101), 'low');
  assert.equal(severityOf(0.01), 'medium');
  assert.equal(severityOf(0.001), 'high');
  assert.equal(severityOf(0.0001), 'critical');
  assert.equal(severityOf(0), 'critical');
  assert.equal(severityOf(1), undefined);
  assert.equal(severityOf(Number.NaN), undefined);
});
