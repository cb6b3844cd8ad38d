import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spentUntil } from './spent.ts';

test('units are summed for today, seven days and all, by credential', () => {
  const days = [
    { day: '2026-03-03', credential_id: 'key_a', units: 5 },
    { day: '2026-03-03', credential_id: 'key_b', units: 1 },
    { day: '2026-02-25', credential_id: 'key_a', units: 20 },
    { day: '2026-02-24', credential_id: 'key_a', units: 300 },
    { day: '2026-02-24', credential_id: 'key_b', units: 4000 },
  ];
  assert.deepEqual(spentUntil('2026-03-03', days), [
    { credentialId: 'key_b', today: 1, week: 1, month: 4001 },
    { credentialId: 'key_a', today: 5, week: 25, month: 325 },
  ]);
  assert.deepEqual(spentUntil('2026-03-03', []), []);
});
