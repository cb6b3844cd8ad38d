import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countryFacts } from '../../src/risk/countries.ts';
import { mixClasses } from './class-mixing.ts';
import { countryAreas } from './countries.ts';
import { rasterCodes } from './country-raster.ts';
import type { GlobalGrid } from './global-grid.ts';

const square = (west: number, south: number, side: number): number[][][] => [
  [
    [west, south],
    [west, south + side],
    [west + side, south + side],
    [west + side, south],
    [west, south],
  ],
];

test('every country of the map is in the table, except Antarctica', () => {
  const codes = new Set(countryAreas().map(({ code }) => code));
  codes.delete(10);
  assert.ok(codes.size > 230, `${codes.size} countries`);
  for (const code of codes) assert.ok(countryFacts(code) !== undefined, `${code}`);
});

test('a raster of codes keeps islets, gives microstates their cells, and reaches over the shore', () => {
  const grid: GlobalGrid = { width: 360, height: 100, step: 1, west: -179.5, north: 49.5 };
  const codes = rasterCodes(
    grid,
    [
      { code: 1, polygons: [square(0, 0, 10)] },
      { code: 2, polygons: [square(30.1, 0.1, 0.2)] }, // an islet that holds no cell centre
      { code: 3, polygons: [square(5.45, 5.45, 0.6)] }, // an enclave of a third of a cell
      { code: 4, polygons: [square(179.2, 20.2, 0.7)] },
    ],
    150,
  );
  const at = (lat: number, lng: number): number =>
    codes[Math.floor(50 - lat) * 360 + (Math.floor(lng + 180) % 360)]!;
  assert.equal(at(0.5, 0.5), 1);
  assert.equal(at(9.5, 9.5), 1);
  assert.equal(at(9.5, 10.5), 1, 'over the shore');
  assert.equal(at(9.5, 12.5), 0, 'beyond the reach');
  assert.equal(at(0.5, 30.5), 2);
  assert.equal(at(5.5, 5.5), 3);
  assert.equal(at(7.5, 7.5), 1);
  assert.equal(at(20.5, -179.5), 4, 'over the antimeridian');
});

test('a mixed field is smooth, keeps its extremes inland, and reaches over the coast', () => {
  const grid: GlobalGrid = { width: 720, height: 41, step: 0.5, west: -179.75, north: 10 };
  const cell = (row: number, lng: number): number => row * 720 + Math.floor((lng + 180) / 0.5);
  // Class 1 from 0 to 10 E, class 2 from 10 to 20 E, sea elsewhere; class 3 does not vote.
  const classes = new Uint8Array(720 * 41);
  for (let row = 0; row < 41; row++) {
    classes.fill(1, cell(row, 0), cell(row, 10));
    classes.fill(2, cell(row, 10), cell(row, 20));
    classes.fill(3, cell(row, 100), cell(row, 101));
  }
  const valueOf = (code: number): number => [Number.NaN, 0, 1, Number.NaN][code]!;
  const field = mixClasses(grid, classes, valueOf, { sigmaKm: 60, reachKm: 200 });
  const row = 20;
  assert.ok(field[cell(row, 2)]! < 0.01 && field[cell(row, 18)]! > 0.99);
  // Between two cells of 55.6 km the Gaussian of 60 km passes at most 0.37 of the difference (normal distribution).
  for (let lng = 1; lng < 19; lng += 0.5) {
    const change = field[cell(row, lng + 0.5)]! - field[cell(row, lng)]!;
    assert.ok(change >= -1e-6 && change < 0.38, `${lng}: ${change}`);
  }
  assert.equal(field[cell(row, 21.4)], 1, '140 km over the coast');
  assert.ok(Number.isNaN(field[cell(row, 23)]!), 'beyond the reach');
  assert.ok(Number.isNaN(field[cell(row, 100.2)]!), 'a class that does not vote');
});
