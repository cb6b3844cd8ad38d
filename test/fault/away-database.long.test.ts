import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { dropDatabase, migratedDatabase } from '../fixtures/database.ts';
import { wayTo } from '../fixtures/database-way.ts';
import type { CallAnswer } from '../fixtures/http-caller.ts';
import { startService } from '../fixtures/service.ts';

/** Time in which each call is answered, however long the database is away: 25 s on quiet cores [ms]. */
const MOST_MS = 120_000;
const READY_MS = 120_000; // time in which the service works again
const AREA = {
  name: 'Field',
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [1, 1],
        [1.1, 1],
        [1.1, 1.1],
        [1, 1],
      ],
    ],
  },
};

test('while its database is away a service refuses calls in time, and goes on afterwards', async (t) => {
  const url = await migratedDatabase();
  const way = await wayTo(url);
  const node = await startService({ DATABASE_URL: way.url });
  const agent = new Agent({ connect: { ca: node.ca } });
  t.after(async () => {
    await agent.destroy();
    way.open();
    await node.stop();
    way.close();
    await dropDatabase(url);
  });
  await node.cli('accounts', 'create', 'acme');
  const owner = ['--account', 'acme', '--environment', 'staging', '--scopes', 'all'];
  const { key } = (await node.cli('keys', 'create', ...owner)) as { key: string };
  const client = (await node.cli('clients', 'create', ...owner)) as Record<string, string>;
  const token = (): Promise<CallAnswer> =>
    node.call('/oauth/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=client_credentials&client_id=${client['client_id']}&client_secret=${client['client_secret']}`,
    });
  const create = (): Promise<CallAnswer> =>
    node.call('/v1/aois', { method: 'POST', key, json: AREA, headers: { 'idempotency-key': 'once' } });
  const hook = { url: 'https://hooks.example.com/', events: ['*'] };
  const { id } = (await node.call('/v1/webhooks', { method: 'POST', key, json: hook })).json() as {
    id: string;
  };
  const send = (): Promise<CallAnswer> => node.call(`/v1/webhooks/${id}/test`, { method: 'POST', key });
  const stream = await request(`${node.baseUrl}/v1/events/stream`, {
    dispatcher: agent,
    headers: { authorization: `Bearer ${key}` },
  });
  let streamed = '';
  stream.body.on('data', (chunk: Buffer) => (streamed += chunk.toString())).on('error', () => undefined);
  assert.equal((await token()).status, 200);

  for (const how of ['refuse', 'delay', 'silence'] as const) {
    way[how]();
    await sleep(1_500); // the credential is looked up again
    const begunMs = performance.now();
    const answers = await Promise.all([
      ...['/v1/risk?lat=1&lng=1&peril=flood', '/v1/aois', '/v1/events', '/v1/models'].map((path) =>
        node.call(path, { key }),
      ),
      create(),
      send(),
    ]);
    const issued = await token();
    const tookMs = performance.now() - begunMs;
    assert.ok(tookMs < MOST_MS, `${how}: ${tookMs} ms`);
    for (const { status, headers, text } of [...answers, issued]) {
      assert.equal(status, 429, `${how}: ${text}`);
      assert.ok(Number(headers['retry-after']) >= 1, how);
      assert.equal(Number(headers['x-ratelimit-remaining']), 0);
    }
    assert.match(answers[0].text, /"rate_limited".*(its database is away|calls in progress)/, how);
    assert.equal((issued.json() as { error: string }).error, 'temporarily_unavailable');
    assert.equal((await node.call('/healthz')).status, 200);
    assert.equal((await node.call('/readyz')).status, 503);
    const metrics = await node.call('/metrics');
    assert.match(metrics.text, /^groundwatch_ready 0$/m);
    assert.match(metrics.text, /groundwatch_refused_total\{limit="answers of the database"\} \d/);

    way.open();
    for (
      const end = performance.now() + READY_MS;
      (await node.call('/readyz')).status !== 200;
      await sleep(200)
    )
      assert.ok(performance.now() < end, `${how}: ${node.log()}`);
  }
  const made: CallAnswer[] = [];
  for (const end = performance.now() + READY_MS; made.at(-1)?.status !== 201; await sleep(200)) {
    made.push(await create());
    assert.ok(performance.now() < end, made.at(-1)!.text);
  }
  const { aois } = (await node.call('/v1/aois', { key })).json() as { aois: readonly object[] };
  assert.equal(aois.length, 1, 'a call that is repeated with its key is carried out once');
  assert.equal((await token()).status, 200);
  const sent = await send();
  assert.ok(sent.status < 300, sent.text);
  for (const end = performance.now() + READY_MS; !streamed.includes('event: webhook.test'); await sleep(100))
    assert.ok(performance.now() < end && !stream.body.destroyed, `the stream went on: ${streamed}`);
  assert.doesNotMatch(node.log(), /"msg":"request failed"/);
});
