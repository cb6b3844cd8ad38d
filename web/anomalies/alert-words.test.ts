import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alertsInWords } from './alert-words.ts';

test('the choices of a subscription are one sentence', () => {
  assert.equal(alertsInWords(null, null), 'Each alert at once');
  assert.equal(
    alertsInWords({ zone: 'Europe/Ljubljana', from: '22:00', to: '07:00' }, 'daily'),
    'One digest each day, quiet from 22:00 to 07:00 (Europe/Ljubljana)',
  );
});
