import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ObjectCubeStore } from '../../src/cube/objects/object-cube-store.ts';
import { migratedDatabase } from '../fixtures/database.ts';
import { noObjectServer, ObjectServer } from '../fixtures/object-server.ts';
import { collectionRecord, putCollection } from '../fixtures/records.ts';
import { startService, type TestService } from '../fixtures/service.ts';
import { tiffFixture } from '../fixtures/tiff-fixture.ts';
import { PROGRAM } from '../fixtures/program.ts';

const DAY_MS = 86_400_000;

type Settings = Readonly<Record<string, string>>;

describe('an installation that is moved from its data folder to a bucket', { skip: noObjectServer }, () => {
  let folder: string;
  let [server, service]: [ObjectServer?, TestService?] = [];
  let plain: Settings;
  let bucket: Settings;
  let key: string;
  const collections = [collectionRecord(), collectionRecord()];
  const run = async (args: readonly string[], settings: Settings): Promise<Record<string, unknown>> => {
    const env = { ...process.env, GROUNDWATCH_LOG_LEVEL: 'warn', GROUNDWATCH_SANDBOX: 'off', ...settings };
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args, '--json'], { env });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  /** What the service answers about the cubes and the layers. */
  const answers = async (): Promise<unknown> => {
    const series = await service!.call('/v1/historical?lat=46.01&lng=14.01&metric=ndvi&to=2026-12-31', {
      key,
    });
    const layers = await service!.call('/v1/tiles/layers/elevation', { key });
    return [series.status, series.json()['series'], layers.text.includes('mine')];
  };
  const sampled = async (settings: Settings): Promise<unknown> => {
    const args = ['layers', 'sample', '--lat', '49', '--lng', '11', '--layer', 'elevation'];
    const { samples } = (await run(args, settings)) as { samples: { version: string; value: number }[] };
    return samples.find(({ version }) => version === 'mine')?.value;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-object-move-'));
    await chmod(folder, 0o755);
    server = await ObjectServer.start(join(folder, 'bucket'));
    const { bucket: name, endpoint, credentials } = server.place;
    plain = { GROUNDWATCH_DATA: join(folder, 'data'), DATABASE_URL: await migratedDatabase() };
    bucket = {
      GROUNDWATCH_OBJECTS: `s3://${name}/moved?endpoint=${endpoint}`,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
  });
  after(async () => {
    await service?.stop();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('it serves meanwhile with the same answers, and afterwards without the folder', async () => {
    const map = join(folder, 'map.tif');
    await writeFile(map, tiffFixture({ width: 2, height: 2, bands: [[37, 37, 37, 37]], origin: [10, 50] }));
    await run(['layers', 'add', map, '--layer', 'elevation', '--version', 'mine'], plain);
    service = await startService({ ...plain, ...bucket, GROUNDWATCH_OBJECTS_FROM: 'folder' });
    await service.cli('accounts', 'create', 'acme');
    key = String(
      (await service.cli('keys', 'create', '--account', 'acme', '--scopes', 'all', '--limit', '0'))['key'],
    );
    const observations = Array.from({ length: 12 }, (_, i) => ({
      time: new Date(Date.parse('2025-01-01') + i * DAY_MS).toISOString(),
      raw: 100 + i,
    }));
    const backstage = await service.backstage(); // its cubes are those of the folder
    for (const each of collections) await putCollection(backstage, each, observations);
    const before = (await answers()) as [number, unknown[], boolean];
    assert.equal(before[0], 200);
    assert.ok(before[1].length >= 12 && before[2], JSON.stringify(before));

    const over = new AbortController();
    let asked = 0;
    const asking = (async () => {
      for (; !over.signal.aborted; asked++) {
        assert.deepEqual(await answers(), before);
        await sleep(100);
      }
    })();
    const { cubes, layer_files: files, failed } = await service.cli('objects', 'move');
    assert.deepEqual([cubes, files, failed], [2, 1, []]);
    assert.deepEqual(await service.cli('objects', 'move', '--remove'), { cubes: 2 });
    over.abort();
    await asking;
    assert.ok(asked > 2, `asked ${asked} times`);
    const data = plain['GROUNDWATCH_DATA']!;
    assert.deepEqual(await readdir(join(data, 'cubes')), []);
    assert.deepEqual(
      (await readdir(join(data, 'layers'))).filter((name) => name.startsWith('catalogue')),
      [],
    );
    await service.stop();

    await rm(join(data, 'layers'), { recursive: true }); // copies
    assert.equal(await sampled({ ...plain, ...bucket }), 37);
    const cache = join(folder, 'node');
    const node = new ObjectCubeStore({
      place: { ...server!.place, prefix: 'moved/' },
      cache,
      cacheBytes: 1e9,
    });
    try {
      for (const { id } of collections) {
        assert.deepEqual(await node.check(id), []);
        assert.equal((await node.scenes(id)).length, observations.length);
      }
    } finally {
      await node.close();
    }
  });
});
