import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateArea } from './area-validation.ts';
import type { AreaGeometry } from './polygon.ts';
import { accepted, box, polygon, refused } from '../../test/fixtures/area-checks.ts';

test('a valid polygon is returned with the winding of RFC 7946, whichever way it was given', () => {
  const hole = box(0.25, 0.25, 0.5, 0.5);
  const expected: AreaGeometry = {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [1, 0],
        [1, 1],
        [0, 1],
        [0, 0],
      ],
    ],
  };
  assert.deepEqual(accepted(polygon(box(0, 0, 1, 1))), expected);
  const clockwise = accepted(polygon(box(0, 0, 1, 1).reverse(), hole)) as { coordinates: number[][][] };
  const doubleArea = (ring: number[][]): number =>
    ring.slice(1).reduce((sum, b, i) => sum + ring[i]![0]! * b[1]! - b[0]! * ring[i]![1]!, 0);
  assert.equal(doubleArea(clockwise.coordinates[0]!), 2);
  assert.equal(doubleArea(clockwise.coordinates[1]!), -0.125);
});

test('rings without area are refused', () => {
  refused(
    polygon([
      [1, 1],
      [1, 1],
      [1, 1],
      [1, 1],
    ]),
    'coordinates[0]',
    /encloses an area/,
  );
  refused(
    polygon([
      [0, 0],
      [1, 1],
      [2, 2],
      [0, 0],
    ]),
    'coordinates[0]',
    /encloses an area/,
  );
  refused(
    polygon([
      [0, 0],
      [1, 0],
      [0, 0],
      [1, 0],
      [0, 0],
    ]),
    'coordinates[0]',
    /encloses an area/,
  );
});

test('repeated vertices, spikes and altitudes are dropped', () => {
  const ring = [
    [0, 0, 5],
    [0, 0, 5],
    [2, 0, 5],
    [4, 0, 5],
    [2, 0, 5],
    [2, 2, 5],
    [2, 3, 5],
    [2, 2, 5],
    [0, 2, 5],
    [0, 0, 5],
  ];
  assert.deepEqual(accepted(polygon(ring)), { type: 'Polygon', coordinates: [box(0, 0, 2, 2)] });
  const spikeAtStart = [
    [-3, 0],
    [2, 0],
    [2, 2],
    [0, 2],
    [0, 0],
    [-3, 0],
  ];
  assert.deepEqual(accepted(polygon(spikeAtStart)), {
    type: 'Polygon',
    coordinates: [
      [
        [2, 0],
        [2, 2],
        [0, 2],
        [0, 0],
        [2, 0],
      ],
    ],
  });
});

test('a crossing is reported with its segments and position', () => {
  refused(
    polygon([
      [0, 0],
      [2, 2],
      [2, 0],
      [0, 2],
      [0, 0],
    ]),
    'coordinates[0][0]',
    /segment 0 \(\[0, 0\] to \[2, 2\]\) crosses segment 2 \(\[2, 0\] to \[0, 2\]\) at \[1, 1\]/,
  );
  refused(
    {
      type: 'MultiPolygon',
      coordinates: [
        [box(0, 0, 1, 1)],
        [
          [
            [5, 5],
            [5, 5],
            [7, 7],
            [7, 5],
            [5, 7],
            [5, 5],
          ],
        ],
      ],
    },
    'coordinates[1][0][0]',
    /segment 0 .* crosses segment 3 .* at \[6, 6\]/,
  );
});

test('a ring that touches or overlaps itself is refused', () => {
  refused(
    polygon([
      [0, 0],
      [4, 0],
      [4, 4],
      [2, 0],
      [0, 4],
      [0, 0],
    ]),
    'coordinates[0][0]',
    /touches .* at \[2, 0\]/,
  );
  refused(
    polygon([
      [0, 0],
      [2, 2],
      [4, 0],
      [4, 4],
      [2, 2],
      [0, 4],
      [0, 0],
    ]),
    'coordinates[0][0]',
    /touches .* at \[2, 2\]/,
  );
  refused(
    polygon([
      [0, 0],
      [6, 0],
      [6, 3],
      [5, 3],
      [5, 0],
      [3, 0],
      [3, 3],
      [0, 3],
      [0, 0],
    ]),
    'coordinates[0][0]',
    /runs along/,
  );
});

/** Whether any two edges cross. Floating-point arithmetic is exact enough for random coordinates. */
function crossesByBruteForce(ring: readonly (readonly number[])[]): boolean {
  const side = (a: readonly number[], b: readonly number[], c: readonly number[]): number =>
    Math.sign((b[0]! - a[0]!) * (c[1]! - a[1]!) - (b[1]! - a[1]!) * (c[0]! - a[0]!));
  for (let i = 0; i + 1 < ring.length; i++) {
    for (let j = i + 2; j + 1 < ring.length; j++) {
      const [a, b, c, d] = [ring[i]!, ring[i + 1]!, ring[j]!, ring[j + 1]!];
      if (side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0) return true;
    }
  }
  return false;
}

test('crossings of random rings are found exactly when a test of every pair of edges finds one', () => {
  let state = 7;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  let crossing = 0;
  const ROUNDS = 600;
  for (let round = 0; round < ROUNDS; round++) {
    const count = 3 + Math.floor(random() * 40);
    const disorder = round % 3 === 0 ? 1 : 0.15 / count;
    const ring = Array.from({ length: count }, (_, i) => {
      const angle = 2 * Math.PI * ((i + 0.5) / count + (random() - 0.5) * 4 * disorder);
      const radius = 1 + random();
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    });
    ring.push(ring[0]!);
    const expected = crossesByBruteForce(ring);
    if (expected) crossing++;
    assert.equal(validateArea(polygon(ring)).ok, !expected, JSON.stringify(ring));
  }
  assert.ok(crossing > ROUNDS / 10 && crossing < (9 * ROUNDS) / 10, `${crossing} rings cross`);
});
