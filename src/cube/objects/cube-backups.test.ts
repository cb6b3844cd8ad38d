import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { noObjectServer, ObjectServer } from '../../../test/fixtures/object-server.ts';
import type { ObjectStore } from '../../net/object-store.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import { CubeBackups } from './cube-backups.ts';
import { ObjectCubeStore } from './object-cube-store.ts';

const SPEC = { width: 4, height: 3, sampleType: 'int16' } as const;
/** Below the age of any object: the clock of the server has whole seconds. */
const NO_GRACE = -2000;
const MADE = { made_at: '2026-11-28T00:00:00.000Z' };

describe('what backups keep of cubes in objects', { skip: noObjectServer }, () => {
  const root = mkdtempSync(join(tmpdir(), 'groundwatch-kept-objects-'));
  let server: ObjectServer;
  let node: ObjectCubeStore;
  let objects: S3Objects;
  const add = (cube: string, i: number) =>
    node.append(cube, { key: `s${i}`, timeMs: i * 86_400_000 }, new Int16Array(12).fill(i));
  before(async () => {
    server = await ObjectServer.start(join(root, 'objects'));
    const cache = join(root, 'cache');
    node = new ObjectCubeStore({ place: server.place, cache, cacheBytes: 1e9 }, { closeAt: 4 });
    objects = new S3Objects(server.place);
  });
  after(async () => {
    await node.close();
    await objects.close();
    await server.stop();
    rmSync(root, { recursive: true, force: true });
  });

  test('a head that is replaced while it is kept is kept in its newer state', async () => {
    await node.create('a', SPEC);
    await add('a', 0);
    let waiting = 2;
    const slow: ObjectStore = {
      get: (...asked) => objects.get(...asked),
      list: (prefix) => objects.list(prefix),
      delete: (name) => objects.delete(name),
      close: () => objects.close(),
      // A scene is added, and what nothing names is deleted, after the head was read and before it is kept.
      put: async (name, bytes, when) => {
        if (name.startsWith('cubes/a/kept/') && waiting-- > 0) {
          for (let i = 0; i < 6; i++) await add('a', 10 * waiting + i + 1);
          await node.collect('a', NO_GRACE);
        }
        return objects.put(name, bytes, when);
      },
    };
    const backups = new CubeBackups(slow);
    await backups.begin({ id: 'one', ...MADE, cubes: [{ cube: 'a', account: null }] });
    const head = (await backups.keep('one', 'a'))!;
    await backups.end('one');
    for (let i = 50; i < 60; i++) await add('a', i);
    await node.collect('a', NO_GRACE);
    assert.deepEqual(await backups.missing('a', head), []);
    for (const { content } of backups.filesOf('a', head)) for await (const _ of content);
    await node.remove('a');
    await node.collect('a', NO_GRACE);
    assert.deepEqual(await backups.missing('a', head), []);
    await backups.replace('a', head);
    assert.equal((await node.scenes('a')).length, 13);
    await node.remove('a');
    assert.ok((await backups.release('one', NO_GRACE))! > 0);
    assert.ok((await backups.missing('a', head)).length > 0);
    assert.equal(await backups.release('one'), undefined);
  });

  test('an unfinished backup keeps its objects, and an erasure deletes those of its account only', async () => {
    const { backups } = node;
    for (const cube of ['b', 'c']) {
      await node.create(cube, SPEC);
      await add(cube, 1);
    }
    await backups.begin({
      id: 'two',
      ...MADE,
      cubes: [
        { cube: 'b', account: 'acc_1' },
        { cube: 'c', account: 'acc_2' },
        { cube: 'none', account: 'acc_1' },
      ],
    });
    const heads = new Map<string, NonNullable<Awaited<ReturnType<typeof backups.keep>>>>();
    for (const cube of ['b', 'c']) heads.set(cube, (await backups.keep('two', cube))!);
    assert.equal(await backups.keep('two', 'none'), undefined);
    assert.deepEqual(
      (await backups.list()).map(({ id, is_complete: isComplete }) => [id, isComplete]),
      [['two', false]],
    );
    for (const cube of ['b', 'c']) await node.remove(cube);
    assert.deepEqual(await backups.check(), []);
    const [lost] = Object.values(heads.get('c')!.files).flatMap(({ pieces }) => pieces);
    const name = `cubes/c/${lost!.object}`;
    const bytes = await objects.get(name);
    await objects.delete(name);
    assert.deepEqual(await backups.check(), [`the backup two lacks 1 of its objects, such as ${name}`]);
    await objects.put(name, (bytes as { bytes: Buffer }).bytes, 'absent');
    await backups.erase('acc_1');
    assert.deepEqual(await backups.check(), [], 'what was erased is not missed');
    assert.ok((await backups.missing('b', heads.get('b')!)).length > 0);
    assert.deepEqual(await backups.missing('c', heads.get('c')!), []);
  });
});
