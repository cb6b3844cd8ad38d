import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { noObjectServer, ObjectServer } from '../../../test/fixtures/object-server.ts';
import type { CubeSpec, CubeStore } from '../../app/series/cube-store.ts';
import { FolderCubeStore } from '../folder-cube-store.ts';
import { type ObjectStore, ObjectStoreFailed } from '../../net/object-store.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import { copiesIn } from './cached-copies.ts';
import { STATE_NAME } from '../state-file.ts';
import { CubeMirror, storedHead } from './cube-mirror.ts';
import { ObjectCubeStore } from './object-cube-store.ts';

const SPEC: CubeSpec = { width: 40, height: 30, sampleType: 'int16' };
const PIXELS = SPEC.width * SPEC.height;
const DAY = 86_400_000;

const sceneOf = (i: number) =>
  [
    { key: `s${i}`, timeMs: i * DAY },
    Int16Array.from({ length: PIXELS }, (_, p) => (p * 31 + i * 977) % 9000),
  ] as const;

async function assertSame(got: CubeStore, want: CubeStore, id: string): Promise<void> {
  assert.deepEqual(await got.scenes(id), await want.scenes(id));
  assert.deepEqual(await got.readStrip(id, 0, PIXELS), await want.readStrip(id, 0, PIXELS));
}

