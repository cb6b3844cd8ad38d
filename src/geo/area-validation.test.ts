import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateArea } from './area-validation.ts';
import type { AreaGeometry } from './polygon.ts';
import { pointInArea } from './prepared-area.ts';

type Pairs = readonly (readonly number[])[];

function polygon(...coordinates: readonly Pairs[]): unknown {
  return { type: 'Polygon', coordinates };
}

function box(west: number, south: number, east: number, north: number): number[][] {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

function accepted(geometry: unknown): AreaGeometry {
  const result = validateArea(geometry);
  assert.ok(result.ok, JSON.stringify(result));
  return result.area;
}

/** Rings without regard to where they start, parts without regard to their order. */
function shape(area: AreaGeometry): string[] {
  const parts = area.type === 'Polygon' ? [area.coordinates] : area.coordinates;
  return parts.map((rings) => JSON.stringify(rings.map((ring) => ring.slice(1).map(String).sort()))).sort();
}

function refused(geometry: unknown, path: string, message: RegExp): void {
  const result = validateArea(geometry);
  assert.ok(!result.ok, 'expected a problem');
  assert.equal(result.problem.path, path);
  assert.match(result.problem.message, message);
}

test('a valid polygon comes back wound as RFC 7946 asks, whichever way it was given', () => {
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

test('wrong form is refused with its place', () => {
  refused(null, '', /got null/);
  refused('POLYGON', '', /got "POLYGON"/);
  refused([], '', /got an array of 0/);
  refused(
    { type: 'Point', coordinates: [0, 0] },
    'type',
    /expected "Polygon" or "MultiPolygon", got "Point"/,
  );
  refused({ type: 'Polygon' }, 'coordinates', /got nothing/);
  refused(polygon(), 'coordinates', /got an empty array/);
  refused(polygon([]), 'coordinates[0]', /got an empty array/);
  refused({ type: 'MultiPolygon', coordinates: [[box(0, 0, 1, 1)], []] }, 'coordinates[1]', /empty array/);
  refused({ type: 'Polygon', coordinates: [[0, 0]] }, 'coordinates[0][0]', /expected \[lng, lat\], got 0/);
  refused(
    polygon([
      [0, 0],
      [1, 0],
      [0, 0],
    ]),
    'coordinates[0]',
    /at least 4 positions.*got 3/,
  );
  refused(
    polygon([
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 1],
    ]),
    'coordinates[0][3]',
    /close.*\[0, 0\], got \[0, 1\]/,
  );
  refused(
    polygon([[0, 0], [1], [1, 1], [0, 0]]),
    'coordinates[0][1]',
    /expected \[lng, lat\], got an array of 1/,
  );
  refused(
    polygon([
      [0, 0],
      [1, NaN],
      [1, 1],
      [0, 0],
    ]),
    'coordinates[0][1][1]',
    /finite number, got NaN/,
  );
  refused(
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          ['1', 0],
        ],
        [],
        [],
      ],
    },
    'coordinates[0]',
    /at least 4/,
  );
  refused(
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          ['1', 0],
          [1, 1],
          [0, 0],
        ],
      ],
    },
    'coordinates[0][1][0]',
    /got "1"/,
  );
  refused(
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, null],
          [1, 1],
          [0, 0],
        ],
      ],
    },
    'coordinates[0][1][1]',
    /null/,
  );
  refused(polygon(box(0, 0, 181, 1)), 'coordinates[0][1][0]', /longitude in \[-180, 180\], got 181/);
  refused(polygon(box(0, 0, 1, 90.5)), 'coordinates[0][2][1]', /latitude in \[-90, 90\], got 90.5/);
});

