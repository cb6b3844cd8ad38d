import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Grid, GridMap, mapGrid } from './grid.ts';

const WGS84 = '+proj=longlat +datum=WGS84 +no_defs';

function geographic(west: number, north: number, size: number, width: number, height: number): Grid {
  return { width, height, crs: 'EPSG:4326', proj4: WGS84, transform: [west, size, 0, north, 0, -size] };
}

test('a position is mapped to its pixel, and a pixel to its centre', () => {
  const map = mapGrid(geographic(5, 48, 0.5, 4, 3));
  assert.deepEqual(map.toLngLat(0, 0), [5, 48]);
  assert.deepEqual(map.pixelCentre(6), [6.25, 47.25]);
  assert.equal(map.pixelAt([6.25, 47.25]), 6);
  assert.equal(map.pixelAt([5, 48]), 0);
  assert.equal(map.pixelAt([7, 46.5]), 11, 'the far corner belongs to the last pixel');
  for (const at of [
    [4.999, 47],
    [7.001, 47],
    [6, 48.001],
    [6, 46.499],
  ] as const)
    assert.equal(map.pixelAt(at), null);
});

test('a grid across the antimeridian accepts longitudes of either sign', () => {
  const map = mapGrid(geographic(170, 10, 1, 20, 20));
  assert.equal(map.pixelAt([-175.5, 9.5]), 14);
  assert.equal(map.pixelAt([175.5, 9.5]), 5);
  assert.equal(map.pixelAt([180, 9.5]), 10);
  assert.equal(map.pixelAt([-180, 9.5]), 10);
  assert.equal(map.pixelAt([-169.5, 9.5]), null);
  assert.deepEqual(map.pixelCentre(14), [184.5, 9.5]);
});

test('a grid from 0 to 360 accepts western longitudes', () => {
  assert.equal(mapGrid(geographic(0, 90, 1, 360, 180)).pixelAt([-0.5, 89.5]), 359);
});

test('a rotated grid maps every pixel there and back', () => {
  const grid: Grid = {
    width: 7,
    height: 5,
    crs: 'EPSG:32633',
    proj4: '',
    transform: [500000, 8, 6, 5100000, 6, -8],
  };
  const map = mapGrid(grid);
  for (let i = 0; i < 35; i++) {
    const at = map.pixelCentre(i);
    assert.equal(map.pixelAt(at), i);
    const [col, row] = map.toPixel(at[0], at[1]);
    assert.ok(Math.abs(col - (i % 7) - 0.5) < 1e-6 && Math.abs(row - Math.floor(i / 7) - 0.5) < 1e-6);
  }
});

test('a grid that cannot be mapped is refused; the map of a grid is cached', () => {
  const grid = geographic(0, 1, 1, 1, 1);
  assert.equal(mapGrid(grid), mapGrid(grid));
  assert.throws(() => new GridMap({ ...grid, transform: [0, 1, 2, 0, 2, 4] }), RangeError);
  assert.throws(() => new GridMap({ ...grid, crs: 'EPSG:1', proj4: '' }), RangeError);
});
