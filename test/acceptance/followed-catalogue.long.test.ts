import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sentinelScene } from '../fixtures/sentinel-scene.ts';
import { startService, type TestService } from '../fixtures/service.ts';
import { type StacServer, stacServer } from '../fixtures/stac-server.ts';

const DAY_MS = 86_400_000;
const PATIENCE_MS = 240_000; // timeout for the observations of a new area; the service checks for new areas every 5 s
/**
 * Raw values of the scenes. In the requested pixel the reflectances are 0.59 (near infrared) and 0.19 (red), so its
 * NDVI is 0.4 / 0.78.
 */
const RAW = { green: 1000, red: 2000, nir: 6000, swir16: 3000, swir22: 1500, scl: 4 } as const;
const FIELD = {
  type: 'Polygon',
  coordinates: [
    [
      [15.0003, 46.0525],
      [15.0023, 46.0525],
      [15.0023, 46.0535],
      [15.0003, 46.0535],
      [15.0003, 46.0525],
    ],
  ],
};

describe('a catalogue that the service follows by itself', () => {
  let service: TestService;
  let catalogue: StacServer;
  let folder: string;
  let key: string;
  before(async () => {
    catalogue = await stacServer();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-follow-'));
    await writeFile(join(folder, 'ca.pem'), catalogue.caPem);
    service = await startService({
      GROUNDWATCH_SOURCE_ALLOW: '127.0.0.0/8,::1/128',
      GROUNDWATCH_CA_FILE: join(folder, 'ca.pem'),
    });
    await service.cli('accounts', 'create', 'farm');
    ({ key } = (await service.cli('keys', 'create', '--account', 'farm', '--scopes', 'all')) as {
      key: string;
    });
  });
  after(async () => {
    await service?.stop();
    await catalogue[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  test('an area that is made over the API has its history a few seconds later', async () => {
    for (const daysAgo of [40, 10]) {
      const datetime = new Date(Date.now() - daysAgo * DAY_MS).toISOString();
      const { item, files } = sentinelScene(catalogue.base, { id: `S2_${daysAgo}`, datetime, raw: RAW });
      catalogue.items.push(item);
      for (const [path, bytes] of files) catalogue.files.set(path, bytes);
    }
    await service.cli('feeds', 'add', 's2', `${catalogue.base}/v1/collections/s2`, '--metrics', 'ndvi');
    const made = await service.call('/v1/aois', {
      key,
      method: 'POST',
      json: { name: 'Field', geometry: FIELD },
    });
    assert.equal(made.status, 201, made.text);
    const { id } = made.json() as { id: string };
    let values: readonly number[] = [];
    for (const end = Date.now() + PATIENCE_MS; values.length < 2 && Date.now() < end; await sleep(200)) {
      const answer = await service.call('/v1/historical?lat=46.053&lng=15.001&metric=ndvi', { key });
      if (answer.status === 200)
        values = (answer.json() as { series: { v: number }[] }).series.map(({ v }) => v);
    }
    assert.deepEqual(values, [0.5128, 0.5128], service.log());
    const { feeds } = await service.cli('feeds', 'list');
    const [feed] = feeds as readonly [Record<string, unknown>];
    assert.deepEqual([feed['name'], feed['areas'], feed['problems']], ['s2', 1, []]);
    const { collections } = await service.cli('collections', 'list');
    const [collection] = collections as readonly [Record<string, unknown>];
    assert.deepEqual(
      [collection['name'], collection['account'], collection['scenes']],
      [`s2.${id}`, 'farm', 2],
    );
    assert.deepEqual(await service.cli('feeds', 'run', 's2'), {
      name: 's2',
      areas: 1,
      added: 0,
      problems: [],
      left: [],
    });
    await service.cli('feeds', 'remove', 's2');
    await assert.rejects(service.cli('feeds', 'run', 's2'), /There is no feed s2 in production/);
  });
});
