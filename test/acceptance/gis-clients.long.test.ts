import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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
import {
  anomalyRecord,
  changeRecord,
  collectionRecord,
  putAoi,
  putCollection,
  square,
} from '../fixtures/records.ts';
import { sharedService, type TestService } from '../fixtures/service.ts';

const CHANGES = 23;

const PYTHON = process.env['GROUNDWATCH_TEST_PYTHON'] ?? 'python3';
const PAGE = new URL('../../docs/gis.md', import.meta.url);
const run = promisify(execFile);
const withoutGeoPandas = await run(PYTHON, ['-c', 'import geopandas, pyarrow']).then(
  () => false as const,
  () => `${PYTHON} has no geopandas and pyarrow (GROUNDWATCH_TEST_PYTHON)`,
);

interface Prepared {
  readonly service: TestService;
  readonly key: string;
  readonly area: string;
}

let prepared: Promise<Prepared> | undefined;
/** An account with two areas, changes and an anomaly. */
const prepare = (): Promise<Prepared> => (prepared ??= makeAccount());

async function makeAccount(): Promise<Prepared> {
  const service = await sharedService();
  const { id } = await service.cli('accounts', 'create', 'gis');
  const owner: Owner = { accountId: String(id), environment: 'production' };
  const backstage = await service.backstage();
  const { storage } = backstage;
  const made = { accountName: 'gis', environment: owner.environment, lifetimeMs: null, rateLimit: 0 };
  const key = (
    await createApiKey({ clock: { now: () => Date.now() }, storage, newApiKey }, { ...made, scopes: SCOPES })
  ).text;
  const collection = collectionRecord({ accountId: owner.accountId });
  await putCollection(backstage, collection, [
    { time: '2026-01-01', raw: 5000 },
    { time: '2026-01-03', raw: 7012 },
  ]);
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
  return { service, key, area: east.id };
}

describe('GDAL reads /ogc with a key', { skip: withoutGdal }, () => {
  let service: TestService;
  let key: string;
  let address: string;
  before(async () => {
    ({ service, key } = await prepare());
    address = `OAPIF:${service.baseUrl}/ogc`;
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
    assert.match(told, /4: incidents/);
    assert.doesNotMatch(told, /series/, 'series have no features');
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
    const page = await readFile(PAGE, 'utf8');
    const blocks = Array.from(page.matchAll(/^```sh\n([^]*?)^```$/gm), ([, block]) => block!);
    const folder = await mkdtemp(join(tmpdir(), 'groundwatch-gis-'));
    t.after(() => rm(folder, { recursive: true }));
    const script = blocks
      .join('\n')
      .replaceAll('https://localhost:8443', service.baseUrl)
      .replaceAll('data-local/tls/ca.pem', join(service.dataFolder, 'tls', 'ca.pem'));
    const options = { cwd: folder, env: { ...process.env, KEY: key } };
    const { stdout, stderr } = await run('sh', ['-euc', script], options);
    assert.equal(stderr, '');
    assert.match(stdout, new RegExp(`Feature Count: ${CHANGES}`));
    assert.match(
      (await gdal('ogrinfo', ['-so', join(folder, 'changes.gpkg'), 'changes'])).stdout,
      new RegExp(`Feature Count: ${CHANGES}`),
    );
    const covered = JSON.parse(await readFile(join(folder, 'series.covjson'), 'utf8')) as {
      coverages: unknown[];
    };
    assert.equal(covered.coverages.length, 1);
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

describe('GeoPandas and pyarrow read Parquet, value by value', { skip: withoutGeoPandas }, () => {
  /** Writes an answer to a file and gives its rows as Python reads them, as JSON. */
  async function rowsOf(path: string, script: string): Promise<readonly Record<string, unknown>[]> {
    const { service, key } = await prepare();
    const answer = await service.call(path, { key });
    assert.equal(answer.status, 200, answer.text);
    const folder = await mkdtemp(join(tmpdir(), 'groundwatch-parquet-'));
    try {
      const file = join(folder, 'answer.parquet');
      await writeFile(file, answer.bytes);
      const { stdout, stderr } = await run(PYTHON, ['-W', 'error', '-c', script, file]);
      assert.equal(stderr, '');
      return JSON.parse(stdout) as Record<string, unknown>[];
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  test('changes with their geometries and types', async () => {
    const { service, key, area } = await prepare();
    const path = `/v1/changes?aoi_id=${area}&f=`;
    const rows = await rowsOf(
      `${path}parquet`,
      `
import sys, json, geopandas
frame = geopandas.read_parquet(sys.argv[1])
assert frame.crs == 'OGC:CRS84', frame.crs
assert frame.geometry.name == 'geometry' and frame.geometry.is_valid.all()
assert str(frame.created_at.dtype) == 'datetime64[ms, UTC]', frame.created_at.dtype
assert frame.confidence.dtype == 'float64' and frame.area_m2.dtype == 'float64'
print(json.dumps([{
    **row, 'geometry': row['geometry'].__geo_interface__, 'aoi_ids': json.loads(row['aoi_ids']),
    **{name: row[name].isoformat(timespec='milliseconds').replace('+00:00', 'Z') for name in ['created_at', 'updated_at']},
    **{name: row[name] and row[name].isoformat() for name in ['detected_at', 'first_anomaly_at', 'confirmed_at', 'recovered_at']},
} for row in frame.to_dict('records')]))`,
    );
    const { features } = (await service.call(`${path}geojson`, { key })).json() as {
      features: { geometry: unknown; properties: object }[];
    };
    assert.equal(rows.length, CHANGES);
    assert.deepEqual(
      rows,
      features.map(({ geometry, properties }) => ({ ...properties, geometry })),
    );
  });

  test('the lines of docs/gis.md run', async (t) => {
    const { service, key, area } = await prepare();
    const [block] = /(?<=^```python\n)import io[^]*?(?=^```$)/m.exec(await readFile(PAGE, 'utf8'))!;
    if ((await run(PYTHON, ['-c', 'import requests']).catch(() => undefined)) === undefined) {
      t.skip(`${PYTHON} has no requests`);
      return;
    }
    const lines = block
      .replaceAll('https://localhost:8443', service.baseUrl)
      .replaceAll('data-local/tls/ca.pem', join(service.dataFolder, 'tls', 'ca.pem'));
    const script = `area, key = ${JSON.stringify(area)}, ${JSON.stringify(key)}\n${lines}\nprint(len(changes))`;
    assert.equal((await run(PYTHON, ['-c', script])).stdout.trim(), String(CHANGES));
  });

  test('a series', async () => {
    const { service, key } = await prepare();
    const path = '/v1/historical?lat=46.01&lng=14.01&metric=ndvi&f=';
    const rows = await rowsOf(
      `${path}parquet`,
      `
import sys, json, pyarrow.parquet
table = pyarrow.parquet.read_table(sys.argv[1])
assert [str(field.type) for field in table.schema] == ['date32[day]', 'double'], table.schema
print(json.dumps([{**row, 't': row['t'].isoformat()} for row in table.to_pylist()]))`,
    );
    const { series } = (await service.call(`${path}json`, { key })).json();
    assert.ok(rows.length >= 2);
    assert.deepEqual(rows, series);
  });
});
