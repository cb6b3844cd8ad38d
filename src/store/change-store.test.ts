import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { changeRecord, collectionRecord, putAoi, square } from '../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';
import type { Aoi } from '../app/areas/aoi-store.ts';
import type { ChangeFilter, NewChange } from '../app/changes/change-store.ts';

const DAY_MS = 86_400_000;

describe('changes and the areas that see them', () => {
  let world: TestStorage;
  let collectionId: string;
  before(async () => {
    world = await testStorage();
    const collection = collectionRecord();
    collectionId = collection.id;
    await world.storage.collections.create(collection);
  });
  after(() => world.close());

  async function seen(aois: readonly Aoi[], over: Partial<NewChange> = {}): Promise<NewChange> {
    const change = changeRecord(collectionId, over);
    await world.storage.changes.insert(change);
    await world.storage.changes.link(change, aois);
    return change;
  }
  async function listed(
    aoi: Aoi,
    filter: Partial<ChangeFilter> = {},
    owner = world.owner,
  ): Promise<string[]> {
    const all = { status: 'confirmed', since: undefined, publishedSince: undefined, ...filter } as const;
    const page = await world.storage.changes.list(
      owner,
      { aoiId: aoi.id, ...all },
      { limit: 100, after: undefined },
    );
    return page.items.map(({ id }) => id);
  }

  test('a stored change is read back unchanged, with dates as days', async () => {
    const aoi = await putAoi(world.storage, world.owner);
    const change = await seen([aoi]);
    const found = await world.storage.changes.find(world.owner, change.id);
    const { createdAt, updatedAt, ...rest } = found!.change;
    assert.deepEqual(rest, change);
    assert.deepEqual(found!.aoiIds, [aoi.id]);
    assert.ok(
      Math.abs(createdAt.getTime() - Date.now()) < DAY_MS && updatedAt.getTime() === createdAt.getTime(),
    );
  });

  test('an owner sees a change only through their own areas, and only these areas are listed', async () => {
    const owners = [world.owner, ...world.others];
    const aois = [];
    for (const owner of owners) aois.push(await putAoi(world.storage, owner));
    const change = await seen([aois[0]!, aois[2]!]);
    for (const [i, owner] of owners.entries()) {
      const found = await world.storage.changes.find(owner, change.id);
      assert.deepEqual(found?.aoiIds, i === 0 || i === 2 ? [aois[i]!.id] : undefined);
      for (const [k, aoi] of aois.entries())
        assert.deepEqual(await listed(aoi, {}, owner), i === k && (i === 0 || i === 2) ? [change.id] : []);
    }
  });

  test('lists are sorted by day, newest first, then by id; since is inclusive', async () => {
    const aoi = await putAoi(world.storage, world.owner);
    const days = ['2026-03-01', '2026-03-02', '2026-03-02', '2026-02-28'];
    const made = [];
    for (const detectedAt of days) made.push(await seen([aoi], { detectedAt }));
    const expected = made
      .toSorted((a, b) => (a.detectedAt + a.id < b.detectedAt + b.id ? 1 : -1))
      .map(({ id }) => id);
    assert.deepEqual(await listed(aoi), expected);
    assert.deepEqual(await listed(aoi, { since: '2026-03-01' }), expected.slice(0, 3));
    assert.deepEqual(await listed(aoi, { since: '2026-03-02' }), expected.slice(0, 2));
    assert.deepEqual(await listed(aoi, { since: '2026-03-03' }), []);
  });

  test('lists can be filtered by status; a change confirmed today counts as published today', async () => {
    const aoi = await putAoi(world.storage, world.owner);
    const suspected = await seen([aoi], { status: 'suspected', confirmedAt: null, detectedAt: '2026-05-01' });
    const confirmed = await seen([aoi]);
    assert.deepEqual(await listed(aoi), [confirmed.id]);
    assert.deepEqual(await listed(aoi, { status: 'suspected' }), [suspected.id]);
    assert.deepEqual(await listed(aoi, { status: 'recovered' }), []);
    assert.deepEqual(new Set(await listed(aoi, { status: 'all' })), new Set([suspected.id, confirmed.id]));
    const longAgo = new Date(Date.now() - 30 * DAY_MS);
    await world.database.db
      .updateTable('aoi_changes')
      .set({ published_at: longAgo })
      .where('aoi_id', '=', aoi.id)
      .execute();
    const yesterday = new Date(Date.now() - DAY_MS);
    // A change that is linked again with the same status does not count as published again.
    await world.storage.changes.link(confirmed, [aoi]);
    assert.deepEqual(await listed(aoi, { publishedSince: yesterday }), []);
    const now = { ...suspected, status: 'confirmed', detectedAt: '2026-06-01' } as const;
    await world.storage.changes.update(now);
    await world.storage.changes.link(now, [aoi]);
    assert.deepEqual(await listed(aoi, { publishedSince: yesterday }), [suspected.id]);
    assert.deepEqual(await listed(aoi, { publishedSince: longAgo }), [confirmed.id, suspected.id]);
  });

  test('changes are counted by the filters of the list, up to a limit', async () => {
    const [aoi, other] = [
      await putAoi(world.storage, world.owner),
      await putAoi(world.storage, world.others[1]!),
    ];
    const suspected = { status: 'suspected', confirmedAt: null } as const;
    for (const detectedAt of ['2026-03-01', '2026-03-02', '2026-03-03'])
      await seen([aoi, other], { ...suspected, detectedAt });
    await seen([aoi]);
    const all = { aoiId: aoi.id, status: 'suspected', since: undefined, publishedSince: undefined } as const;
    const count = (filter: Partial<ChangeFilter>, most = 100, owner = world.owner) =>
      world.storage.changes.count(owner, { ...all, ...filter }, most);
    assert.equal(await count({}), 3);
    assert.equal(await count({ since: '2026-03-02' }), 2);
    assert.equal(await count({ publishedSince: new Date(Date.now() + DAY_MS) }), 0);
    assert.equal(await count({ status: 'confirmed' }), 1);
    assert.equal(await count({ status: 'all' }), 4);
    assert.equal(await count({}, 2), 2);
    assert.equal(await count({}, 100, world.others[1]), 0, 'the area of another account');
  });

  test('a change is unlinked from areas it no longer touches; it stays readable by id for 30 days after an area is deleted', async () => {
    const { storage, owner, database } = world;
    const [gone, stays, deleted] = [
      await putAoi(storage, owner),
      await putAoi(storage, owner),
      await putAoi(storage, owner),
    ];
    const change = await seen([gone, stays, deleted]);
    await storage.aois.remove(owner, deleted.id);
    await storage.changes.link(change, [stays]);
    assert.deepEqual(await listed(gone), []);
    assert.deepEqual(await listed(stays), [change.id]);
    await storage.aois.remove(owner, stays.id);
    const after = await storage.changes.find(owner, change.id);
    assert.deepEqual(after?.aoiIds, [], 'deleted areas are not told');
    // The change is published again, now without any area, so that only its links to deleted areas are left.
    await storage.changes.link(change, []);
    assert.ok(await storage.changes.find(owner, change.id));
    const before30Days = new Date(Date.now() - 30 * DAY_MS - 1000);
    await database.db
      .updateTable('aois')
      .set({ deleted_at: before30Days })
      .where('deleted_at', 'is not', null)
      .execute();
    assert.equal(await storage.changes.find(owner, change.id), undefined);
  });

  test('overlapping changes are those of the environment, from collections that the account may read', async () => {
    const { storage, owner, others } = world;
    const privateTo = async (accountId: string | null, environment: 'production' | 'sandbox') => {
      const collection = collectionRecord({ accountId, environment });
      await storage.collections.create(collection);
      const change = changeRecord(collection.id, { environment, geometry: square(-100, 10, 0.01) });
      await storage.changes.insert(change);
      return change.id;
    };
    const shared = await privateTo(null, 'production');
    const ours = await privateTo(owner.accountId, 'production');
    await privateTo(others[1]!.accountId, 'production');
    await privateTo(null, 'sandbox');
    const under = await storage.changes.overlapping(owner, [-100.005, 10, -99.9, 10.1]);
    assert.deepEqual(under.map(({ id }) => id).toSorted(), [shared, ours].toSorted());
    assert.deepEqual(await storage.changes.overlapping(owner, [-101, 10, -100.1, 10.1]), []);
  });
});
