// Long file: all tests share one collection, which takes seconds to search.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { MODEL_VERSION } from '../../change/parameters.ts';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import { byFirstRecipe, changeDigest, rejected } from './change-digest.ts';
import { NotFound } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import { monitorCollection } from './monitor-collection.ts';
import type { ChangeRecord } from './change-store.ts';
import type { Collection, Scene } from '../series/collection-store.ts';
import { PixelSet } from '../../raster/pixel-set.ts';
import { snowCubeId, writeSnow } from '../series/snow-cube.ts';
import { verifyChange } from './verify-change.ts';

const SIDE = 16; // side of the grid [pixels]
const SCENES = 92; // one every 16 days: four years
const BREAK = 69; // number of scenes before the clearing
const VERSION = '9.9.9';

/** A scene of a forest with a clearing of 4 x 4 pixels. The noise is the same in every run. */
function samplesOf(scene: number): Int16Array {
  return Int16Array.from({ length: SIDE * SIDE }, (_, pixel) => {
    const [row, col] = [Math.floor(pixel / SIDE), pixel % SIDE];
    const isCleared = scene >= BREAK && row >= 6 && row < 10 && col >= 6 && col < 10;
    const noise = ((pixel * 7919 + scene * 104_729) % 601) - 300;
    return (
      7000 + noise + Math.round(800 * Math.sin((2 * Math.PI * scene * 16) / 365.25)) - (isCleared ? 3500 : 0)
    );
  });
}

