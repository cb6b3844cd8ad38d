import { test } from 'node:test';
import { accepted, box, polygon, refused } from '../../test/fixtures/area-checks.ts';

test('wrong syntax is refused with its place', () => {
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

test('10,000 vertices are accepted, 10,001 are not; the closing position of a ring does not count', () => {
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
