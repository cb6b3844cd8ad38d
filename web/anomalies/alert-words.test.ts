import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertsInWords } from './alert-words.ts';

test('the choices of a subscription are one sentence', () => {
  assert.equal(alertsInWords({ quiet_hours: null, digest: null, past: false }), 'Each alert at once');
  const night = { zone: 'Europe/Ljubljana', from: '22:00', to: '07:00' };
  assert.equal(
    alertsInWords({ quiet_hours: night, digest: 'daily', past: true }),
    'One digest each day, quiet from 22:00 to 07:00 (Europe/Ljubljana), the past too',
  );
});
