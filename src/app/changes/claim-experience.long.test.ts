import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { DAY_MS } from '../../base/time.ts';
import { newId } from '../../base/ids.ts';
import { collectionRecord, putAoi } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { FolderCubeStore } from '../../cube/folder-cube-store.ts';
import type { Collection } from '../series/collection-store.ts';
import { changeDigest } from './change-digest.ts';
import type { ChangeRecord } from './change-store.ts';
import { monitorCollection } from './monitor-collection.ts';
import { verifyChange } from './verify-change.ts';

const SIDE = 24; // side of the grid [pixels]
const STEP_DAYS = 16;
const SCENES = 145; // more than six years
const FIRST_MS = Date.UTC(2016, 0, 4);
/** Name of the collections of two accounts. */
const NAME = 'field';

/** A square of 4 x 4 pixels that falls by .35 from a scene on, for a number of scenes. */
interface Fall {
  readonly row: number;
  readonly col: number;
  readonly from: number;
  readonly scenes: number;
}

const NEW: Fall = { row: 18, col: 18, from: 137, scenes: 99 };
/** Falls of former years that passed after four months. */
const PASSED: readonly Fall[] = [
  [2, 2, 50],
  [2, 10, 56],
  [2, 18, 62],
  [10, 2, 75],
  [10, 10, 82],
].map(([row, col, from]) => ({ row: row!, col: col!, from: from!, scenes: 8 }));

function samplesOf(scene: number, falls: readonly Fall[]): Int16Array {
  return Int16Array.from({ length: SIDE * SIDE }, (_, pixel) => {
    const [row, col] = [Math.floor(pixel / SIDE), pixel % SIDE];
    const isLow = falls.some(
      (fall) =>
        row >= fall.row &&
        row < fall.row + 4 &&
        col >= fall.col &&
        col < fall.col + 4 &&
        scene >= fall.from &&
        scene < fall.from + fall.scenes,
    );
    const noise = ((pixel * 7919 + scene * 104_729) % 601) - 300;
    const season = Math.round(800 * Math.sin((2 * Math.PI * scene * STEP_DAYS) / 365.25));
    return 7000 + noise + season - (isLow ? 3500 : 0);
  });
}

