import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { GroundwatchError } from './error.ts';
import { type Call, type ClientOptions, type Surroundings, Transport } from './transport.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Starts a service on the loopback address. The n-th handler answers the n-th request; the last handler also answers
 * all later requests.
 */
async function service(t: TestContext, ...handlers: Handler[]) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    handlers[Math.min(seen.length, handlers.length) - 1]!(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return { seen, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
const fails = (status: number, code: string, headers: Record<string, string> = {}) =>
  json(status, { error: { code, message: `it is ${code}`, request_id: 'req_1' } }, headers);
const drops: Handler = (request) => request.socket.destroy();
const hangs: Handler = () => undefined;
const ok = json(200, { fine: true });

function client(baseUrl: string, options: Partial<ClientOptions> = {}, around: Partial<Surroundings> = {}) {
  const waits: number[] = [];
  const transport = new Transport(
    { baseUrl, ...(options.token ? {} : { apiKey: 'gw_sandbox_k_s' }), ...options },
    {
      random: () => 0.5,
      sleep: async (ms) => {
        waits.push(ms);
      },
      ...around,
    },
  );
  return { transport, waits };
}

const get: Call = { method: 'GET', path: '/v1/risk', replayable: true };
const create: Call = {
  method: 'POST',
  path: '/v1/aois',
  body: { name: 'a' },
  replayable: true,
  creates: true,
};
const once_: Call = { method: 'POST', path: '/v1/webhooks/wh_1/test', replayable: false };
const is = (status: number, code: string) => (error: unknown) =>
  error instanceof GroundwatchError && error.status === status && error.code === code;

test('a call sends its credential, query and body in the form that the service expects', async (t) => {
  const { seen, baseUrl } = await service(t, (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => json(200, { url: request.url, body })(request, response));
  });
  const { transport } = client(`${baseUrl}/`);
  const query = { since: new Date(0), a: 'x y&z', n: 1.5, b: true, none: undefined };
  assert.deepEqual(await transport.send({ ...get, query }), {
    url: '/v1/risk?since=1970-01-01T00%3A00%3A00.000Z&a=x+y%26z&n=1.5&b=true',
    body: '',
  });
  assert.equal(seen[0]!.headers.authorization, 'Bearer gw_sandbox_k_s');
  assert.deepEqual(await transport.send(create), { url: '/v1/aois', body: '{"name":"a"}' });
  assert.equal(seen[1]!.headers['content-type'], 'application/json');
});

test('500, 503 and a broken connection are retried with back-off', async (t) => {
  const { seen, baseUrl } = await service(t, fails(500, 'server_error'), json(503, 'down'), drops, ok);
  const { transport, waits } = client(baseUrl);
  assert.deepEqual(await transport.send(get), { fine: true });
  assert.equal(seen.length, 4);
  assert.deepEqual(waits, [250, 500, 1000]);
});

test('after a 429 the client waits for Retry-After, whatever the method', async (t) => {
  const { seen, baseUrl } = await service(t, fails(429, 'rate_limited', { 'retry-after': '3' }), ok);
  const { transport, waits } = client(baseUrl);
  await transport.send(once_);
  assert.equal(seen.length, 2);
  assert.ok(waits[0]! >= 3000 && waits[0]! < 3500, String(waits));
});

test('with a Retry-After that is too long the call fails at once, and the error contains it', async (t) => {
  const { seen, baseUrl } = await service(t, fails(429, 'rate_limited', { 'retry-after': '3600' }));
  const { transport } = client(baseUrl);
  await assert.rejects(
    transport.send(get),
    (error) => is(429, 'rate_limited')(error) && (error as GroundwatchError).retryAfterMs === 3_600_000,
  );
  assert.equal(seen.length, 1);
});

test('an address without a scheme and an invalid address are rejected', () => {
  for (const baseUrl of ['localhost:8443', 'example.com', '', '/v1'])
    assert.throws(() => client(baseUrl), {
      name: 'TypeError',
      message: /^baseUrl: expected an address such as/,
    });
});

test('the error of a call without a response quotes the reason of the platform', async () => {
  const said = (error: unknown): boolean =>
    is(0, 'connection_failed')(error) &&
    /^no answer from the service: .*ECONNREFUSED/.test((error as Error).message);
  const closed = client('http://127.0.0.1:2', { retry: { retries: 0 } });
  await assert.rejects(closed.transport.send(get), said);
  const aggregate = new AggregateError([new Error('connect ECONNREFUSED ::1:1'), new Error('the other')], '');
  const failed = new TypeError('fetch failed', { cause: aggregate });
  const { transport } = client('http://127.0.0.1:2', {
    retry: { retries: 0 },
    fetch: () => Promise.reject(failed),
  });
  await assert.rejects(transport.send(get), said);
});

test('a call that could take effect twice is not retried after an unknown outcome', async (t) => {
  for (const [first, status, code] of [
    [fails(500, 'server_error'), 500, 'server_error'],
    [drops, 0, 'connection_failed'],
  ] as const) {
    const { seen, baseUrl } = await service(t, first, ok);
    await assert.rejects(client(baseUrl).transport.send(once_), is(status, code));
    assert.equal(seen.length, 1);
  }
});

test('the retries of a creation share one Idempotency-Key, and each call has its own', async (t) => {
  const { seen, baseUrl } = await service(t, drops, fails(500, 'server_error'), ok);
  const { transport } = client(baseUrl);
  await transport.send(create);
  await transport.send(create);
  await transport.send(create, { idempotencyKey: 'mine' });
  const keys = seen.map((request) => request.headers['idempotency-key']);
  assert.equal(keys.length, 5);
  assert.equal(new Set(keys.slice(0, 3)).size, 1);
  assert.match(String(keys[0]), /^[0-9a-f-]{36}$/);
  assert.notEqual(keys[3], keys[0]);
  assert.equal(keys[4], 'mine');
});

test('after the last retry the call fails with the last error', async (t) => {
  const { seen, baseUrl } = await service(t, fails(500, 'server_error'));
  const { transport } = client(baseUrl, { retry: { retries: 2 } });
  await assert.rejects(transport.send(get), is(500, 'server_error'));
  assert.equal(seen.length, 3);
});

test('400, 401, 403 and 404 are not retried, and the error has all fields of the response', async (t) => {
  const details = [{ param: 'locations[1].lat', message: 'expected a number' }];
  const body = {
    error: { code: 'bad_request', message: 'bad', param: 'locations[1].lat', details, request_id: 'req_9' },
  };
  const { seen, baseUrl } = await service(
    t,
    json(400, body),
    fails(401, 'unauthorized'),
    fails(403, 'forbidden'),
    fails(404, 'not_found'),
  );
  const { transport } = client(baseUrl);
  await assert.rejects(transport.send(get), (error) => {
    assert.ok(error instanceof GroundwatchError);
    assert.deepEqual(
      [error.status, error.code, error.message, error.param, error.details, error.requestId],
      [400, 'bad_request', 'bad', 'locations[1].lat', details, 'req_9'],
    );
    return true;
  });
  await assert.rejects(transport.send(get), is(401, 'unauthorized'));
  await assert.rejects(transport.send(get), is(403, 'forbidden'));
  await assert.rejects(transport.send(get), is(404, 'not_found'));
  assert.equal(seen.length, 4);
});

test('a 404 on the retry of a deletion is success; a 404 on the first attempt is an error', async (t) => {
  const remove: Call = { method: 'DELETE', path: '/v1/aois/aoi_1', replayable: true };
  const lost = await service(t, drops, fails(404, 'not_found'));
  assert.equal(await client(lost.baseUrl).transport.send(remove), undefined);
  const nothing = await service(t, fails(404, 'not_found'));
  await assert.rejects(client(nothing.baseUrl).transport.send(remove), is(404, 'not_found'));
  const gone = await service(t, (_, response) => response.writeHead(204).end());
  assert.equal(await client(gone.baseUrl).transport.send(remove), undefined);
});

test('after a rejected token the provider is called once more, and the call is repeated with the new token', async (t) => {
  const { seen, baseUrl } = await service(t, (request, response) =>
    (request.headers.authorization === 'Bearer new' ? ok : fails(401, 'unauthorized'))(request, response),
  );
  const asked: (string | undefined)[] = [];
  const renewing = client(baseUrl, {
    token: (refused) => {
      asked.push(refused);
      return refused === undefined ? 'old' : 'new';
    },
  });
  assert.deepEqual(await renewing.transport.send(get), { fine: true });
  assert.deepEqual(asked, [undefined, 'old']);
  const stubborn = client(baseUrl, { token: () => 'old' });
  await assert.rejects(stubborn.transport.send(get), is(401, 'unauthorized'));
  assert.equal(seen.length, 3);
});

test('a call without a response in time is retried, then fails as timed_out', async (t) => {
  const { baseUrl } = await service(t, hangs);
  let asked = 0; // counted here, since a busy machine may not connect in time
  const fetch: typeof globalThis.fetch = (...given) => (asked++, globalThis.fetch(...given));
  const { transport } = client(baseUrl, { timeoutMs: 100, retry: { retries: 1 }, fetch });
  await assert.rejects(transport.send(get), is(0, 'timed_out'));
  assert.equal(asked, 2);
});

test('a body that stops half-way times out too', async (t) => {
  const { baseUrl } = await service(t, (_, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"half":');
  });
  const { transport } = client(baseUrl, { timeoutMs: 60, retry: { retries: 0 } });
  await assert.rejects(transport.send(get), is(0, 'timed_out'));
});

test('the signal of the caller aborts a running call, a wait and a call not yet begun, with its reason', async (t) => {
  const { seen, baseUrl } = await service(t, hangs);
  const stop = new AbortController();
  const reason = new Error('no longer wanted');
  const call = client(baseUrl).transport.send(get, { signal: stop.signal });
  while (seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  stop.abort(reason);
  await assert.rejects(call, reason);
  await assert.rejects(client(baseUrl).transport.send(get, { signal: stop.signal }), reason);
  assert.equal(seen.length, 1);

  const limited = await service(t, fails(429, 'rate_limited', { 'retry-after': '60' }));
  const waiting = new AbortController();
  const real = new Transport({ baseUrl: limited.baseUrl, apiKey: 'k' });
  const held = real.send(get, { signal: waiting.signal });
  while (limited.seen.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  waiting.abort(reason);
  await assert.rejects(held, reason);
});

test('a body that is not JSON of this service is unreadable_answer, and a redirect is not followed', async (t) => {
  const page: Handler = (_, response) => response.writeHead(200, { 'x-request-id': 'r' }).end('<html>');
  const refused: Handler = (_, response) => response.writeHead(403).end('<html>');
  const { baseUrl } = await service(t, page, refused);
  const { transport } = client(baseUrl);
  await assert.rejects(transport.send(get), is(200, 'unreadable_answer'));
  await assert.rejects(transport.send(get), is(403, 'unreadable_answer'));
  const elsewhere = await service(t, ok);
  const moved = await service(t, (_, response) =>
    response.writeHead(307, { location: elsewhere.baseUrl }).end(),
  );
  const { transport: led } = client(moved.baseUrl, { retry: { retries: 0 } });
  await assert.rejects(led.send(get), is(0, 'connection_failed'));
  assert.equal(elsewhere.seen.length, 0);
});

test('the rate limit of the last response is kept', async (t) => {
  const limits = {
    'x-ratelimit-limit': '600',
    'x-ratelimit-remaining': '598',
    'x-ratelimit-reset': '1700000000',
  };
  const { baseUrl } = await service(t, json(200, {}, limits), ok);
  const { transport } = client(baseUrl);
  assert.equal(transport.rateLimit, undefined);
  const kept = { limit: 600, remaining: 598, resetAt: new Date(1_700_000_000_000) };
  await transport.send(get);
  assert.deepEqual(transport.rateLimit, kept);
  await transport.send(get);
  assert.deepEqual(transport.rateLimit, kept);
});

test('exactly one credential and a valid address are required', () => {
  assert.throws(() => new Transport({ baseUrl: 'https://localhost:8443' }), TypeError);
  assert.throws(
    () => new Transport({ baseUrl: 'https://localhost:8443', apiKey: 'a', token: () => 'b' }),
    TypeError,
  );
  assert.throws(() => new Transport({ baseUrl: 'localhost', apiKey: 'a' }), TypeError);
});
