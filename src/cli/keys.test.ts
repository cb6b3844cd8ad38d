import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stateOf } from './keys.ts';

test('the list says which keys are valid, and until when', () => {
  const now = Date.parse('2026-05-01T12:00:00Z');
  const [before, after] = [new Date('2026-04-30T12:00:00Z'), new Date('2026-05-02T12:00:00Z')];
  const key = { expiresAt: null, revokedAt: null, accountDisabledAt: null };
  assert.equal(stateOf(key, now), 'never expires');
  assert.equal(stateOf({ ...key, expiresAt: after }, now), 'expires 2026-05-02');
  assert.equal(stateOf({ ...key, expiresAt: before }, now), 'expired 2026-04-30');
  assert.equal(stateOf({ ...key, revokedAt: before, expiresAt: after }, now), 'revoked');
  assert.equal(
    stateOf({ ...key, revokedAt: after, expiresAt: after }, now),
    'replaced, ends 2026-05-02T12:00Z',
  );
  assert.equal(stateOf({ ...key, revokedAt: after, expiresAt: before }, now), 'expired 2026-04-30');
  assert.equal(stateOf({ ...key, expiresAt: after, accountDisabledAt: before }, now), 'account closed');
});
