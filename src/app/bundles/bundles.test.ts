// Long file: one bundle, and all that may be wrong with it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { archiveSigner, SIGNATURE_NAME } from '../../backup/archive-signature.ts';
import { bundleArchives } from '../../backup/bundle-archive.ts';
import { Checksums, SUMS_NAME } from '../../backup/checksums.ts';
import { entriesInFolder, importJournal } from '../../backup/import-journal.ts';
import { readTar, TarWriter } from '../../backup/tar.ts';
import { newId } from '../../base/ids.ts';
import { DAY_MS } from '../../base/time.ts';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import { PixelSet } from '../../raster/pixel-set.ts';
import { FolderLayerShelf } from '../../sources/layers/folder-layer-shelf.ts';
import { folderLayers } from '../../sources/layers/layer-home.ts';
import { pieceFiles } from '../../sources/layers/piece-files.ts';
import { addMadeLayer } from '../layers/add-layer.ts';
import type { LayerPiece } from '../layers/layer-shelf.ts';
import { colourCubeId, writeColours } from '../series/colour-cube.ts';
import type { Collection, Scene } from '../series/collection-store.ts';
import type { Samples } from '../series/cube-store.ts';
import { snowCubeId, writeSnow } from '../series/snow-cube.ts';
import { type BundleManifest, sceneMember } from './bundle.ts';
import { createBundle } from './create-bundle.ts';
import { importBundle } from './import-bundle.ts';

const NOW = Date.UTC(2026, 10, 21);
const READING = { nodata: -9999, mask: { file: 'clouds.tif', encoding: 'nonzero' } };

