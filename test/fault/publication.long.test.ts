// Long file: all tests publish into one database.
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { createAoi } from '../../src/app/areas/manage-aois.ts';
import { intersecting } from '../../src/app/areas/measure-area.ts';
import { PublicationLost, withPublication } from '../../src/app/changes/publication.ts';
import { publishRun } from '../../src/app/changes/publish-changes.ts';
import type { Owner } from '../../src/app/owner.ts';
import type { Storage } from '../../src/app/storage.ts';
import { Contended } from '../../src/base/errors.ts';
import type { Collection } from '../../src/app/series/collection-store.ts';
import type { AreaGeometry } from '../../src/geo/polygon.ts';
import { claimedChange, collectionRecord, square } from '../fixtures/records.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';
import { runOf, type PublishingOrder } from './publishing-worker.ts';
import { testProcess } from '../fixtures/program.ts';
import { publishChanges } from '../fixtures/publish-changes.ts';

const SIDE = 20; // side of the grid of a collection [pixels]
const PIXEL = 0.001; // side of a pixel [degrees]

describe('changes are published in parts, beside the creation of areas and other publications', () => {
  let world: TestStorage;
  let storage: Storage;
  let owner: Owner;
  before(async () => {
    world = await testStorage();
    ({ storage, owner } = world);
  });
  after(() => world.close());

  /** A collection whose upper left corner is at a place. */
  const newCollection = async (west: number, north: number): Promise<Collection> => {
    const { grid } = collectionRecord();
    const collection = collectionRecord({
      grid: { ...grid, width: SIDE, height: SIDE, transform: [west, PIXEL, 0, north, 0, -PIXEL] },
      bounds: [west, north - SIDE * PIXEL, west + SIDE * PIXEL, north],
    });
    await storage.collections.create(collection);
    return collection;
  };
  const create = (by: Owner, geometry: AreaGeometry) =>
    storage
      .boundTo(by)
      .transaction((stores) => createAoi(stores, by, { name: 'an area', geometry }))
      .then((aoi) => ({ ...aoi, owner: by }));
  const seen = async (by: Owner, aoiId: string): Promise<readonly string[]> => {
    const filter = { aoiId, status: 'all', since: undefined, publishedSince: undefined } as const;
    const { items } = await storage.changes.list(by, filter, { limit: 1000, after: undefined });
    return items.map(({ id }) => id).toSorted();
  };
  const settled = (work: Promise<unknown>): Promise<boolean> =>
    Promise.race([work.then(() => true), sleep(300).then(() => false)]);

  test('a publication that is held open delays no area elsewhere, and one on its ground until it ends', async (t) => {
    const collection = await newCollection(40, 40);
    const end = Promise.withResolvers<void>();
    t.after(() => end.resolve());
    const locked = Promise.withResolvers<void>();
    const held = withPublication(storage, collection.id, (publication) =>
      publication.part(async (stores) => {
        await stores.changes.lockGround('production', [collection.bounds], 'publish');
        locked.resolve();
        await end.promise;
      }),
    );
    await locked.promise;
    await create(owner, square(45, 40)); // waited for the whole environment before
    const there = create(owner, square(40.01, 39.99, 0.005));
    assert.equal(await settled(there), false, 'an area on the ground does not wait');
    end.resolve();
    await held;
    await there;
  });

  test('areas that are created elsewhere delay no publication', async (t) => {
    const collection = await newCollection(60, 40);
    const end = Promise.withResolvers<void>();
    t.after(() => end.resolve());
    const locked = Promise.withResolvers<void>();
    const held = storage.transaction(async (stores) => {
      await stores.changes.lockGround('production', [[65, 40, 65.1, 40.1]], 'create area');
      locked.resolve();
      await end.promise;
    });
    await locked.promise;
    const run = runOf({ pixels: [0], confidence: 0.9 }, collection);
    assert.equal((await publishChanges(storage, run)).inserted, 1);
    end.resolve();
    await held;
  });

  test('during an upgrade the locks of the former release hold too, and not among nodes of this one', async (t) => {
    const { db } = world.database;
    const until = (time: string) =>
      sql`update former_locks set former_until = now() + ${time}::interval`.execute(db);
    await until('1 hour');
    t.after(() => until('-1 hour'));
    const collection = await newCollection(85, 40);
    const run = runOf({ pixels: [0], confidence: 0.9 }, collection);
    /** Holds the row of the environment as the former release does, while `act` waits. */
    const holding = async (mode: 'share' | 'update', act: () => Promise<unknown>): Promise<void> => {
      const end = Promise.withResolvers<void>();
      t.after(() => end.resolve());
      const locked = Promise.withResolvers<void>();
      const held = db.transaction().execute(async (former) => {
        await sql`select from environments where name = 'production' for ${sql.raw(mode)}`.execute(former);
        locked.resolve();
        await end.promise;
      });
      await locked.promise;
      const waiting = act();
      assert.equal(await settled(waiting), false, `nothing waits for the lock for ${mode}`);
      end.resolve();
      await held;
      await waiting;
    };
    await holding('share', () => create(owner, square(84.99, 39.97, 0.05))); // the former release publishes
    await holding('update', () => publishChanges(storage, run)); // it creates an area
    const end = Promise.withResolvers<void>();
    t.after(() => end.resolve());
    const locked = Promise.withResolvers<void>();
    const held = storage.transaction(async (stores) => {
      await stores.changes.lockGround('production', [[10, 10, 10.1, 10.1]], 'publish');
      locked.resolve();
      await end.promise;
    });
    await locked.promise;
    await create(owner, square(84.99, 39.97, 0.05));
    end.resolve();
    await held;
  });

  test('a transaction that waits for ground for too long is told so by its own error', async (t) => {
    const collection = await newCollection(80, 40);
    const end = Promise.withResolvers<void>();
    t.after(() => end.resolve());
    const locked = Promise.withResolvers<void>();
    const held = storage.transaction(async (stores) => {
      await stores.changes.lockGround('production', [collection.bounds], 'create area');
      locked.resolve();
      await end.promise;
    });
    await locked.promise;
    const waiting = storage.transaction(async (stores) => {
      await stores.publications.renew(collection.id, '00000000-0000-0000-0000-000000000000', null);
      await stores.changes.lockGround('production', [collection.bounds], 'publish');
    });
    await assert.rejects(waiting, Contended);
    end.resolve();
    await held;
  });

  test('a publication holds no connection from its beginning to its end, and goes on from a part that failed', async () => {
    const collection = await newCollection(100, 40);
    const aoi = await create(owner, square(99.99, 39.97, 0.05));
    const run = runOf({ pixels: Array.from({ length: 200 }, (_, i) => i), confidence: 0.9 }, collection);
    let largest = 0;
    let left = 5;
    const timed: Storage = {
      ...storage,
      transaction: (work) =>
        storage.transaction(async (stores) => {
          const before = await stores.changes.countOf(collection.id);
          const result = await work(stores);
          largest = Math.max(largest, (await stores.changes.countOf(collection.id)).all - before.all);
          if (left-- === 0) throw new Error('crashed');
          return result;
        }),
    };
    await assert.rejects(publishChanges(timed, run), /crashed/);
    const some = (await seen(owner, aoi.id)).length;
    assert.ok(some > 0 && some < 200, `${some} changes before the crash`);
    const report = await publishChanges(timed, run);
    assert.deepEqual([report.inserted, report.unchanged, report.updated], [200 - some, some, 0]);
    // Before, one transaction had the whole publication.
    assert.ok(largest > 0 && largest <= 100, `a part has ${largest} of 200 changes`);
    assert.equal((await seen(owner, aoi.id)).length, 200);
    const { rows } = await sql<{ all: number; different: number }>`
      select count(*) as "all", count(distinct body::jsonb #>> '{data,id}') as different
      from events where type = 'change.detected' and body::jsonb #> '{data,aoi_ids}' ? ${aoi.id}`.execute(
      world.database.db,
    );
    assert.deepEqual(rows, [{ all: 200, different: 200 }]);
  });

  test('what a crash leaves half published is told as it would have been', async () => {
    const collection = await newCollection(120, 40);
    const aoi = await create(owner, square(119.99, 39.97, 0.05));
    const line = (row: number, from: number, to: number) =>
      claimedChange(
        collection,
        Array.from({ length: to - from }, (_, i) => row * SIDE + from + i),
      );
    const by = (release: string) => ({
      modelVersion: `change-${release}`,
      softwareVersion: `groundwatch ${release}`,
    });
    const stack = [{ collection, scenes: [] }] as const;
    await publishChanges(storage, {
      stack,
      objects: Array.from({ length: 12 }, (_, r) => line(r, 0, 16)),
      by: by('1'),
    });
    // The next model finds each of them as three parts.
    const run = {
      stack,
      objects: Array.from({ length: 12 }, (_, r) => [line(r, 0, 5), line(r, 6, 10), line(r, 11, 16)]).flat(),
      by: by('2'),
    };
    let parts = 0;
    const crashing = (after: number): Storage => ({
      ...storage,
      transaction: (work) =>
        storage.transaction(async (stores) => {
          if (parts++ === after) throw new Error('crashed');
          return await work(stores);
        }),
    });
    await assert.rejects(publishChanges(crashing(1), run), /crashed/);
    await publishChanges(storage, run);
    const { rows } = await sql<{ type: string; count: number }>`
      select type, count(*) as count from events
      where body::jsonb #> '{data,aoi_ids}' ? ${aoi.id} group by 1 order by 1`.execute(world.database.db);
    // Of each, one part keeps its id, and all are updates of known ground.
    assert.deepEqual(rows, [
      { type: 'change.detected', count: 12 },
      { type: 'change.updated', count: 36 },
    ]);
  });

  test('of two processes that publish one collection, one waits; a holder that was overtaken writes nothing', async () => {
    const collection = await newCollection(140, 40);
    const run = runOf({ pixels: [0, 5, 9], confidence: 0.9 }, collection);
    const reports = await Promise.all(Array.from({ length: 4 }, () => publishChanges(storage, run)));
    assert.deepEqual(
      reports.map(({ inserted }) => inserted).toSorted((a, b) => a - b),
      [0, 0, 0, 3],
    );
    await assert.rejects(
      withPublication(storage, collection.id, async (publication) => {
        // The process hangs for longer than its hold, and another one publishes meanwhile.
        await sql`update publications set held_until = now() - interval '1 second'`.execute(
          world.database.db,
        );
        await publishChanges(storage, runOf({ pixels: [0, 5], confidence: 0.9 }, collection));
        await publishRun(publication, runOf({ pixels: [0, 5, 9], confidence: 0.8 }, collection));
      }),
      PublicationLost,
    );
    // The former release locks the collection for a whole publication instead, and sets the state of the search.
    await assert.rejects(
      withPublication(storage, collection.id, async (publication) => {
        await storage.collections.setMonitoredAs(collection.id, 'by the former release');
        await publishRun(publication, runOf({ pixels: [0, 5, 9], confidence: 0.8 }, collection));
      }),
      PublicationLost,
    );
    const { all, confirmed } = await storage.changes.countOf(collection.id);
    assert.deepEqual([all, confirmed], [3, 2]);
  });

  test('areas and changes that meet at random, with kills of publishers, see each other exactly once', async () => {
    const strangers = world.others[1]!;
    const place = 150;
    const collections: Collection[] = [];
    for (let i = 0; i < 6; i++) collections.push(await newCollection(place + i * 0.01, 20));
    const pixels = [0, 7, 13, 105, 210, 377, 399];
    const known = await create(owner, square(place - 0.01, 19.97, 0.1));
    const made: Awaited<ReturnType<typeof create>>[] = [known];
    const over = new AbortController();
    const creating = (async () => {
      for (let i = 0; !over.signal.aborted || i < 20; i++) {
        const [west, south] = [place + (i % 7) * 0.008, 19.98 + (i % 5) * 0.003];
        const by = i % 2 === 0 ? owner : strangers;
        made.push(
          ...(await Promise.all([
            create(by, square(west, south, 0.004)),
            create(by, square(west, south, 0.02)),
          ])),
        );
      }
    })();
    for (const confidence of [0.9, 0.95, 0.85]) {
      let runs = 0;
      for (let left = 2; left >= 0; runs++) {
        const order: PublishingOrder = {
          connection: world.database.connection,
          collections: runs % 2 === 0 ? collections : collections.toReversed(),
          pixels,
          confidence,
        };
        const children = [order, { ...order, collections: order.collections.toReversed() }].map((each) => {
          const child = fork(testProcess('test/fault/publishing-worker.ts'), { stdio: 'ignore' });
          child.send(each);
          return child;
        });
        const ends = children.map((child) => once(child, 'exit'));
        if (left-- > 0) {
          // Killed at a random moment after it began to publish.
          await Promise.race([once(children[0]!, 'message'), ends[0]]);
          await sleep(Math.random() * 120);
          for (const child of children) child.kill('SIGKILL');
        }
        await Promise.all(ends);
        // A killed process holds its collection for 10 s.
        if (left >= 0)
          await sql`update publications set held_until = now() - interval '1 second'`.execute(
            world.database.db,
          );
      }
    }
    over.abort();
    await creating;
    const changes = (await Promise.all(collections.map(({ id }) => storage.changes.ofCollection(id)))).flat();
    assert.equal(changes.length, collections.length * pixels.length);
    assert.ok(made.length > 40, `${made.length} areas`);
    let links = 0;
    for (const aoi of made) {
      const touched = await intersecting(
        aoi.geometry,
        changes.map(({ geometry }) => geometry),
      );
      const expected = changes.filter((_, i) => touched[i]).map(({ id }) => id);
      assert.deepEqual(await seen(aoi.owner, aoi.id), expected.toSorted());
      links += expected.length;
    }
    assert.ok(links > made.length);
    const ids = changes.map(({ id }) => id);
    const { rows } = await sql<{ type: string; told: number; changes: number }>`
      select type, count(*) as told, count(distinct body::jsonb #>> '{data,id}') as changes
      from events where account_id = ${owner.accountId} and body::jsonb #>> '{data,id}' = any(${ids})
      group by type order by type`.execute(world.database.db);
    // The first publication is told once, and the two that state another confidence once each.
    assert.deepEqual(rows, [
      { type: 'change.detected', told: ids.length, changes: ids.length },
      { type: 'change.updated', told: 2 * ids.length, changes: ids.length },
    ]);
  });
});
