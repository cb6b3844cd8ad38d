import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lagText } from './lag.ts';

const now = Date.parse('2026-09-03T12:30:00Z');

test('a lag is in hours below two days, else in days', () => {
  assert.equal(lagText('2026-09-03T11:00:00Z', now), '1 hour');
  assert.equal(lagText('2026-09-01T13:00:00Z', now), '47 hours');
  assert.equal(lagText('2026-09-01T12:00:00Z', now), '2 days');
  assert.equal(lagText('2026-09-04T00:00:00Z', now), '0 hours');
});
