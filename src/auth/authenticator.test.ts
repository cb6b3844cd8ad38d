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
    return { principal, expiresAtMs: Infinity, keyThumbprint: null };
  };
  const gate = authenticator({ key: verify, token: verify }, {} as never, { now: () => now });
  assert.equal(await gate.authenticate('Bearer k'), principal);
  revoked = true;
  now += 999;
  assert.equal(await gate.authenticate('Bearer k'), principal);
  now -= 3_600_000;
  await assert.rejects(async () => gate.authenticate('Bearer k'), Unauthorized);
});

test('a credential that is bound to a key needs a proof for each call, and none to be checked again', async () => {
  const principal = {
    accountId: 'acc',
    environment: 'production',
    keyId: 'key',
    scopes: new Set<string>(),
    rateLimit: 0,
  } as const;
  const verify = async () => ({ principal, expiresAtMs: Infinity, keyThumbprint: 'ours' });
  let proofs = 0;
  const keyOf = async (_call: unknown, token?: string) => {
    proofs += 1;
    assert.equal(token, 'k');
    return proofs === 3 ? 'theirs' : 'ours';
  };
  const gate = authenticator({ key: verify, token: verify }, { keyOf }, { now: () => 0 });
  const call = { method: 'GET', url: '/', headers: {} };
  assert.equal(await gate.authenticate('DPoP k', call), principal);
  assert.equal(await gate.authenticate('dpop k', call), principal);
  assert.equal(await gate.authenticate('DPoP k'), principal);
  assert.equal(proofs, 2);
  await assert.rejects(async () => gate.authenticate('DPoP k', call), Unauthorized);
  await assert.rejects(async () => gate.authenticate('Bearer k', call), Unauthorized);
});

test('a credential is verified once, however its header is spelled', async () => {
  let verified = 0;
  const principal = {
    accountId: 'acc',
    environment: 'production',
    keyId: 'key',
    scopes: new Set<string>(),
    rateLimit: 0,
  } as const;
  const verify = async (credential: string) => {
    assert.equal(credential, 'k');
    verified++;
    return { principal, expiresAtMs: Infinity, keyThumbprint: null };
  };
  const gate = authenticator({ key: verify, token: verify }, {} as never, { now: () => 10_000_000 });
  for (const header of ['Bearer k', 'bearer k', 'Bearer   k', 'BEARER k ', 'Bearer k'])
    assert.equal(await gate.authenticate(header), principal, header);
  assert.equal(verified, 1);
});
