import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AreaGeometry } from './polygon.ts';
import { boundsOfSearch, meetsSearch, readSearchGeometry, type SearchGeometry } from './search-geometry.ts';

const box = (west: number, south: number, east: number, north: number): [number, number][] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];
const area: AreaGeometry = { type: 'Polygon', coordinates: [box(0, 0, 10, 10), box(4, 4, 6, 6).reverse()] };
const read = (value: unknown): SearchGeometry => {
  const geometry = readSearchGeometry(value);
  assert.ok(!('path' in geometry), JSON.stringify(geometry));
  return geometry;
};

test('each type of geometry meets an area where they share a point', () => {
  for (const [geometry, meets] of [
    [{ type: 'Point', coordinates: [1, 1] }, true],
    [{ type: 'Point', coordinates: [10, 3] }, true], // on an edge
    [{ type: 'Point', coordinates: [5, 5, 100] }, false], // in the hole
    [
      {
        type: 'MultiPoint',
        coordinates: [
          [20, 20],
          [9, 9],
        ],
      },
      true,
    ],
    [
      {
        type: 'LineString',
        coordinates: [
          [-1, 5],
          [11, 5],
        ],
      },
      true,
    ],
    [
      {
        type: 'LineString',
        coordinates: [
          [-1, 11],
          [11, 11],
        ],
      },
      false,
    ],
    [
      {
        type: 'LineString',
        coordinates: [
          [4.5, 5],
          [5.5, 5],
        ],
      },
      false,
    ],
    [
      {
        type: 'MultiLineString',
        coordinates: [
          [
            [20, 0],
            [21, 0],
          ],
          [
            [1, 1],
            [2, 2],
          ],
        ],
      },
      true,
    ],
    [{ type: 'Polygon', coordinates: [box(10, 10, 12, 12)] }, true], // a corner
    [{ type: 'Polygon', coordinates: [box(4.5, 4.5, 5.5, 5.5)] }, false],
    [{ type: 'Polygon', coordinates: [box(-5, -5, 15, 15)] }, true], // around it
    [{ type: 'Polygon', coordinates: [box(1, 1, 2, 2)] }, true],
    [{ type: 'MultiPolygon', coordinates: [[box(20, 20, 21, 21)], [box(9, 9, 21, 11)]] }, true],
    [{ type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [3, 3] }] }, true],
  ] as const)
    assert.equal(meetsSearch(area, read(geometry)), meets, JSON.stringify(geometry));
});

test('a line and a polygon go the short way over the antimeridian', () => {
  const east: AreaGeometry = { type: 'Polygon', coordinates: [box(178, 0, 180, 2)] };
  const west: AreaGeometry = { type: 'Polygon', coordinates: [box(-180, 0, -178, 2)] };
  const line = read({
    type: 'LineString',
    coordinates: [
      [179, 1],
      [-179, 1],
    ],
  });
  const polygon = read({ type: 'Polygon', coordinates: [box(179, 0.5, -179, 1.5)] });
  for (const geometry of [line, polygon]) {
    assert.ok(meetsSearch(east, geometry) && meetsSearch(west, geometry));
    assert.ok(!meetsSearch(area, geometry));
    const [left, , right] = boundsOfSearch(geometry);
    assert.deepEqual([left, right], [179, 181]);
  }
});

test('what is no geometry is refused by the place of the fault', () => {
  const many = Array.from({ length: 1001 }, () => [0, 0]);
  for (const [geometry, path] of [
    [null, 'type'],
    [{ type: 'Circle' }, 'type'],
    [{ type: 'Point' }, 'coordinates'],
    [{ type: 'Point', coordinates: [181, 0] }, 'coordinates'],
    [{ type: 'Point', coordinates: ['1', 0] }, 'coordinates'],
    [
      {
        type: 'MultiPoint',
        coordinates: [
          [0, 0],
          [0, 91],
        ],
      },
      'coordinates[1]',
    ],
    [{ type: 'MultiPoint', coordinates: many }, 'coordinates[1000]'],
    [{ type: 'LineString', coordinates: [[0, 0]] }, 'coordinates'],
    [
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 1],
            [0, 0],
          ],
        ],
      },
      'coordinates[0]',
    ],
    [
      { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [] }] },
      'geometries[0].coordinates',
    ],
    [{ type: 'GeometryCollection', geometries: [] }, 'geometries'],
  ] as const) {
    const refused = readSearchGeometry(geometry);
    assert.ok('path' in refused, JSON.stringify(geometry).slice(0, 80));
    assert.equal(refused.path, path, refused.message);
  }
  let nested: unknown = { type: 'Point', coordinates: [0, 0] };
  for (let i = 0; i < 100; i++) nested = { type: 'GeometryCollection', geometries: [nested] };
  assert.ok('path' in readSearchGeometry(nested));
});
