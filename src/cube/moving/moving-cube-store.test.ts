import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { noObjectServer, ObjectServer } from '../../../test/fixtures/object-server.ts';
import type { CubeSpec, CubeStore } from '../../app/series/cube-store.ts';
import { InvalidInput, NotFound, UpstreamUnavailable } from '../../base/errors.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import { FolderCubeStore } from '../folder-cube-store.ts';
import { ObjectCubeStore } from '../objects/object-cube-store.ts';
import { movedFrom } from './moved-cubes.ts';
import { MovingCubeStore } from './moving-cube-store.ts';

const SPEC: CubeSpec = { width: 40, height: 30, sampleType: 'int16' };
const PIXELS = SPEC.width * SPEC.height;
const DAY = 86_400_000;
const OPTIONS = { closeAt: 8 };

const sceneOf = (i: number) =>
  [
    { key: `s${i}`, timeMs: i * DAY },
    Int16Array.from({ length: PIXELS }, (_, p) => (p * 31 + i * 977) % 9000),
  ] as const;

async function assertSame(got: CubeStore, want: CubeStore, id: string): Promise<void> {
  assert.deepEqual(await got.scenes(id), await want.scenes(id));
  assert.deepEqual(await got.readStrip(id, 0, PIXELS), await want.readStrip(id, 0, PIXELS));
}

