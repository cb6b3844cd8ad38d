import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { FolderCubeStore } from '../../src/cube/folder-cube-store.ts';
import { ObjectCubeStore } from '../../src/cube/objects/object-cube-store.ts';
import { S3Objects, type S3Place } from '../../src/net/s3-objects.ts';
import { emptyDatabase, migratedDatabase } from '../fixtures/database.ts';
import { noObjectServer, ObjectServer } from '../fixtures/object-server.ts';
import { collectionRecord, putCollection } from '../fixtures/records.ts';
import { startService, type TestService } from '../fixtures/service.ts';
import { tiffFixture } from '../fixtures/tiff-fixture.ts';
import { PROGRAM } from '../fixtures/program.ts';

const DAY_MS = 86_400_000;
const SCENES = 12;
/** Younger than any object: the clock of the server has whole seconds. */
const NO_GRACE = -2000;

type Settings = Readonly<Record<string, string>>;

describe('backups of a service whose cubes are in objects', { skip: noObjectServer }, () => {
  let folder: string;
  let server: ObjectServer;
  let live: TestService;
  let liveDatabase: string;
  let node: ObjectCubeStore;
  let key: string;
  let runs = 0;
  const collection = collectionRecord();
  const settingsOf = ({ bucket, prefix, endpoint, credentials }: S3Place) => ({
    GROUNDWATCH_OBJECTS: `s3://${bucket}/${prefix}?endpoint=${endpoint}`,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  });
  const at = (prefix: string): S3Place => ({ ...server.place, prefix });
  const objectsAt = async (prefix: string, under = ''): Promise<readonly string[]> => {
    const objects = new S3Objects(at(prefix));
    const names: string[] = [];
    for await (const { name } of objects.list(under)) names.push(name);
    await objects.close();
    return names;
  };
  /** Copies a part of the bucket, as an operator would. */
  const copyObjects = async (from: string, to: string): Promise<void> => {
    const [source, target] = [new S3Objects(at(from)), new S3Objects(at(to))];
    for await (const { name } of source.list('')) {
      const found = await source.get(name);
      if (found !== undefined && found !== 'same') await target.put(name, found.bytes, 'absent');
    }
    for (const each of [source, target]) await each.close();
  };
  const sceneOf = (i: number) =>
    [
      { key: `more-${i}`, timeMs: Date.parse('2026-01-01') + i * DAY_MS },
      new Int16Array(4).fill(500 + i),
    ] as const;
  const freshSettings = async (place?: S3Place): Promise<Settings> => ({
    GROUNDWATCH_DATA: join(folder, `restored${runs++}`),
    DATABASE_URL: await emptyDatabase(),
    ...(place && settingsOf(place)),
  });
  const run = async (args: readonly string[], settings: Settings): Promise<Record<string, unknown>> => {
    const env = { ...process.env, GROUNDWATCH_LOG_LEVEL: 'warn', ...settings };
    const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...args, '--json'], { env });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  /** Values of the series that a service answers. */
  const seriesOf = async (service: TestService): Promise<readonly number[]> => {
    const answer = await service.call('/v1/historical?lat=46.01&lng=14.01&metric=ndvi&to=2026-12-31', {
      key,
    });
    assert.equal(answer.status, 200, answer.text);
    return (answer.json()['series'] as { v: number }[]).map(({ v }) => v);
  };
  /** Values of a pixel in a restored cube, after every byte of it was checked. */
  const restored = async (settings: Settings, prefix?: string): Promise<readonly number[]> => {
    const data = settings['GROUNDWATCH_DATA']!;
    const cube =
      prefix === undefined
        ? new FolderCubeStore(join(data, 'cubes'))
        : new ObjectCubeStore({ place: at(prefix), cache: join(data, 'objects-cache'), cacheBytes: 1e9 });
    try {
      assert.deepEqual(await cube.check(collection.id), []);
      return [...(await cube.readStrip(collection.id, 0, 1)).values].map((raw) => raw / 10_000);
    } finally {
      await cube.close();
    }
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-object-backup-'));
    await chmod(folder, 0o755);
    server = await ObjectServer.start(join(folder, 'bucket'));
    liveDatabase = await migratedDatabase();
    live = await startService({ ...settingsOf(at('live/')), DATABASE_URL: liveDatabase });
    node = new ObjectCubeStore(
      { place: at('live/'), cache: join(folder, 'node'), cacheBytes: 1e9 },
      { closeAt: 4 },
    );
    await live.cli('accounts', 'create', 'acme');
    key = String(
      (await live.cli('keys', 'create', '--account', 'acme', '--scopes', 'all', '--limit', '0'))['key'],
    );
    const backstage = await live.backstage();
    const observations = Array.from({ length: SCENES }, (_, i) => ({
      time: new Date(Date.parse('2025-01-01') + i * DAY_MS).toISOString(),
      raw: 100 + i,
    }));
    await putCollection({ ...backstage, cube: node as never }, collection, observations);
  });
  after(async () => {
    await node?.close();
    await live?.stop();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('names what is in the bucket, which stays there until the backup is released', async () => {
    const archive = join(folder, 'naming.tar');
    const before = await seriesOf(live);
    assert.equal(before.length, SCENES);
    const state = { wanted: true, made: 0 };
    const writing = (async () => {
      for (; state.wanted; state.made += 1) await node.append(collection.id, ...sceneOf(state.made));
    })();
    while (state.made < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    const { objects } = (await live.cli('backup', archive)) as {
      objects: { backup: string; cubes: number; objects: number; bytes: number };
    };
    state.wanted = false;
    await writing;
    assert.equal(objects.cubes, 1);
    assert.ok(objects.objects >= 3 && objects.bytes > 0);
    const { backups } = await live.cli('objects', 'backups');
    assert.deepEqual(
      (backups as { id: string; complete: boolean }[]).map(({ id, complete }) => [id, complete]),
      [[objects.backup, true]],
    );
    // The cube goes on, is collected, and is removed: what the backup names is still there.
    for (let i = 0; i < 12; i++) await node.append(collection.id, ...sceneOf(state.made + i));
    await node.collect(collection.id, NO_GRACE);
    await copyObjects('live/', 'copy/');
    await node.remove(collection.id);
    assert.ok((await objectsAt('live/', `cubes/${collection.id}/pieces/`)).length >= objects.objects);

    const without = await freshSettings();
    await assert.rejects(
      run(['restore', archive], without),
      /GROUNDWATCH_OBJECTS: expected s3:\/\/kept\/live\//,
    );
    const elsewhere = await freshSettings(at('elsewhere/'));
    await assert.rejects(run(['restore', archive], elsewhere), /got a bucket without \d+ of them: cubes\//);
    assert.deepEqual(await objectsAt('elsewhere/'), []);

    for (const place of ['copy/', 'live/']) {
      const settings = await freshSettings(at(place));
      const done = await run(['restore', archive], settings);
      assert.ok((done['tables'] as number) > 10);
      const got = await restored(settings, place);
      assert.deepEqual(got.slice(0, SCENES), before, place);
      assert.ok(got.length >= SCENES + 2 && got.length <= SCENES + state.made, `${got.length} scenes`);
      for (const name of ['object-heads', 'cubes'])
        assert.ok(!existsSync(join(settings['GROUNDWATCH_DATA']!, name)), name);
    }
    assert.deepEqual((await seriesOf(live)).slice(0, SCENES), before, 'a service reads it');
    const cube = new ObjectCubeStore(
      { place: at('live/'), cache: join(folder, 'other'), cacheBytes: 1e9 },
      {},
    );
    const scenes = await cube.scenes(collection.id);
    assert.ok(scenes.length >= SCENES, 'scenes from while the backup ran may be there');
    await cube.remove(collection.id);
    await cube.close();
    const release = await node.backups.release(objects.backup, NO_GRACE);
    assert.ok(release! >= objects.objects);
    assert.deepEqual(await objectsAt('live/', `cubes/${collection.id}/pieces/`), []);
    assert.deepEqual((await live.cli('objects', 'backups'))['backups'], []);
    await assert.rejects(live.cli('objects', 'release', objects.backup), /No backup/);
  });

  test('a backup with copies is restored into a folder, and that of a folder into a bucket', async () => {
    const settings = await freshSettings(at('copy/'));
    const [copied, named] = [join(folder, 'copied.tar'), join(folder, 'named.tar')];
    await node.close();
    node = new ObjectCubeStore({ place: at('live/'), cache: join(folder, 'node'), cacheBytes: 1e9 });
    const { storage } = await live.backstage();
    await storage.collections.remove(collection.id);
    await putCollection({ ...(await live.backstage()), cube: node as never }, collection, [
      { time: '2025-02-01T00:00:00Z', raw: 7 },
      { time: '2025-02-02T00:00:00Z', raw: 9 },
    ]);
    const want = await seriesOf(live);
    assert.equal(want.length, 2);
    const { objects } = await live.cli('backup', '--copy-objects', copied);
    assert.equal((objects as { backup: string | null }).backup, null);
    assert.deepEqual((await live.cli('objects', 'backups'))['backups'], [], 'nothing is kept for it');

    const inFolder = await freshSettings();
    await run(['restore', copied], inFolder);
    assert.deepEqual(await restored(inFolder), want);
    assert.ok(existsSync(join(inFolder['GROUNDWATCH_DATA']!, 'cubes', collection.id)));
    await run(['backup', named], inFolder);
    const inBucket = await freshSettings(at('fresh/'));
    await run(['restore', named], inBucket);
    assert.ok(!existsSync(join(inBucket['GROUNDWATCH_DATA']!, 'cubes')));
    assert.deepEqual(await restored(inBucket, 'fresh/'), want);
    assert.equal(settings['GROUNDWATCH_OBJECTS'], settingsOf(at('copy/')).GROUNDWATCH_OBJECTS);
  });

  test('a restore into a database that is in use leaves the bucket as it is', async () => {
    const archive = join(folder, 'late.tar');
    await live.cli('backup', archive);
    await node.append(collection.id, ...sceneOf(0));
    const head = async (): Promise<string> => {
      const objects = new S3Objects(at('live/'));
      const found = await objects.get(`cubes/${collection.id}/head.json`);
      await objects.close();
      return found === undefined || found === 'same' ? '' : found.etag;
    };
    const before = await head();
    const settings = await freshSettings(at('live/'));
    await run(['accounts', 'create', 'here'], { ...settings, GROUNDWATCH_DATA: join(folder, 'used') });
    await assert.rejects(run(['restore', archive], settings), /is in use/);
    assert.equal(await head(), before);
  });

  test('installed layers are in the bucket for all nodes, and go with a backup into a folder and a bucket', async () => {
    const [map, archive, again] = ['map.tif', 'layers.tar', 'again.tar'].map((name) => join(folder, name));
    const pixels = { width: 2, height: 2, bands: [[37, 37, 37, 37]], origin: [10, 50] as const };
    await writeFile(map!, tiffFixture(pixels));
    const other: Settings = {
      ...settingsOf(at('live/')),
      GROUNDWATCH_DATA: join(folder, 'second'),
      DATABASE_URL: liveDatabase,
      GROUNDWATCH_SECRET_KEY: (await readFile(join(live.dataFolder, 'secret-key'), 'utf8')).trim(),
    };
    await run(['layers', 'add', map!, '--layer', 'elevation', '--version', 'mine'], other);
    const sampled = async (settings: Settings): Promise<unknown> => {
      const args = ['layers', 'sample', '--lat', '49', '--lng', '11', '--layer', 'elevation'];
      const { samples } = (await run(args, settings)) as { samples: { version: string; value: number }[] };
      return samples.find(({ version }) => version === 'mine')?.value;
    };
    const served = async (): Promise<boolean> =>
      (await live.call('/v1/tiles/layers/elevation', { key })).text.includes('mine');
    for (const end = Date.now() + 240_000; !(await served()); await sleep(100))
      assert.ok(Date.now() < end, `the service serves it: ${live.log()}`);
    await live.cli('backup', '--copy-objects', archive!);

    const inFolder = await freshSettings();
    await run(['restore', archive!], inFolder);
    assert.equal(await sampled(inFolder), 37);
    await run(['backup', again!], inFolder);
    const inBucket = await freshSettings(at('layered/'));
    await run(['restore', again!], inBucket);
    assert.ok(!existsSync(join(inBucket['GROUNDWATCH_DATA']!, 'layers/catalogue.json')));
    await rm(join(inBucket['GROUNDWATCH_DATA']!, 'layers'), { recursive: true }); // the copies of this node
    assert.equal(await sampled(inBucket), 37);
  });

  test('an erased account leaves nothing in the bucket, not even what a backup kept', async () => {
    const { id } = await live.cli('accounts', 'create', 'leaving');
    const [gone, still] = [collectionRecord(), collectionRecord()];
    for (const each of [gone, still])
      await putCollection(
        { ...(await live.backstage()), cube: node as never },
        { ...each, name: each.id, accountId: String(id) },
        [{ time: '2025-02-01T00:00:00Z', raw: 7 }],
      );
    const archive = join(folder, 'erased.tar');
    const made = await live.cli('backup', archive);
    const backup = (made['objects'] as { backup: string }).backup;
    const { stdout } = await promisify(execFile)('tar', ['-tf', archive]);
    assert.ok(stdout.includes(`sealed/${String(id)}/object-heads/${gone.id}.json`), stdout);
    assert.ok(!(await readFile(archive)).includes(`data/object-heads/${gone.id}`), 'its head is sealed');
    await live.cli('collections', 'remove', '--account', 'leaving', '--collection', gone.id);
    for (const each of [gone, still])
      assert.ok((await objectsAt('live/', `cubes/${each.id}/kept/`)).length === 1);
    await live.cli('accounts', 'erase', String(id), '--confirm');
    for (const each of [gone, still])
      assert.deepEqual(await objectsAt('live/', `cubes/${each.id}/`), [`cubes/${each.id}/head.json`]);
    const { backups } = await live.cli('objects', 'backups');
    assert.ok((backups as { id: string }[]).some((each) => each.id === backup));
    const settings = await freshSettings(at('live/'));
    assert.deepEqual((await run(['restore', archive], settings))['erased'], [id]);
  });
});
