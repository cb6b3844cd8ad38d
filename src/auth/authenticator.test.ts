import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Authenticator, Principal } from '../app/access/principal.ts';
import { Unauthorized } from '../base/errors.ts';
import { authenticator } from './authenticator.ts';

/** The principal that an authenticator returns, now or after a look-up. */
async function principalOf(found: ReturnType<Authenticator['authenticate']>): Promise<Principal> {
  return typeof found === 'function' ? found() : found;
}

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
  assert.equal(await principalOf(gate.authenticate('Bearer k')), principal);
  revoked = true;
  now += 999;
  assert.equal(await principalOf(gate.authenticate('Bearer k')), principal);
  now -= 3_600_000;
  await assert.rejects(async () => principalOf(gate.authenticate('Bearer k')), Unauthorized);
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
  assert.equal(await principalOf(gate.authenticate('DPoP k', call)), principal);
  assert.equal(await principalOf(gate.authenticate('dpop k', call)), principal);
  assert.equal(await principalOf(gate.authenticate('DPoP k')), principal);
  assert.equal(proofs, 2);
  await assert.rejects(async () => principalOf(gate.authenticate('DPoP k', call)), Unauthorized);
  await assert.rejects(async () => principalOf(gate.authenticate('Bearer k', call)), Unauthorized);
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
    assert.equal(await principalOf(gate.authenticate(header)), principal, header);
  assert.equal(verified, 1);
});

test('a credential that ends like another is looked up itself, and costs the other nothing', async () => {
  const verified: string[] = [];
  const end = 'e'.repeat(64);
  const verify = async (credential: string) => {
    verified.push(credential);
    if (credential.startsWith('false')) throw new Unauthorized('false');
    const principal = {
      accountId: credential.slice(0, 3),
      environment: 'production',
      keyId: 'key',
      scopes: new Set<string>(),
      rateLimit: 0,
    } as const;
    return { principal, expiresAtMs: Infinity, keyThumbprint: null };
  };
  const gate = authenticator({ key: verify, token: verify }, {} as never, { now: () => 10_000_000 });
  const accountOf = async (credential: string) =>
    (await principalOf(gate.authenticate(`Bearer ${credential}`))).accountId;
  assert.equal(await accountOf(`one${end}`), 'one');
  await assert.rejects(accountOf(`false${end}`), Unauthorized);
  assert.equal(await accountOf(`one${end}`), 'one');
  assert.deepEqual(verified, [`one${end}`, `false${end}`], 'the first is still cached');
  assert.equal(await accountOf(`two${end}`), 'two');
  assert.equal(await accountOf(`one${end}`), 'one');
});

test('a look-up begins when the caller begins it, and one that waited takes what another found', async () => {
  let verified = 0;
  const principal = {
    accountId: 'a',
    environment: 'production',
    keyId: 'k',
    scopes: new Set<string>(),
    rateLimit: 0,
  } as const;
  const verify = async () => {
    verified++;
    return { principal, expiresAtMs: Infinity, keyThumbprint: null };
  };
  const gate = authenticator({ key: verify, token: verify }, {} as never, { now: () => 10_000_000 });
  const [first, second, third] = [1, 2, 3].map(() => gate.authenticate('Bearer k'));
  assert.equal(verified, 0);
  await Promise.all([principalOf(first!), principalOf(second!)]);
  assert.equal(await principalOf(third!), principal);
  assert.equal(verified, 1);
});