describe('cubes that are moved from a folder to objects', { skip: noObjectServer }, () => {
  const root = mkdtempSync(join(tmpdir(), 'groundwatch-moving-cubes-'));
  const source = join(root, 'cubes');
  const opened: { close(): Promise<void> }[] = [];
  let server: ObjectServer;
  let nodes = 0;
  const kept = <T extends { close(): Promise<void> }>(store: T): T => {
    opened.push(store);
    return store;
  };
  const objectsAt = () => ({ place: server.place, cache: join(root, `node${nodes++}`), cacheBytes: 1e9 });
  const folder = (path = source): FolderCubeStore => kept(new FolderCubeStore(path, OPTIONS));
  const moving = (to: 'objects' | 'folder' = 'objects', prefix = 'unit/'): MovingCubeStore => {
    const { place, ...objects } = objectsAt();
    return kept(
      new MovingCubeStore(
        { folder: source, objects: { ...objects, place: { ...place, prefix } }, to },
        OPTIONS,
      ),
    );
  };
  const inBucket = (): ObjectCubeStore => kept(new ObjectCubeStore(objectsAt(), OPTIONS));

  before(async () => {
    server = await ObjectServer.start(join(root, 'objects'));
  });
  after(async () => {
    for (const each of opened) await each.close();
    await server.stop();
    rmSync(root, { recursive: true, force: true });
  });

  test('a cube is moved while two nodes write to it, and no scene is lost', async () => {
    const [one, other, mover, oracle] = [moving(), moving(), moving(), folder(join(root, 'oracle'))];
    await folder().create('busy', SPEC);
    await oracle.create('busy', SPEC);
    for (let i = 0; i < 10; i++) await one.append('busy', ...sceneOf(i));
    let next = 10;
    let isMoved = false;
    const write = async (node: MovingCubeStore): Promise<void> => {
      for (let after = 0; after < 2;) {
        const i = next++;
        assert.equal((await node.append('busy', ...sceneOf(i))).added, true, `scene ${i}`);
        const there = await (node === one ? other : one).scenes('busy');
        assert.ok(
          there.some(({ key }) => key === `s${i}`),
          `scene ${i} is seen at the other node`,
        );
        if (isMoved) after++;
      }
    };
    const writing = Promise.all([write(one), write(other)]);
    assert.ok((await mover.move('busy'))! > 0);
    isMoved = true;
    await writing;
    assert.ok(next >= 14);
    for (let i = 0; i < next; i++) await oracle.append('busy', ...sceneOf(i));
    for (const node of [one, other, inBucket()]) await assertSame(node, oracle, 'busy');
    assert.deepEqual(await one.check('busy'), []);
    assert.equal(await mover.move('busy'), 0, 'a second run does nothing');
    await assertSame(one, oracle, 'busy');
  });

  test('a node that does not know of the move can neither write nor make the cube again', async () => {
    const old = folder();
    await old.create('left', SPEC);
    await old.append('left', ...sceneOf(1));
    await moving().move('left');
    for (const call of [
      () => old.append('left', ...sceneOf(2)),
      () => old.create('left', SPEC),
      () => old.repair('left', SPEC),
      () => old.scenes('left'),
    ])
      await assert.rejects(call, (error: Error) => {
        assert.ok(error instanceof UpstreamUnavailable, String(error));
        assert.match(error.message, /was moved to a bucket/);
        return true;
      });
  });

  test('new cubes are made in the objects; a removed cube is gone from both places', async () => {
    const node = moving();
    await node.create('new', SPEC);
    await node.append('new', ...sceneOf(1));
    assert.equal(existsSync(join(source, 'new')), false);
    assert.equal((await inBucket().scenes('new')).length, 1);
    await folder().create('erased', SPEC);
    await node.append('erased', ...sceneOf(1));
    await node.move('erased');
    await node.remove('erased');
    assert.equal(existsSync(join(source, 'erased')), false);
    await assert.rejects(inBucket().scenes('erased'), NotFound);
    assert.equal(await node.move('erased'), undefined);
    const objects = kept(new S3Objects(server.place));
    for await (const { name } of objects.list('cubes/erased/pieces/')) assert.fail(`${name} is left`);
  });

  test('a cube of another installation is not overwritten', async () => {
    const [other, here] = [inBucket(), folder()];
    for (const store of [other, here]) await store.create('twice', SPEC);
    await other.append('twice', ...sceneOf(1));
    await here.append('twice', ...sceneOf(2));
    const node = moving();
    await assert.rejects(node.move('twice'), InvalidInput);
    assert.deepEqual(
      (await node.scenes('twice')).map(({ key }) => key),
      ['s2'],
    );
    assert.deepEqual(
      (await other.scenes('twice')).map(({ key }) => key),
      ['s1'],
    );
  });

  test('results of a search in progress are found before and after', async () => {
    const node = moving();
    await folder().create('searched', SPEC);
    await node.append('searched', ...sceneOf(1));
    const write = async (unit: string): Promise<void> => {
      const writer = await node.writeUnit('searched', 'first', unit);
      await writer.add('part', new Uint8Array([1, 2, 3]));
      await writer.commit('first');
    };
    await write('like-0');
    await node.move('searched');
    await write('like-1');
    assert.deepEqual((await node.unitsOf('searched', 'first')).toSorted(), ['like-0', 'like-1']);
    assert.deepEqual((await inBucket().unitsOf('searched', 'first')).toSorted(), ['like-0', 'like-1']);
    const unit = (await inBucket().openUnit('searched', 'first', 'like-0'))!;
    assert.deepEqual(await unit.part('part'), new Uint8Array([1, 2, 3]));
    await unit.close();
    await node.dropUnits('searched', { of: 'first' });
    assert.deepEqual(await node.unitsOf('searched', 'first'), []);
  });

  test('a cube is moved back while two nodes write to it; a third is refused from then on', async () => {
    const [one, other, mover, old] = [moving('folder'), moving('folder'), moving('folder'), inBucket()];
    await old.create('back', SPEC);
    for (let i = 0; i < 10; i++) await old.append('back', ...sceneOf(i));
    let next = 10;
    let after = 0;
    let isMoved = false;
    const write = async (node: MovingCubeStore): Promise<void> => {
      while (after < 4) {
        const i = next++;
        await node.append('back', ...sceneOf(i));
        const there = await (node === one ? other : one).scenes('back');
        assert.ok(
          there.some(({ key }) => key === `s${i}`),
          `scene ${i} is seen at the other node`,
        );
        if (isMoved) after++;
      }
    };
    const writing = Promise.all([write(one), write(other)]);
    assert.ok((await mover.move('back'))! > 0);
    isMoved = true;
    await writing;
    const oracle = folder(join(root, 'oracle'));
    await oracle.create('back', SPEC);
    for (let i = 0; i < next; i++) await oracle.append('back', ...sceneOf(i));
    for (const node of [one, other, folder()]) await assertSame(node, oracle, 'back');
    for (const call of [
      () => old.append('back', ...sceneOf(99)),
      () => old.create('back', SPEC),
      () => old.scenes('back'),
      () => old.check('back'),
    ])
      await assert.rejects(call, /was moved to a data folder/);
    assert.equal(await mover.move('back'), 0, 'a second run does nothing');
    assert.deepEqual(await mover.removeSource('back'), []);
    const objects = kept(new S3Objects(server.place));
    for await (const { name } of objects.list('cubes/back/pieces/')) assert.fail(`${name} is left`);
    await assert.rejects(() => old.scenes('back'), /was moved to a data folder/);
    await assertSame(one, oracle, 'back');
    assert.ok((await moving('objects').move('back'))! > 0, 'and to the objects again');
    await assertSame(old, oracle, 'back');
  });

  test('a switch whose process died is ended by the next call; a removed cube does not come back', async () => {
    const [node, old] = [
      moving('folder', 'died/'),
      kept(new S3Objects({ ...server.place, prefix: 'died/' })),
    ];
    const bucket = node.objects;
    for (const id of ['died', 'gone']) {
      await bucket.create(id, SPEC);
      await bucket.append(id, ...sceneOf(1));
      // As it is after the switch, before the files are in place.
      const found = await old.get(`cubes/${id}/head.json`);
      assert.ok(found !== undefined && found !== 'same');
      const { manifest, ...head } = JSON.parse(found.bytes.toString()) as { readonly manifest: string };
      const moved = Buffer.from(JSON.stringify({ ...head, manifest: null, moved: manifest }));
      await old.put(`cubes/${id}/head.json`, moved, { etag: found.etag });
    }
    assert.deepEqual(await movedFrom(old, true), ['died', 'gone']);
    await node.append('died', ...sceneOf(2));
    assert.deepEqual(
      (await folder().scenes('died')).map(({ key }) => key),
      ['s1', 's2'],
    );
    await node.remove('gone');
    assert.equal(await node.move('gone'), undefined);
    await assert.rejects(node.scenes('gone'), NotFound);
    assert.deepEqual(await movedFrom(old, true), ['died']);
    await node.create('new', SPEC);
    assert.equal(existsSync(join(source, 'new')), true);
    assert.deepEqual(await movedFrom(old, false), []);
    await node.removeSource('died');
    await node.folder.remove('died');
    await assert.rejects(node.scenes('died'), NotFound);
  });
});
