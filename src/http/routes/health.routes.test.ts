import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testApp } from '../../../test/fixtures/test-app.ts';
import { NoRoom, Unavailable } from '../../base/errors.ts';
import type { Storage } from '../../app/storage.ts';

test('a database that does not answer is 503 at /readyz within 2 s, and delays no health or metrics for longer', async () => {
  const never = () => new Promise<never>(() => undefined);
  const storage = {
    deliveries: { overdueSeconds: never },
    stations: { silent: never },
  } as unknown as Storage;
  await using app = await testApp({ ready: never, storage });
  const ask = async () => {
    const started = performance.now();
    const answers = await Promise.all([
      app.call({ url: '/readyz' }),
      app.call({ url: '/healthz' }),
      app.call({ url: '/metrics' }),
    ]);
    return { ms: performance.now() - started, answers };
  };
  // Asked again where another process may have had the processor.
  let asked = await ask();
  for (let times = 1; asked.ms >= 5_000 && times < 4; times++) asked = await ask();
  assert.ok(asked.ms < 5_000, 'it waited for the database');
  const [ready, health, metrics] = asked.answers;
  assert.equal(ready.status, 503);
  assert.match(ready.text, /the database did not answer within 1500 ms/);
  assert.equal(health.status, 200);
  assert.equal(metrics.status, 200);
  assert.match(metrics.text, /groundwatch_answers_total/);
});

test('while the disk of the database is full, /readyz names it with 200, and calls that write say so', async () => {
  const full = Object.assign(new Error('could not extend file'), { code: '53100' });
  const storage = {
    boundTo: () => ({
      transaction: () => Promise.reject(new NoRoom(full)),
    }),
    usage: { add: () => Promise.resolve() },
  } as unknown as Storage;
  await using app = await testApp({
    storage,
    ready: () => Promise.resolve(undefined),
    shortage: () => Promise.resolve('the disk of the database is full'),
  });
  const ready = await app.call({ url: '/readyz' });
  assert.equal(ready.status, 200);
  assert.deepEqual(ready.json(), { status: 'degraded', reason: 'the disk of the database is full' });
  const payload = { url: 'https://example.com/hook', events: ['*'] };
  const write = await app.call({ method: 'POST', url: '/v1/webhooks', payload, key: 'x' });
  assert.equal(write.status, 500);
  assert.match(write.text, /"server_error".*the disk of the database is full. Nothing was changed/);
  assert.doesNotMatch(write.text, /extend file/);
});

test('a call that the database does not answer is 429 with a time to wait, and says what may have happened', async () => {
  const away = () => Promise.reject(new Unavailable(new Error('timeout expired')));
  const storage = {
    boundTo: () => ({ transaction: away, aois: new Proxy({}, { get: () => away }) }),
    usage: { add: () => Promise.resolve() },
  } as unknown as Storage;
  await using app = await testApp({ storage });
  const read = await app.call({ url: '/v1/aois', key: 'x' });
  const payload = { url: 'https://example.com/hook', events: ['*'] };
  const write = await app.call({ method: 'POST', url: '/v1/webhooks', payload, key: 'x' });
  for (const { status, headers, text } of [read, write]) {
    assert.equal(status, 429, text);
    assert.match(text, /"rate_limited".*its database is away/);
    assert.doesNotMatch(text, /timeout expired/);
    assert.ok(Number(headers['retry-after']) >= 5);
    assert.equal(headers['x-ratelimit-remaining'], '0');
    assert.equal(headers['x-ratelimit-limit'], '1');
  }
  assert.doesNotMatch(read.text, /carried out/);
  assert.match(write.text, /may have been carried out. Repeat it with the same Idempotency-Key/);
});

test('Allow lists the methods of a path, not those of a pattern with parameters that it also matches', async () => {
  await using app = await testApp();
  const answer = await app.call({ method: 'DELETE', url: '/v1/anomalies/subscribe' });
  assert.deepEqual([answer.status, answer.headers['allow']], [404, 'POST']);
});

test('OPTIONS that no browser sends before a call is refused like another method, in the form of errors', async () => {
  for (const corsOrigins of [[], ['https://app.example.com']]) {
    await using app = await testApp({}, { corsOrigins });
    const answer = await app.call({ method: 'OPTIONS', url: '/v1/aois' });
    assert.deepEqual([answer.status, answer.headers['allow']], [404, 'GET, HEAD, POST'], answer.text);
    assert.match(answer.text, /"not_found","message":"There is no OPTIONS at/);
    const nowhere = await app.call({
      method: 'OPTIONS',
      url: '/v1/nothing',
      headers: { origin: 'https://a.b' },
    });
    assert.deepEqual([nowhere.status, nowhere.headers['allow']], [404, undefined]);
  }
  await using app = await testApp({}, { corsOrigins: ['https://app.example.com'] });
  const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'POST' };
  const preflight = await app.call({ method: 'OPTIONS', url: '/v1/aois', headers });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers['access-control-allow-origin'], 'https://app.example.com');
});
