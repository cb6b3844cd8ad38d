import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { AnswerMetrics } from './answer-metrics.ts';
import { answerWriter } from './answer.ts';
import { openLog } from './log.ts';

async function application() {
  const lines: string[] = [];
  const log = openLog('info', (text) => lines.push(...text.trimEnd().split('\n')));
  const metrics = new AnswerMetrics();
  const write = answerWriter(log, metrics);
  const app = Fastify({ genReqId: () => 'req_1' });
  app.addHook('onRequest', (request, _reply, done) => {
    request.startedMs = performance.now();
    request.allowance = { allowed: true, limit: 60, remaining: 59, resetAt: 1_800_000_000, waitS: 1 };
    done();
  });
  app.addHook<string | Buffer | null | undefined>('onSend', (request, reply, payload, _done) =>
    write(request, reply, payload ?? null),
  );
  app.get('/json', () => ({ a: 1 }));
  app.get('/long', () => ({ a: 'x'.repeat(2000) }));
  app.get('/own', (request, reply) => write(request, reply.header('Vary', 'Accept'), '{"b":2}'));
  app.get('/bytes', (_request, reply) => reply.type('image/png').send(Buffer.alloc(3000)));
  app.get('/page', (_request, reply) => reply.type('text/html').send('<p>é'));
  app.delete('/gone', (_request, reply) => reply.code(204).send());
  app.post('/made', (_request, reply) => reply.code(201).header('Location', '/x').send());
  await app.ready();
  return { app, lines, metrics, close: () => log.close() };
}

test('an answer has the common headers, those of its route, and its length', async () => {
  const { app } = await application();
  const { headers, body, statusCode } = await app.inject('/json');
  assert.deepEqual([statusCode, body], [200, '{"a":1}']);
  assert.deepEqual(
    [
      headers['x-request-id'],
      headers['strict-transport-security'],
      headers['x-content-type-options'],
      headers['x-ratelimit-limit'],
      headers['x-ratelimit-remaining'],
      headers['x-ratelimit-reset'],
      headers['ratelimit'],
      headers['ratelimit-policy'],
      headers['content-type'],
      headers['content-length'],
    ].map(String),
    [
      'req_1',
      'max-age=31536000',
      'nosniff',
      '60',
      '59',
      '1800000000',
      '"default";r=59;t=1',
      '"default";q=60;w=60',
      'application/json; charset=utf-8',
      '7',
    ],
  );
  const own = await app.inject('/own');
  assert.deepEqual([own.body, own.headers['vary']], ['{"b":2}', 'Accept']);
  const page = await app.inject('/page');
  assert.deepEqual(
    [page.headers['content-type'], String(page.headers['content-length'])],
    ['text/html', '5'],
  );
});

test('HEAD has the length and the tag of the GET, and no body', async () => {
  const { app } = await application();
  const [get, head] = [await app.inject('/json'), await app.inject({ method: 'HEAD', url: '/json' })];
  assert.equal(head.body, '');
  for (const name of ['etag', 'content-length', 'content-type'])
    assert.equal(head.headers[name], get.headers[name], name);
});

test('an answer without a body has no headers that describe one', async () => {
  const { app } = await application();
  const gone = await app.inject({ method: 'DELETE', url: '/gone' });
  assert.deepEqual([gone.statusCode, gone.body], [204, '']);
  for (const name of ['content-type', 'content-length', 'etag'])
    assert.equal(gone.headers[name], undefined, name);
  const made = await app.inject({ method: 'POST', url: '/made' });
  assert.deepEqual(
    [made.statusCode, made.headers['location'], String(made.headers['content-length'])],
    [201, '/x', '0'],
  );
});

test('long text is compressed if the caller accepts it; bytes and short text are not', async () => {
  const { app } = await application();
  const ask = (url: string) => app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
  const long = await ask('/long');
  assert.deepEqual([long.headers['content-encoding'], long.headers['vary']], ['gzip', 'Accept-Encoding']);
  // A cache must not keep the text for callers that accept it compressed either.
  assert.equal((await app.inject({ url: '/long' })).headers['vary'], 'Accept-Encoding');
  assert.equal((await app.inject({ url: '/json' })).headers['vary'], undefined);
  assert.equal(String(long.headers['content-length']), String(long.rawPayload.length));
  for (const url of ['/json', '/bytes'])
    assert.equal((await ask(url)).headers['content-encoding'], undefined, url);
});

test('each answer is counted once and logged once', async () => {
  const { app, lines, metrics, close } = await application();
  for (const url of ['/json', '/own', '/long'])
    await app.inject({ url, headers: { 'accept-encoding': 'br' } });
  await app.inject({ url: '/json', headers: { 'if-none-match': '*' } });
  close();
  assert.deepEqual(
    lines.map((line) => {
      const { path, status } = JSON.parse(line) as { path: string; status: number };
      return `${path} ${status}`;
    }),
    ['/json 200', '/own 200', '/long 200', '/json 304'],
  );
  assert.match(metrics.text(), /groundwatch_answers_total\{operation="other",status="200"\} 3\n/);
  assert.match(metrics.text(), /groundwatch_answers_total\{operation="other",status="304"\} 1\n/);
});
