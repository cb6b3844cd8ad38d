import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectionRecord } from '../../../test/fixtures/records.ts';
import { testApp } from '../../../test/fixtures/test-app.ts';
import type { ListedCollection } from '../../app/series/collection-store.ts';
import type { Storage } from '../../app/storage.ts';

test('the box of a collection across the antimeridian: east beyond 180 in the list, west above east in STAC', async () => {
  // Taveuni in Fiji lies on both sides.
  const fiji: ListedCollection = {
    ...collectionRecord({ bounds: [179.8, -17, 180.2, -16.6] }),
    firstAt: new Date('2024-01-01T00:00:00Z'),
    lastAt: new Date('2024-06-01T00:00:00Z'),
    hasColours: false,
  };
  const found = { items: [fiji], next: undefined };
  const collections = { readable: () => Promise.resolve(found) };
  await using app = await testApp({ storage: { collections } as unknown as Storage });
  const listed = await app.call({ url: '/v1/collections' });
  assert.equal(listed.status, 200, listed.text);
  const [item] = listed.json()['collections'] as [{ bounds: number[] }];
  assert.deepEqual(item.bounds, [179.8, -17, 180.2, -16.6]);
  const stac = await app.call({ url: '/stac/collections' });
  assert.equal(stac.status, 200, stac.text);
  const [described] = stac.json()['collections'] as [{ extent: { spatial: { bbox: number[][] } } }];
  const [west, south, east, north] = described.extent.spatial.bbox[0]!;
  assert.deepEqual([west, south, north], [179.8, -17, -16.6]);
  assert.ok(Math.abs(east! + 179.8) < 1e-9, `east ${east}`);
});
