import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { newId } from '../../src/base/ids.ts';
import { changeRecord, collectionRecord, putAoi, putCollection } from '../fixtures/records.ts';
import { assertNoServerError, contractWorld, type World } from './world.ts';

interface Card {
  readonly model_version: string;
  readonly method: string;
  readonly experience?: readonly { readonly collection: { readonly id: string } }[];
}

describe('the card of changes in GET /v1/models', () => {
  let world: World;
  before(async () => {
    world = await contractWorld();
  });
  after(() => assertNoServerError(world));

  const cardFor = async (key: string): Promise<Card> => {
    const answer = await world.service.call('/v1/models', { key });
    assert.equal(answer.status, 200, answer.text);
    return answer.json()['change'] as Card;
  };

  test('it says what came of the confirmed changes in the areas of the caller, and of no others', async () => {
    const { storage } = world.backstage;
    const collection = collectionRecord();
    await putCollection(world.backstage, collection, []);
    await storage.collections.putScenes(collection.id, [
      {
        id: newId('scene'),
        key: 'a',
        href: 'a.tif',
        observedAt: new Date('2026-01-10T10:00:00Z'),
        sha256: 'a',
        clearFraction: 1,
      },
    ]);
    const aoi = await putAoi(storage, world.owner);
    for (const over of [
      { confirmedAt: '2024-01-01' },
      { confirmedAt: '2025-01-10' },
      { confirmedAt: '2025-01-11' },
      { status: 'recovered', confirmedAt: '2024-01-01' },
      { status: 'rejected', confirmedAt: '2024-01-01', confidence: 0 },
    ] as const) {
      const change = changeRecord(collection.id, over);
      await storage.changes.insert(change);
      await storage.changes.link(change, [aoi]);
    }
    const card = await cardFor(world.key);
    assert.match(card.model_version, /^change-v\d+\.\d+\.\d+$/);
    assert.ok(card.method.length > 0);
    assert.deepEqual(
      card.experience!.filter(({ collection: { id } }) => id === collection.id),
      [
        {
          collection: { id: collection.id, name: collection.name, metric: 'ndvi' },
          type: 'vegetation_loss',
          baseline: 'harmonic',
          claims: 5,
          stood: 2,
          passed: 1,
          taken_back: 1,
          young: 1,
        },
      ],
    );
    for (const key of [world.strangerKey, world.sandboxKey])
      assert.deepEqual((await cardFor(key)).experience, []);
  });

  test('a credential without changes:read gets the card without experience', async () => {
    const card = await cardFor(world.poorKey);
    assert.deepEqual(Object.keys(card).toSorted(), ['method', 'model_version', 'smallest']);
  });
});