describe('verifying a change', () => {
  let world: TestStorage;
  let folder: string;
  let cube: FolderCubeStore;
  let collection: Collection;
  let change: ChangeRecord;

  const deps = () => ({ storage: world.storage, cube, version: VERSION });
  const verify = (version = VERSION) => verifyChange({ ...deps(), version }, change.id, () => undefined);
  const putScene = async (index: number, samples: Int16Array): Promise<void> => {
    const key = `scene-${index}`;
    const timeMs = Date.UTC(2016, 0, 4) + index * 16 * DAY_MS;
    const { sha256 } = await cube.append(collection.id, { key, timeMs }, samples);
    const scene: Scene = {
      id: newId('scene'),
      key,
      href: `stack.tif#band=${index + 1}`,
      observedAt: new Date(timeMs),
      sha256,
      clearFraction: 1,
    };
    await world.storage.collections.putScenes(collection.id, [scene]);
  };
  /** Stores an altered record, verifies the change, then restores the original record. */
  const altered = async (record: ChangeRecord) => {
    await world.storage.changes.update(record);
    try {
      return await verify();
    } finally {
      await world.storage.changes.update(change);
    }
  };

  before(async () => {
    world = await testStorage();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-verify-'));
    cube = new FolderCubeStore(folder);
    collection = collectionRecord({
      pixelAreaM2: 900,
      grid: {
        ...collectionRecord().grid,
        width: SIDE,
        height: SIDE,
        transform: [14, 0.0003, 0, 46.02, 0, -0.0003],
      },
    });
    await world.storage.collections.create(collection);
    await cube.create(collection.id, { width: SIDE, height: SIDE, sampleType: 'int16' });
    for (let i = 0; i < SCENES; i++) await putScene(i, samplesOf(i));
    await monitorCollection(deps(), collection, () => undefined);
    const found = await world.storage.changes.ofCollection(collection.id);
    change = found.find(({ status }) => status === 'confirmed')!;
  });
  after(async () => {
    await cube.close();
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });

  test('an unaltered change is verified: the recomputed digest is the same', async () => {
    assert.equal(change.type, 'vegetation_loss');
    const found = await verify();
    assert.deepEqual(found.problems, []);
    assert.equal(found.recomputed, change.digest);
    assert.ok(found.scenes >= 60);
  });

  test('an altered record is reported', async () => {
    const { problems } = await altered({ ...change, confidence: 0.123_456 });
    assert.deepEqual(
      problems.map(({ kind }) => kind),
      ['record'],
    );
    assert.match(problems[0]!.message, /altered after it was made/);
  });

  /** A forged record. Its digests were recomputed, so that they match its content. */
  const otherwise = (): ChangeRecord => {
    const { digest: _digest, ...provenance } = change.provenance;
    const evidence = provenance.evidence.map((step, i) => (i === 0 ? { ...step, value: 0.9999 } : step));
    const forged = { ...provenance, evidence };
    const result = { ...change, areaM2: change.areaM2 + 1 };
    const digest = changeDigest(result, forged);
    return { ...result, digest, provenance: { ...forged, digest } };
  };

  test('a forged record with recomputed digests is detected by the new run, field by field', async () => {
    const { problems, recomputed } = await altered(otherwise());
    assert.equal(recomputed, change.digest);
    assert.deepEqual(
      problems.map(({ kind, message }) => [kind, message.split(':')[0]]),
      [
        ['result', 'area_m2'],
        ['result', 'evidence'],
      ],
    );
  });

  test('a change that is published again during verification is verified in its new version', async () => {
    const { storage } = world;
    let looks = 0;
    const changes = {
      ...storage.changes,
      locate: (id: string) =>
        looks++ === 0 ? Promise.resolve(otherwise()) : world.storage.changes.locate(id),
    };
    const found = await verifyChange(
      { ...deps(), storage: { ...storage, changes } },
      change.id,
      () => undefined,
    );
    assert.deepEqual([found.problems, found.digest], [[], change.digest]);
  });

  test('scenes of a running ingest are reported as such, not as a forgery', async () => {
    await putScene(SCENES, samplesOf(SCENES));
    try {
      const { problems } = await altered(otherwise());
      assert.deepEqual(
        problems.map(({ kind, message }) => [
          kind,
          /scenes came or went .* run the ingest again/.test(message),
        ]),
        [['result', true]],
      );
    } finally {
      await cube.removeScenes(collection.id, [`scene-${SCENES}`]);
      await world.storage.collections.removeScenes(collection.id, [`scene-${SCENES}`]);
    }
  });

  test('different software or a different model version is reported', async () => {
    const other = await verify('9.9.10');
    assert.deepEqual(
      other.problems.map(({ kind, message }) => [
        kind,
        /stated by groundwatch 9\.9\.9; this is groundwatch 9\.9\.10.* Release v9\.9\.9/.test(message),
      ]),
      [['software', true]],
    );
    assert.equal(other.recomputed, change.digest);
    const { digest: _digest, ...provenance } = change.provenance;
    const older = { ...provenance, model_version: 'change-v0.0.1', software_version: 'groundwatch 1.3.0' };
    const digest = changeDigest(change, older);
    const statement = {
      ...change.versions[0]!,
      model_version: older.model_version,
      software_version: older.software_version,
      digest,
    };
    const { problems, recomputed, scenes } = await altered({
      ...change,
      digest,
      provenance: { ...older, digest },
      versions: [statement],
    });
    assert.equal(recomputed, null);
    assert.deepEqual(
      problems.map(({ kind, message }) => [kind, message]),
      [
        [
          'software',
          `it was stated by groundwatch 1.3.0 with the model change-v0.0.1; this is groundwatch 9.9.9 with ${MODEL_VERSION}. ` +
            'Its record is unaltered, and the cube holds the same scenes. Release v1.3.0 can recompute it',
        ],
      ],
    );
    assert.equal(scenes, change.provenance.scenes.length);
  });

  test('a change of another model is still checked against its record and its scenes', async () => {
    const versions = [{ ...change.versions[0]!, model_version: 'change-v0.0.1' }];
    await cube.removeScenes(collection.id, ['scene-5']);
    try {
      const { problems } = await altered({ ...change, confidence: 0.123_456, versions });
      assert.deepEqual(
        problems.map(({ kind, message }) => [kind, message.split(/[,:]/)[0]]),
        [
          ['record', 'the record was altered after it was made'],
          [
            'software',
            `it was stated by groundwatch 9.9.9 with the model change-v0.0.1; this is groundwatch 9.9.9 with ${MODEL_VERSION}. A checkout of this release with the model change-v0.0.1 can recompute it`,
          ],
          ['scene', 'the scene scene-5 of 2016-03-24T00'],
        ],
      );
    } finally {
      await putScene(5, samplesOf(5));
    }
  });

  test('a change that release 1.3.0 stated is verified by the recipe of that release', async () => {
    const { digest: _digest, ...provenance } = change.provenance;
    const by = { ...provenance, software_version: 'groundwatch 1.3.0' };
    const older = byFirstRecipe({ ...change, provenance: { ...by, digest: '' } });
    const versions = [
      { ...change.versions[0]!, software_version: 'groundwatch 1.3.0', digest: older.digest },
    ];
    const { problems, recomputed } = await altered({ ...change, ...older, versions });
    assert.deepEqual(
      problems.map(({ kind, message }) => [kind, message.endsWith('. Release v1.3.0 can recompute it')]),
      [['software', true]],
    );
    assert.equal(recomputed, older.digest);
    const forged = await altered({ ...change, ...older, versions, areaM2: change.areaM2 + 1 });
    assert.deepEqual(
      forged.problems.map(({ kind }) => kind),
      ['record', 'software'],
    );
  });

  test('a change that was taken back is verified if the monitor does not find it; one that stands is not', async () => {
    const ghost = { ...change, id: newId('change'), objectKey: 'no such pixel and day' };
    await world.storage.changes.insert(ghost);
    const found = () => verifyChange(deps(), ghost.id, () => undefined);
    assert.deepEqual(
      (await found()).problems.map(({ message }) => message),
      ['the monitor finds no such change in the scenes that the cube holds'],
    );
    const taken = rejected(ghost);
    await world.storage.changes.update(taken);
    const { problems, recomputed } = await found();
    assert.deepEqual([problems, recomputed], [[], taken.digest]);
  });

  test('a replaced scene is reported with both digests, and the change verifies again when the scene is restored', async () => {
    const other = samplesOf(BREAK + 3).map((value) => value + 1);
    await putScene(BREAK + 3, other);
    const { problems, recomputed } = await verify();
    assert.equal(recomputed, null);
    assert.equal(problems.length, 1);
    assert.match(
      problems[0]!.message,
      /^the scene scene-72 of .* is another: expected samples of sha-256 [0-9a-f]{64}/,
    );
    await putScene(BREAK + 3, samplesOf(BREAK + 3));
    assert.deepEqual((await verify()).problems, []);
  });

  test('a missing scene is reported', async () => {
    await cube.removeScenes(collection.id, ['scene-5']);
    const { problems } = await verify();
    assert.deepEqual(
      problems.map(({ kind, message }) => [kind, message.startsWith('the scene scene-5 of 2016-03-24')]),
      [['scene', true]],
    );
    await putScene(5, samplesOf(5));
    assert.deepEqual((await verify()).problems, []);
  });

  /** Flips a bit in the middle of the largest file of a cube. @returns its name, and how to restore it */
  async function flipBit(cubeId: string): Promise<{ name: string; restore: () => Promise<void> }> {
    const files = await readdir(join(folder, cubeId), { recursive: true, withFileTypes: true });
    const sized = await Promise.all(
      files
        // The saved state of the monitor is not part of the cube and is not checked.
        .filter((entry) => entry.isFile() && entry.name !== 'monitoring.state')
        .map(async (entry) => {
          const path = join(entry.parentPath, entry.name);
          return { path, name: entry.name, bytes: await readFile(path) };
        }),
    );
    const { path, name, bytes } = sized.reduce((a, b) => (a.bytes.length >= b.bytes.length ? a : b));
    const flipped = Buffer.from(bytes);
    const at = Math.floor(bytes.length / 2);
    flipped[at] = flipped[at]! ^ 4;
    await writeFile(path, flipped);
    return { name, restore: () => writeFile(path, bytes) };
  }

  test('a flipped bit in the cube is reported with its file', async () => {
    const { name, restore } = await flipBit(collection.id);
    const { problems, recomputed } = await verify();
    await restore();
    assert.equal(recomputed, null);
    assert.ok(problems.length > 0 && problems.every(({ kind }) => kind === 'cube'));
    assert.ok(
      problems.some(({ message }) => message.includes(name)),
      problems[0]?.message,
    );
  });

  test('a flipped bit in the snow that masks told is reported', async () => {
    const snow = new PixelSet(SIDE * SIDE);
    snow.add(0);
    for (let i = 0; i < SCENES; i++)
      await writeSnow(cube, collection, { key: `scene-${i}`, timeMs: i * DAY_MS }, snow);
    await flipBit(snowCubeId(collection.id));
    const { problems, recomputed } = await verify();
    await cube.remove(snowCubeId(collection.id));
    assert.equal(recomputed, null);
    assert.ok(problems.length > 0 && problems.every(({ kind }) => kind === 'cube'));
  });

  test('a change found before one of its scenes was recorded verifies after the scene is recorded', async () => {
    const search = () => monitorCollection({ ...deps(), version: '9.9.8' }, collection, () => undefined);
    await world.storage.collections.removeScenes(collection.id, [`scene-${BREAK}`]);
    assert.equal((await search()).ran, true);
    await putScene(BREAK, samplesOf(BREAK));
    assert.equal((await search()).ran, true, 'the source of the scene is recorded now');
    assert.deepEqual((await verify('9.9.8')).problems, []);
    assert.equal((await search()).ran, false);
  });

  test('an unknown change is not found', async () => {
    await assert.rejects(() => verifyChange(deps(), 'chg_nothing', () => undefined), NotFound);
  });
});
