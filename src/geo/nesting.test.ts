import { test } from 'node:test';
import { accepted, box, polygon, refused } from '../../test/fixtures/area-checks.ts';

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

test('holes may touch at a point unless they split the inside', () => {
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

test('parts may touch at points and lie in holes, but their interiors may not overlap', () => {
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
