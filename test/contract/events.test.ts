import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Agent, fetch, request } from 'undici';
import { Groundwatch } from '../../src/client/index.ts';
import { newId } from '../../src/base/ids.ts';
import type { Owner } from '../../src/app/owner.ts';
import { refusal } from './refusals.ts';
import { assertNoServerError, contractWorld, type World } from './world.ts';

describe('events, fetched and listened to', () => {
  let world: World;
  let agent: Agent;
  let owner: Owner;
  let key: string;
  let keyId: string;
  before(async () => {
    world = await contractWorld();
    agent = new Agent({ connect: { ca: world.service.ca } });
    const account = await world.service.cli('accounts', 'create', 'listener');
    owner = { accountId: String(account['id']), environment: 'staging' };
    const create = ['keys', 'create', '--account', 'listener', '--environment', 'staging', '--limit', '0'];
    const made = await world.service.cli(...create, '--scopes', 'webhooks:read');
    key = String(made['key']);
    keyId = String(made['id']);
  });
  after(async () => {
    await agent.destroy();
    assertNoServerError(world);
  });

  const emit = (n: number) =>
    world.backstage.storage.events.emit(owner, n % 2 === 0 ? 'webhook.test' : 'change.detected', { n });
  const list = async (query: string) => {
    const answer = await world.service.call(`/v1/events?${query}`, { key });
    assert.equal(answer.status, 200, answer.text);
    return answer.json() as { events: { id: string; data: { n: number } }[]; next_cursor?: string };
  };
  const open = (path: string, headers: Record<string, string> = {}) =>
    request(`${world.service.baseUrl}${path}`, {
      dispatcher: agent,
      headers: { authorization: `Bearer ${key}`, ...headers },
    });
  /** Reads a stream until it contains a text, then closes it. @returns what was read */
  async function readUntil(body: AsyncIterable<Buffer>, what: string): Promise<string> {
    let text = '';
    for await (const chunk of body) {
      text += chunk.toString();
      if (text.includes(what)) break;
    }
    return text;
  }

  test('oldest first, after the last one known, in pages that a cursor or an id goes on from', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push(await emit(n));
    const { events } = await list('');
    assert.deepEqual(
      events.map(({ id }) => id),
      ids,
    );
    const first = await list('limit=2');
    assert.deepEqual(
      first.events.map(({ data }) => data.n),
      [0, 1],
    );
    const second = await list(`limit=2&cursor=${first.next_cursor}`);
    const alike = await list(`limit=2&after=${ids[1]}`);
    assert.deepEqual(alike, second);
    assert.deepEqual(
      second.events.map(({ data }) => data.n),
      [2, 3],
    );
    assert.deepEqual(await list(`after=${ids[4]}`), { events: [] });
    const tests = await list('type=webhook.test&limit=3');
    assert.deepEqual(
      tests.events.map(({ data }) => data.n),
      [0, 2, 4],
    );
    assert.equal(tests.next_cursor, undefined);
    const one = await world.service.call(`/v1/events/${ids[2]}`, { key });
    assert.deepEqual(one.json(), events[2]);
  });

  test('newest first, in pages that lead back and that what comes meanwhile does not move', async () => {
    const newest = (await list('')).events.toReversed();
    const whole = await list('order=desc');
    assert.deepEqual(whole, { events: newest });
    const seen = [];
    let { events, next_cursor: cursor } = await list('order=desc&limit=2');
    for (;;) {
      seen.push(...events);
      if (cursor === undefined) break;
      await emit(100 + seen.length);
      ({ events, next_cursor: cursor } = await list(`order=desc&limit=2&cursor=${cursor}`));
    }
    assert.deepEqual(seen, newest);
    const [latest] = (await list('order=desc&limit=1&type=webhook.test')).events;
    assert.equal(latest!.data.n, 104);
    assert.deepEqual(await list('order=asc&limit=3'), await list('limit=3'));
  });

  test('change.suspected is listed and streamed only to those who ask for it by name', async () => {
    const first = await emit(50);
    const suspected = await world.backstage.storage.events.emit(owner, 'change.suspected', { n: 51 });
    const last = await emit(52);
    const idsOf = async (query: string) => (await list(query)).events.map(({ id }) => id);
    assert.deepEqual(await idsOf(`after=${first}`), [last]);
    assert.deepEqual(await idsOf('order=desc&limit=2'), [last, first]);
    assert.deepEqual(await idsOf('type=change.suspected'), [suspected]);
    const every = await open(`/v1/events/stream?after=${first}`);
    assert.ok(!(await readUntil(every.body, last)).includes(suspected));
    const named = await open(`/v1/events/stream?type=change.suspected&after=${first}`);
    assert.ok(!(await readUntil(named.body, suspected)).includes(last));
  });

  test('what cannot be gone on from is refused', async () => {
    const { events } = await list('limit=1');
    const { next_cursor: cursor } = await list('limit=1');
    for (const [query, param] of [
      [`after=${newId('event')}`, 'after'],
      ['after=', 'after'],
      ['after=x', 'after'],
      [`after=${events[0]!.id}&cursor=${cursor}`, 'cursor'],
      [`after=${events[0]!.id}&order=desc`, 'order'],
      [`order=desc&cursor=${cursor}`, 'cursor'],
      ['order=newest', 'order'],
      ['cursor=x', 'cursor'],
      ['type=no.such', 'type'],
      ['limit=0', 'limit'],
    ] as const) {
      const answer = await world.service.call(`/v1/events?${query}`, { key });
      assert.equal(refusal(answer, 400, query).param, param);
    }
    const stream = await world.service.call('/v1/events/stream', {
      key,
      headers: { 'last-event-id': newId('event') },
    });
    assert.equal(refusal(stream, 400, 'Last-Event-ID').param, 'Last-Event-ID');
    const theirs = await world.service.call(`/v1/events?after=${events[0]!.id}`, { key: world.strangerKey });
    assert.equal(refusal(theirs, 400, 'of another account').param, 'after');
  });

  test('the stream begins now, or behind the event that is named, the header before the address', async () => {
    const [first, second] = [await emit(10), await emit(11)];
    const fresh = await open('/v1/events/stream');
    assert.equal(fresh.headers['content-type'], 'text/event-stream');
    const third = await emit(12);
    const text = await readUntil(fresh.body, third);
    assert.ok(!text.includes(second));
    const resumed = await open(`/v1/events/stream?after=${first}`);
    assert.match(await readUntil(resumed.body, third), new RegExp(`id: ${second}[^]*id: ${third}`));
    const header = await open(`/v1/events/stream?after=${first}`, { 'last-event-id': second });
    assert.ok(!(await readUntil(header.body, third)).includes(second));
  });

  test('the client follows the stream', async () => {
    // Uses the `fetch` of the undici package, because Node's own `fetch` does not accept an agent of this package.
    const trusting = (input: string, init: object) => fetch(input, { ...init, dispatcher: agent });
    const client = new Groundwatch({
      baseUrl: world.service.baseUrl,
      apiKey: key,
      fetch: trusting as unknown as typeof globalThis.fetch,
    });
    const before = await emit(20);
    const made = [await emit(21), await emit(22)];
    const seen: string[] = [];
    for await (const event of client.streamEvents({ after: before })) {
      seen.push(event.id);
      if (seen.length === 2) break;
    }
    assert.deepEqual(seen, made);
  });

  test('long answers come compressed where that is accepted, and say the same', async () => {
    for (let n = 0; n < 40; n++) await emit(n);
    const paths = ['/v1/events?limit=40'];
    const { events } = await list('limit=1');
    paths.push(`/v1/events/${events[0]!.id}`);
    for (const path of paths) {
      const plain = await world.service.call(path, { key });
      const packed = await world.service.call(path, { key, headers: { 'accept-encoding': 'gzip' } });
      assert.equal(packed.status, 200);
      const isPacked = packed.headers['content-encoding'] === 'gzip';
      assert.equal(isPacked, plain.bytes.length >= 1024, path);
      assert.equal((isPacked ? gunzipSync(packed.bytes) : packed.bytes).toString('utf8'), plain.text);
    }
  });

  test('it ends when the key is revoked', async () => {
    const { body } = await open('/v1/events/stream');
    const ended = (async () => {
      for await (const _ of body);
    })();
    await world.service.cli('keys', 'revoke', keyId);
    await ended; // if the stream does not end, the test fails by its timeout
    refusal(await world.service.call('/v1/events/stream', { key }), 401, 'a revoked key');
  });
});
