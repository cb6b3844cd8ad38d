import assert from 'node:assert/strict';
import { test } from 'node:test';
import { calculateJwkThumbprint, EmbeddedJWK, exportJWK, generateKeyPair, type JWK, jwtVerify } from 'jose';
import { clientCredentials, Groundwatch, newProofKey } from './index.ts';
import { clientAssertion, proofOfPossession } from './proof.ts';

const NOW = Date.UTC(2026, 10, 24);
const STAMP = { nowMs: NOW, id: 'one' };

test('assertions of every kind of key are accepted by jose', async () => {
  for (const alg of ['ES256', 'EdDSA', 'PS256', 'RS256']) {
    const { privateKey, publicKey } = await generateKeyPair(alg);
    const jwt = await clientAssertion(
      { privateKey, id: '2026-11' },
      { clientId: 'cli_1', audience: 'https://auth.test/oauth/token' },
      STAMP,
    );
    const { payload, protectedHeader } = await jwtVerify(jwt, publicKey, { currentDate: new Date(NOW) });
    assert.deepEqual(protectedHeader, { alg, kid: '2026-11' });
    const { iat, exp, ...claims } = payload;
    assert.deepEqual(claims, {
      iss: 'cli_1',
      sub: 'cli_1',
      aud: 'https://auth.test/oauth/token',
      jti: 'one',
    });
    assert.deepEqual([iat, exp], [NOW / 1000, NOW / 1000 + 60]);
  }
  const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, [
    'deriveBits',
  ]);
  const wrong = clientAssertion({ privateKey }, { clientId: 'cli_1', audience: 'a' }, STAMP);
  await assert.rejects(wrong, /expected a key of ECDSA, .*, got one of ECDH/);
});

test('a proof names the call, and jose finds the key in it; the private key stays where it is', async () => {
  const pair = await newProofKey();
  assert.equal(pair.privateKey.extractable, false);
  const url = 'https://localhost:8443/v1/risk?lat=1';
  // RFC 9449 section 7.1: the access token of the example and its hash.
  const token = 'Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU';
  const proof = await proofOfPossession(pair, { method: 'GET', url, token }, STAMP);
  const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, {
    typ: 'dpop+jwt',
    currentDate: new Date(NOW),
  });
  assert.deepEqual(payload, {
    jti: 'one',
    htm: 'GET',
    htu: 'https://localhost:8443/v1/risk',
    iat: NOW / 1000,
    ath: 'fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo',
  });
  const own = await exportJWK(pair.publicKey);
  assert.equal(await calculateJwkThumbprint(protectedHeader.jwk as JWK), await calculateJwkThumbprint(own));
  assert.deepEqual(Object.keys(protectedHeader.jwk!).toSorted(), ['crv', 'kty', 'x', 'y']);
});

test('each attempt of a call has a proof of its own', async () => {
  const proofKey = await newProofKey();
  const proofs: string[] = [];
  const groundwatch = new Groundwatch(
    {
      baseUrl: 'https://risk.test/gateway/',
      token: () => 'a-token',
      proofKey,
      fetch: async (_, init) => {
        const headers = new Headers(init!.headers);
        assert.equal(headers.get('authorization'), 'DPoP a-token');
        proofs.push(headers.get('dpop')!);
        return proofs.length < 3 ? new Response('', { status: 502 }) : Response.json({ metrics: [] });
      },
    },
    { sleep: async () => undefined },
  );
  await groundwatch.listMetrics();
  assert.equal(new Set(proofs).size, 3);
  const { payload } = await jwtVerify(proofs[0]!, EmbeddedJWK);
  assert.equal(payload['htu'], 'https://risk.test/gateway/v1/metrics');
});

test('a secret beside a key, and a proof key beside an API key, are refused', async () => {
  const { privateKey } = await newProofKey();
  const proofKey = await newProofKey();
  const of = { authUrl: 'https://auth.test', clientId: 'cli_1' };
  for (const make of [
    () => clientCredentials(of),
    () => clientCredentials({ ...of, clientSecret: 's', key: { privateKey } }),
    () => new Groundwatch({ baseUrl: 'https://risk.test', apiKey: 'k', proofKey }),
  ])
    assert.throws(make, TypeError);
});
