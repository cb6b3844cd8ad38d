import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bboxOf } from './bbox.ts';
import type { AreaGeometry } from './polygon.ts';
import { accepted, box, pointInArea, polygon, refused, shape } from '../../test/fixtures/area-checks.ts';

test('a ring that crosses 180 is cut there', () => {
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

test('parts that are already cut at 180 (RFC 7946, section 3.1.9) stay unchanged', () => {
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

test('a ring that crosses 180 three times on its way round the pole is cut correctly', () => {
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

test('a wide box is read as it is written; other rings that would be strips at the antimeridian are refused', () => {
  const world = box(-179.9, -60, 179.9, 60);
  const message = /at most 180 degrees of longitude, got one of 359.8 \(.*add positions between/;
  refused(polygon(world), 'coordinates[0][0]', message);
  refused(polygon(world.toReversed()), 'coordinates[0][1]', message);
  for (const [west, south, east, north] of [
    [-175, -60, 175, 60],
    [-170, -60, 170, 75],
    [-170, 40, 170, 55],
    [-100, 0, 81, 1],
  ] as const) {
    const lat = (south + north) / 2;
    for (let from = 0; from < 4; from++) {
      const corners = box(west, south, east, north).slice(0, 4);
      const ring = [...corners.slice(from), ...corners.slice(0, from + 1)];
      const area = accepted(polygon(ring));
      assert.equal(area.type, 'Polygon');
      assert.deepEqual(bboxOf(area), [west, south, east, north]);
      assert.ok(pointInArea(area, [0, lat]) && !pointInArea(area, [180, lat]));
    }
  }
  // With west above east a box crosses the antimeridian (RFC 7946, 5.2), and so it does written as a ring.
  // Of small boxes at the antimeridian the direction does not matter.
  for (const ring of [box(170, 40, -170, 55), box(177, 40, -178, 46), box(-178, 40, 177, 46)]) {
    const crossing = accepted(polygon(ring));
    assert.ok(pointInArea(crossing, [180, 45]) && !pointInArea(crossing, [0, 45]));
  }
});

test('positions between give the wide area, and a tall area at the antimeridian is cut as before', () => {
  const wide = [
    [-179.9, -60],
    [0, -60],
    [179.9, -60],
    [179.9, 60],
    [0, 60],
    [-179.9, 60],
    [-179.9, -60],
  ];
  assert.ok(pointInArea(accepted(polygon(wide)), [10, 0]));
  const fiji = [
    [177, -21],
    [-179, -21],
    [-179, -12],
    [177, -12],
    [177, -21],
  ];
  for (const ring of [fiji, fiji.map(([lng, lat]) => [lng!, lat! > -20 ? -15 : -21]).toReversed()])
    assert.equal(accepted(polygon(ring)).type, 'MultiPolygon');
});
