import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { Agent as HttpsAgent } from 'node:https';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { exportJWK, generateKeyPair } from 'jose';
import * as openid from 'openid-client';
import simpleOauth2, { type AccessToken } from 'simple-oauth2';
import { Agent, fetch as undiciFetch } from 'undici';
import { clientCredentials, Groundwatch, newProofKey } from '../../src/client/index.ts';
import { sharedService, type TestService } from '../fixtures/service.ts';

describe('public OAuth clients get, refresh and revoke tokens of a running service', () => {
  let service: TestService;
  let agent: Agent;
  let id: string;
  let secret: string;

  before(async () => {
    service = await sharedService();
    agent = new Agent({ connect: { ca: service.ca } });
    await service.cli('accounts', 'create', 'oauth');
    const made = await service.cli(
      'clients',
      'create',
      '--account',
      'oauth',
      '--scopes',
      'risk:read,aois:read',
    );
    id = String(made['client_id']);
    secret = String(made['client_secret']);
  });
  after(() => agent.destroy());

  const works = async (token: string) =>
    assert.equal((await service.call('/v1/aois', { key: token })).status, 200);
  const fetchTrusting = ((url: string, init: object) =>
    undiciFetch(url, { ...init, dispatcher: agent })) as never;

  test('our client proves itself with a key, and its tokens are bound to another', async (t) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256');
    const folder = await mkdtemp(join(tmpdir(), 'groundwatch-jwks-'));
    t.after(() => rm(folder, { recursive: true }));
    const jwks = join(folder, 'jwks.json');
    const writeKeys = async (key: typeof publicKey) =>
      writeFile(jwks, JSON.stringify({ keys: [await exportJWK(key)] }));
    await writeKeys(publicKey);
    const account = ['--account', 'oauth', '--scopes', 'risk:read,aois:read'];
    const made = await service.cli('clients', 'create', ...account, '--jwks', jwks);
    const clientId = String(made['client_id']);
    const proofKey = await newProofKey();
    const tokensBy = (key: typeof privateKey) =>
      clientCredentials({
        authUrl: service.baseUrl,
        clientId,
        key: { privateKey: key },
        proofKey,
        fetch: fetchTrusting,
      });
    const token = tokensBy(privateKey);
    const groundwatch = new Groundwatch({ baseUrl: service.baseUrl, token, proofKey, fetch: fetchTrusting });
    for (let i = 0; i < 3; i++) assert.deepEqual((await groundwatch.listAois()).aois, []);
    const stolen = await token();
    assert.equal((await service.call('/v1/aois', { key: stolen })).status, 401, 'without the proof');
    const renewed = await token(stolen);
    assert.notEqual(renewed, stolen);

    const next = await generateKeyPair('EdDSA');
    await writeKeys(next.publicKey);
    await service.cli('clients', 'replace-keys', clientId, '--jwks', jwks, '--overlap', '0');
    await tokensBy(next.privateKey)();
    await assert.rejects(async () => tokensBy(privateKey)(), /no token: The client is unknown/);
  });

  for (const [name, authentication] of [
    ['client_secret_post', openid.ClientSecretPost],
    ['client_secret_basic', openid.ClientSecretBasic],
  ] as const)
    test(`openid-client: discovery, client credentials by ${name}, refresh, revocation`, async () => {
      const config = await openid.discovery(new URL(service.baseUrl), id, undefined, authentication(secret), {
        algorithm: 'oauth2',
        [openid.customFetch]: fetchTrusting,
      });
      const first = await openid.clientCredentialsGrant(config, { scope: 'aois:read' });
      assert.deepEqual([first.token_type, first.scope, first.expires_in], ['bearer', 'aois:read', 3600]);
      await works(first.access_token);
      const second = await openid.refreshTokenGrant(config, first.refresh_token!);
      await works(second.access_token);
      const again = await openid.refreshTokenGrant(config, first.refresh_token!);
      assert.equal(again.refresh_token, second.refresh_token, 'a lost answer is repeated');
      await openid.refreshTokenGrant(config, second.refresh_token!);
      await assert.rejects(
        openid.refreshTokenGrant(config, first.refresh_token!),
        (error) => error instanceof openid.ResponseBodyError && error.error === 'invalid_grant',
      );
      const third = await openid.clientCredentialsGrant(config, {});
      await openid.tokenRevocation(config, third.refresh_token!);
      await assert.rejects(
        openid.refreshTokenGrant(config, third.refresh_token!),
        (error) => error instanceof openid.ResponseBodyError && error.error === 'invalid_grant',
      );
    });

  test('simple-oauth2: client credentials and refresh', async () => {
    const client = new simpleOauth2.ClientCredentials({
      client: { id, secret },
      auth: { tokenHost: service.baseUrl, tokenPath: '/oauth/token', revokePath: '/oauth/revoke' },
      http: { json: true },
      options: { authorizationMethod: 'header' },
    });
    const trusted = { agent: new HttpsAgent({ ca: service.ca }) } as never;
    const token: AccessToken = await client.getToken({ scope: ['risk:read', 'aois:read'] }, trusted);
    await works(String(token.token['access_token']));
    assert.equal(token.expired(), false);
    const fresh = await token.refresh({}, trusted);
    assert.notEqual(fresh.token['access_token'], token.token['access_token']);
    await works(String(fresh.token['access_token']));
  });

  test('curl, as the documents print it', async () => {
    const form = ['grant_type=client_credentials', `client_id=${id}`, `client_secret=${secret}`];
    const { stdout } = await promisify(execFile)('curl', [
      '-sS',
      '--cacert',
      join(service.dataFolder, 'tls', 'ca.pem'),
      ...form.flatMap((field) => ['-d', field]),
      '-d',
      'scope=risk:read aois:read',
      `${service.baseUrl}/oauth/token`,
    ]);
    await works(String((JSON.parse(stdout) as Record<string, unknown>)['access_token']));
  });

  test('groundwatch/client takes tokens by itself, and another when its own is revoked', async () => {
    const taken: string[] = [];
    const provider = clientCredentials({
      authUrl: service.baseUrl,
      clientId: id,
      clientSecret: secret,
      fetch: fetchTrusting,
    });
    const groundwatch = new Groundwatch({
      baseUrl: service.baseUrl,
      fetch: fetchTrusting,
      token: async (refused) => {
        const token = await provider(refused);
        if (taken.at(-1) !== token) taken.push(token);
        return token;
      },
    });
    await groundwatch.listAois();
    await groundwatch.listAois();
    assert.equal(taken.length, 1);
    const form = new URLSearchParams({ token: taken[0]!, client_id: id, client_secret: secret });
    const revoked = await service.call('/oauth/revoke', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
    assert.equal(revoked.status, 200);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await groundwatch.listAois();
    assert.equal(taken.length, 2);
  });

  test('a client revoked on the command line is cut within a second of the running service', async () => {
    const made = await service.cli('clients', 'create', '--account', 'oauth', '--scopes', 'aois:read');
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: String(made['client_id']),
      client_secret: String(made['client_secret']),
    });
    const token = await service.call('/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    });
    const key = String(token.json()['access_token']);
    await works(key);
    await service.cli('clients', 'revoke', String(made['client_id']));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    assert.equal((await service.call('/v1/aois', { key })).status, 401);
    const list = (await service.cli('clients', 'list'))['clients'] as { revoked_at: string | null }[];
    assert.ok(list.some(({ revoked_at }) => revoked_at !== null));
    assert.ok(!JSON.stringify(list).includes('gwcs_'));
  });

  test('secrets are given a new key beside the running service, which goes on', async () => {
    const before = await service.cli('secrets', 'rotate');
    assert.ok(Number(before['resealed']) >= 2);
    const again = await service.cli('secrets', 'rotate');
    assert.ok(Number(again['resealed']) >= 2);
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: secret,
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const token = await service.call('/oauth/token', { method: 'POST', headers, body: form.toString() });
    assert.equal(token.status, 200, token.text);
    const verdict = await service.cli('audit', 'verify');
    assert.equal(verdict['intact'], true);
    assert.equal((await service.cli('audit', 'verify', '--noted', String(verdict['head'])))['intact'], true);
    assert.doesNotMatch(service.log(), /request failed|gwcs_|gwrt_|eyJ/);
  });
});
