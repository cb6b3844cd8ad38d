import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { dropDatabase, emptyDatabase } from '../fixtures/database.ts';
import { REDIS_PROGRAM, redisServer, type RedisServer } from '../fixtures/redis-server.ts';
import { startService, type TestService } from '../fixtures/service.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('two nodes on one database', () => {
  let nodes: readonly [TestService, TestService];
  let redis: RedisServer | undefined;
  let databaseUrl: string;

  before(async () => {
    databaseUrl = await emptyDatabase();
    redis = REDIS_PROGRAM === undefined ? undefined : await redisServer();
    const settings = {
      DATABASE_URL: databaseUrl,
      // Both nodes need the same token issuer, although they listen on different ports.
      GROUNDWATCH_AUTH_URL: 'https://auth.example.com',
      GROUNDWATCH_SECRET_KEY: Buffer.alloc(32, 5).toString('base64'),
      ...(redis !== undefined && { REDIS_URL: redis.url }),
    };
    const first = await startService(settings);
    nodes = [first, await startService({ ...settings, GROUNDWATCH_WORKER_PORT: '0' })];
    await first.cli('accounts', 'create', 'acme');
  });
  after(async () => {
    for (const node of nodes) await node.stop();
    await redis?.remove();
    await dropDatabase(databaseUrl);
  });

  const key = async (limit: string) =>
    String(
      (await nodes[0].cli('keys', 'create', '--account', 'acme', '--scopes', 'all', '--limit', limit))['key'],
    );
  const status = async (node: TestService, credential: string) =>
    (await node.call('/v1/aois', { key: credential })).status;

  test('a token of one is good at the other; rotation and revocation hold across them within 5 s', async () => {
    const [a, b] = nodes;
    const made = await a.cli('clients', 'create', '--account', 'acme', '--scopes', 'all', '--limit', '0');
    const client = { client_id: String(made['client_id']), client_secret: String(made['client_secret']) };
    const take = (node: TestService, fields: Readonly<Record<string, string>>) =>
      node.call('/oauth/token', {
        method: 'POST',
        headers: FORM,
        body: new URLSearchParams(fields).toString(),
      });
    const first = (await take(a, { grant_type: 'client_credentials', ...client })).json();
    for (const node of nodes) assert.equal(await status(node, String(first['access_token'])), 200);
    const refresh = { grant_type: 'refresh_token', client_id: client.client_id };
    const second = await take(b, { ...refresh, refresh_token: String(first['refresh_token']) });
    assert.equal(second.status, 200);
    const third = await take(a, { ...refresh, refresh_token: String(second.json()['refresh_token']) });
    assert.equal(third.status, 200);
    assert.equal((await take(b, { ...refresh, refresh_token: String(first['refresh_token']) })).status, 400);
    await delay(1100);
    for (const node of nodes)
      for (const from of [first, second.json(), third.json()])
        assert.equal(await status(node, String(from['access_token'])), 401, 'the family was revoked');

    const admin = await key('0');
    const old = await key('0');
    for (const node of nodes) assert.equal(await status(node, old), 200);
    const id = /key_\w{26}/.exec(old)![0];
    const rotated = await b.call(`/v1/keys/${id}/rotate?overlap_hours=0`, { method: 'POST', key: admin });
    assert.equal(rotated.status, 201, rotated.text);
    await delay(1100);
    for (const node of nodes) {
      assert.equal(await status(node, old), 401);
      assert.equal(await status(node, String(rotated.json()['key'])), 200);
    }
  });

  test('a node has a port of its own for health and all metrics, if it is set', async () => {
    const at = (node: TestService) =>
      /Health and metrics: (http:\/\/127\.0\.0\.1:\d+)/.exec(node.printed())?.[1];
    assert.equal(at(nodes[0]), undefined);
    const address = at(nodes[1])!;
    const call = async (path: string) => {
      const answer = await fetch(address + path);
      return { status: answer.status, text: await answer.text() };
    };
    assert.deepEqual(await call('/healthz'), { status: 200, text: '{"status":"ok"}' });
    assert.deepEqual(await call('/readyz'), { status: 200, text: '{"status":"ready"}' });
    const { status, text } = await call('/metrics');
    assert.equal(status, 200);
    assert.match(text, /^groundwatch_jobs\{kind="monitor-collection",state="running"\} 0$/m);
    assert.match(text, /^groundwatch_delivery_overdue_seconds /m);
    assert.equal((await call('/v1/aois')).status, 404, 'nothing of the interface is there');
  });

  test('a budget in Redis is one for both, and each node’s own without it', async (t) => {
    if (redis === undefined) return t.skip('neither redis-server nor valkey-server is installed');
    /**
     * Makes forty calls at once. @returns the number of successful calls, and the number of units that the rate limit
     * refilled in the meantime: one unit every six seconds
     */
    const burst = async (credential: string) => {
      const begun = performance.now();
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, i) => nodes[i % 2]!.call('/v1/webhooks', { key: credential })),
      );
      const back = Math.ceil((performance.now() - begun) / 6000);
      return { passed: answers.filter((answer) => answer.status === 200).length, back };
    };
    let shared = await burst(await key('10'));
    // A node that has no answer from Redis within 250 ms limits by itself for a second. Beside other tests that happens.
    for (let tries = 1; tries < 4 && shared.passed > 10 + shared.back; tries++) {
      await delay(1500);
      shared = await burst(await key('10'));
    }
    assert.ok(shared.passed >= 10 && shared.passed <= 10 + shared.back, JSON.stringify(shared));
    await redis.stop();
    await delay(500);
    const alone = await burst(await key('10'));
    assert.ok(alone.passed >= 20 && alone.passed <= 20 + 2 * alone.back, JSON.stringify(alone));
    for (const node of nodes) assert.match(node.log(), /REDIS_URL: no answer, so each node limits by itself/);
  });
});
