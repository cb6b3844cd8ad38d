import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { noPostgres15, postgresPair, type PostgresPair } from '../fixtures/postgres-pair.ts';
import { square } from '../fixtures/records.ts';
import { startService, type TestService } from '../fixtures/service.ts';
import { throwawayCertificate, tlsSink, type TlsSink } from '../fixtures/tls-sink.ts';

const WAIT_MS = 240_000; // for what takes a second on an idle machine
const WRITES = 20;

describe('a streaming replica answers lists, and is promoted', { skip: noPostgres15 }, () => {
  let pair: PostgresPair;
  let service: TestService;
  let sink: TlsSink;
  let home: string;
  let key: string;
  before(async () => {
    pair = await postgresPair();
    const certificate = await throwawayCertificate();
    home = await mkdtemp(join(tmpdir(), 'groundwatch-replica-'));
    await writeFile(join(home, 'ca.pem'), certificate.caPem);
    sink = await tlsSink(certificate);
    service = await startService({
      DATABASE_URL: pair.url,
      GROUNDWATCH_DATABASE_REPLICA_URL: pair.replicaUrl,
      GROUNDWATCH_WEBHOOK_ALLOW: '127.0.0.0/8',
      GROUNDWATCH_CA_FILE: join(home, 'ca.pem'),
    });
    await service.cli('accounts', 'create', 'reader');
    const keys = ['keys', 'create', '--account', 'reader', '--scopes', 'all', '--limit', '0'];
    key = String((await service.cli(...keys))['key']);
  });
  after(async () => {
    await service?.stop();
    await sink?.[Symbol.asyncDispose]();
    await pair?.stop();
    if (home !== undefined) await rm(home, { recursive: true });
  });

  const list = async () => {
    const answer = await service.call('/v1/aois?limit=100', { key });
    assert.equal(answer.status, 200, answer.text);
    const { aois } = answer.json() as unknown as { aois: { id: string }[] };
    return { ids: aois.map(({ id }) => id), by: answer.headers['x-read-from'] ?? 'primary' };
  };
  const create = async (name: string): Promise<string> => {
    const json = { name, geometry: square(14, 46, 0.01) };
    const made = await service.call('/v1/aois', { method: 'POST', key, json });
    assert.equal(made.status, 201, made.text);
    return String(made.json()['id']);
  };

  test('a caller sees in every list what they wrote, and the replica gives nearly all of them', async () => {
    const seen: string[] = [];
    for (let n = 0; n < WRITES; n++) {
      const id = await create(`area ${n}`);
      const { ids, by } = await list();
      assert.ok(ids.includes(id), `${by} lacks what was just written`);
      seen.push(by);
    }
    const byReplica = seen.filter((by) => by === 'replica').length;
    assert.ok(byReplica >= WRITES / 2, seen.join());
    const unknown = await service.call('/v1/changes?aoi_id=aoi_01k9q3v8gze7q8w1n5s0t4b6y7', { key });
    assert.equal(unknown.status, 404, unknown.text);
  });

  test('while the replica replays nothing, the primary answers; then the replica again', async () => {
    await pair.query('replica', 'select pg_wal_replay_pause()');
    try {
      const id = await create('paused');
      const { ids, by } = await list();
      assert.deepEqual([ids.includes(id), by], [true, 'primary']);
    } finally {
      await pair.query('replica', 'select pg_wal_replay_resume()');
    }
    for (const end = Date.now() + WAIT_MS; (await list()).by !== 'replica'; await sleep(100))
      assert.ok(Date.now() < end, service.log());
  });

  test('the primary dies and the replica is promoted: no event is lost, and none exists twice', async () => {
    const hook = { url: `https://localhost:${sink.port}/hook`, events: ['webhook.test'] };
    const made = await service.call('/v1/webhooks', { method: 'POST', key, json: hook });
    assert.equal(made.status, 201, made.text);
    const path = `/v1/webhooks/${String(made.json()['id'])}/test`;
    const acknowledged: string[] = [];
    const over = new AbortController();
    const writing = (async () => {
      while (!over.signal.aborted) {
        const sent = await service.call(path, { method: 'POST', key, json: {} }).catch(() => undefined);
        if (sent !== undefined && sent.status < 300) acknowledged.push(String(sent.json()['event_id']));
        else await sleep(100);
      }
    })();
    const more = async (count: number): Promise<void> => {
      const wanted = acknowledged.length + count;
      for (const end = Date.now() + WAIT_MS; acknowledged.length < wanted; await sleep(50))
        assert.ok(Date.now() < end, `${acknowledged.length} of ${wanted}: ${service.log()}`);
    };
    await more(10);
    await pair.killPrimary();
    await pair.promote();
    await more(10);
    over.abort();
    await writing;
    assert.equal((await list()).by, 'primary', 'a server that was promoted is no replica');
    const arrived = (): Set<string> =>
      new Set(sink.received.map(({ headers }) => String(headers['webhook-id'])));
    const lost = (): string[] => acknowledged.filter((id) => !arrived().has(id));
    for (const end = Date.now() + WAIT_MS; lost().length > 0; await sleep(100))
      assert.ok(Date.now() < end, `lost: ${lost().join()} ${service.log()}`);
    assert.equal(new Set(acknowledged).size, acknowledged.length);
    const listed: string[] = [];
    for (let cursor: string | undefined, page = 0; page < 50; page++) {
      const query = `/v1/events?limit=100${cursor === undefined ? '' : `&after=${cursor}`}`;
      const events = (await service.call(query, { key })).json()['events'] as { id: string }[];
      listed.push(...events.map(({ id }) => id));
      cursor = events.at(-1)?.id;
      if (events.length === 0) break;
    }
    assert.equal(new Set(listed).size, listed.length, 'no event is listed twice');
    assert.deepEqual(
      acknowledged.filter((id) => !listed.includes(id)),
      [],
    );
  });
});
