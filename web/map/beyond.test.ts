import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AreaGeometry } from './bounds.ts';
import { beyondText } from './beyond.ts';

/** A box of ten degrees of longitude. */
const box = (south: number, north: number): AreaGeometry => ({
  type: 'Polygon',
  coordinates: [
    [
      [20, south],
      [30, south],
      [30, north],
      [20, north],
      [20, south],
    ],
  ],
});

test('what the map shows needs no words, up to its last latitude', () => {
  for (const geometries of [[], [box(-85, 85)], [box(46, 47), box(-85.05, -84)]])
    assert.equal(beyondText(geometries), undefined);
});

test('what lies beyond the map is said, at both poles and also when only a part does', () => {
  for (const geometries of [[box(-89, -86)], [box(85.1, 90)], [box(-89, -86), box(86, 87)]])
    assert.match(beyondText(geometries)!, /^This lies beyond 85 degrees of latitude, where the map ends\./);
  for (const geometries of [[box(-86, -84)], [box(80, 86)], [box(46, 47), box(-89, -86)]])
    assert.match(beyondText(geometries)!, /^A part lies beyond 85 degrees of latitude, where the map ends/);
});
