// Long file: both kinds of proof are tested with the same keys and helpers.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { ISSUER, securedApp, SERVICE, type SecuredApp } from '../fixtures/secured-app.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';
import type { CallAnswer } from '../fixtures/http-caller.ts';

const TOKEN_URL = `${ISSUER}/oauth/token`;
const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ALGORITHMS = ['ES256', 'EdDSA', 'PS256', 'RS256'];

interface Holder {
  readonly alg: string;
  readonly jwk: JWK;
  readonly privateJwk: JWK;
  readonly key: Parameters<SignJWT['sign']>[0];
}

async function holder(alg = 'ES256'): Promise<Holder> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, jwk: await exportJWK(publicKey), privateJwk: await exportJWK(privateKey), key: privateKey };
}

describe('proofs by a key of the caller', () => {
  let world: TestStorage;
  let app: SecuredApp;
  before(async () => {
    world = await testStorage();
    app = await securedApp(world);
  });
  after(async () => {
    await app[Symbol.asyncDispose]();
    await world.close();
  });

  const nowS = () => Math.floor(app.clock.ms / 1000);
  const refused = (answer: CallAnswer, status: number, error: string): string => {
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.json()['error'], error, answer.text);
    return String(answer.json()['error_description']);
  };

  const assertion = (by: Holder, id: string, over: object = {}, header: object = {}) =>
    new SignJWT({ iss: id, sub: id, aud: TOKEN_URL, exp: nowS() + 60, jti: randomUUID(), ...over })
      .setProtectedHeader({ alg: by.alg, ...header })
      .sign(by.key);
  const proofBy = (by: Holder, claims: object, header: object = {}) =>
    new SignJWT({ iat: nowS(), jti: randomUUID(), ...claims })
      .setProtectedHeader({ alg: by.alg, typ: 'dpop+jwt', jwk: by.jwk, ...header })
      .sign(by.key);
  const askWith = (jwt: string, over: Record<string, string> = {}) =>
    app.form('/oauth/token', {
      grant_type: 'client_credentials',
      client_assertion_type: JWT_BEARER,
      client_assertion: jwt,
      ...over,
    });

  describe('private_key_jwt (RFC 7523)', () => {
    test('a client made over the API with its public key has no secret, and gets tokens by assertions', async () => {
      for (const alg of ALGORITHMS) {
        const by = await holder(alg);
        const key = await app.key();
        const made = await app.call({
          method: 'POST',
          url: '/v1/clients',
          key,
          payload: { scopes: ['risk:read'], jwks: { keys: [by.jwk] } },
        });
        assert.equal(made.status, 201, made.text);
        const id = String(made.json()['client_id']);
        assert.equal('client_secret' in made.json(), false);
        const shown = await app.call({ url: `/v1/clients/${id}`, key });
        assert.equal(shown.json()['token_endpoint_auth_method'], 'private_key_jwt');
        const answer = await askWith(await assertion(by, id));
        assert.equal(answer.status, 200, answer.text);
        const access = String(answer.json()['access_token']);
        assert.equal((await app.call({ url: '/v1/models', key: access })).status, 200);
      }
    });

    test('an assertion works once, on any node, for its client, and within five minutes', async () => {
      const by = await holder();
      const { id } = await app.client({ jwks: { keys: [by.jwk] } });
      const jwt = await assertion(by, id);
      assert.equal((await askWith(jwt, { client_id: id })).status, 200);
      await using node = await securedApp(world, { startMs: app.clock.ms });
      const form = {
        grant_type: 'client_credentials',
        client_assertion_type: JWT_BEARER,
        client_assertion: jwt,
      };
      assert.match(refused(await node.form('/oauth/token', form), 401, 'invalid_client'), /jti.*used before/);
      const wrong: readonly (readonly [object, RegExp])[] = [
        [{ aud: 'https://elsewhere.example' }, /aud/],
        [{ iss: 'someone' }, /iss/],
        [{ exp: nowS() - 1 }, /exp/],
        [{ exp: nowS() + 3600 }, /exp/],
        [{ exp: undefined }, /exp/],
        [{ jti: undefined }, /jti/],
        [{ jti: { a: 1 } }, /jti: expected a text/],
      ];
      for (const [over, why] of wrong)
        assert.match(refused(await askWith(await assertion(by, id, over)), 401, 'invalid_client'), why);
      assert.equal((await askWith(await assertion(by, id, { aud: [ISSUER] }))).status, 200);
    });

    test('another key, another client, a secret and no proof at all are told alike', async () => {
      const [by, thief] = [await holder(), await holder()];
      const { id } = await app.client({ jwks: { keys: [by.jwk] } });
      const plain = await app.client();
      const told = new Set([
        refused(await askWith(await assertion(thief, id)), 401, 'invalid_client'),
        refused(await askWith(await assertion(thief, plain.id)), 401, 'invalid_client'),
        refused(await askWith(await assertion(thief, 'cli_x')), 401, 'invalid_client'),
        refused(await askWith('a.b.c', { client_id: id }), 401, 'invalid_client'),
        refused(await askWith(await assertion(thief, id, { sub: 5 })), 401, 'invalid_client'),
        refused(await askWith(await assertion(by, id), { client_id: plain.id }), 401, 'invalid_client'),
        refused(
          await app.form('/oauth/token', {
            grant_type: 'client_credentials',
            client_id: id,
            client_secret: 'x',
          }),
          401,
          'invalid_client',
        ),
        // A public refresh is for clients with a secret: this one has a key and must always use it.
        refused(
          await app.form('/oauth/token', {
            grant_type: 'refresh_token',
            client_id: id,
            refresh_token: 'gwrt_x',
          }),
          401,
          'invalid_client',
        ),
      ]);
      assert.equal(told.size, 1);
      const both = await askWith(await assertion(by, id), { client_secret: 'x' });
      refused(both, 400, 'invalid_request');
      refused(await askWith(await assertion(by, id), { client_assertion_type: 'x' }), 400, 'invalid_request');
    });

    test('keys are replaced: both work during the overlap, and then the new ones alone', async () => {
      const [old, next, last] = [await holder(), await holder('EdDSA'), await holder()];
      const { id } = await app.client({ jwks: { keys: [old.jwk] } });
      const key = await app.key();
      const replace = (by: Holder, hours: number) =>
        app.call({
          method: 'POST',
          url: `/v1/clients/${id}/keys?overlap_hours=${hours}`,
          key,
          payload: { jwks: { keys: [by.jwk] } },
        });
      const proves = async (by: Holder) => (await askWith(await assertion(by, id))).status === 200;
      const first = await replace(next, 24);
      assert.equal(first.status, 200, first.text);
      const until = app.clock.ms + 24 * 3_600_000;
      assert.equal(Date.parse(String(first.json()['former_keys_until'])), until);
      assert.deepEqual([await proves(old), await proves(next), await proves(last)], [true, true, false]);
      app.clock.ms = until + 1000;
      const later = await app.key();
      assert.deepEqual([await proves(old), await proves(next)], [false, true]);

      const leaked = await app.call({
        method: 'POST',
        url: `/v1/clients/${id}/keys?overlap_hours=0`,
        key: later,
        payload: { jwks: { keys: [last.jwk] } },
      });
      assert.equal(leaked.json()['former_keys_until'], null, leaked.text);
      assert.deepEqual([await proves(next), await proves(last)], [false, true]);

      const { id: bySecret } = await app.client();
      for (const [url, payload, why] of [
        [`/v1/clients/${bySecret}/keys`, { jwks: { keys: [next.jwk] } }, /proves itself by a secret/],
        [`/v1/clients/${id}/keys`, { jwks: { keys: [next.privateJwk] } }, /no member of a private key/],
        [`/v1/clients/${id}/keys?overlap_hours=999`, { jwks: { keys: [next.jwk] } }, /overlap_hours/],
      ] as const) {
        const answer = await app.call({ method: 'POST', url, key: later, payload });
        assert.equal(answer.status, 400, answer.text);
        assert.match(answer.text, why);
      }
    });

    test('unfit keys are refused by name, and nothing is made', async () => {
      const key = await app.key();
      const [by, other] = [await holder(), await holder()];
      const small = { kty: 'RSA', n: 'x'.repeat(171), e: 'AQAB' };
      const cases: readonly (readonly [unknown, string])[] = [
        [{ keys: [] }, 'jwks.keys'],
        [{ keys: [by.privateJwk] }, 'jwks.keys[0]'],
        [{ keys: [small] }, 'jwks.keys[0]'],
        [{ keys: [{ kty: 'oct', k: 'AAAA' }] }, 'jwks.keys[0]'],
        [{ keys: [{ kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' }] }, 'jwks.keys[0]'],
        [{ keys: [by.jwk, other.jwk] }, 'jwks.keys[0]'],
        [
          {
            keys: [
              { ...by.jwk, kid: 'a' },
              { ...other.jwk, kid: 'a' },
            ],
          },
          'jwks.keys[1]',
        ],
        [by.jwk, 'jwks.keys'],
      ];
      const before = (await app.call({ url: '/v1/clients?limit=1000', key })).json()['clients'] as unknown[];
      for (const [jwks, param] of cases) {
        const payload = { scopes: ['risk:read'], jwks };
        const answer = await app.call({ method: 'POST', url: '/v1/clients', key, payload });
        assert.equal(answer.status, 400, answer.text);
        assert.equal((answer.json()['error'] as { param?: string }).param, param, answer.text);
      }
      const after = (await app.call({ url: '/v1/clients?limit=1000', key })).json()['clients'] as unknown[];
      assert.equal(after.length, before.length);
      const two = {
        keys: [
          { ...by.jwk, kid: 'a' },
          { ...other.jwk, kid: 'b' },
        ],
      };
      const { id } = await app.client({ jwks: two });
      assert.equal((await askWith(await assertion(other, id, {}, { kid: 'b' }))).status, 200);
    });
  });

  describe('DPoP (RFC 9449)', () => {
    const tokenProof = (by: Holder, over: object = {}, header: object = {}) =>
      proofBy(by, { htm: 'POST', htu: TOKEN_URL, ...over }, header);
    const take = async (by: Holder) => {
      const client = await app.client();
      const form = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret };
      const answer = await app.form('/oauth/token', form, { dpop: await tokenProof(by) });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.json()['token_type'], 'DPoP');
      return {
        client,
        access: String(answer.json()['access_token']),
        refresh: String(answer.json()['refresh_token']),
      };
    };
    const ath = (token: string) => createHash('sha256').update(token).digest('base64url');
    const call = (authorization: string, dpop: string | undefined, url = '/v1/models', on = app) =>
      on.call({ url, headers: { authorization, ...(dpop !== undefined && { dpop }) } });
    const callProof = (by: Holder, token: string, over: object = {}, header: object = {}) =>
      proofBy(by, { htm: 'GET', htu: `${SERVICE}/v1/models`, ath: ath(token), ...over }, header);

    test('a bound token opens calls with a proof of its key only, each proof once', async () => {
      for (const alg of ALGORITHMS) {
        const [by, thief] = [await holder(alg), await holder(alg)];
        const { access } = await take(by);
        const claims = JSON.parse(Buffer.from(access.split('.')[1]!, 'base64url').toString()) as {
          cnf: { jkt: string };
        };
        assert.equal(claims.cnf.jkt, await calculateJwkThumbprint(by.jwk));
        const proof = await callProof(by, access);
        assert.equal((await call(`DPoP ${access}`, proof)).status, 200);
        assert.equal((await call(`DPoP ${access}`, await callProof(by, access), '/v1/models?x')).status, 400);
        await using node = await securedApp(world, { startMs: app.clock.ms });
        const elsewhere = await call(`DPoP ${access}`, proof, '/v1/models', node);
        assert.equal(elsewhere.status, 401);
        assert.match(elsewhere.text, /jti: used before/, 'at another node');
        const wrong: readonly (readonly [string, string | undefined, RegExp])[] = [
          [`DPoP ${access}`, proof, /jti: used before/],
          [`DPoP ${access}`, undefined, /required, but missing/],
          [`DPoP ${access}`, await callProof(thief, access), /by the key of the access token/],
          [`DPoP ${access}`, await callProof(by, access, { htm: 'POST' }), /htm: expected GET/],
          [
            `DPoP ${access}`,
            await callProof(by, access, { htu: `${SERVICE}/v1/aois` }),
            /htu: expected https/,
          ],
          [`DPoP ${access}`, await callProof(by, access, { htu: 'é"\n\u0000' }), /htu: expected https/],
          [`DPoP ${access}`, await callProof(by, access, { iat: nowS() - 61 }), /iat/],
          [`DPoP ${access}`, await callProof(by, access, { iat: nowS() + 61 }), /iat/],
          [`DPoP ${access}`, await callProof(by, access, { ath: ath('other') }), /ath/],
          [`DPoP ${access}`, await callProof(by, access, { jti: 'x'.repeat(300) }), /jti/],
          [`DPoP ${access}`, await callProof(by, access, {}, { typ: 'JWT' }), /typ/],
          [`DPoP ${access}`, await callProof(by, access, {}, { jwk: thief.jwk }), /signature/],
          [`DPoP ${access}`, await callProof(by, access, {}, { jwk: by.privateJwk }), /DPoP: /],
          [`DPoP ${access}`, await callProof(by, access, {}, { jwk: { kty: 'oct', k: 'AAAA' } }), /DPoP: /],
          [`DPoP ${access}`, await callProof(by, access, {}, { jwk: undefined }), /DPoP: /],
          [`DPoP ${access}`, `${proof}, ${proof}`, /DPoP: /],
          [`DPoP ${access}`, 'é\u0001'.slice(0, 1), /DPoP: /],
          [`Bearer ${access}`, await callProof(by, access), /bound to a key/],
          [`DPoP ${await app.key()}`, await callProof(by, access), /bound to no key/],
        ];
        for (const [authorization, dpop, why] of wrong) {
          const answer = await call(authorization, dpop);
          assert.equal(answer.status, 401, `${String(why)}: ${answer.text}`);
          assert.match(answer.text, why);
          assert.match(
            answer.headers['www-authenticate'] ?? '',
            /^(DPoP .*invalid_dpop_proof|Bearer .*invalid_token)/,
          );
        }
      }
    });

    test('unsigned and symmetric proofs are refused', async () => {
      const by = await holder();
      const { access } = await take(by);
      const text = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const claims = text({
        htm: 'GET',
        htu: `${SERVICE}/v1/models`,
        ath: ath(access),
        iat: nowS(),
        jti: 'j',
      });
      const secret = new TextEncoder().encode('a secret of at least thirty-two bytes');
      const symmetric = await new SignJWT({ jti: 'j', iat: nowS(), htm: 'GET', htu: `${SERVICE}/v1/models` })
        .setProtectedHeader({ alg: 'HS256', typ: 'dpop+jwt', jwk: by.jwk })
        .sign(secret);
      for (const proof of [`${text({ alg: 'none', typ: 'dpop+jwt', jwk: by.jwk })}.${claims}.`, symmetric])
        assert.equal((await call(`DPoP ${access}`, proof)).status, 401);
    });

    test('a refresh token is bound to the key as well, and gives bound tokens', async () => {
      const [by, thief] = [await holder(), await holder()];
      const { client, refresh } = await take(by);
      const form = { grant_type: 'refresh_token', refresh_token: refresh, client_id: client.id };
      refused(await app.form('/oauth/token', form), 400, 'invalid_grant');
      const stolen = await app.form('/oauth/token', form, { dpop: await tokenProof(thief) });
      refused(stolen, 400, 'invalid_grant');
      const bad = await app.form('/oauth/token', form, { dpop: await tokenProof(by, { htm: 'GET' }) });
      assert.match(refused(bad, 400, 'invalid_dpop_proof'), /htm/);
      const good = await app.form('/oauth/token', form, { dpop: await tokenProof(by) });
      assert.equal(good.json()['token_type'], 'DPoP', good.text);
      const access = String(good.json()['access_token']);
      assert.equal((await call(`DPoP ${access}`, await callProof(by, access))).status, 200);
    });
  });
});
