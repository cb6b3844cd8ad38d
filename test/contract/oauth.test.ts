// Long file: it tests all cases of RFC 6749, 7009 and 9068 against one application with its clients and tokens.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { importJWK, jwtVerify, SignJWT, generateKeyPair, UnsecuredJWT, type JWK } from 'jose';
import { ISSUER, securedApp, type SecuredApp } from '../fixtures/secured-app.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';
import type { CallAnswer } from '../fixtures/http-caller.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('OAuth 2.0', () => {
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

  const take = async (fields: Readonly<Record<string, string>>, on: SecuredApp = app) => {
    const answer = await on.form('/oauth/token', fields);
    assert.equal(answer.status, 200, answer.text);
    return answer.json() as {
      access_token: string;
      refresh_token: string;
      scope: string;
      expires_in: number;
      token_type: string;
    };
  };
  const credentials = (client: { readonly id: string; readonly secret: string }, over = {}) => ({
    grant_type: 'client_credentials',
    client_id: client.id,
    client_secret: client.secret,
    ...over,
  });
  const refused = (answer: CallAnswer, status: number, error: string): string => {
    assert.equal(answer.status, status, answer.text);
    const body = answer.json();
    assert.deepEqual(Object.keys(body), ['error', 'error_description']);
    assert.equal(body['error'], error, answer.text);
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal('www-authenticate' in answer.headers, status === 401);
    return String(body['error_description']);
  };
  const status = async (token: string, url = '/v1/models', on: SecuredApp = app) =>
    (await on.call({ url, key: token })).status;

  test('client credentials by the body give a token that opens what its scopes allow, and nothing more', async () => {
    const client = await app.client({ scopes: ['aois:read', 'changes:read'] });
    const answer = await app.form('/oauth/token', credentials(client, { scope: 'aois:read' }));
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.equal(answer.headers['pragma'], 'no-cache');
    assert.ok(answer.headers['x-request-id'] && answer.headers['x-ratelimit-limit']);
    const body = answer.json();
    assert.deepEqual(Object.keys(body).toSorted(), [
      'access_token',
      'expires_in',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    assert.equal(body['token_type'], 'Bearer');
    assert.equal(body['expires_in'], 3600);
    assert.equal(body['scope'], 'aois:read');
    const token = String(body['access_token']);
    assert.equal(await status(token, '/v1/aois'), 200);
    const lacking = await app.call({ url: '/v1/changes?aoi_id=x', key: token });
    assert.equal(lacking.status, 403);
    assert.equal((await take(credentials(client))).scope, 'aois:read changes:read', 'scope absent: all held');
  });

  test('the token is a JWT by RFC 9068, and the published keys verify it', async () => {
    const client = await app.client({ scopes: ['risk:read'] });
    const { access_token } = await take(credentials(client));
    const set = await app.call({ url: '/.well-known/jwks.json' });
    assert.match(set.headers['content-type'] ?? '', /^application\/jwk-set\+json/);
    const { keys } = set.json() as unknown as { keys: JWK[] };
    for (const key of keys)
      assert.deepEqual(Object.keys(key).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
    const { payload, protectedHeader } = await jwtVerify(
      access_token,
      async ({ kid }) =>
        importJWK(
          keys.find((key) => key.kid === kid)!,
          'ES256',
        ),
      { issuer: ISSUER, audience: ISSUER, typ: 'at+jwt', currentDate: new Date(app.clock.ms) },
    );
    assert.equal(protectedHeader.alg, 'ES256');
    assert.equal(payload.sub, client.id);
    assert.equal(payload['client_id'], client.id);
    assert.equal(payload['scope'], 'risk:read');
    assert.equal(payload.exp! - payload.iat!, 3600);
    assert.ok(payload.jti);
    const metadata = (await app.call({ url: '/.well-known/oauth-authorization-server' })).json();
    assert.equal(metadata['issuer'], ISSUER);
    assert.equal(metadata['token_endpoint'], `${ISSUER}/oauth/token`);
    assert.equal(metadata['jwks_uri'], `${ISSUER}/.well-known/jwks.json`);
  });

  test('HTTP Basic proves a client too, form-encoded as RFC 6749 section 2.3.1 says', async () => {
    const client = await app.client();
    const encoded = Buffer.from(client.secret).toString('hex').replaceAll(/../g, '%$&');
    for (const secret of [client.secret, encoded]) {
      const authorization = `Basic ${Buffer.from(`${client.id}:${secret}`).toString('base64')}`;
      const form = { grant_type: 'client_credentials' };
      assert.equal((await app.form('/oauth/token', form, { authorization })).status, 200);
      const both = { ...form, client_secret: client.secret };
      refused(await app.form('/oauth/token', both, { authorization }), 400, 'invalid_request');
      const other = { ...form, client_id: (await app.client()).id };
      refused(await app.form('/oauth/token', other, { authorization }), 400, 'invalid_request');
    }
    const headers = ['Basic', 'Basic !!!', 'Basic bm9jb2xvbg==', 'Bearer x', 'Basic Og=='];
    for (const authorization of headers)
      refused(
        await app.form('/oauth/token', { grant_type: 'client_credentials' }, { authorization }),
        401,
        'invalid_client',
      );
  });

  test('RFC 7617 section 2: the example Aladdin, open sesame, is read as one client that is not ours', async () => {
    const authorization = 'Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==';
    const answer = await app.form('/oauth/token', { grant_type: 'client_credentials' }, { authorization });
    refused(answer, 401, 'invalid_client');
  });

  test('unknown clients, wrong secrets and missing ones are told alike', async () => {
    const client = await app.client();
    const told = new Set<string>();
    for (const over of [
      { client_secret: 'gwcs_wrong' },
      { client_id: `cli_${'0'.repeat(26)}` },
      { client_id: 'nonsense' },
      { client_secret: '' },
    ])
      told.add(refused(await app.form('/oauth/token', credentials(client, over)), 401, 'invalid_client'));
    assert.equal(told.size, 1);
  });

  test('every other mistake has its code of RFC 6749 section 5.2', async () => {
    const client = await app.client({ scopes: ['risk:read'] });
    const good = credentials(client);
    const form = new URLSearchParams(good).toString();
    const token = (fields: Parameters<SecuredApp['form']>[1], headers = {}) =>
      app.form('/oauth/token', fields, headers);
    const { grant_type: _, ...noGrant } = good;
    refused(await token(noGrant), 400, 'invalid_request');
    refused(await token({ ...good, grant_type: 'password' }), 400, 'unsupported_grant_type');
    refused(await token({ ...good, scope: 'keys:write' }), 400, 'invalid_scope');
    refused(await token({ ...good, scope: 'risk:read  ' }), 400, 'invalid_scope');
    refused(await token({ grant_type: 'client_credentials' }), 400, 'invalid_request');
    refused(await token(`${form}&scope=risk:read&scope=risk:read`), 400, 'invalid_request');
    refused(await token({ ...good, grant_type: 'refresh_token' }), 400, 'invalid_request');
    refused(await token({ ...good, grant_type: 'refresh_token', refresh_token: 'x' }), 400, 'invalid_grant');
    refused(await token('{}', { 'content-type': 'application/json' }), 400, 'invalid_request');
    refused(await token(`${form}&x=${'y'.repeat(20_000)}`), 400, 'invalid_request');
    assert.equal((await token({ ...good, unknown: 'ignored', scope: '' })).status, 200);
    const odd = await token({ ...good, grant_type: '"\\é\n' });
    assert.match(refused(odd, 400, 'unsupported_grant_type'), /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  test('a refresh token gives new ones without the secret, once; a second use ends all that came of it', async () => {
    const client = await app.client({ scopes: ['aois:read', 'risk:read'] });
    const first = await take(credentials(client));
    const refresh = (text: string, over = {}) =>
      app.form('/oauth/token', {
        grant_type: 'refresh_token',
        refresh_token: text,
        client_id: client.id,
        ...over,
      });
    refused(await refresh(first.refresh_token, { client_secret: 'wrong' }), 401, 'invalid_client');
    refused(await refresh(first.refresh_token, { scope: 'keys:read' }), 400, 'invalid_scope');
    const narrowed = await refresh(first.refresh_token, { scope: 'risk:read' });
    assert.equal(narrowed.json()['scope'], 'risk:read');
    const second = String(narrowed.json()['refresh_token']);
    const third = (await refresh(second)).json();
    assert.equal(third['scope'], 'aois:read risk:read', 'narrowing one token narrows no other');
    const access = String(third['access_token']);
    assert.equal(await status(access), 200);
    refused(await refresh(first.refresh_token), 400, 'invalid_grant');
    refused(await refresh(String(third['refresh_token'])), 400, 'invalid_grant');
    app.clock.ms += 1000;
    for (const token of [access, first.access_token]) assert.equal(await status(token), 401);
  });

  test('a refresh token is bound to its client, and ends after 30 days', async () => {
    const [client, other] = [await app.client(), await app.client()];
    const { refresh_token } = await take(credentials(client));
    const form = { grant_type: 'refresh_token', refresh_token, client_id: other.id };
    refused(await app.form('/oauth/token', form), 400, 'invalid_grant');
    await using later = await securedApp(world, { startMs: app.clock.ms + 30 * DAY_MS });
    refused(await later.form('/oauth/token', { ...form, client_id: client.id }), 400, 'invalid_grant');
    assert.equal((await app.form('/oauth/token', { ...form, client_id: client.id })).status, 200);
  });

  test('of refreshes at once with one token all get the same successor, which works once', async () => {
    await using node = await securedApp(world, { startMs: app.clock.ms });
    for (let round = 0; round < 5; round++) {
      const client = await app.client();
      const { refresh_token } = await take(credentials(client));
      const form = { grant_type: 'refresh_token', refresh_token, client_id: client.id };
      const answers = await Promise.all([app, node, app].map((on) => on.form('/oauth/token', form)));
      const given = new Set(answers.map((answer) => String(answer.json()['refresh_token'])));
      assert.equal(given.size, 1, answers.map(({ text }) => text).join());
      const next = { ...form, refresh_token: [...given][0]! };
      assert.equal((await app.form('/oauth/token', next)).status, 200);
      refused(await app.form('/oauth/token', form), 400, 'invalid_grant');
    }
  });

  test('revocation (RFC 7009) of either token ends both; of nothing it is 200; of another client nothing', async () => {
    const [client, other] = [await app.client(), await app.client()];
    const revoke = (token: string, by = client) =>
      app.form('/oauth/revoke', { token, client_id: by.id, client_secret: by.secret });
    for (const which of ['access_token', 'refresh_token'] as const) {
      const pair = await take(credentials(client));
      assert.equal(await status(pair.access_token), 200);
      assert.equal((await revoke(pair[which], other)).status, 200);
      app.clock.ms += 1000;
      assert.equal(await status(pair.access_token), 200);
      const done = await revoke(pair[which]);
      assert.deepEqual([done.status, done.bytes.length], [200, 0]);
      app.clock.ms += 1000;
      assert.equal(await status(pair.access_token), 401);
      const form = { grant_type: 'refresh_token', refresh_token: pair.refresh_token, client_id: client.id };
      refused(await app.form('/oauth/token', form), 400, 'invalid_grant');
    }
    assert.equal((await revoke('nonsense')).status, 200);
    refused(
      await app.form('/oauth/revoke', { client_id: client.id, client_secret: client.secret }),
      400,
      'invalid_request',
    );
    refused(
      await app.form('/oauth/revoke', { token: 'x', client_id: client.id, client_secret: 'x' }),
      401,
      'invalid_client',
    );
  });

  test('a revoked client and a closed account are cut within a second, on the other node too', async () => {
    await using node = await securedApp(world, { startMs: app.clock.ms });
    const pass = async (seconds: number) => {
      app.clock.ms += seconds * 1000;
      node.clock.ms += seconds * 1000;
    };
    const client = await app.client();
    const { access_token } = await take(credentials(client));
    for (const on of [app, node]) assert.equal(await status(access_token, '/v1/models', on), 200);
    const key = await app.key();
    const { id } = (await world.storage.accounts.byName('ours'))!;
    await world.storage.accounts.setDisabled(id, new Date(app.clock.ms));
    await pass(1);
    for (const on of [app, node])
      for (const credential of [access_token, key])
        assert.equal(await status(credential, '/v1/models', on), 401);
    refused(await app.form('/oauth/token', credentials(client)), 401, 'invalid_client');
    await world.storage.accounts.setDisabled(id, null);
    for (const on of [app, node])
      for (const credential of [access_token, key])
        assert.equal(await status(credential, '/v1/models', on), 200);
    const removed = await app.call({ method: 'DELETE', url: `/v1/clients/${client.id}`, key });
    assert.equal(removed.status, 204, removed.text);
    await pass(1);
    for (const on of [app, node]) assert.equal(await status(access_token, '/v1/models', on), 401);
    refused(await app.form('/oauth/token', credentials(client)), 401, 'invalid_client');
  });

  test('a token ends after 60 minutes; a node whose clock is 60 s ahead or behind issues and takes tokens', async () => {
    const client = await app.client();
    const { access_token } = await take(credentials(client));
    await using behind = await securedApp(world, { startMs: app.clock.ms - 60_000 });
    assert.equal(await status(access_token, '/v1/models', behind), 200);
    await using ahead = await securedApp(world, { startMs: app.clock.ms + 60_000 });
    const early = await take(credentials(client), ahead);
    assert.equal(await status(early.access_token), 200);
    behind.clock.ms -= 60_000;
    assert.equal(await status(early.access_token, '/v1/models', behind), 401, 'issued two minutes ahead');
    await using later = await securedApp(world, { startMs: app.clock.ms + HOUR_MS - 1000 });
    assert.equal(await status(access_token, '/v1/models', later), 200);
    later.clock.ms += 1000;
    const ended = await later.call({ url: '/v1/models', key: access_token });
    assert.equal(ended.status, 401);
    assert.match(ended.headers['www-authenticate'] ?? '', /error="invalid_token".*expired/);
  });

  test('forged tokens are refused: no algorithm, another key, another issuer, a changed claim, RFC 7515 appendix A.3', async () => {
    const client = await app.client();
    const { access_token } = await take(credentials(client));
    const [head, body, signature] = access_token.split('.') as [string, string, string];
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>;
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
    const text = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { privateKey } = await generateKeyPair('ES256');
    const sign = (key: Parameters<SignJWT['sign']>[0], header: object) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', ...header }).sign(key);
    const forged = [
      new UnsecuredJWT(claims).encode(),
      `${text({ alg: 'none', typ: 'at+jwt', kid })}.${body}.${signature}`,
      await sign(privateKey, { kid }),
      await sign(privateKey, { kid: 'unknown' }),
      await sign(privateKey, {}),
      `${head}.${text({ ...claims, scope: 'keys:write' })}.${signature}`,
      `${head}.${body}.${signature.slice(0, -2)}AA`,
      `${text({ alg: 'ES256', typ: 'JWT', kid })}.${body}.${signature}`,
      'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q',
      'a.b.c',
    ];
    for (const token of forged) {
      const answer = await app.call({ url: '/v1/models', key: token });
      assert.equal(answer.status, 401, token);
      assert.match(answer.headers['www-authenticate'] ?? '', /error="invalid_token"/);
    }
    assert.equal(await status(access_token), 200);
  });

  test('tokens are limited by client, and failures by address', async () => {
    const client = await app.client({ rateLimit: 2 });
    for (let i = 0; i < 2; i++) await take(credentials(client));
    const limited = await app.form('/oauth/token', credentials(client));
    refused(limited, 429, 'temporarily_unavailable');
    assert.equal(limited.headers['retry-after'], '30');
    await using node = await securedApp(world, { startMs: app.clock.ms });
    const statuses = new Map<number, number>();
    for (let i = 0; i < 605; i++) {
      const { status } = await node.form('/oauth/token', credentials(client, { client_secret: 'x' }));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    assert.deepEqual(
      [...statuses],
      [
        [401, 600],
        [429, 5],
      ],
    );
  });

  test('who only names a client spends nothing of what it may ask for', async () => {
    const client = await app.client({ rateLimit: 2 });
    const nothing = { grant_type: 'refresh_token', client_id: client.id, refresh_token: 'gwrt_none' };
    for (let i = 0; i < 2; i++) refused(await app.form('/oauth/token', nothing), 400, 'invalid_grant');
    refused(await app.form('/oauth/token', nothing), 429, 'temporarily_unavailable');
    for (let i = 0; i < 2; i++) await take(credentials(client));
    refused(await app.form('/oauth/token', credentials(client)), 429, 'temporarily_unavailable');
  });

  test('keys are replaced every 30 days: old tokens hold to their end, and every node verifies new ones', async () => {
    const client = await app.client();
    await using node = await securedApp(world, { startMs: app.clock.ms + 31 * DAY_MS });
    const before = await take(credentials(client), node);
    const kid = (token: string) =>
      (JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString()) as { kid: string }).kid;
    const published = async () =>
      (
        (await node.call({ url: '/.well-known/jwks.json' })).json() as unknown as {
          keys: { kid: string }[];
        }
      ).keys.map((key) => key.kid);
    assert.equal((await published()).length, 2, 'the successor is published before it signs');
    node.clock.ms += HOUR_MS;
    const later = await take(credentials(client), node);
    assert.notEqual(kid(later.access_token), kid(before.access_token));
    assert.equal((await published()).length, 2);
    node.clock.ms -= HOUR_MS - 1;
    assert.equal(await status(before.access_token, '/v1/models', node), 200);
    await using fresh = await securedApp(world, { startMs: node.clock.ms + HOUR_MS });
    assert.equal(await status(later.access_token, '/v1/models', fresh), 200);
    node.clock.ms += 3 * HOUR_MS;
    await take(credentials(client), node);
    assert.deepEqual(await published(), [kid(later.access_token)]);
  });
});
