import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gridCoverage, groundResolutionM, isUpright } from './grid-coverage.ts';
import { type Grid, mapGrid } from './grid.ts';
import { projectionDefinition } from './projection.ts';

function grid(crs: string, transform: Grid['transform'], width: number, height: number): Grid {
  const proj4 = crs.includes('+proj=') ? crs : projectionDefinition(crs);
  return { width, height, crs, proj4, transform };
}

test('the box of an upright geographic grid is that of its corners, also bottom-up, across the antimeridian or global', () => {
  assert.deepEqual(gridCoverage(grid('EPSG:4326', [5, 0.5, 0, 48, 0, -0.5], 4, 3)), [5, 46.5, 7, 48]);
  assert.deepEqual(gridCoverage(grid('EPSG:4326', [5, 0.5, 0, 46.5, 0, 0.5], 4, 3)), [5, 46.5, 7, 48]);
  assert.deepEqual(gridCoverage(grid('EPSG:4326', [178, 1, 0, 1, 0, -1], 4, 2)), [178, -1, 182, 1]);
  assert.deepEqual(gridCoverage(grid('EPSG:4326', [190, 1, 0, 1, 0, -1], 4, 2)), [-170, -1, -166, 1]);
  for (const west of [-180, 0, -225]) {
    const size = west === -225 ? 90 : 45;
    const columns = west === -225 ? 5 : 8;
    const whole = grid('EPSG:4326', [west, size, 0, 90, 0, -45], columns, 4);
    assert.deepEqual(gridCoverage(whole), [-180, -90, 180, 90]);
  }
});

test('a projected grid covers every pixel corner of its edge, and little more', () => {
  const cases: readonly [string, Grid['transform'], number, number][] = [
    ['EPSG:32633', [400_000, 100, 0, 5_800_000, 0, -100], 500, 700],
    // A grid across the antimeridian, where UTM zone 60 ends: x = 833978.557 m on the equator.
    ['EPSG:32660', [570_585, 1000, 0, 5_847_615, 0, -1000], 233, 236],
    ['EPSG:3035', [2_500_000, 10_000, 0, 5_500_000, 0, -10_000], 400, 400],
    ['EPSG:3857', [-20_037_508, 20_000, 0, 15_000_000, 0, -20_000], 500, 700],
  ];
  for (const [crs, transform, width, height] of cases) {
    const g = grid(crs, transform, width, height);
    const [west, south, east, north] = gridCoverage(g);
    let [least, most, lowest, highest] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i <= 1000; i++) {
      for (const [col, row] of [
        [(i / 1000) * width, 0],
        [(i / 1000) * width, height],
        [0, (i / 1000) * height],
        [width, (i / 1000) * height],
      ] as const) {
        const [lng, lat] = mapGrid(g).toLngLat(col, row);
        const lap = lng < west - 1e-9 ? lng + 360 : lng;
        assert.ok(lap >= west && lap <= east && lat >= south && lat <= north, `${crs}: ${lng}, ${lat}`);
        [least, most] = [Math.min(least, lap), Math.max(most, lap)];
        [lowest, highest] = [Math.min(lowest, lat), Math.max(highest, lat)];
      }
    }
    assert.ok(east - west <= (most - least) * 1.003 && north - south <= (highest - lowest) * 1.003, crs);
  }
});

test('the box of a grid that contains a pole spans all longitudes up to it', () => {
  const south = grid('EPSG:3031', [-3_000_000, 10_000, 0, 3_000_000, 0, -10_000], 600, 600);
  const [west, bottom, east, top] = gridCoverage(south);
  assert.deepEqual([west, bottom, east], [-180, -90, 180]);
  // The corners of the grid are at 52.3171 degrees south, according to gdaltransform 3.6.2.
  assert.ok(top >= -52.3171 && top < -52.2);
});

test('the box of a grid that extends off the globe contains the part on it', () => {
  const sinusoidal = '+proj=sinu +lon_0=0 +x_0=0 +y_0=0 +a=6371007.181 +b=6371007.181 +units=m +no_defs';
  // MODIS tile h08v03: its north-west corner is not on Earth.
  const tile = grid(sinusoidal, [-11_119_505, 4633, 0, 6_671_703, 0, -4633], 240, 240);
  const [west, south, east, north] = gridCoverage(tile);
  for (const [lng, lat] of [
    [-179.9, 56.4],
    [-130.6, 50.1],
    [-155.6, 50.1],
    [-179.9, 59.9],
  ] as const) {
    const inside = mapGrid(tile).pixelAt([lng, lat]) !== null;
    const lap = lng < west ? lng + 360 : lng;
    if (inside) assert.ok(lap >= west && lap <= east && lat >= south && lat <= north, `${lng}, ${lat}`);
  }
  assert.ok(north > 59.9 && south < 50.1);
});

test('ground resolution: equator degrees on geographic grids, metres at the middle of others', () => {
  // 5 arc-minutes are 9,276.6 m at the equator.
  assert.equal(groundResolutionM(grid('EPSG:4326', [-180, 1 / 12, 0, 90, 0, -1 / 12], 4320, 2160)), 9280);
  // A northern DEM with pixels 2 arc-seconds wide and 1 high: on the ground, the height is the longer side.
  assert.equal(groundResolutionM(grid('EPSG:4326', [10, 2 / 3600, 0, 61, 0, -1 / 3600], 1800, 3600)), 30.9);
  assert.equal(groundResolutionM(grid('EPSG:32633', [500_000, 10, 0, 5_000_000, 0, -10], 100, 100)), 10);
  // At 60 degrees north (y = 8,399,738 m) Mercator doubles lengths; the parallel of the ellipsoid is 0.25 % longer
  // than that of a sphere.
  assert.equal(groundResolutionM(grid('EPSG:3857', [0, 100, 0, 8_399_738 + 5000, 0, -100], 100, 100)), 50.1);
});

test('upright and rotated grids are distinguished', () => {
  assert.ok(isUpright(grid('EPSG:4326', [0, 1, 1e-9, 0, 0, -1], 2, 2)));
  assert.ok(!isUpright(grid('EPSG:4326', [0, 1, 0.01, 0, 0.01, -1], 2, 2)));
  assert.ok(!isUpright(grid('EPSG:4326', [0, 0, 1, 0, 1, 0], 2, 2)));
});