test('10,000 vertices are accepted, 10,001 are not; what closes a ring is no other vertex', () => {
  const circle = (vertices: number, radius = 10): number[][] => {
    const ring = Array.from({ length: vertices }, (_, i) => {
      const angle = (2 * Math.PI * i) / vertices;
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    });
    return [...ring, ring[0]!];
  };
  accepted(polygon(circle(10_000)));
  accepted(polygon(circle(9_900), circle(100, 5).toReversed()));
  refused(polygon(circle(10_001)), 'coordinates', /at most 10000 vertices in all, .* got 10001/);
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

test('a crossing is named by its segments and its place', () => {
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

test('a ring that touches itself or runs along itself is refused', () => {
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

test('holes lie inside their shell, side by side', () => {
  const shell = box(0, 0, 10, 10);
  accepted(polygon(shell, box(1, 1, 2, 2), box(3, 3, 4, 4)));
  refused(
    polygon(shell, box(11, 1, 12, 2)),
    'coordinates[1]',
    /inside its shell coordinates\[0\], got one outside/,
  );
  refused(polygon(shell, box(-1, -1, 11, 11)), 'coordinates[1]', /got one outside/);
  refused(
    polygon(shell, box(9, 1, 12, 2)),
    'coordinates[0][1]',
    /crosses segment 0 .* of coordinates\[1\] at \[10, 1\]/,
  );
  refused(
    polygon(shell, box(1, 1, 5, 5), box(2, 2, 3, 3)),
    'coordinates[2]',
    /side by side.*coordinates\[1\]/,
  );
  refused(
    polygon(shell, box(2, 2, 3, 3), box(1, 1, 5, 5)),
    'coordinates[2]',
    /side by side.*coordinates\[1\]/,
  );
  refused(polygon(shell, box(0, 1, 2, 2)), 'coordinates[0][3]', /runs along/);
  refused(polygon(shell, box(1, 1, 2, 2), box(1, 1, 2, 2)), 'coordinates[1][0]', /runs along/);
});

test('holes may touch at a point, unless the inside falls apart', () => {
  const shell = box(0, 0, 10, 10);
  accepted(
    polygon(shell, [
      [0, 5],
      [2, 4],
      [2, 6],
      [0, 5],
    ]),
  );
  accepted(
    polygon(
      shell,
      [
        [2, 2],
        [4, 2],
        [4, 4],
        [2, 2],
      ],
      [
        [4, 4],
        [6, 4],
        [6, 6],
        [4, 4],
      ],
    ),
  );
  refused(
    polygon(shell, [
      [0, 5],
      [5, 4],
      [10, 5],
      [5, 6],
      [0, 5],
    ]),
    'coordinates[1]',
    /inside in one piece/,
  );
  refused(
    polygon(
      shell,
      [
        [0, 5],
        [5, 4],
        [5, 6],
        [0, 5],
      ],
      [
        [5, 5],
        [10, 5],
        [7, 7],
        [5, 5],
      ],
    ),
    'coordinates[2]',
    /one piece/,
  );
});

test('a hole that touches its shell from outside is refused', () => {
  const notched = [
    [0, 0],
    [10, 0],
    [10, 10],
    [5, 5],
    [0, 10],
    [0, 0],
  ];
  refused(
    polygon(notched, [
      [5, 5],
      [6, 9],
      [4, 9],
      [5, 5],
    ]),
    'coordinates[1]',
    /outside/,
  );
});

test('parts may touch at points and lie in holes, but share no inside', () => {
  const multi = (...parts: unknown[]): unknown => ({ type: 'MultiPolygon', coordinates: parts });
  accepted(multi([box(0, 0, 1, 1)], [box(1, 1, 2, 2)]));
  accepted(multi([box(0, 0, 10, 10), box(2, 2, 8, 8)], [box(3, 3, 4, 4)]));
  accepted(
    multi(
      [box(0, 0, 10, 10), box(2, 2, 8, 8)],
      [
        [
          [2, 5],
          [5, 2],
          [8, 5],
          [5, 8],
          [2, 5],
        ],
      ],
    ),
  );
  refused(multi([box(0, 0, 10, 10)], [box(3, 3, 4, 4)]), 'coordinates[1]', /overlaps coordinates\[0\]/);
  refused(multi([box(3, 3, 4, 4)], [box(0, 0, 10, 10)]), 'coordinates[1]', /overlaps coordinates\[0\]/);
  refused(multi([box(0, 0, 2, 2)], [box(1, 1, 3, 3)]), 'coordinates[0][0][2]', /crosses .* at \[1, 2\]/);
  refused(multi([box(0, 0, 2, 2)], [box(2, 0, 3, 2)]), 'coordinates[0][0][1]', /runs along/);
  refused(multi([box(170, 0, 180, 10)], [box(175, 2, -175, 8)]), 'coordinates[1]', /overlaps/);
});

test('a ring that jumps across 180 is cut there', () => {
  const expected: AreaGeometry = {
    type: 'MultiPolygon',
    coordinates: [
      [
        [
          [-180, 0],
          [-179, 0],
          [-179, 2],
          [-180, 2],
          [-180, 0],
        ],
      ],
      [
        [
          [180, 2],
          [179, 2],
          [179, 0],
          [180, 0],
          [180, 2],
        ],
      ],
    ],
  };
  const jumping = [
    [179, 0],
    [-179, 0],
    [-179, 2],
    [179, 2],
    [179, 0],
  ];
  assert.deepEqual(shape(accepted(polygon(jumping))), shape(expected));
  assert.deepEqual(shape(accepted(polygon([...jumping].reverse()))), shape(expected));
  const bothSides = [
    [179, 0],
    [180, 0],
    [-180, 0],
    [-179, 0],
    [-179, 2],
    [-180, 2],
    [180, 2],
    [179, 2],
    [179, 0],
  ];
  assert.deepEqual(shape(accepted(polygon(bothSides))), shape(expected));
});

test('a ring that only reaches 180 stays in one piece, written as 180 or as -180', () => {
  assert.deepEqual(accepted(polygon(box(170, 0, 180, 10))), {
    type: 'Polygon',
    coordinates: [box(170, 0, 180, 10)],
  });
  const written = accepted(
    polygon([
      [170, 0],
      [-180, 0],
      [-180, 10],
      [170, 10],
      [170, 0],
    ]),
  );
  assert.ok(written.type === 'Polygon');
  assert.deepEqual(
    new Set(written.coordinates[0]!.map(String)),
    new Set(['170,0', '180,0', '180,10', '170,10']),
  );
});

test('parts cut as RFC 7946 asks (section 3.1.9) stay as they are', () => {
  const cut = { type: 'MultiPolygon', coordinates: [[box(170, 40, 180, 50)], [box(-180, 40, -170, 50)]] };
  assert.deepEqual(accepted(cut), cut);
});

test('holes across 180 are cut with their shell', () => {
  const area = accepted(
    polygon(
      [
        [170, 0],
        [-170, 0],
        [-170, 10],
        [170, 10],
        [170, 0],
      ],
      [
        [175, 2],
        [-175, 2],
        [-175, 8],
        [175, 8],
        [175, 2],
      ],
      box(171, 1, 172, 2),
      box(-172, 1, -171, 2),
    ),
  );
  const inside = [
    [173, 5],
    [-173, 5],
    [180, 1],
    [-180, 9],
    [180, 9.5],
  ];
  const outside = [
    [180, 5],
    [-179, 5],
    [176, 4],
    [171.5, 1.5],
    [-171.5, 1.5],
    [169, 5],
    [0, 5],
  ];
  for (const [lng, lat] of inside) assert.ok(pointInArea(area, [lng!, lat!]), `${lng} ${lat}`);
  for (const [lng, lat] of outside) assert.ok(!pointInArea(area, [lng!, lat!]), `${lng} ${lat}`);
});

test('a ring round a pole encloses the nearer pole, whichever way it runs', () => {
  for (const sign of [1, -1]) {
    const ring = [
      [0, 60],
      [90, 70],
      [180, 60],
      [-90, 70],
      [0, 60],
    ].map(([lng, lat]) => [lng!, lat! * sign]);
    for (const given of [ring, [...ring].reverse()]) {
      const area = accepted(polygon(given));
      assert.equal(area.type, 'Polygon');
      for (const lng of [-180, -135, -45, 0, 100, 180]) {
        assert.ok(pointInArea(area, [lng, 80 * sign]), `${lng}`);
        assert.ok(pointInArea(area, [lng, 90 * sign]), `${lng}`);
        assert.ok(!pointInArea(area, [lng, 59 * sign]), `${lng}`);
        assert.ok(!pointInArea(area, [lng, -90 * sign]), `${lng}`);
      }
      accepted(area);
    }
  }
});

test('a ring round a pole with a hole round the pole', () => {
  const round = (lat: number): number[][] => [
    [0, lat],
    [120, lat],
    [-120, lat],
    [0, lat],
  ];
  const area = accepted(polygon(round(-60), round(-80)));
  for (const lng of [-180, -60, 0, 60, 180]) {
    assert.ok(pointInArea(area, [lng, -70]), `${lng}`);
    assert.ok(!pointInArea(area, [lng, -85]), `${lng}`);
    assert.ok(!pointInArea(area, [lng, -50]), `${lng}`);
  }
  refused(polygon(round(-80), round(-60)), 'coordinates[1]', /outside/);
  refused(polygon(box(0, -70, 10, -60), round(-80)), 'coordinates[1]', /outside|round a pole/);
});

test('a ring that passes 180 three times on its way round the pole is cut right', () => {
  const ring = [
    [0, 60],
    [170, 60],
    [-170, 62],
    [-170, 64],
    [170, 66],
    [170, 68],
    [-170, 70],
    [-90, 60],
    [0, 60],
  ];
  const area = accepted(polygon(ring));
  for (const [lng, lat] of [
    [175, 63],
    [180, 62],
    [-175, 63],
    [180, 69.5],
    [-165, 72],
    [0, 75],
  ] as const) {
    assert.ok(pointInArea(area, [lng, lat]), `${lng} ${lat}`);
  }
  for (const [lng, lat] of [
    [-165, 63],
    [180, 60.5],
    [180, 66.9],
    [180, 68],
    [-175, 68],
    [0, 59],
  ] as const) {
    assert.ok(!pointInArea(area, [lng, lat]), `${lng} ${lat}`);
  }
  accepted(area);
});

test('edges along a pole are accepted as drawn (Antarctica) and as crossing 180', () => {
  const antarctica = [
    [-180, -90],
    [180, -90],
    [180, -84],
    [90, -66],
    [0, -70],
    [-90, -75],
    [-180, -84],
    [-180, -90],
  ];
  assert.deepEqual(accepted(polygon(antarctica)), { type: 'Polygon', coordinates: [antarctica] });
  assert.deepEqual(accepted(polygon(box(-180, -90, 180, 90))), {
    type: 'Polygon',
    coordinates: [box(-180, -90, 180, 90)],
  });
  const wedge = accepted(
    polygon([
      [170, -80],
      [170, -90],
      [-170, -90],
      [-170, -80],
      [170, -80],
    ]),
  );
  assert.ok(
    pointInArea(wedge, [180, -85]) && pointInArea(wedge, [175, -85]) && !pointInArea(wedge, [0, -85]),
  );
});

/** Every pair of edges, by naive arithmetic: fine for random coordinates. */
function crossesByBruteForce(ring: Pairs): boolean {
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

test('crossings are found exactly where every pair of edges says so (random rings)', () => {
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
