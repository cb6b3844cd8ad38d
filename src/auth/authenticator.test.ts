import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Unauthorized } from '../base/errors.ts';
import { authenticator } from './authenticator.ts';

test('a revoked credential is refused after a second, also when the clock was set back by an hour', async () => {
  let now = 10_000_000;
  let revoked = false;
  const principal = {
    accountId: 'acc',
    environment: 'production',
    keyId: 'key',
    scopes: new Set<string>(),
    rateLimit: 0,
  } as const;
  const verify = async () => {
    if (revoked) throw new Unauthorized('revoked');
    return { principal, expiresAtMs: Infinity };
  };
  const gate = authenticator({ key: verify, token: verify }, { now: () => now });
  assert.equal(await gate.authenticate('Bearer k'), principal);
  revoked = true;
  now += 999;
  assert.equal(await gate.authenticate('Bearer k'), principal);
  now -= 3_600_000;
  await assert.rejects(async () => gate.authenticate('Bearer k'), Unauthorized);
});
