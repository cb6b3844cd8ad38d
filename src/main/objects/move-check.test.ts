import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { noObjectServer, ObjectServer } from '../../../test/fixtures/object-server.ts';
import type { CheckFinding } from '../../cli/installation-check.ts';
import type { Config } from '../../config.ts';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import { movingLayers } from '../../sources/layers/moving-layers.ts';
import { openCubes } from './cubes.ts';
import { moveCheck } from './move-check.ts';
import { objectsMove } from './move.ts';

describe('what doctor says of a move', { skip: noObjectServer }, () => {
  const root = mkdtempSync(join(tmpdir(), 'groundwatch-move-check-'));
  let server: ObjectServer;
  before(async () => {
    server = await ObjectServer.start(join(root, 'objects'));
  });
  after(async () => {
    await server.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const configOf = (name: string, where: Partial<Config>) =>
    ({ dataFolder: join(root, name), caFile: undefined, ...where }) as Config;
  const bucketAt = (prefix: string) => {
    const { extraCa: _, ...place } = server.place;
    return { ...place, prefix, cacheBytes: 1e9 };
  };
  const found = async (config: Config) => (await moveCheck(() => config).look()) as CheckFinding;

  test('a folder whose cubes go to a bucket, other nodes, and the folder without the bucket', async (t) => {
    const own = new FolderCubeStore(join(root, 'data', 'cubes'));
    for (const id of ['one', 'two']) {
      await own.create(id, { width: 4, height: 3, sampleType: 'int16' });
      await own.append(id, { key: 'first', timeMs: 0 }, new Int16Array(12).fill(7));
    }
    await own.close();
    const objects = bucketAt('into/');
    assert.deepEqual(await found(configOf('data', {})), { status: 'ok', found: 'none is under way' });
    assert.deepEqual(await found(configOf('node', { objects })), {
      status: 'ok',
      found: 'none is under way',
    });

    const config = configOf('data', { objects, objectsFrom: 'folder' });
    const cube = await openCubes(config);
    const client = new S3Objects({ ...server.place, prefix: 'into/' });
    t.after(() => Promise.all([cube.close(), client.close()]));
    const move = objectsMove(config, cube, movingLayers(join(root, 'data', 'layers'), client))!;
    await move.moveCube('one');
    const half = await found(config);
    assert.equal(half.status, 'warn');
    assert.match(half.found, /1 cubes are still in the data folder and used from there, 1 were moved/);
    assert.match(half.remedy!, /^run groundwatch objects move;/);
    const other = await found(configOf('node', { objects }));
    assert.equal(other.status, 'warn');
    assert.match(other.found, /not all cubes yet: .*data.cubes of \S+ is being moved into it/);
    const alone = await found(configOf('data', {}));
    assert.equal(alone.status, 'fail');
    assert.match(alone.found, /^1 cubes of the data folder are in a bucket/);

    await move.moveCube('two');
    assert.match((await found(config)).remedy!, /^run groundwatch objects move --remove,/);
    for (const id of ['one', 'two']) assert.deepEqual(await move.removeSource(id), []);
    await move.end();
    assert.match((await found(config)).found, /0 cubes are still in the data folder .* 0 were moved/);
    assert.equal((await found(configOf('data', { objects }))).status, 'ok');
  });

  test('a bucket whose cubes go to a folder', async (t) => {
    const from = bucketAt('into/');
    const cube = await openCubes(configOf('back', { objectsFrom: from }));
    t.after(() => cube.close());
    const before = await found(configOf('back', { objectsFrom: from }));
    assert.match(before.found, /2 cubes are still in the bucket and used from there, 0 were moved/);
  });
});
