import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { addLayer } from '../../src/app/layers/add-layer.ts';
import { FolderLayerShelf } from '../../src/sources/layers/folder-layer-shelf.ts';
import { tiffFixture } from '../fixtures/tiff-fixture.ts';
import { square } from '../fixtures/records.ts';
import { startService, type TestService } from '../fixtures/service.ts';
import { throwawayCertificate, type TlsSink, tlsSink } from '../fixtures/tls-sink.ts';

interface WatchAnswer {
  readonly id: string;
  readonly risk_score: number;
  readonly confidence: number;
  readonly above: boolean;
  readonly area?: {
    readonly places: number;
    readonly places_without_data: number;
    readonly share_above: number;
  };
  readonly explain?: { readonly layers: readonly { readonly layer: string; readonly version: string }[] };
}

describe('risk watches, through a service started as a user starts it', () => {
  let service: TestService;
  let sink: TlsSink;
  let home: string;
  let key: string;
  let sandboxKey: string;
  let secret: string;
  let aoiId: string;

  const ask = async <T>(path: string, by = key): Promise<T> => {
    const answer = await service.call(path, { key: by });
    assert.equal(answer.status, 200, answer.text);
    return answer.json() as T;
  };
  const create = async <T>(path: string, json: unknown, by = key): Promise<T> => {
    const answer = await service.call(path, { key: by, method: 'POST', json });
    assert.equal(answer.status, 201, answer.text);
    return answer.json() as T;
  };
  /** Installs flood maps with one depth in a square of 0.1 degrees at 14 E, 46 N. They replace the previous maps. */
  const flood = async (depthM: number): Promise<void> => {
    const deps = {
      clock: { now: () => Date.now() },
      shelf: new FolderLayerShelf({ folder: join(service.dataFolder, 'layers'), catalogues: [] }),
    };
    const path = join(home, 'depth.tif');
    const bands = [Array<number>(100).fill(depthM * 100)];
    await writeFile(
      path,
      tiffFixture({ width: 10, height: 10, bands, origin: [14, 46.1], pixel: [0.01, 0.01] }),
    );
    for (const returnPeriodYears of [10, 100, 500]) {
      const map = { layer: 'flood-depth', version: 'v1', returnPeriodYears, scale: 0.01, replace: true };
      await addLayer(deps, { path, band: 0, nodata: null, ...map });
    }
  };
  const until = async (what: string, met: () => Promise<boolean> | boolean): Promise<void> => {
    for (let i = 0; i < 2_400; i++) {
      if (await met()) return;
      await delay(100);
    }
    throw new Error(`${what} did not come within four minutes`);
  };
  const isAbove = async (id: string) => (await ask<WatchAnswer>(`/v1/risk/watches/${id}`)).above;

  before(async () => {
    const certificate = await throwawayCertificate();
    home = await mkdtemp(join(tmpdir(), 'groundwatch-watches-'));
    await writeFile(join(home, 'ca.pem'), certificate.caPem);
    sink = await tlsSink(certificate);
    service = await startService({
      GROUNDWATCH_WEBHOOK_ALLOW: '127.0.0.0/8',
      GROUNDWATCH_CA_FILE: join(home, 'ca.pem'),
    });
    await service.cli('accounts', 'create', 'insurer');
    const keys = ['keys', 'create', '--account', 'insurer', '--scopes', 'all', '--limit', '0'] as const;
    key = String((await service.cli(...keys))['key']);
    sandboxKey = String((await service.cli(...keys, '--environment', 'sandbox'))['key']);
    const hook = { url: `https://localhost:${sink.port}/hook`, events: ['risk.threshold_exceeded'] };
    secret = (await create<{ secret: string }>('/v1/webhooks', hook)).secret;
    await create('/v1/webhooks', hook, sandboxKey);
    aoiId = (await create<{ id: string }>('/v1/aois', { name: 'Plain', geometry: square(14.05, 46.02, 0.1) }))
      .id;
  });
  after(async () => {
    await service?.stop();
    await sink?.[Symbol.asyncDispose]();
    await rm(home, { recursive: true, force: true });
  });

  test('a flood map that is replaced reaches the watchers by webhook once, is told by the API, and arms again', async () => {
    await flood(0);
    const place = { lat: 46.05, lng: 14.05, peril: 'flood', threshold: 0.7 };
    // The service uses the new maps within seconds.
    await until('the maps', async () => {
      const { models } = await ask<{
        models: { peril: string; layer_versions: { layer: string }[] }[];
      }>('/v1/models');
      const { layer_versions: layers } = models.find(({ peril }) => peril === 'flood')!;
      return layers.filter(({ layer }) => layer === 'flood-depth').length === 3;
    });
    const point = await create<WatchAnswer>('/v1/risk/watches', place);
    assert.deepEqual([point.risk_score, point.above], [0, false]);
    assert.ok(point.confidence > 0);
    const area = await create<WatchAnswer>('/v1/risk/watches', {
      aoi_id: aoiId,
      peril: 'flood',
      threshold: 0.7,
    });
    const elsewhere = await create<WatchAnswer>('/v1/risk/watches', { ...place, lat: 47.5 });
    // Watches the same place in the sandbox, which does not use these maps.
    const sandbox = await create<WatchAnswer>('/v1/risk/watches', place, sandboxKey);

    await flood(2);
    await until('two events', () => sink.received.length >= 2);
    const told = sink.received.map(({ body, headers }) => {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return JSON.parse(body) as {
        id: string;
        type: string;
        environment: string;
        data: Record<string, unknown>;
      };
    });
    assert.deepEqual(
      told.map(({ data }) => String(data['watch_id'])).toSorted(),
      [area.id, point.id].toSorted(),
    );
    for (const { type, environment, data } of told) {
      assert.deepEqual(
        [type, environment, data['threshold']],
        ['risk.threshold_exceeded', 'production', 0.7],
      );
      assert.ok(Number(data['risk_score']) >= 0.7 && Number(data['previous_score']) < 0.7);
    }
    const feed = await ask<{ events: { id: string }[] }>('/v1/events?type=risk.threshold_exceeded');
    assert.deepEqual(feed.events.map(({ id }) => id).toSorted(), told.map(({ id }) => id).toSorted());
    assert.deepEqual([await isAbove(elsewhere.id), await isAbove(area.id)], [false, true]);
    const { area: why } = await ask<WatchAnswer>(`/v1/risk/watches/${area.id}?explain=true`);
    assert.equal(why?.places, 1000);
    // The maps cover half of the width of the area and eight tenths of its height; the shipped layers cover the rest.
    assert.ok(Math.abs(why.share_above - 0.4) < 0.05, String(why.share_above));
    assert.equal(why.places_without_data, 0);
    const { explain } = await ask<WatchAnswer>(`/v1/risk/watches/${point.id}?explain=true`);
    assert.ok(explain?.layers.some(({ layer, version }) => layer === 'flood-depth' && version === 'v1'));

    await flood(0);
    await until('the fall', async () => !(await isAbove(point.id)));
    await flood(2);
    await until('a second crossing', () =>
      sink.received.some(({ body }, i) => i >= 2 && body.includes(point.id)),
    );
    await until('that of the area', () => sink.received.length >= 4);
    assert.equal(sink.received.length, 4);
    const other = await ask<WatchAnswer>(`/v1/risk/watches/${sandbox.id}`, sandboxKey);
    assert.deepEqual([other.risk_score, other.above], [sandbox.risk_score, false]);
    assert.doesNotMatch(service.log(), /Risk watches:/);
  });

  test('a key made again asks for nothing twice; a deleted area ends its watches', async () => {
    const body = { aoi_id: aoiId, peril: 'storm', threshold: 0.9 };
    const headers = { 'Idempotency-Key': 'watch-1' };
    const send = () => service.call('/v1/risk/watches', { key, method: 'POST', json: body, headers });
    const [first, second] = [await send(), await send()];
    assert.deepEqual([first.status, second.status, second.text], [201, 201, first.text]);
    const { id } = first.json();
    assert.equal((await service.call(`/v1/aois/${aoiId}`, { key, method: 'DELETE' })).status, 204);
    assert.equal((await service.call(`/v1/risk/watches/${String(id)}`, { key })).status, 404);
  });
});
