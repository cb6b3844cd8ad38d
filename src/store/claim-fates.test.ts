import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { changeRecord, collectionRecord, putAoi } from '../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../test/fixtures/storage.ts';
import { newId } from '../base/ids.ts';
import type { Aoi } from '../app/areas/aoi-store.ts';
import type { ClaimFates, NewChange } from '../app/changes/change-store.ts';
import type { Owner } from '../app/owner.ts';
import type { Collection } from '../app/series/collection-store.ts';

const REJECTED = { status: 'rejected', confidence: 0 } as const;

describe('what came of the claims that an account sees', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  /** A collection whose last scene is of this day. */
  async function collectionUntil(day: string, over: Partial<Collection> = {}): Promise<Collection> {
    const collection = collectionRecord(over);
    await world.storage.collections.create(collection);
    const scene = { href: 'a.tif', sha256: 'a', clearFraction: 1 };
    await world.storage.collections.putScenes(
      collection.id,
      ['2024-01-01', day].map((date) => ({
        ...scene,
        id: newId('scene'),
        key: date,
        observedAt: new Date(`${date}T10:00:00Z`),
      })),
    );
    return collection;
  }
  async function put(
    { id }: Collection,
    aois: readonly Aoi[],
    over: Partial<NewChange> = {},
  ): Promise<NewChange> {
    const change = changeRecord(id, over);
    await world.storage.changes.insert(change);
    await world.storage.changes.link(change, aois);
    return change;
  }
  const newOwner = async (): Promise<Owner> => ({
    accountId: (await world.storage.accounts.create(crypto.randomUUID())).id,
    environment: 'production',
  });
  /** Asks as requests do, through a connection that is bound to the owner. */
  const fates = (owner: Owner, most = 100): Promise<readonly ClaimFates[]> =>
    world.storage.boundTo(owner).changes.fates(owner, most);

  test('a claim stood if it is confirmed a year before the last scene; others passed, were taken back or are young', async () => {
    const owner = await newOwner();
    const aois = [await putAoi(world.storage, owner)];
    const collection = await collectionUntil('2026-03-15', { name: 'forest' });
    for (const confirmedAt of ['2024-06-01', '2025-01-01', '2025-03-15'])
      await put(collection, aois, { confirmedAt });
    for (const confirmedAt of ['2025-03-16', '2026-03-01']) await put(collection, aois, { confirmedAt });
    await put(collection, aois, {
      status: 'recovered',
      confirmedAt: '2024-06-01',
      recoveredAt: '2024-11-01',
    });
    for (const confirmedAt of ['2024-06-01', null])
      await put(collection, aois, { ...REJECTED, confirmedAt, toldAs: 'confirmed' });
    // Suspected again after its confirmation.
    await put(collection, aois, { status: 'suspected', confirmedAt: null, toldAs: 'confirmed' });
    // Never confirmed.
    await put(collection, aois, { status: 'suspected', confirmedAt: null, toldAs: 'suspected' });
    await put(collection, aois, { ...REJECTED, confirmedAt: null, toldAs: 'withdrawn' });
    // Its ground counts as part of another change now.
    const merged = changeRecord(collection.id);
    await put(collection, aois, {
      ...REJECTED,
      versions: [{ ...merged.versions[0]!, ...REJECTED, id: merged.id }],
    });
    assert.deepEqual(await fates(owner), [
      {
        collection: { id: collection.id, name: 'forest', metric: 'ndvi' },
        type: 'vegetation_loss',
        baseline: 'harmonic',
        claims: 9,
        stood: 3,
        passed: 1,
        takenBack: 2,
        young: 3,
      },
    ]);
  });

  test('collections, types and kinds of baseline are counted apart', async () => {
    const owner = await newOwner();
    const aois = [await putAoi(world.storage, owner)];
    const collection = await collectionUntil('2028-01-01', { name: 'a' });
    const other = await collectionUntil('2026-09-01', { name: 'b' });
    const { provenance } = changeRecord(collection.id);
    await put(collection, aois);
    await put(collection, aois, { type: 'burn' });
    await put(collection, aois, { provenance: { ...provenance, baseline: { kind: 'neighbourhood' } } });
    await put(other, aois);
    const found = await fates(owner);
    assert.deepEqual(
      found.map(({ collection: { name }, type, baseline, stood, young }) => [
        name,
        type,
        baseline,
        stood,
        young,
      ]),
      [
        ['a', 'burn', 'harmonic', 1, 0],
        ['a', 'vegetation_loss', 'harmonic', 1, 0],
        ['a', 'vegetation_loss', 'neighbourhood', 1, 0],
        ['b', 'vegetation_loss', 'harmonic', 0, 1],
      ],
    );
  });

  test('the baseline follows when a later run states the change from another one', async () => {
    const owner = await newOwner();
    const aois = [await putAoi(world.storage, owner)];
    const change = await put(await collectionUntil('2028-01-01'), aois);
    const baseline = { kind: 'neighbourhood' };
    await world.storage.changes.update({ ...change, provenance: { ...change.provenance, baseline } });
    assert.deepEqual(
      (await fates(owner)).map((one) => one.baseline),
      ['neighbourhood'],
    );
  });

  test('an account counts what its own areas show: each change once, and nothing of others', async () => {
    const [owner, stranger, nobody] = [await newOwner(), await newOwner(), await newOwner()];
    const own = [await putAoi(world.storage, owner), await putAoi(world.storage, owner)];
    const theirs = await putAoi(world.storage, stranger);
    const elsewhere: Owner = { ...owner, environment: 'sandbox' };
    const collection = await collectionUntil('2028-01-01');
    await put(collection, [...own, theirs]);
    for (let i = 0; i < 3; i++) await put(collection, [theirs]);
    const claims = async (who: Owner) => (await fates(who)).map((one) => one.claims);
    assert.deepEqual(await claims(owner), [1]);
    assert.deepEqual(await claims(stranger), [4]);
    assert.deepEqual(await claims(nobody), []);
    assert.deepEqual(await claims(elsewhere), []);
    // The areas of an account do not make a collection of another account readable.
    const hidden = await collectionUntil('2028-01-01', { accountId: stranger.accountId });
    await put(hidden, [...own, theirs]);
    assert.deepEqual(await claims(owner), [1]);
    assert.deepEqual(new Set(await claims(stranger)), new Set([1, 4]));
  });

  test('changes of a deleted area no longer count', async () => {
    const owner = await newOwner();
    const aoi = await putAoi(world.storage, owner);
    await put(await collectionUntil('2028-01-01'), [aoi]);
    assert.equal((await fates(owner)).length, 1);
    await world.storage.aois.remove(owner, aoi.id);
    assert.deepEqual(await fates(owner), []);
  });

  test('no more changes are looked at than asked for, newest first', async () => {
    const owner = await newOwner();
    const aois = [await putAoi(world.storage, owner), await putAoi(world.storage, owner)];
    const collection = await collectionUntil('2028-01-01');
    await put(collection, aois, { status: 'recovered' });
    await put(collection, aois);
    await put(collection, aois);
    const [all] = await fates(owner);
    assert.deepEqual([all!.stood, all!.passed], [2, 1]);
    const [newest] = await fates(owner, 2);
    assert.deepEqual([newest!.stood, newest!.passed], [2, 0]);
  });
});
