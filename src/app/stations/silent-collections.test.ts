import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NOW, pointsIngest, type PointsIngestFixture } from '../../../test/fixtures/points-ingest.ts';
import { newId } from '../../base/ids.ts';
import { HOUR_MS } from '../../base/time.ts';
import { silentCollections } from './silent-collections.ts';

describe('silent collections', () => {
  let fixture: PointsIngestFixture;
  before(async () => {
    fixture = await pointsIngest();
  });
  after(() => fixture.close());

  test('a live collection that falls silent is listed; a historical record is not', async () => {
    const [live, past] = [newId('collection'), newId('collection')];
    const text = (last: number): string =>
      `datetime,temperature\n${Array.from({ length: 48 }, (_, h) => `${new Date(last - (47 - h) * HOUR_MS).toISOString()},1`).join('\n')}\n`;
    await fixture.ingest(text(NOW - HOUR_MS), { collection: live });
    await fixture.ingest(text(Date.UTC(1978, 11, 31)), { collection: past });
    const silentAt = async (now: number): Promise<string[]> =>
      (await silentCollections({ storage: fixture.world.storage, clock: { now: () => now } }))
        .map(({ collection }) => collection.name)
        .filter((name) => name === live || name === past);
    assert.deepEqual(await silentAt(NOW + 2 * HOUR_MS), []);
    assert.deepEqual(await silentAt(NOW + 4 * HOUR_MS), [live]);
    await fixture.ingest(text(NOW + 3 * HOUR_MS), { collection: live, now: NOW + 4 * HOUR_MS });
    assert.deepEqual(await silentAt(NOW + 4 * HOUR_MS), []);
  });
});
