import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { addLayer, type LayerFile } from '../../app/layers/add-layer.ts';
import { removeLayer } from '../../app/layers/manage-layers.ts';
import type { LayerSnapshot } from '../../app/risk/layer-reader.ts';
import { keptFiles } from '../../backup/kept-files.ts';
import { type ObjectStore, ObjectStoreFailed } from '../../net/object-store.ts';
import { S3Objects } from '../../net/s3-objects.ts';
import { noObjectServer, ObjectServer } from '../../../test/fixtures/object-server.ts';
import { tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import { FolderLayerShelf } from './folder-layer-shelf.ts';
import { filesOf, folderLayers, type LayerHome, objectLayers } from './layer-home.ts';
import { LayerStore } from './layer-store.ts';

const PATIENCE_MS = 240_000;

/** Makes homes that share their layers, each as another node has it. */
type Nodes = (name: string) => LayerHome;

for (const kind of ['folder', 'objects'] as const) {
  describe(`layers in ${kind}`, { skip: kind === 'objects' && noObjectServer }, () => {
    let home: string;
    let server: ObjectServer | undefined;
    const opened: ObjectStore[] = [];

    before(async () => {
      home = await mkdtemp(join(tmpdir(), 'groundwatch-layer-home-'));
      if (kind === 'objects') server = await ObjectServer.start(join(home, 'server'));
    });
    after(async () => {
      for (const objects of opened) await objects.close();
      await server?.stop();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    });

    /** Nodes of a new installation. */
    const newNodes = (installation: string): Nodes => {
      return (name) => {
        if (server === undefined) return folderLayers(join(home, installation));
        const objects = new S3Objects({ ...server.place, prefix: `${installation}/` });
        opened.push(objects);
        return objectLayers(join(home, installation, name), objects);
      };
    };
    const add = async (node: LayerHome, value: number, more: Partial<LayerFile> = {}) => {
      const path = join(home, `${crypto.randomUUID()}.tif`);
      const pixels = Array<number>(4).fill(value);
      await writeFile(path, tiffFixture({ width: 2, height: 2, bands: [pixels], origin: [10, 50] }));
      return addLayer(depsOf(node), { path, nodata: null, layer: 'elevation', version: 'v1', ...more });
    };
    const depsOf = (node: LayerHome) => ({
      clock: { now: () => Date.parse('2026-11-21T12:00:00Z') },
      shelf: new FolderLayerShelf({ folder: '', catalogues: [], home: node }),
    });
    const serve = async (t: TestContext, node: LayerHome) => {
      const problems: string[] = [];
      const store = await LayerStore.open({
        catalogues: [],
        folder: home,
        home: node,
        onProblem: (message) => problems.push(message),
      });
      t.after(() => store.close());
      return { store, problems };
    };
    const valueIn = async (snapshot: LayerSnapshot, version = 'v1'): Promise<number | undefined> => {
      const card = snapshot.cards('elevation').find((each) => each.version === version);
      if (card === undefined) return undefined;
      const [sample] = await snapshot.sample(card, Float64Array.of(11), Float64Array.of(49));
      return sample!.ok ? sample!.value : undefined;
    };

    test('what one node adds, replaces and removes, another serves so', async (t) => {
      const nodes = newNodes('followed');
      const [one, other] = [nodes('one'), nodes('other')];
      const { store, problems } = await serve(t, other);
      const errors: unknown[] = [];
      store.watch((error) => errors.push(error));
      const until = async (value: number | undefined): Promise<LayerSnapshot> => {
        const deadline = Date.now() + PATIENCE_MS;
        for (;;) {
          const snapshot = store.snapshot('production');
          if ((await valueIn(snapshot)) === value) return snapshot;
          assert.ok(Date.now() < deadline, `the other node serves ${value}`);
          await sleep(20);
        }
      };
      await add(one, 30);
      const first = await until(30);
      await add(one, 50, { replace: true });
      await until(50);
      assert.equal(await valueIn(first), 30, 'an earlier snapshot keeps its layers');
      await removeLayer(depsOf(one), { layer: 'elevation', version: 'v1' });
      await until(undefined);
      assert.deepEqual([errors, problems], [[], []]);
    });

    test('when many nodes add layers at once, every layer is in the catalogue, with its file', async (t) => {
      const nodes = newNodes('crowd');
      const versions = Array.from({ length: 12 }, (_, i) => `v${i}`);
      await Promise.all(versions.map((version, i) => add(nodes(version), i, { version })));
      const { store, problems } = await serve(t, nodes('reader'));
      const values = await Promise.all(
        versions.map((version) => valueIn(store.snapshot('production'), version)),
      );
      assert.deepEqual(values, [...versions.keys()]);
      assert.deepEqual(problems, []);
    });

    test('layers are served although a full disk cannot note which', async (t) => {
      const nodes = newNodes('full-disk');
      await add(nodes('one'), 30);
      const other = nodes('other');
      const failing = (code: string): LayerHome => ({
        ...other,
        keepServed: () => Promise.reject(Object.assign(new Error(`${code}: write`), { code })),
      });
      const { store, problems } = await serve(t, failing('ENOSPC'));
      assert.equal(await valueIn(store.snapshot('production')), 30);
      assert.deepEqual(problems, ['Which layers this node serves cannot be noted: Error: ENOSPC: write']);
      await assert.rejects(serve(t, failing('EROFS')), /EROFS/);
    });

    test('a layer that is refused leaves no file and no entry', async () => {
      const nodes = newNodes('refused');
      const node = nodes('one');
      await add(node, 30);
      await assert.rejects(add(node, 31), /has the same ground already/);
      const layers = await nodes('other').catalogue.read();
      assert.equal(filesOf(layers).length, 1);
      assert.deepEqual(await readdir(node.folder.files), filesOf(layers));
    });

    test('a change that throws leaves the catalogue as it was', async () => {
      const node = newNodes('thrown')('one');
      await add(node, 30);
      const before = [await node.catalogue.stamp(), await node.catalogue.read()];
      await assert.rejects(
        node.catalogue.update(() => {
          throw new Error('not now');
        }),
        /not now/,
      );
      assert.deepEqual([await node.catalogue.stamp(), await node.catalogue.read()], before);
    });

    test('a backup by a node that never served them has the layers', async () => {
      const nodes = newNodes('backed-up');
      const writer = nodes('one');
      await add(writer, 30);
      const [layer] = await writer.catalogue.read();
      const names: string[] = [];
      for await (const { name, content } of keptFiles(join(home, 'empty'), undefined, nodes('other'))) {
        const bytes: Buffer[] = [];
        for await (const chunk of content) bytes.push(chunk);
        names.push(name);
        if (!name.endsWith('.gwl')) continue;
        assert.deepEqual(
          Buffer.concat(bytes),
          await readFile(join(writer.folder.files, layer!.pieces[0]!.file)),
        );
      }
      assert.deepEqual(names, ['data/layers/catalogue.json', `data/layers/files/${layer!.pieces[0]!.file}`]);
    });

    test('a node starts with the layers that it had while the bucket is away, and follows it again', async (t) => {
      if (server === undefined) return t.skip('a folder is never away');
      const nodes = newNodes('away');
      const one = nodes('one');
      await add(one, 30);
      const first = await serve(t, nodes('other'));
      first.store.close();
      await server.kill();
      await assert.rejects(serve(t, nodes('new')), ObjectStoreFailed);
      const { store, problems } = await serve(t, nodes('other'));
      assert.equal(await valueIn(store.snapshot('production')), 30);
      assert.match(problems.join('\n'), /^The layers are those that this node served last: .*GET s3:/);
      await server.run();
      await add(one, 50, { replace: true });
      store.watch(() => undefined);
      const deadline = Date.now() + PATIENCE_MS;
      while ((await valueIn(store.snapshot('production'))) !== 50) {
        assert.ok(Date.now() < deadline, 'it follows the bucket again');
        await sleep(20);
      }
    });

    test('a file that is missing is told, and the other layers are served', async (t) => {
      const nodes = newNodes('missing');
      const [one, other] = [nodes('one'), nodes('other')];
      await add(one, 30, { version: 'gone' });
      await add(one, 40, { version: 'there' });
      const [gone] = await one.catalogue.read();
      const file = gone!.pieces[0]!.file;
      if (kind === 'objects') {
        const [objects] = opened.slice(-2);
        for await (const { name } of objects!.list(`layers/files/${file}/`))
          if (!name.endsWith('head.json')) await objects!.delete(name);
      } else await one.remove(file);
      const { store, problems } = await serve(t, other);
      assert.equal(await valueIn(store.snapshot('production'), 'there'), 40);
      assert.equal(await valueIn(store.snapshot('production'), 'gone'), undefined);
      assert.match(problems.join('\n'), /^Layer elevation\/gone.* is served without .*\.tif: .*is missing$/);
    });
  });
}