describe('cubes in objects', { skip: noObjectServer }, () => {
  const root = mkdtempSync(join(tmpdir(), 'groundwatch-object-cubes-'));
  const opened: { close(): Promise<void> }[] = [];
  let server: ObjectServer;
  let nodes = 0;
  const node = (cacheBytes = 1e9, cache = `node${nodes++}`): ObjectCubeStore => {
    const store = new ObjectCubeStore(
      { place: server.place, cache: join(root, cache), cacheBytes },
      { closeAt: 8 },
    );
    opened.push(store);
    return store;
  };
  const folder = (): FolderCubeStore => {
    const store = new FolderCubeStore(join(root, `folder${nodes++}`), {
      closeAt: 8,
    });
    opened.push(store);
    return store;
  };
  before(async () => {
    server = await ObjectServer.start(join(root, 'objects'));
  });
  after(async () => {
    for (const each of opened) await each.close();
    await server.stop();
    rmSync(root, { recursive: true, force: true });
  });

  test('the units of a search that one node writes are there for another, whole, until they are dropped', async () => {
    const [one, other] = [node(), node()];
    await one.create('units', SPEC);
    const bytes = Uint8Array.from({ length: 9_000_000 }, (_, i) => (i * 31) % 251);
    const write = async (store: ObjectCubeStore, search: string, unit: string): Promise<void> => {
      const writer = await store.writeUnit('units', search, unit);
      assert.deepEqual(await other.unitsOf('units', search), [], 'not before it is whole');
      await writer.add('a part', bytes);
      await writer.commit(search);
    };
    assert.equal(await other.openUnit('units', 'first', 'like-0'), undefined);
    await write(one, 'first', 'like-0');
    await write(one, 'second', 'like-0');
    assert.deepEqual(await other.unitsOf('units', 'first'), ['like-0']);
    const unit = (await other.openUnit('units', 'first', 'like-0'))!;
    assert.deepEqual(await unit.part('a part'), bytes);
    await unit.close();
    // A node that writes it too leaves it as it is.
    const again = await other.writeUnit('units', 'first', 'like-0');
    await again.add('a part', bytes);
    await again.commit('first');
    await other.dropUnits('units', { butOf: 'second' });
    assert.deepEqual(await one.unitsOf('units', 'first'), []);
    assert.deepEqual(await one.unitsOf('units', 'second'), ['like-0']);
    await one.remove('units');
    const objects = new S3Objects(server.place);
    for await (const { name } of objects.list('cubes/'))
      assert.ok(!name.includes('/second/'), `${name} is left`);
    await objects.close();
  });

  test('another node, with an empty disk, reads what a folder would have', async () => {
    const [one, other, want] = [node(), node(), folder()];
    for (const store of [one, want]) await store.create('a', SPEC);
    for (let i = 0; i < 30; i++) {
      const [writer] = i % 2 === 0 ? [one] : [other];
      const added = await writer.append('a', ...sceneOf(i));
      assert.deepEqual(added, await want.append('a', ...sceneOf(i)));
      if (i % 7 === 0) await assertSame(i % 2 === 0 ? other : one, want, 'a');
    }
    for (const store of [one, want]) await store.removeScenes('a', ['s3', 's29']);
    await assertSame(other, want, 'a');
    await assertSame(node(), want, 'a');
    assert.deepEqual(await node().check('a'), []);
    assert.deepEqual(await one.append('a', ...sceneOf(5)), {
      ...(await want.append('a', ...sceneOf(5))),
      added: false,
    });
  });

  test('scenes that several nodes add at the same time are all kept', async () => {
    const writers = [node(), node(), node()];
    await writers[0]!.create('b', SPEC);
    await Promise.all(
      writers.map(async (writer, w) => {
        for (let i = 0; i < 12; i++) {
          assert.equal((await writer.append('b', ...sceneOf(100 * w + i))).added, true);
          if (i % 5 === 0) await writer.readStrip('b', 0, PIXELS);
        }
      }),
    );
    const want = folder();
    await want.create('b', SPEC);
    for (let w = 0; w < 3; w++) for (let i = 0; i < 12; i++) await want.append('b', ...sceneOf(100 * w + i));
    for (const each of [...writers, node()]) await assertSame(each, want, 'b');
  });

  test('a saved state is read by another node, and is replaced', async () => {
    const [one, other] = [node(), node()];
    await one.create('c', SPEC);
    assert.equal(await other.openState('c'), undefined);
    for (const value of [1, 2]) {
      const writer = await one.writeState('c', 100, 'about');
      await writer.add('part', Uint8Array.of(value, 7));
      await writer.commit(`heading ${value}`);
      const state = await other.openState('c');
      assert.equal(state?.heading, `heading ${value}`);
      assert.deepEqual(await state.part('part'), Uint8Array.of(value, 7));
      await state.close();
    }
  });

  test('a saved state is read where it is opened, and not where scenes are added', async () => {
    const [searching, adding, third] = [node(), node(1e9, 'adding'), node()];
    const copy = join(root, 'adding/k', STATE_NAME);
    await searching.create('k', SPEC);
    const save = async (store: ObjectCubeStore, heading: string): Promise<void> => {
      const writer = await store.writeState('k', 100, 'about');
      await writer.add('part', Buffer.from(heading));
      await writer.commit(heading);
    };
    const headingFor = async (store: ObjectCubeStore): Promise<string | undefined> => {
      const state = await store.openState('k');
      await state?.close();
      return state?.heading;
    };
    await save(searching, 'one');
    await adding.append('k', ...sceneOf(0));
    assert.equal(existsSync(copy), false);
    for (const store of [searching, third]) assert.equal(await headingFor(store), 'one', 'it stays');
    await save(third, 'two');
    await adding.append('k', ...sceneOf(1));
    assert.equal(existsSync(copy), false);
    assert.equal(await headingFor(adding), 'two');
    await adding.append('k', ...sceneOf(2));
    assert.equal(existsSync(copy), true, 'one that is there stays while it is the newest');
    await save(searching, 'three');
    await adding.append('k', ...sceneOf(3));
    for (const store of [adding, third, node()]) assert.equal(await headingFor(store), 'three');
  });

  test('a log of many scenes is in few objects, for nodes that have a part of it as well', async () => {
    const of = (name: string): ObjectCubeStore => {
      const store = new ObjectCubeStore({ place: server.place, cache: join(root, name), cacheBytes: 1e9 });
      opened.push(store);
      return store;
    };
    const [one, all, third, want] = [of('log-1'), of('log-2'), of('log-3'), folder()];
    for (const store of [one, want]) await store.create('m', SPEC);
    for (let i = 0; i < 50; i++) {
      for (const store of [i % 11 === 5 ? third : one, want]) await store.append('m', ...sceneOf(i));
      if (i % 3 === 0) await assertSame(all, want, 'm');
    }
    await assertSame(of('log-4'), want, 'm');
    const objects = new S3Objects(server.place);
    opened.push(objects);
    const { files } = (await storedHead(objects, 'cubes/m/'))!;
    const counts = Object.values(files).map(({ pieces }) => pieces.length);
    assert.ok(Math.max(...counts) <= 15, `pieces: ${counts.join(', ')}`);
  });

  test('what nothing names is deleted after the grace, and a removed cube leaves nothing', async () => {
    const [one, other] = [node(), node()];
    await one.create('d', SPEC);
    for (let i = 0; i < 20; i++) await one.append('d', ...sceneOf(i));
    assert.equal(await one.collect('d'), 0);
    // The clock of the server has whole seconds in its answers, so what was just written may seem to be of the future.
    assert.ok((await one.collect('d', -2000)) >= 16);
    assert.equal((await other.scenes('d')).length, 20);
    assert.deepEqual(await other.check('d'), []);
    await other.remove('d');
    await assert.rejects(one.scenes('d'), { name: 'NotFound' });
    await assert.rejects(one.append('d', ...sceneOf(1)), { name: 'NotFound' });
  });

  test('copies above the size of the cache are deleted, and read again', async () => {
    const one = node(60_000, 'small');
    const names = ['f1', 'f2', 'f3', 'f4'];
    const want = folder();
    for (const name of names)
      for (const store of [one, want]) {
        await store.create(name, SPEC);
        for (let i = 0; i < 10; i++) await store.append(name, ...sceneOf(i));
      }
    const size = async (): Promise<number> =>
      (await copiesIn(join(root, 'small'))).reduce((sum, { bytes }) => sum + bytes, 0);
    assert.ok((await size()) > 60_000);
    await one.trim(60_000);
    assert.ok((await size()) > 60_000, 'copies in use stay');
    await one.trim(0);
    assert.ok((await size()) <= 60_000);
    for (const name of names) await assertSame(one, want, name);
  });

  test('an object that was altered or is gone is named, and never read', async () => {
    const one = node();
    await one.create('g', SPEC);
    for (const i of [0, 1]) await one.append('g', ...sceneOf(i));
    const objects = new S3Objects({ ...server.place });
    opened.push(objects);
    const pieces: string[] = [];
    for await (const { name } of objects.list('cubes/g/pieces/')) pieces.push(name);
    for (const change of ['altered', 'gone'] as const) {
      await objects.delete(pieces[0]!);
      if (change === 'altered') await objects.put(pieces[0]!, Buffer.from('x'), 'absent');
      const [sentence] = await one.check('g');
      assert.ok(sentence?.includes(pieces[0]!), sentence);
      await assert.rejects(node().readStrip('g', 0, PIXELS), new RegExp(pieces[0]!));
    }
  });

  test('a change whose head is not written is taken back before the next read', async () => {
    const one = node();
    await one.create('h', SPEC);
    await one.append('h', ...sceneOf(0));
    const objects = new S3Objects(server.place);
    opened.push(objects);
    const failing: ObjectStore = {
      get: (...asked) => objects.get(...asked),
      list: (prefix) => objects.list(prefix),
      delete: (name) => objects.delete(name),
      close: () => objects.close(),
      put: async (name) => {
        throw new ObjectStoreFailed(`no ${name}`);
      },
    };
    const cache = join(root, 'failing');
    const local = new FolderCubeStore(cache, { closeAt: 8 });
    opened.push(local);
    const mirror = new CubeMirror(failing, 'cubes/h/', join(cache, 'h'), 1000);
    const keys = async () => (await local.scenes('h')).map(({ key }) => key);
    await assert.rejects(
      mirror.change(async () => local.append('h', ...sceneOf(1))),
      { name: 'ObjectStoreFailed' },
    );
    assert.deepEqual(await keys(), ['s0', 's1']);
    assert.equal(await mirror.pull(true), true);
    assert.deepEqual(await keys(), ['s0']);
  });

  test('an add that the store does not take is not seen, and the next one is', async () => {
    const one = node();
    await one.create('e', SPEC);
    await one.append('e', ...sceneOf(0));
    await server.kill();
    await assert.rejects(one.append('e', ...sceneOf(1)), {
      name: 'UpstreamUnavailable',
    });
    await server.run();
    assert.deepEqual(
      (await one.scenes('e')).map(({ key }) => key),
      ['s0'],
    );
    await one.append('e', ...sceneOf(2));
    const want = folder();
    await want.create('e', SPEC);
    for (const i of [0, 2]) await want.append('e', ...sceneOf(i));
    await assertSame(one, want, 'e');
    await assertSame(node(), want, 'e');
  });
});