describe('bundles', () => {
  let world: TestStorage;
  let folder: string;
  let good: string;
  let made: Awaited<ReturnType<typeof createBundle>>;
  let ndvi: Collection;
  let exact: Collection;

  /** The parts of an installation beside the database, which all share. */
  const parts = (name: string) => {
    const home = join(folder, name);
    const layers = { folder: join(home, 'layers'), catalogues: [] };
    return {
      home,
      clock: { now: () => NOW },
      version: '1.4.0',
      storage: world.storage,
      cube: new FolderCubeStore(join(home, 'cubes')),
      shelf: new FolderLayerShelf(layers),
      bundleFiles: bundleArchives(join(home, 'key')),
      pieceFiles: pieceFiles(folderLayers(layers.folder)),
      importJournal: importJournal(entriesInFolder(join(home, 'imports'))),
    };
  };
  const theirs = () => world.others[1]!.accountId;
  const request = (path: string, accountId: string | null = theirs()) => ({
    path,
    signer: undefined,
    environment: 'production' as const,
    accountId,
  });
  const quiet = (): undefined => undefined;
  const held = async (accountId: string) =>
    (await world.storage.collections.list()).filter((one) => one.accountId === accountId);
  const scenesOf = async ({ id }: Collection) =>
    (await world.storage.collections.scenes(id))
      .map((scene: Scene) => ({ ...scene, id: '', colourOf: scene.colourOf !== undefined }))
      .toSorted((a, b) => a.key.localeCompare(b.key));

  before(async () => {
    world = await testStorage();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-bundles-'));
    const here = parts('here');
    const { accountId } = world.owner;
    const put = async (collection: Collection, samplesOf: (t: number) => Samples, hasColours: boolean) => {
      await world.storage.collections.create(collection);
      const { width, height } = collection.grid;
      await here.cube.create(collection.id, { width, height, sampleType: collection.sampleType });
      for (let t = 0; t < 3; t++) {
        const scene = { key: `s${t}`, timeMs: t * DAY_MS };
        if (hasColours) {
          const snow = new PixelSet(width * height);
          if (t === 1) snow.add(2);
          await writeSnow(here.cube, collection, scene, snow);
          await writeColours(here.cube, collection, scene, new Uint8Array(3 * width * height).fill(10 + t));
        }
        const { sha256 } = await here.cube.append(collection.id, scene, samplesOf(t));
        await world.storage.collections.putScenes(collection.id, [
          {
            id: newId('scene'),
            key: scene.key,
            href: `https://example.com/${t}.tif`,
            observedAt: new Date(scene.timeMs),
            sha256,
            clearFraction: 0.75,
            reading: READING,
            ...(hasColours && { colourOf: collection.id }),
          },
        ]);
      }
    };
    ndvi = collectionRecord({ accountId, name: 'meadow', metric: 'ndvi', sampleType: 'int16' });
    const pixels = ndvi.grid.width * ndvi.grid.height;
    await put(
      ndvi,
      (t) => Int16Array.from({ length: pixels }, (_, p) => (p === 1 ? -32_768 : 10 * t + p)),
      true,
    );
    exact = collectionRecord({ accountId, name: 'exact', metric: 'gauge', sampleType: 'float64' });
    await put(
      exact,
      (t) => Float64Array.from({ length: pixels }, (_, p) => (p === 1 ? Number.NaN : t + p / 3)),
      false,
    );
    // Private to another account: never in a bundle of ours.
    await put(
      collectionRecord({ accountId: theirs(), name: 'secret', metric: 'ndvi', sampleType: 'int16' }),
      () => new Int16Array(pixels),
      false,
    );
    const [west, south, east, north] = ndvi.bounds;
    for (const shift of [0, 20]) {
      const grid = {
        width: 8,
        height: 8,
        crs: 'EPSG:4326',
        proj4: '+proj=longlat +datum=WGS84 +no_defs',
        transform: [west + shift - 0.1, 0.1, 0, north + 0.1, 0, -0.1] as const,
      };
      const samples = Float32Array.from({ length: 64 }, (_, i) => i + shift);
      const card = {
        layer: 'elevation',
        version: 'test-1',
        licence: 'CC0',
        source: 'a survey',
        date: '2020-01-01',
      };
      await addMadeLayer(here, {
        ...card,
        from: `dem-${shift}`,
        raster: { grid, samples },
        environment: 'production',
      });
    }
    good = join(folder, 'good.bundle');
    const box = [west, south, east, north] as const;
    made = await createBundle(here, { path: good, box, environment: 'production', accountId }, quiet);
    await world.storage.collections.remove((await held(theirs()))[0]!.id);
  });
  after(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  /** Removes what tests imported into the other account. */
  const clear = async (): Promise<void> => {
    for (const { id } of await held(theirs())) await world.storage.collections.remove(id);
  };

  afterEach(clear);

  /** The good bundle with other members, and digests and a signature that fit them. */
  const forged = async (
    name: string,
    change: (name: string, bytes: Buffer) => readonly (readonly [string, Buffer])[],
  ): Promise<string> => {
    const path = join(folder, name);
    const tar = new TarWriter(createWriteStream(path));
    const sums = new Checksums();
    async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
      yield bytes;
    }
    const entry = (title: string, bytes: Buffer) => ({
      name: title,
      size: bytes.length,
      mode: 0o600,
      content: one(bytes),
    });
    for await (const { name: title, content } of readTar(createReadStream(good))) {
      const chunks: Buffer[] = [];
      for await (const part of content) chunks.push(part);
      if (title === SUMS_NAME || title === SIGNATURE_NAME) continue;
      for (const [other, bytes] of change(title, Buffer.concat(chunks)))
        await tar.add(sums.take(entry(other, bytes)));
    }
    const signer = await archiveSigner(join(folder, 'other-key'));
    await tar.add(entry(SUMS_NAME, Buffer.from(sums.text())));
    await tar.add(entry(SIGNATURE_NAME, Buffer.from(signer.sign(sums.text()))));
    await tar.end();
    return path;
  };
  /** Asserts that an import is refused and leaves nothing. */
  const refused = async (path: string, message: RegExp): Promise<void> => {
    const there = parts(`refused-${Math.random()}`);
    await assert.rejects(importBundle(there, request(path), quiet), { name: 'InvalidInput', message });
    assert.deepEqual(await held(theirs()), []);
    for (const part of ['cubes', 'layers/files', 'imports'])
      assert.deepEqual(await readdir(join(there.home, part)).catch(() => []), [], part);
  };

  test('another installation gets the same scenes, samples, snow, pictures, provenance and layers', async () => {
    assert.deepEqual([made.collections, made.scenes, made.layers, made.pieces], [2, 6, 1, 1]);
    const there = parts('there');
    const done = await importBundle(there, { ...request(good), signer: made.signedBy }, quiet);
    assert.deepEqual([done.collections.length, done.scenes, done.layers], [2, 6, ['elevation test-1']]);
    const here = parts('here');
    for (const original of [ndvi, exact]) {
      const copy = done.collections.find(({ metric }) => metric === original.metric)!;
      assert.equal(copy.accountId, theirs());
      assert.notEqual(copy.id, original.id);
      assert.deepEqual(
        { ...copy, id: '', accountId: '' },
        {
          ...original,
          id: '',
          accountId: '',
          unit: copy.unit,
          bounds: copy.bounds,
          pixelAreaM2: copy.pixelAreaM2,
        },
      );
      assert.deepEqual(await scenesOf(copy), await scenesOf(original));
      assert.deepEqual(await there.cube.scenes(copy.id), await here.cube.scenes(original.id));
      const pixels = original.grid.width * original.grid.height;
      assert.deepEqual(
        (await there.cube.readStrip(copy.id, 0, pixels)).values,
        (await here.cube.readStrip(original.id, 0, pixels)).values,
      );
    }
    const copy = done.collections.find(({ metric }) => metric === 'ndvi');
    for (const cubeOf of [snowCubeId, colourCubeId])
      assert.deepEqual(await there.cube.scenes(cubeOf(copy!.id)), await here.cube.scenes(cubeOf(ndvi.id)));
    const [layer] = await there.shelf.installed();
    const [original] = await here.shelf.installed();
    const fileless = (piece: LayerPiece) => ({ ...piece, file: '' });
    assert.deepEqual(layer!.pieces.map(fileless), [fileless(original!.pieces[0]!)]);
    assert.deepEqual(layer!.card, original!.card);
    for await (const { problem } of there.shelf.check()) assert.equal(problem, null);
    // The same import again finds all of it there.
    const again = await importBundle(there, request(good), quiet);
    assert.deepEqual([again.collections, again.present.length, again.pieces], [[], 2, 0]);
  });

  test('a damaged, cut or foreign file is refused, and nothing of it stays', async () => {
    const whole = await readFile(good);
    const damaged = join(folder, 'damaged.bundle');
    for (const at of [0.02, 0.2, 0.4, 0.6, 0.8, 0.9, 0.97]) {
      const bytes = Buffer.from(whole);
      // Bits of a block of zeros between members carry nothing: the last byte before that is not 0 is changed.
      let i = Math.floor(at * bytes.length);
      while (bytes[i] === 0) i--;
      bytes[i] = bytes[i]! ^ 1;
      await writeFile(damaged, bytes);
      await refused(damaged, /FILE: /);
      await writeFile(damaged, whole.subarray(0, i));
      await refused(damaged, /FILE: /);
    }
    await writeFile(damaged, 'no archive');
    await refused(damaged, /cannot be imported/);
    const resealed = await forged('resealed.bundle', (name, bytes) => [[name, bytes]]);
    const there = parts('signer');
    await assert.rejects(importBundle(there, { ...request(resealed), signer: made.signedBy }, quiet), {
      message: /was signed by gwsign_.*expected the signer/,
    });
  });

  test('hostile members: bombs, paths outside, more and fewer members, false digests', async () => {
    const scene = sceneMember(0, 0, 0);
    const bomb = deflateRawSync(Buffer.alloc(50_000_000));
    const cases: readonly (readonly [string, Parameters<typeof forged>[1], RegExp])[] = [
      ['bomb', (n, b) => [[n, n === scene ? bomb : b]], /scenes\/0\/0\/0 has \d+ bytes; expected 1 to/],
      [
        'small-bomb',
        (n, b) => [[n, n === scene ? deflateRawSync(Buffer.alloc(100_000)) : b]],
        /scenes\/0\/0\/0 cannot be unpacked/,
      ],
      [
        'short',
        (n, b) => [[n, n === scene ? deflateRawSync(Buffer.alloc(2)) : b]],
        /has 2 bytes after unpacking/,
      ],
      [
        'outside',
        (n, b) => [[n === scene ? '../../evil' : n, b]],
        /expected scenes\/0\/0\/0 next, got "\.\.\/\.\.\/evil"/,
      ],
      [
        'more',
        (n, b) =>
          n === scene
            ? [
                [n, b],
                ['extra', b],
              ]
            : [[n, b]],
        /expected scenes\/0\/0\/1 next, got "extra"/,
      ],
      ['fewer', (n, b) => (n.startsWith('layers/') ? [] : [[n, b]]), /layers\/0\/0 is missing/],
      [
        'layer',
        (n, b) => [[n, n.startsWith('layers/') ? Buffer.alloc(b.length, 1) : b]],
        /layers\/0\/0 is not what its digest/,
      ],
    ];
    for (const [name, change, message] of cases)
      await refused(await forged(`${name}.bundle`, change), message);
  });

  test('hostile manifests: names, sizes, times and texts are checked', async () => {
    const edited = (name: string, edit: (manifest: BundleManifest) => void): Promise<string> =>
      forged(`${name}.bundle`, (title, bytes) => {
        if (title !== 'bundle.json') return [[title, bytes]];
        const manifest = JSON.parse(bytes.toString()) as BundleManifest;
        edit(manifest);
        return [[title, Buffer.from(JSON.stringify(manifest))]];
      });
    const cases: readonly (readonly [string, (manifest: BundleManifest) => void, RegExp])[] = [
      ['name', (m) => (m.collections[0]!.name = '../../etc'), /expected 1 to 100 letters/],
      ['huge', (m) => Object.assign(m.collections[0]!.grid, { width: 1e6, height: 1e6 }), /pixels; at most/],
      ['future', (m) => (m.collections[0]!.scenes[0]!.observed_ms = NOW + 9 * DAY_MS), /in the future/],
      ['licence', (m) => (m.layers[0]!.card.licence = 'CC0\u202e'), /licence of "elevation": .*U\+202E/],
      ['form', (m) => Object.assign(m, { form: 2 }), /a bundle of form 2; this release reads form 1/],
      [
        'type',
        (m) => Object.assign(m.collections[0]!, { sample_type: 'int64' }),
        /its manifest: \/collections\/0\/sample_type/,
      ],
      [
        'digest',
        (m) => (m.collections[0]!.scenes[0]!.sha256 = '0'.repeat(64)),
        /are not those of its record/,
      ],
      ['twice', (m) => m.collections.push(m.collections[0]!), /is there twice/],
      [
        'crs',
        (m) => Object.assign(m.collections[0]!.grid, { proj4: '+proj=nothing', crs: 'x' }),
        /the collection exact \(gauge\): unusable PROJ/,
      ],
      ['colour', (m) => (m.collections[0]!.scenes[0]!.colour_of = 99), /in a collection that is not there/],
    ];
    for (const [name, edit, message] of cases) await refused(await edited(name, edit), message);
  });

  test('a link in the archive is refused', async () => {
    const bytes = await readFile(good);
    const at = bytes.indexOf('scenes/0/0/0');
    bytes[at + 156] = 0x32; // symbolic link
    let sum = 0;
    for (let i = 0; i < 512; i++) sum += i >= 148 && i < 156 ? 0x20 : bytes[at + i]!;
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148);
    const path = join(folder, 'link.bundle');
    await writeFile(path, bytes);
    await refused(path, /an entry that is no file/);
  });

  test('a name that is taken by other content is refused, and what is there stays', async () => {
    const there = parts('conflict');
    const taken = collectionRecord({
      accountId: theirs(),
      name: 'meadow',
      metric: 'ndvi',
      sampleType: 'int16',
    });
    await world.storage.collections.create(taken);
    await assert.rejects(importBundle(there, request(good), quiet), {
      name: 'InvalidInput',
      message: /the collection meadow \(ndvi\) conflicts with meadow, which is here already/,
    });
    assert.deepEqual(
      (await held(theirs())).map(({ id }) => id),
      [taken.id],
    );
  });

  test('what a killed import left is removed by the next one', async () => {
    const there = parts('killed');
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    const orphan = newId('collection');
    await there.cube.create(orphan, { width: 2, height: 2, sampleType: 'int16' });
    await there.cube.append(orphan, { key: 's', timeMs: 0 }, new Int16Array(4));
    const id = await there.importJournal.begin([orphan]);
    const file = join(there.home, 'imports', `${id}.json`);
    assert.deepEqual(await there.importJournal.left(), [], 'an import that runs is left alone');
    await writeFile(file, (await readFile(file, 'utf8')).replace(String(process.pid), String(pid)));
    await importBundle(there, request(good), quiet);
    await assert.rejects(there.cube.scenes(orphan), { name: 'NotFound' });
    assert.deepEqual(await readdir(join(there.home, 'imports')), []);
  });
});
