import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { noObjectServer, ObjectServer } from '../../../test/fixtures/object-server.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { CubeSpec } from '../../app/series/cube-store.ts';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import { MovingCubeStore } from '../../cube/moving/moving-cube-store.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import { movingLayers } from '../../sources/layers/moving-layers.ts';
import { backUpOf } from './backing-up.ts';
import { openCubes } from './cubes.ts';
import { objectsMove } from './move.ts';

const SPEC: CubeSpec = { width: 4, height: 3, sampleType: 'int16' };

describe('where the settings say that cubes are', { skip: noObjectServer }, () => {
  const root = mkdtempSync(join(tmpdir(), 'groundwatch-open-cubes-'));
  let server: ObjectServer;
  before(async () => {
    server = await ObjectServer.start(join(root, 'objects'));
  });
  after(async () => {
    await server.stop();
    rmSync(root, { recursive: true, force: true });
  });
  const configOf = (name: string, objectsFrom: 'folder' | undefined) => {
    const { extraCa: _, ...place } = server.place;
    return {
      dataFolder: join(root, name),
      caFile: undefined,
      objects: { ...place, prefix: 'opened/', cacheBytes: 1e9 },
      objectsFrom,
    };
  };
  const told = (text: RegExp) => (error: Error) => error instanceof InvalidInput && text.test(error.message);

  test('cubes of a data folder are left only by a move, and no node misses them meanwhile', async (t) => {
    const own = new FolderCubeStore(join(root, 'data', 'cubes'));
    await own.create('here', SPEC);
    await own.append('here', { key: 'first', timeMs: 0 }, new Int16Array(12).fill(7));
    await own.close();
    await assert.rejects(
      openCubes(configOf('data', undefined)),
      told(/got 1 in .*cubes; to move them, set GROUNDWATCH_OBJECTS_FROM=folder/),
    );
    const config = configOf('data', 'folder');
    const cube = await openCubes(config);
    t.after(() => cube.close());
    assert.ok(cube instanceof MovingCubeStore);
    await assert.rejects(
      openCubes(configOf('stateless', undefined)),
      told(/into which .*cubes of .* is being moved/),
    );
    const parts = { clock: { now: () => 0 }, secretKey: {}, database: {}, layers: {} };
    await assert.rejects(
      backUpOf({ ...parts, config, cube } as never)('none.tar', [], false),
      told(/^GROUNDWATCH_OBJECTS_FROM: a backup is made before a move or after it/),
    );

    const objects = new S3Objects({ ...server.place, prefix: 'opened/' });
    t.after(() => objects.close());
    const move = objectsMove(config, cube, movingLayers(join(root, 'data', 'layers'), objects))!;
    assert.deepEqual(await move.left(), ['here']);
    assert.ok((await move.moveCube('here'))! > 0);
    assert.deepEqual([await move.left(), await move.moved()], [[], ['here']]);
    // Nothing is deleted while the bucket has not the whole cube.
    let piece = '';
    for await (const { name } of objects.list('cubes/here/pieces/')) piece = name;
    const found = await objects.get(piece);
    await objects.delete(piece);
    assert.match((await move.removeSource('here')).join(), /is missing/);
    assert.deepEqual(await move.moved(), ['here']);
    await objects.put(piece, (found as { readonly bytes: Buffer }).bytes, 'absent');
    assert.deepEqual(await move.removeSource('here'), []);
    assert.deepEqual(await move.moved(), []);
    await move.end();

    const node = await openCubes(configOf('stateless', undefined));
    t.after(() => node.close());
    assert.deepEqual(
      (await node.scenes('here')).map(({ key }) => key),
      ['first'],
    );
  });
});
