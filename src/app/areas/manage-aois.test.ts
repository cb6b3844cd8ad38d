import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { claimedChange, collectionRecord, square } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { createAoi } from './manage-aois.ts';
import type { MonitorRun } from '../changes/publish-changes.ts';
import type { Collection } from '../series/collection-store.ts';
import { publishChanges } from '../../../test/fixtures/publish-changes.ts';

/** Result of a monitor run that found one change at each of the given pixels. The collection has no scenes. */
function runOver(collection: Collection, ...pixels: readonly number[]): MonitorRun {
  return {
    stack: [{ collection, scenes: [] }],
    objects: pixels.map((pixel) => claimedChange(collection, [pixel])),
    by: { modelVersion: 'change-v1.0.0', softwareVersion: 'groundwatch 1.4.0' },
  };
}

describe('an area of interest and the changes inside', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  const ALL = { status: 'all', since: undefined, publishedSince: undefined } as const;
  const seen = async (aoiId: string) =>
    (await world.storage.changes.list(world.owner, { aoiId, ...ALL }, { limit: 100, after: undefined }))
      .items;

  test('an area created while changes are published sees all of them, whichever transaction commits first', async () => {
    const { storage, owner } = world;
    const aois: string[] = [];
    // The collection has 2 x 2 pixels; the upper left one covers [14, 14.01] x [46.01, 46.02].
    for (let round = 0; round < 10; round++) {
      const collection = collectionRecord();
      await storage.collections.create(collection);
      const publish = publishChanges(storage, runOver(collection, 0, 3));
      const create = Array.from({ length: 3 }, () =>
        storage.transaction((stores) =>
          createAoi(stores, owner, { name: 'raced', geometry: square(13.99, 46.011, 0.015) }),
        ),
      );
      const [report, ...made] = await Promise.all([publish, ...create]);
      assert.equal(report.inserted, 2);
      aois.push(...made.map(({ id }) => id));
    }
    for (const aoi of aois)
      assert.equal((await seen(aoi)).length, 10, 'an area misses a change, or sees one outside');
  });

  test('a new area shows earlier changes at once, also those that it only touches', async () => {
    const { storage, owner } = world;
    const collection = collectionRecord({
      grid: { ...collectionRecord().grid, transform: [50, 0.01, 0, 10.02, 0, -0.01] },
      bounds: [50, 10, 50.02, 10.02],
    });
    await storage.collections.create(collection);
    await publishChanges(storage, runOver(collection, 0));
    // The change covers [50, 50.01] x [10.01, 10.02].
    const create = (west: number, south: number) =>
      storage.transaction((stores) =>
        createAoi(stores, owner, { name: 'later', geometry: square(west, south, 0.5) }),
      );
    assert.equal((await seen((await create(49.8, 9.8)).id)).length, 1);
    assert.equal((await seen((await create(50.005, 10.015)).id)).length, 1);
    assert.equal((await seen((await create(50.02, 10)).id)).length, 0);
    assert.equal((await seen((await create(49.8, 9.5)).id)).length, 0);
  });

  test('publishing the same changes again changes nothing and emits no event', async () => {
    const { storage, owner, database } = world;
    const collection = collectionRecord();
    await storage.collections.create(collection);
    const run = runOver(collection, 0);
    const events = async () => (await database.db.selectFrom('events').select('id').execute()).length;
    await storage.transaction((stores) =>
      createAoi(stores, owner, { name: 'told', geometry: square(13.99, 46.011, 0.015) }),
    );
    await publishChanges(storage, run);
    const told = await events();
    const again = await publishChanges(storage, run);
    assert.deepEqual(again, { inserted: 0, updated: 0, unchanged: 1, confirmed: 1 });
    assert.equal(await events(), told);
  });
});
