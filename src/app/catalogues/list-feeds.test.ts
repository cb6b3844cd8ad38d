import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { putAoi } from '../../../test/fixtures/records.ts';
import { testStorage, type TestStorage } from '../../../test/fixtures/storage.ts';
import { newId } from '../../base/ids.ts';
import { listFeeds } from './list-feeds.ts';

const feed = (name: string, environment: 'production' | 'sandbox', accountId: string | null) => ({
  id: newId('catalogue'),
  environment,
  accountId,
  name,
  url: `https://user:secret@stac.example/${name}?token=secret`,
  metrics: null,
  maxCloudShare: 0.8,
  isTrueColour: true,
  startsAt: new Date('2023-01-01T00:00:00Z'),
  everyMs: 86_400_000,
});

describe('feeds of an account', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  test('an account sees the feeds that serve it, with the state of its own areas only', async () => {
    const { storage, owner, others } = world;
    const { catalogues } = storage;
    const stranger = others[1]!;
    const shared = feed('shared', 'production', null);
    for (const one of [
      shared,
      feed('of-strangers', 'production', stranger.accountId),
      feed('of-another-environment', 'sandbox', null),
    ])
      assert.equal(await catalogues.create(one), true);
    const [first, second, third] = [
      await putAoi(storage, owner),
      await putAoi(storage, owner),
      await putAoi(storage, owner),
    ];
    const theirs = await putAoi(storage, stranger);
    const note = (aoiId: string, takenTo: string | null, askedAt: string, problem: string | null) =>
      catalogues.note(shared.id, {
        aoiId,
        takenTo: takenTo === null ? null : new Date(takenTo),
        askedAt: new Date(askedAt),
        problem,
      });
    await note(first.id, '2026-08-30T00:00:00Z', '2026-08-31T00:00:00Z', null);
    await note(second.id, '2026-08-20T00:00:00Z', '2026-08-31T06:00:00Z', 'the catalogue answered 503');
    await note(theirs.id, '2020-01-01T00:00:00Z', '2026-09-01T00:00:00Z', 'of somebody else');
    await note(third.id, null, '2026-08-29T00:00:00Z', 'the catalogue was not reached');

    const [only, ...more] = await listFeeds(storage, owner);
    assert.deepEqual(more, []);
    const { id, url, areas, areasServed, areasFailing, takenTo, askedAt, problem } = only!;
    assert.deepEqual(
      { id, url, areas, areasServed, areasFailing, problem },
      {
        id: shared.id,
        url: 'https://stac.example/shared',
        areas: 3,
        areasServed: 2,
        areasFailing: 2,
        problem: 'the catalogue answered 503',
      },
    );
    assert.deepEqual(
      [takenTo, askedAt],
      [new Date('2026-08-20T00:00:00Z'), new Date('2026-08-31T06:00:00Z')],
    );
  });
});
