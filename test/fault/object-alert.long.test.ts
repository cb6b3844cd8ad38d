import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectCubeStore } from '../../src/cube/objects/object-cube-store.ts';
import { noObjectServer, ObjectServer } from '../fixtures/object-server.ts';
import { HAS_PROMETHEUS, type Prometheus, startPrometheus } from '../fixtures/prometheus.ts';
import { collectionRecord, putCollection } from '../fixtures/records.ts';
import { startService, type TestService } from '../fixtures/service.ts';

const RULES = join(import.meta.dirname, '../../deploy/prometheus/groundwatch.rules.yaml');
const ALERT = 'GroundwatchObjectStoreFails';
const PATIENCE_MS = 300_000; // timeout for an expression to become true or false, on a busy machine

const skip = HAS_PROMETHEUS ? noObjectServer : 'prometheus is not installed';

describe('an object store that fails turns the expression of its alert true', { skip }, () => {
  let folder: string;
  let server: ObjectServer;
  let service: TestService;
  let prometheus: Prometheus;
  let node: ObjectCubeStore;
  let key: string;
  let expression: string;

  const read = () => service.call('/v1/historical?lat=46.01&lng=14.01&metric=ndvi&to=2026-12-31', { key });
  const becomes = async (wanted: boolean): Promise<void> => {
    let now = !wanted;
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end && now !== wanted; await sleep(500)) {
      if (wanted) await read();
      now = (await prometheus.matches(expression)) > 0;
    }
    assert.equal(now, wanted, `${expression}\n${service.log()}`);
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-object-alert-'));
    await chmod(folder, 0o755);
    server = await ObjectServer.start(join(folder, 'bucket'));
    const { bucket, prefix, endpoint, credentials } = server.place;
    service = await startService(
      {
        GROUNDWATCH_OBJECTS: `s3://${bucket}/${prefix}?endpoint=${endpoint}`,
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
        GROUNDWATCH_WORKER_PORT: '0',
      },
      undefined,
      ['--no-worker'],
    );
    node = new ObjectCubeStore({ place: server.place, cache: join(folder, 'node'), cacheBytes: 1e9 });
    await service.cli('accounts', 'create', 'acme');
    key = String(
      (await service.cli('keys', 'create', '--account', 'acme', '--scopes', 'all', '--limit', '0'))['key'],
    );
    const backstage = await service.backstage();
    await putCollection({ ...backstage, cube: node as never }, collectionRecord(), [
      { time: '2025-02-01T00:00:00Z', raw: 7 },
    ]);
    prometheus = await startPrometheus(RULES);
    const rules = await readFile(RULES, 'utf8');
    expression = new RegExp(`- alert: ${ALERT}\\n\\s+expr: (.+)\\n`).exec(rules)![1]!;
    expression = expression.replaceAll(/\[15m\]/g, '[20s]'); // the same condition over a shorter time
  });
  after(async () => {
    await prometheus?.[Symbol.asyncDispose]();
    await node?.close();
    await service?.stop();
    await server?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  test('metrics count its calls, and a server that is gone is told until it answers again', async () => {
    const [, address] = /Health and metrics: http:\/\/(\S+:\d+)/.exec(service.printed()) ?? [];
    const local = address!.replace('0.0.0.0', '127.0.0.1');
    const metric = async (line: RegExp): Promise<number> => {
      const text = await (await fetch(`http://${local}/metrics`)).text();
      return Number(line.exec(text)?.[1] ?? 0);
    };
    await prometheus.scrape([local]);
    for (let i = 0; i < 3; i++) assert.equal((await read()).status, 200);
    const calls = /groundwatch_object_call_seconds_count\{operation="get",outcome="done"\} (\d+)/;
    assert.ok((await metric(calls)) >= 4);
    assert.ok((await metric(/groundwatch_object_bytes_total\{operation="get"\} (\d+)/)) > 0);
    assert.ok((await metric(/groundwatch_object_copies_total\{outcome="miss"\} (\d+)/)) >= 1);
    assert.ok((await metric(/groundwatch_object_copies_total\{outcome="hit"\} (\d+)/)) >= 2);
    const failed = /groundwatch_object_call_seconds_count\{operation="get",outcome="failed"\} (\d+)/;
    assert.equal(await metric(failed), 0);
    await sleep(7_000); // two scrapes
    await becomes(false);

    await server.kill();
    const answer = await read();
    assert.equal(answer.status, 500, answer.text);
    assert.ok(!answer.text.includes('s3://'), 'the log names the bucket, the answer does not');
    assert.ok((await metric(failed)) >= 1);
    await becomes(true);
    await server.run();
    assert.equal((await read()).status, 200);
    await becomes(false);
  });
});
