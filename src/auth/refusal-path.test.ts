import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { mock, test } from 'node:test';
import type { ClientRecord } from '../app/access/client-store.ts';
import { newId } from '../base/ids.ts';
import type { ApiKeyRecord } from '../app/access/key-store.ts';
import { newApiKey } from './api-key.ts';
import { newClientSecret } from './client-secret.ts';
import { keyVerifier } from './key-verifier.ts';
import { oauthServer } from './oauth-server.ts';

/**
 * Runs an attempt that is refused.
 * @returns four values: the numbers of digests, constant-time comparisons and database lookups, and the error message
 */
async function pathOf(attempt: () => Promise<unknown>, lookUps: () => number): Promise<readonly unknown[]> {
  const hash = mock.method(crypto, 'createHash');
  const compare = mock.method(crypto, 'timingSafeEqual');
  syncBuiltinESMExports(); // also replaces the functions in modules that import them by name
  const before = lookUps();
  try {
    const said = await attempt().then(
      () => 'let in',
      (error: Error) => error.message,
    );
    return [hash.mock.callCount(), compare.mock.callCount(), lookUps() - before, said];
  } finally {
    hash.mock.restore();
    compare.mock.restore();
    syncBuiltinESMExports();
  }
}

const record = {
  accountId: newId('account'),
  environment: 'production',
  name: null,
  scopes: [],
  rateLimit: 1,
  createdAt: new Date(0),
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
  accountDisabledAt: null,
} as const;
const clock = { now: () => 1 };
const touch = () => Promise.resolve();

test('a wrong secret, an unknown key and a key of another environment take the same path', async () => {
  const kept = new Map<string, ApiKeyRecord>();
  let looked = 0;
  const verify = keyVerifier({ find: async (id) => (looked++, kept.get(id)), touch }, clock);
  const key = newApiKey('production');
  const elsewhere = newApiKey('sandbox');
  kept.set(key.id, { ...record, id: key.id, secretHash: Buffer.alloc(32, 1) });
  kept.set(elsewhere.id, { ...record, id: elsewhere.id, secretHash: elsewhere.hash });
  const path = [1, 1, 1, 'The API key is not valid'];
  for (const { text } of [key, newApiKey('production'), elsewhere])
    assert.deepEqual(
      await pathOf(
        () => verify(text),
        () => looked,
      ),
      path,
    );
});

test('a wrong secret, an unknown client and a revoked client take the same path', async () => {
  const kept = new Map<string, ClientRecord>();
  let looked = 0;
  const none = {} as never;
  const clients = { find: async (id: string) => (looked++, kept.get(id)), touch };
  const server = oauthServer({
    clients,
    grants: none,
    keys: none,
    tokens: none,
    proofs: none,
    clock,
    issuer: () => '',
  });
  const secret = newClientSecret();
  const [known, revoked] = [newId('client'), newId('client')];
  kept.set(known, {
    ...record,
    id: known,
    secretHash: newClientSecret().hash,
    jwks: null,
    formerJwks: null,
    formerUntil: null,
  });
  kept.set(revoked, {
    ...record,
    id: revoked,
    secretHash: secret.hash,
    jwks: null,
    formerJwks: null,
    formerUntil: null,
    revokedAt: new Date(0),
  });
  const path = [1, 1, 1, 'The client is unknown, or its secret is missing or wrong'];
  for (const id of [known, newId('client'), revoked])
    assert.deepEqual(
      await pathOf(
        () => server.clientOf({ id, secret: secret.text, assertion: undefined }, 'client_credentials'),
        () => looked,
      ),
      path,
    );
});
