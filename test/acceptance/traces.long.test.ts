import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { square } from '../fixtures/records.ts';
import { startService, type TestService } from '../fixtures/service.ts';
import { throwawayCertificate, tlsSink, type TlsSink } from '../fixtures/tls-sink.ts';

const DAY_MS = 86_400_000;
const DAYS = 900;
const WAIT_MS = 240_000; // for the job, the delivery and the next batch of spans, on a busy machine
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER_SPAN = 'b7ad6b7169203331';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

/** A receiver of OTLP over HTTP in JSON. */
async function otlpReceiver(): Promise<{ server: Server; url: string; texts: string[]; spans(): Span[] }> {
  const texts: string[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      if (request.url === '/v1/traces' && request.headers['x-team'] === 'ground watch') texts.push(text);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const spansOf = (text: string): Span[] =>
    (JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }).resourceSpans.flatMap(
      ({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans),
    );
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    texts,
    spans: () => texts.flatMap(spansOf),
  };
}

describe('traces, through a service started as a user starts it', () => {
  let service: TestService;
  let sink: TlsSink;
  let receiver: Awaited<ReturnType<typeof otlpReceiver>>;
  let home: string;
  let key: string;
  before(async () => {
    const certificate = await throwawayCertificate();
    home = await mkdtemp(join(tmpdir(), 'groundwatch-traces-'));
    await writeFile(join(home, 'ca.pem'), certificate.caPem);
    sink = await tlsSink(certificate);
    receiver = await otlpReceiver();
    service = await startService({
      GROUNDWATCH_WEBHOOK_ALLOW: '127.0.0.0/8',
      GROUNDWATCH_CA_FILE: join(home, 'ca.pem'),
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=ground%20watch',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    await service.cli('accounts', 'create', 'traced');
    const keys = ['keys', 'create', '--account', 'traced', '--scopes', 'all'];
    key = String((await service.cli(...keys))['key']);
  });
  after(async () => {
    await service?.stop();
    await sink?.[Symbol.asyncDispose]();
    receiver?.server.closeAllConnections();
    receiver?.server.close();
    await rm(home, { recursive: true });
  });

  const post = async (path: string, json: unknown, headers: Record<string, string> = {}) => {
    const answer = await service.call(path, { method: 'POST', key, json, headers });
    assert.equal(answer.status, 201, answer.text);
    return answer.json() as Record<string, string>;
  };

  test('one trace leads from the call through its job to the delivery, and tells no secret', async () => {
    const start = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAYS * DAY_MS;
    // A calm place, and a storm at the end.
    const rows = Array.from({ length: DAYS }, (_, day) => {
      const wind = day === DAYS - 1 ? 31 : 5 + 1.4 * Math.sin(day * 2.4) + 0.6 * Math.cos(day * 5.1);
      return `${new Date(start + day * DAY_MS).toISOString()},${wind.toFixed(3)}`;
    });
    await writeFile(join(home, 'wind.csv'), `time,value\n${rows.join('\n')}\n`);
    const place = ['--lat', '46.03', '--lng', '14.06', '--column', 'value', '--time', 'time'];
    const file = ['--file', join(home, 'wind.csv'), '--unit', 'm/s'];
    await service.cli('ingest', 'points', '--collection', 'wind', '--metric', 'wind', ...file, ...place);
    const path = '/hook-with-a-secret-path';
    const hook = await post('/v1/webhooks', {
      url: `https://localhost:${sink.port}${path}`,
      events: ['anomaly.detected'],
    });
    const aoi = await post('/v1/aois', { name: 'Plain', geometry: square(14.05, 46.02, 0.1) });
    const json = { aoi_id: aoi['id'], perils: ['storm'] };
    await post('/v1/anomalies/subscribe', json, { traceparent: `00-${TRACE}-${CALLER_SPAN}-01` });

    const chain = (): Span[] => receiver.spans().filter(({ traceId }) => traceId === TRACE);
    const find = (name: string): Span | undefined => chain().find((span) => span.name === name);
    for (const end = Date.now() + WAIT_MS; find('delivery') === undefined; await sleep(200))
      assert.ok(Date.now() < end, `${JSON.stringify(chain())} ${service.log()}`);
    const call = find('POST /v1/anomalies/subscribe');
    const job = find('job refresh-anomalies');
    const delivery = find('delivery');
    assert.deepEqual(
      [call?.parentSpanId, job?.parentSpanId, delivery?.parentSpanId],
      [CALLER_SPAN, call?.spanId, job?.spanId],
    );
    assert.deepEqual([call?.kind, job?.kind, delivery?.kind], [2, 5, 3], 'server, consumer, client');
    assert.equal(sink.received[0]?.headers['traceparent'], `00-${TRACE}-${delivery?.spanId}-01`);
    const below = (parent: Span | undefined): string[] =>
      chain()
        .filter(({ parentSpanId }) => parentSpanId === parent?.spanId)
        .map(({ name }) => name);
    assert.ok(below(call).includes('insert jobs'), below(call).join());
    assert.ok(below(job).includes('insert events'), below(job).join());
    const facts = Object.fromEntries(
      call!.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
    );
    assert.equal(facts['http.route'], '/v1/anomalies/subscribe');
    assert.equal(Number(facts['http.response.status_code']), 201);
    assert.match(String(facts['groundwatch.account.id']), /^acc_/);
    assert.ok(receiver.spans().some(({ name }) => name === 'groundwatch ingest points'));

    for (const secret of [key, hook['secret']!, path, 'Plain', '46.02'])
      assert.ok(!receiver.texts.join().includes(secret), secret);
  });

  test('a traceparent that is none begins another trace, and a caller who samples nothing has no span', async () => {
    const bad = await service.call('/v1/models', {
      key,
      headers: { traceparent: `00-${'0'.repeat(32)}-1-zz` },
    });
    assert.equal(bad.status, 200);
    const unsampled = '1'.repeat(32);
    const off = { traceparent: `00-${unsampled}-${CALLER_SPAN}-00` };
    assert.equal((await service.call('/v1/models', { key, headers: off })).status, 200);
    const models = (): Span[] => receiver.spans().filter(({ name }) => name === 'GET /v1/models');
    for (const end = Date.now() + WAIT_MS; models().length === 0; await sleep(200))
      assert.ok(Date.now() < end, service.log());
    assert.deepEqual(
      models().map(({ parentSpanId }) => parentSpanId ?? ''),
      [''],
    );
    assert.ok(!receiver.spans().some(({ traceId }) => traceId === unsampled));
  });
});
