import assert from 'node:assert/strict';
import { test } from 'node:test';
import { meetsBox } from './area-in-box.ts';
import type { Bbox } from './bbox.ts';
import type { AreaGeometry, Ring } from './polygon.ts';
import { prepareArea } from './prepared-area.ts';

const rectangle = (west: number, south: number, east: number, north: number): Ring => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];
const triangle: AreaGeometry = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [10, 0],
      [0, 10],
      [0, 0],
    ],
  ],
};
const ringed: AreaGeometry = {
  type: 'Polygon',
  coordinates: [rectangle(0, 0, 9, 9), rectangle(3, 3, 6, 6).toReversed()],
};

test('the box around an area is not the area', () => {
  assert.equal(meetsBox(triangle, [8, 8, 10, 10]), false);
  assert.equal(meetsBox(triangle, [4, 4, 10, 10]), true);
});

test('a box inside, around, in a hole, with no size, and on a corner', () => {
  assert.equal(meetsBox(ringed, [1, 1, 2, 2]), true);
  assert.equal(meetsBox(ringed, [-5, -5, 20, 20]), true);
  assert.equal(meetsBox(ringed, [4, 4, 5, 5]), false);
  assert.equal(meetsBox(ringed, [4, 4, 7, 5]), true);
  assert.equal(meetsBox(ringed, [1, 1, 1, 1]), true);
  assert.equal(meetsBox(ringed, [4, 4, 4, 4]), false);
  assert.equal(meetsBox(ringed, [9, 9, 10, 10]), true);
  assert.equal(meetsBox(ringed, [9.01, 9, 10, 10]), false);
});

test('a box across the antimeridian', () => {
  const west: AreaGeometry = { type: 'Polygon', coordinates: [rectangle(-180, 0, -179, 1)] };
  assert.equal(meetsBox(west, [179, 0, 181, 1]), true);
  assert.equal(meetsBox(west, [179, 0, 179.5, 1]), false);
});

test('the same answers as the test of two areas, for stars and boxes by chance', () => {
  let seed = 7;
  const next = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
  let met = 0;
  for (let round = 0; round < 3000; round++) {
    const corners = 3 + Math.floor(next() * 9);
    const shell = Array.from({ length: corners }, (_, i): [number, number] => {
      const [turn, reach] = [(i / corners) * 2 * Math.PI, 1 + 9 * next()];
      return [reach * Math.cos(turn), reach * Math.sin(turn)];
    });
    const star: AreaGeometry = { type: 'Polygon', coordinates: [[...shell, shell[0]!]] };
    const [west, south] = [20 * next() - 10, 20 * next() - 10];
    const box: Bbox = [west, south, west + 4 * next() + 0.01, south + 4 * next() + 0.01];
    const other = prepareArea({ type: 'Polygon', coordinates: [rectangle(...box)] });
    const meets = meetsBox(star, box);
    assert.equal(meets, prepareArea(star).intersects(other), JSON.stringify({ star, box }));
    if (meets) met++;
  }
  assert.ok(met > 500 && met < 2500, `${met} met`);
});
