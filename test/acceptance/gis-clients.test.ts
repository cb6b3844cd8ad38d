import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { createApiKey } from '../../src/app/access/manage-keys.ts';
import type { Owner } from '../../src/app/owner.ts';
import { newApiKey } from '../../src/auth/api-key.ts';
import { newId } from '../../src/base/ids.ts';
import { SCOPES } from '../../src/contract/scopes.ts';
import { gdal, withoutGdal } from '../fixtures/gdal.ts';
import { anomalyRecord, changeRecord, collectionRecord, putAoi, square } from '../fixtures/records.ts';
import { sharedService, type TestService } from '../fixtures/service.ts';

const CHANGES = 23;

describe('GDAL reads /ogc with a key', { skip: withoutGdal }, () => {
  let service: TestService;
  let key: string;
  let address: string;
  before(async () => {
    service = await sharedService();
    address = `OAPIF:${service.baseUrl}/ogc`;
    const { id } = await service.cli('accounts', 'create', 'gis');
    const owner: Owner = { accountId: String(id), environment: 'production' };
    const { storage } = await service.backstage();
    const made = { accountName: 'gis', environment: owner.environment, lifetimeMs: null, rateLimit: 0 };
    key = (
      await createApiKey(
        { clock: { now: () => Date.now() }, storage, newApiKey },
        { ...made, scopes: SCOPES },
      )
    ).text;
    const collection = collectionRecord({ accountId: owner.accountId });
    await storage.collections.create(collection);
    const [east, west] = [await putAoi(storage, owner), await putAoi(storage, owner, square(-60, -10))];
    for (let i = 0; i < CHANGES; i++) {
      const change = changeRecord(collection.id, { detectedAt: `2026-01-${String(i + 1).padStart(2, '0')}` });
      await storage.changes.insert(change);
      await storage.changes.link(change, i % 3 === 0 ? [east, west] : [east]);
    }
    await storage.subscriptions.create({
      ...owner,
      id: newId('subscription'),
      aoiId: west.id,
      perils: ['wildfire'],
      status: 'active',
    });
    await storage.anomalies.put([anomalyRecord(west, collection.id)]);
  });
  const ogrinfo = async (...args: readonly string[]): Promise<string> => {
    const { stdout, stderr } = await gdal('ogrinfo', ['-ro', ...args], { service, key });
    assert.equal(stderr, '');
    assert.doesNotMatch(stdout, /warning|error/i);
    return stdout;
  };

  test('the collections are its layers', async () => {
    const told = await ogrinfo(address);
    assert.match(told, /1: areas \(title: Areas of interest\)/);
    assert.match(told, /2: changes/);
    assert.match(told, /3: anomalies/);
  });

  test('every feature comes once, over pages', async () => {
    const told = await ogrinfo('-oo', 'PAGE_SIZE=5', '-al', '-geom=SUMMARY', address, 'changes');
    const ids = Array.from(told.matchAll(/^ {2}id \(String\) = (chg_\w+)/gm), ([, id]) => id);
    assert.equal(ids.length, CHANGES);
    assert.equal(new Set(ids).size, CHANGES);
    assert.match(told, /Geometry: (?:Polygon|Multi|Unknown)/);
    assert.match(await ogrinfo('-al', '-so', address, 'areas'), /Feature Count: 2/);
    assert.match(await ogrinfo('-al', '-so', address, 'anomalies'), /Feature Count: 1/);
  });

  test('the calls of docs/gis.md run', async (t) => {
    const page = await readFile(new URL('../../docs/gis.md', import.meta.url), 'utf8');
    const blocks = Array.from(page.matchAll(/^```sh\n([^]*?)^```$/gm), ([, block]) => block!);
    const folder = await mkdtemp(join(tmpdir(), 'groundwatch-gis-'));
    t.after(() => rm(folder, { recursive: true }));
    const script = blocks
      .join('\n')
      .replaceAll('https://localhost:8443', service.baseUrl)
      .replaceAll('data-local/tls/ca.pem', join(service.dataFolder, 'tls', 'ca.pem'));
    const options = { cwd: folder, env: { ...process.env, KEY: key } };
    const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', script], options);
    assert.equal(stderr, '');
    assert.match(stdout, new RegExp(`Feature Count: ${CHANGES}`));
    assert.match(
      (await gdal('ogrinfo', ['-so', join(folder, 'changes.gpkg'), 'changes'])).stdout,
      new RegExp(`Feature Count: ${CHANGES}`),
    );
    const recent = JSON.parse(await readFile(join(folder, 'recent.geojson'), 'utf8')) as {
      features: unknown[];
    };
    assert.equal(recent.features.length, CHANGES);
  });

  test('a box and a time restrict what is asked for', async () => {
    assert.match(
      await ogrinfo('-spat', '-61', '-11', '-59', '-9', '-al', '-so', address, 'areas'),
      /Feature Count: 1/,
    );
    assert.match(
      await ogrinfo('-spat', '0', '0', '1', '1', '-al', '-so', address, 'areas'),
      /Feature Count: 0/,
    );
    const early = await ogrinfo('-where', "detected_at <= '2026/01/04'", '-al', '-so', address, 'changes');
    assert.match(early, /Feature Count: 4/);
  });
});
