import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateArea } from './area-validation.ts';
import { geodesicAreaM2 } from './area.ts';
import { type Grid, mapGrid } from './grid.ts';
import { gridBbox, gridFootprint, outlineArea, pixelAreaM2 } from './pixel-outline.ts';
import { type AreaGeometry, countVertices, polygonsOf } from './polygon.ts';
import { prepareArea } from './prepared-area.ts';

function grid(crs: string, width: number, height: number, transform: Grid['transform']): Grid {
  return { width, height, crs, proj4: '', transform };
}

function square(col: number, row: number, size: number): Int32Array {
  return Int32Array.of(col, row, col, row + size, col + size, row + size, col + size, row);
}

function valid(area: AreaGeometry): AreaGeometry {
  const result = validateArea(area);
  assert.ok(result.ok, JSON.stringify(result));
  assert.deepEqual(result.area, area, 'already in normal form');
  return area;
}

test('a square of UTM pixels keeps its area (the scale of UTM at 15 degrees east is .9996)', () => {
  const utm = grid('EPSG:32633', 1000, 1000, [495000, 10, 0, 5105000, 0, -10]);
  const area = valid(outlineArea([[square(490, 490, 20), square(495, 495, 2)]], utm));
  const expected = (400 - 4) * 100;
  assert.ok(
    Math.abs((geodesicAreaM2(area) * 0.9996 ** 2) / expected - 1) < 1e-4,
    'to the rounding of 1 cm in 200 m',
  );
  assert.equal(countVertices(area), 10);
  for (const at of polygonsOf(area).flat(2)) {
    for (const value of at) assert.equal(value, Number(value.toFixed(7)));
  }
  assert.ok(Math.abs(pixelAreaM2(utm) - 100 / 0.9996 ** 2) < 1e-4);
});

test('curved edges get vertices: pixel centres are in the outline exactly when they are in the square', () => {
  const utm = grid('EPSG:32633', 6000, 6000, [200000, 60, 0, 7200000, 0, -60]);
  const ring = square(200, 200, 5600);
  const area = valid(outlineArea([[ring]], utm));
  assert.ok(countVertices(area) > 5 && countVertices(area) < 200, `${countVertices(area)} vertices`);
  const prepared = prepareArea(area);
  const map = mapGrid(utm);
  for (let k = 200; k < 5800; k += 37) {
    assert.ok(
      prepared.contains(map.toLngLat(k + 0.5, 200.5)) && !prepared.contains(map.toLngLat(k + 0.5, 199.5)),
    );
    assert.ok(
      prepared.contains(map.toLngLat(200.5, k + 0.5)) && !prepared.contains(map.toLngLat(199.5, k + 0.5)),
    );
  }
});

test('pixels across 180 are cut there, on geographic and on projected grids', () => {
  const fiji = grid('EPSG:4326', 200, 100, [170, 0.1, 0, -10, 0, -0.1]);
  const area = valid(outlineArea([[square(95, 10, 10)]], fiji));
  assert.equal(polygonsOf(area).length, 2);
  assert.deepEqual(gridBbox(fiji), [170, -20, 190, -10]);
  const utm = grid('EPSG:32701', 400, 400, [100000, 1000, 0, 8200000, 0, -1000]);
  const outline = valid(outlineArea([[square(20, 20, 150)]], utm));
  assert.equal(polygonsOf(outline).length, 2);
  const prepared = prepareArea(outline);
  const map = mapGrid(utm);
  for (let row = 15; row < 180; row += 6) {
    for (let col = 15; col < 180; col += 6) {
      const isIn = col >= 20 && col < 170 && row >= 20 && row < 170;
      assert.equal(prepared.contains(map.toLngLat(col + 0.5, row + 0.5)), isIn, `${col} ${row}`);
    }
  }
});

test('the outline of pixels round the south pole (EPSG:3031) is closed along it', () => {
  const polar = grid('EPSG:3031', 200, 200, [-2000000, 20000, 0, 2000000, 0, -20000]);
  for (const polygons of [[[square(90, 90, 20)]], [[square(60, 60, 80), square(95, 95, 10)]]]) {
    const area = valid(outlineArea(polygons, polar));
    const prepared = prepareArea(area);
    const map = mapGrid(polar);
    const within = (ring: Int32Array, col: number, row: number): boolean =>
      col > ring[0]! && col < ring[4]! && row > ring[1]! && row < ring[5]!;
    for (let row = 55.5; row < 145; row += 2) {
      for (let col = 55.5; col < 145; col += 2) {
        const [shell, hole] = polygons[0]!;
        const isIn = within(shell!, col, row) && !(hole !== undefined && within(hole, col, row));
        assert.equal(prepared.contains(map.toLngLat(col, row)), isIn, `${col} ${row}`);
      }
    }
    assert.equal(prepared.contains([0, -90]), polygons[0]!.length === 1);
  }
});

test('the outline of pixels centred on a pole ends at the pole', () => {
  const era5 = grid('EPSG:4326', 1440, 721, [-0.125, 0.25, 0, 90.125, 0, -0.25]);
  const area = valid(outlineArea([[square(4, 0, 2)]], era5));
  assert.deepEqual(
    new Set(
      polygonsOf(area)
        .flat(2)
        .map(([, lat]) => lat),
    ),
    new Set([89.625, 90]),
  );
  assert.deepEqual(gridBbox(era5), [-180, -90, 180, 90]);
});

test('the footprint of a rotated grid, of a global grid and of a grid from 0 to 360 is correct', () => {
  const rotated = grid('EPSG:32633', 70, 50, [500000, 80, 60, 5100000, 60, -80]);
  const footprint = valid(gridFootprint(rotated));
  assert.ok(Math.abs((geodesicAreaM2(footprint) * 0.9996 ** 2) / (3500 * 10000) - 1) < 1e-4);
  assert.deepEqual(gridBbox(grid('EPSG:4326', 360, 180, [-180, 1, 0, 90, 0, -1])), [-180, -90, 180, 90]);
  assert.deepEqual(gridBbox(grid('EPSG:4326', 360, 120, [0, 1, 0, 60, 0, -1])), [-180, -60, 180, 60]);
  assert.deepEqual(gridBbox(grid('EPSG:4326', 340, 120, [-170, 1, 0, 60, 0, -1])), [-170, -60, 170, 60]);
});

test('pixels without a valid outline are refused', () => {
  const mercator = grid('EPSG:4326', 10, 10, [0, 1e-9, 0, 0, 0, -1e-9]);
  assert.throws(() => outlineArea([[square(0, 0, 1)]], mercator), RangeError);
  const beyond = grid('EPSG:4326', 10, 10, [0, 1, 0, 95, 0, -1]);
  assert.throws(() => outlineArea([[square(0, 0, 1)]], beyond), RangeError);
  const nowhere = grid('EPSG:3035', 10, 10, [1e9, 1, 0, 1e9, 0, -1]);
  assert.throws(() => outlineArea([[square(0, 0, 1)]], nowhere), RangeError);
});
