import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Collection } from '../../src/client/index.ts';
import { collectionsIn, sceneToShow } from './shown-collections.ts';

const collection = (
  metric: string,
  bounds: readonly [number, number, number, number],
  last_at: string | null = '2026-01-01T00:00:00Z',
) => ({ id: `${metric} ${last_at}`, metric, bounds: [...bounds], last_at }) as unknown as Collection;

test('collections in view are sorted by how well they show the ground, then by their last scene', () => {
  const found = collectionsIn(
    [10, 40, 11, 41],
    [
      collection('displacement', [9, 39, 12, 42]),
      collection('ndvi', [9, 39, 12, 42], '2025-01-01T00:00:00Z'),
      collection('ndvi', [9, 39, 12, 42]),
      collection('ndvi', [11.5, 39, 12, 42]), // beside the view
      collection('evi', [9, 39, 12, 42], null), // without a scene
    ],
  );
  assert.deepEqual(
    found.map(({ id }) => id),
    ['ndvi 2026-01-01T00:00:00Z', 'ndvi 2025-01-01T00:00:00Z', 'displacement 2026-01-01T00:00:00Z'],
  );
});

test('a view and a collection across the antimeridian meet, in either form', () => {
  const fiji = [collection('ndvi', [179, -18, 181, -16])];
  assert.equal(collectionsIn([179.5, -17, -179.5, -16.5], fiji).length, 1);
  assert.equal(collectionsIn([-179.9, -17, -179.5, -16.5], fiji).length, 1);
  assert.equal(collectionsIn([-178, -17, -177, -16.5], fiji).length, 0);
});

test('the scene shown first is the last clear one, or the first since a time', () => {
  const scenes = [
    { datetime: '2026-01-01T00:00:00Z', clear_fraction: 1 },
    { datetime: '2026-01-11T00:00:00Z', clear_fraction: 0.95 },
    { datetime: '2026-01-21T00:00:00Z', clear_fraction: 0.2 },
  ];
  assert.equal(sceneToShow(scenes, undefined), 1);
  assert.equal(sceneToShow(scenes, '2026-01-02'), 1);
  assert.equal(sceneToShow(scenes, '2026-02-02'), 2);
  assert.equal(sceneToShow(scenes.slice(2), undefined), 0);
  assert.equal(sceneToShow([], undefined), -1);
});
