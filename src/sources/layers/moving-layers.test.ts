import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { noObjectServer, ObjectServer } from '../../../test/fixtures/object-server.ts';
import type { InstalledLayer } from '../../app/layers/layer-shelf.ts';
import { InvalidInput, UpstreamUnavailable } from '../../base/errors.ts';
import { DamagedObject } from '../../net/object-store.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import { filesOf, folderLayers, objectLayers } from './layer-home.ts';
import { movingLayers } from './moving-layers.ts';

describe('layers that are moved from a folder to objects', { skip: noObjectServer }, () => {
  let root: string;
  let server: ObjectServer;
  const opened: S3Objects[] = [];
  const objects = (prefix: string): S3Objects => {
    const store = new S3Objects({ ...server.place, prefix });
    opened.push(store);
    return store;
  };
  const layerOf = (name: string): InstalledLayer => ({
    environment: 'all',
    card: {
      layer: 'elevation',
      version: name,
      unit: 'm',
      returnPeriodYears: null,
      resolutionM: 10,
      date: '2026-01-01',
      licence: 'mine',
      source: name,
    },
    interpolation: 'nearest',
    pieces: [
      {
        file: `${name}.gwl`,
        from: name,
        sha256: 'a'.repeat(64),
        band: 0,
        nodata: null,
        scale: 1,
        offset: 0,
        resolutionM: 10,
        coverage: [0, 0, 1, 1],
        addedAt: '2026-01-01T00:00:00Z',
      },
    ],
  });
  const install = async (home: ReturnType<typeof folderLayers>, name: string): Promise<void> => {
    await mkdir(home.folder.files, { recursive: true });
    await writeFile(join(home.folder.files, `${name}.gwl`), name.repeat(1000));
    await home.share(`${name}.gwl`);
    await home.catalogue.update((layers) => [...layers, layerOf(name)]);
  };
  const installed = async (home: ReturnType<typeof folderLayers>): Promise<readonly string[]> =>
    filesOf(await home.catalogue.read());

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'groundwatch-moving-layers-'));
    server = await ObjectServer.start(join(root, 'objects'));
  });
  after(async () => {
    for (const each of opened) await each.close();
    await server.stop();
    await rm(root, { recursive: true });
  });

  test('they are in the folder, then in the objects, and one more may come at any time', async () => {
    const path = join(root, 'one');
    const old = folderLayers(path);
    await install(old, 'first');
    const [home, mover] = [movingLayers(path, objects('one/')), movingLayers(path, objects('one/'))];
    await install(home, 'second');
    const stamp = await home.catalogue.stamp();
    assert.deepEqual(await installed(old), ['first.gwl', 'second.gwl']);
    assert.equal(await mover.move(), 2);
    assert.equal(await mover.move(), 0);
    assert.equal(home.isInFolder(), false);
    assert.notEqual(await home.catalogue.stamp(), stamp, 'a service reads the catalogue again');
    await install(home, 'third');
    await assert.rejects(
      install(old, 'fourth'),
      (error: Error) => error instanceof UpstreamUnavailable && /were moved to a bucket/.test(error.message),
    );
    await assert.rejects(installed(old), UpstreamUnavailable);
    const node = objectLayers(join(root, 'node'), objects('one/'));
    assert.deepEqual(await installed(node), ['first.gwl', 'second.gwl', 'third.gwl']);
    for (const file of await installed(node)) assert.equal(await node.bring(file), true);
  });

  test('a move that ended before the switch is made again; other layers are not overwritten', async () => {
    const path = join(root, 'two');
    const home = movingLayers(path, objects('two/'));
    await install(folderLayers(path), 'first');
    await home.move();
    // As it is when the process ends after it has written the catalogue to the objects.
    await rename(join(path, 'catalogue.moved.json'), join(path, 'catalogue.json'));
    await install(home, 'second');
    assert.equal(await home.move(), 2);
    assert.deepEqual(await installed(home), ['first.gwl', 'second.gwl']);

    const other = movingLayers(join(root, 'three'), objects('two/'));
    await install(folderLayers(join(root, 'three')), 'mine');
    await assert.rejects(
      other.move(),
      (error: Error) =>
        error instanceof InvalidInput &&
        /the bucket has other layers, such as elevation first/.test(error.message),
    );
    assert.deepEqual(await installed(other), ['mine.gwl']);
  });

  test('a copy with other bytes is not taken for the file', async () => {
    const path = join(root, 'four');
    const home = movingLayers(path, objects('four/'));
    await install(folderLayers(path), 'file');
    await home.share('file.gwl');
    await writeFile(join(home.folder.files, 'file.gwl'), 'elif'.repeat(1000));
    await assert.rejects(home.move(), DamagedObject);
    assert.equal(home.isInFolder(), true);
  });

  test('they go back into a folder, also when the process died after the switch', async () => {
    const old = objectLayers(join(root, 'bucket-node'), objects('five/'));
    await install(old, 'first');
    const path = join(root, 'five');
    const [home, mover] = [
      movingLayers(path, objects('five/'), 'folder'),
      movingLayers(path, objects('five/'), 'folder'),
    ];
    await install(home, 'second');
    assert.equal(home.isInFolder(), false);
    assert.equal(await mover.move(), 2);
    assert.equal(await mover.move(), 0);
    await install(home, 'third');
    assert.deepEqual(await installed(folderLayers(path)), ['first.gwl', 'second.gwl', 'third.gwl']);
    for (const call of [() => installed(old), () => install(old, 'fourth')])
      await assert.rejects(call, /were moved to a data folder/);

    const late = movingLayers(join(root, 'late'), objects('five/'), 'folder'); // has the switch, not the catalogue
    assert.deepEqual(await installed(late), ['first.gwl', 'second.gwl']);
    assert.equal(late.isInFolder(), true);
    const forward = movingLayers(path, objects('five/'));
    assert.equal(await forward.move(), 3, 'and to the objects again');
    assert.deepEqual(await installed(old), ['first.gwl', 'second.gwl', 'third.gwl']);
  });
});
