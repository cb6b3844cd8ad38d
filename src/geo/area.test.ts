import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateArea } from './area-validation.ts';
import type { AreaGeometry, Ring } from './polygon.ts';
import { geodesicAreaM2 } from './area.ts';

/** Semi-major axis [m] and flattening of WGS84. */
const A = 6378137;
const F = 1 / 298.257223563;
/** Area of the ellipsoid [m2], Karney 2013. */
const WHOLE = 510065621724088.44;

function area(...coordinates: number[][][]): AreaGeometry {
  const result = validateArea({ type: 'Polygon', coordinates });
  assert.ok(result.ok, JSON.stringify(result));
  return result.area;
}

function near(actual: number, expected: number, tolerance: number): void {
  assert.ok(
    Math.abs(actual - expected) <= tolerance,
    `expected ${expected} within ${tolerance}, got ${actual}`,
  );
}

/** Area between the equator and a parallel, per radian of longitude [m2] (Snyder 1987, equation 3-12). */
function belt(lat: number): number {
  const e = Math.sqrt(F * (2 - F));
  const s = Math.sin((lat * Math.PI) / 180);
  const q = (1 - e * e) * (s / (1 - e * e * s * s) - Math.log((1 - e * s) / (1 + e * s)) / (2 * e));
  return (A * A * q) / 2;
}

/** A cell between two parallels. `steps` vertices along each parallel keep the geodesic edges close to it. */
function cell(west: number, south: number, east: number, north: number, steps: number): number[][] {
  const ring: number[][] = [];
  for (let i = 0; i <= steps; i++) ring.push([west + ((east - west) * i) / steps, south]);
  for (let i = 0; i < steps; i++) ring.push([east - ((east - west) * i) / steps, north]);
  return [...ring, [west, north], ring[0]!];
}

test('GeographicLib, test Planimeter0 (Karney): four published polygons', () => {
  const cases: [number[][], number][] = [
    [
      [
        [0, 89],
        [90, 89],
        [180, 89],
        [-90, 89],
        [0, 89],
      ],
      24952305678.0,
    ],
    [
      [
        [0, -89],
        [90, -89],
        [180, -89],
        [-90, -89],
        [0, -89],
      ],
      24952305678.0,
    ],
    [
      [
        [-1, 0],
        [0, -1],
        [1, 0],
        [0, 1],
        [-1, 0],
      ],
      24619419146.0,
    ],
    [
      [
        [0, 90],
        [0, 0],
        [90, 0],
        [0, 90],
      ],
      63758202715511.0,
    ],
  ];
  for (const [ring, expected] of cases) near(geodesicAreaM2(area(ring)), expected, 1);
});

test('cells of one degree have the area of the ellipsoid between their parallels', () => {
  for (const south of [0, 37, 45, 72, -60]) {
    const expected = (belt(south + 1) - belt(south)) * (Math.PI / 180);
    const got = geodesicAreaM2(area(cell(8, south, 9, south + 1, 2000)));
    near(got / expected, 1, 1e-10);
  }
});

test('hemispheres, the whole earth and a polar cap', () => {
  near(
    geodesicAreaM2(
      area([
        [-180, 0],
        [-90, 0],
        [0, 0],
        [90, 0],
        [180, 0],
        [180, 90],
        [-180, 90],
        [-180, 0],
      ]),
    ),
    WHOLE / 2,
    1e6,
  );
  near(
    geodesicAreaM2(
      area([
        [0, 0],
        [90, 0],
        [180, 0],
        [-90, 0],
        [0, 0],
      ]),
    ),
    WHOLE / 2,
    1e6,
  );
  near(
    geodesicAreaM2(
      area([
        [-180, -90],
        [180, -90],
        [180, 90],
        [-180, 90],
        [-180, -90],
      ]),
    ),
    WHOLE,
    1e6,
  );
  near(
    geodesicAreaM2(
      area([
        [0, -90],
        [180, -90],
        [180, 90],
        [0, 90],
        [0, -90],
      ]),
    ),
    WHOLE / 2,
    1e6,
  );
  const cap = geodesicAreaM2(
    area([
      [-180, -90],
      [180, -90],
      [180, -60],
      [-180, -60],
      [-180, -90],
    ]),
  );
  near(cap / (2 * Math.PI * (belt(90) - belt(60))), 1, 1e-3);
  const most = geodesicAreaM2(
    area([
      [-180, -60],
      [180, -60],
      [180, 90],
      [-180, 90],
      [-180, -60],
    ]),
  );
  near(most + cap, WHOLE, 1e6);
});

test('across 180 the area is that of the same ring elsewhere, and holes are subtracted', () => {
  const shifted = (lng: number): number[][] =>
    cell(-0.1, 50, 0.2, 50.3, 1).map(([x, y]) => [x! + lng > 180 ? x! + lng - 360 : x! + lng, y!]);
  near(geodesicAreaM2(area(shifted(180))) / geodesicAreaM2(area(shifted(20))), 1, 1e-5);
  const shell = cell(0, 0, 3, 3, 30);
  const hole = cell(1, 1, 2, 2, 30);
  near(geodesicAreaM2(area(shell, hole)), geodesicAreaM2(area(shell)) - geodesicAreaM2(area(hole)), 1);
});

test('the area of a 10 m pixel is correct to the square centimetre', () => {
  const d = 10 / 111319.49079327357; // length of 10 m along the equator [degrees]
  const expected = (belt(d) - belt(0)) * (d * (Math.PI / 180));
  near(
    geodesicAreaM2(
      area([
        [0, 0],
        [d, 0],
        [d, d],
        [0, d],
        [0, 0],
      ]),
    ),
    expected,
    1e-4,
  );
});

test('a ring that does not end where it begins is refused, not measured wrong', () => {
  const open = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ] as unknown as Ring;
  assert.throws(() => geodesicAreaM2({ type: 'Polygon', coordinates: [open] }), RangeError);
});