describe('what came of the claims of former years', () => {
  let world: TestStorage;
  let folder: string;
  let cube: FolderCubeStore;
  /** The new claim of a collection of one account that nobody watches, with the former falls; searched once, in order. */
  let ordered: ChangeRecord;
  before(async () => {
    world = await testStorage();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-experience-'));
    cube = new FolderCubeStore(folder);
    ordered = await newest(
      await searched([...PASSED, NEW], { name: NAME, accountId: world.owner.accountId }),
    );
  });
  after(async () => {
    await cube.close();
    await world.close();
    await rm(folder, { recursive: true, force: true });
  });
  const deps = () => ({ storage: world.storage, cube, version: '9.9.9' });
  const inOrder = Array.from({ length: SCENES }, (_, scene) => scene);

  async function open(over: Partial<Collection> = {}): Promise<Collection> {
    const transform = [14, 0.0003, 0, 46.02, 0, -0.0003] as const;
    const grid = { ...collectionRecord().grid, width: SIDE, height: SIDE, transform };
    const bounds = [14, 46.02 - SIDE * 0.0003, 14 + SIDE * 0.0003, 46.02] as const;
    const collection = collectionRecord({
      id: newId('collection'),
      name: crypto.randomUUID(),
      pixelAreaM2: 900,
      grid,
      bounds,
      ...over,
    });
    await world.storage.collections.create(collection);
    await cube.create(collection.id, { width: SIDE, height: SIDE, sampleType: 'int16' });
    return collection;
  }
  async function put({ id }: Collection, scenes: readonly number[], falls: readonly Fall[]): Promise<void> {
    const put = scenes.map(async (scene) => {
      const key = `scene-${scene}`;
      const timeMs = FIRST_MS + scene * STEP_DAYS * DAY_MS;
      const { sha256 } = await cube.append(id, { key, timeMs }, samplesOf(scene, falls));
      const href = `stack.tif#band=${scene + 1}`;
      return { id: newId('scene'), key, href, observedAt: new Date(timeMs), sha256, clearFraction: 1 };
    });
    await world.storage.collections.putScenes(id, await Promise.all(put));
  }
  const search = (collection: Collection) => monitorCollection(deps(), collection, () => undefined);
  /** The change that began in the new fall. */
  async function newest({ id }: Collection): Promise<ChangeRecord> {
    const changes = await world.storage.changes.ofCollection(id);
    const [found, ...others] = changes.filter(({ firstAnomalyAt }) => firstAnomalyAt > '2021-06-01');
    assert.deepEqual([found?.status, others.length], ['confirmed', 0]);
    return found!;
  }
  async function searched(falls: readonly Fall[], over: Partial<Collection> = {}): Promise<Collection> {
    const collection = await open(over);
    await put(collection, inOrder, falls);
    await search(collection);
    return collection;
  }

  test('a new claim is stated with less confidence where older ones passed, by the documented formula', () => {
    const { confidence, provenance, confirmedAt } = ordered;
    const { model_confidence: model, claims, stood, stated, shift, weight } = provenance.experience!;
    assert.deepEqual([claims, stood], [PASSED.length, 0]);
    assert.ok(confidence < model && model < 1);
    // docs/accuracy.md: the shift from the counts, then the confidence from the shift.
    const { variance, falseStanding } = (
      provenance.parameters as { readonly experience: Record<string, number> }
    ).experience;
    const expected = stated + (1 - stated) * falseStanding!;
    const share = 1 / (1 + ((1 - expected) / expected) * Math.exp(-shift));
    assert.ok(Math.abs(stood - claims * share - shift / variance!) < 1e-3);
    const lastMs = FIRST_MS + (SCENES - 1) * STEP_DAYS * DAY_MS;
    const days = (lastMs - Date.parse(confirmedAt!)) / DAY_MS;
    assert.ok(Math.abs(weight - (1 - days / 365.25)) < 1e-5);
    const odds = (model / (1 - model)) * Math.exp(weight * shift);
    assert.ok(Math.abs(confidence - odds / (1 + odds)) < 1e-5);
  });

  test('the experience is part of the digest, and verify finds it again', async () => {
    assert.deepEqual((await verifyChange(deps(), ordered.id, () => undefined)).problems, []);
    const { digest, ...provenance } = ordered.provenance;
    assert.equal(changeDigest(ordered, provenance), digest);
    const experience = { ...provenance.experience!, stood: 1 };
    assert.notEqual(changeDigest(ordered, { ...provenance, experience }), digest);
  });

  test('scenes in any order and searches between them lead to the same confidence', async () => {
    const collection = await open();
    const isLate = (scene: number): boolean => scene % 3 === 1;
    await put(collection, inOrder.filter((scene) => !isLate(scene)).toReversed(), [...PASSED, NEW]);
    await search(collection);
    await put(collection, inOrder.filter(isLate).toReversed(), [...PASSED, NEW]);
    await search(collection);
    const late = await newest(collection);
    assert.equal(late.confidence, ordered.confidence);
    assert.deepEqual(late.provenance.experience, ordered.provenance.experience);
  });

  test('a further scene rewrites no old change and sends no event of its own; areas make no difference', async () => {
    const { owner, others } = world;
    for (const each of [owner, others[1]!]) await putAoi(world.storage, each);
    const collection = await open();
    await put(collection, inOrder.slice(0, -1), [...PASSED, NEW]);
    await search(collection);
    const before = await world.storage.changes.ofCollection(collection.id);
    await put(collection, inOrder.slice(-1), [...PASSED, NEW]);
    await search(collection);
    const after = await world.storage.changes.ofCollection(collection.id);
    assert.equal(before.length, PASSED.length + 1);
    const { rows } = await sql<{ body: string }>`
      select body from events where account_id = ${owner.accountId} order by xid, id`.execute(
      world.database.db,
    );
    const bodies = rows.map(({ body }) => JSON.parse(body) as { type: string; data: { id: string } });
    for (const [i, { id, status, digest, confidence }] of before.entries()) {
      if (status === 'recovered') assert.equal(after[i]!.digest, digest);
      const isUpdated = Math.abs(confidence - after[i]!.confidence) >= 0.01;
      assert.deepEqual(
        bodies.filter(({ data }) => data.id === id).map(({ type }) => type),
        ['change.detected', ...(isUpdated ? ['change.updated'] : [])],
      );
    }
    const watched = await newest(collection);
    assert.equal(watched.confidence, ordered.confidence);
    assert.deepEqual(watched.provenance.experience, ordered.provenance.experience);
  });

  test('fates in a collection of one account move nothing of another account, under the same name too', async () => {
    const own = ordered;
    const theirs = await newest(await searched([NEW], { name: NAME, accountId: world.others[1]!.accountId }));
    assert.equal(own.provenance.experience?.claims, PASSED.length);
    assert.equal(theirs.provenance.experience, undefined);
    // What a pixel was expected to be differs a little where no other square fell, and with it the size of the change.
    const model = own.provenance.experience.model_confidence;
    assert.ok(Math.abs(theirs.confidence - model) < 0.01, `${theirs.confidence} beside ${model}`);
    assert.ok(own.confidence < model - 0.05, `${own.confidence} beside ${model}`);
    assert.equal(await world.storage.changes.find(world.others[1]!, own.id), undefined);
  });
});
