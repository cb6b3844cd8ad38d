import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grid } from '../../geo/grid.ts';
import { planChip, sampledPixels } from './chip-window.ts';

const grid = (over: Partial<Grid> = {}): Grid => ({
  crs: 'EPSG:32633',
  proj4: '+proj=utm +zone=33 +datum=WGS84 +units=m',
  width: 1000,
  height: 1000,
  transform: [500_000, 10, 0, 5_000_000, 0, -10],
  ...over,
});

test('a change lies in the middle of its window, with as much ground around it', () => {
  const { window, size, widthM, pixelM } = planChip(grid(), [500 * 1000 + 480, 40]);
  assert.deepEqual(window, { col: 456, row: 457, width: 88, height: 88 });
  assert.deepEqual(size, { width: 528, height: 528 });
  assert.ok(Math.abs(widthM - 880) < 3 && Math.abs(pixelM - 10) < 0.05);
});

test('a window at the edge of the grid is moved onto it, and a grid that is smaller is shown whole', () => {
  assert.deepEqual(planChip(grid(), [0, 1]).window, { col: 0, row: 0, width: 32, height: 32 });
  assert.deepEqual(planChip(grid({ width: 5, height: 7 }), [34, 1]).window, {
    col: 0,
    row: 0,
    width: 5,
    height: 7,
  });
});

test('of a large change pixels are left out, so that the picture stays small', () => {
  const { window, size } = planChip(grid(), [0, 900_000]);
  assert.deepEqual(window, { col: 0, row: 0, width: 1000, height: 1000 });
  assert.deepEqual(size, { width: 512, height: 512 });
});

test('of a change that is larger than a picture may read, the middle is shown', () => {
  const { window, size } = planChip(grid({ width: 10_980, height: 10_980 }), [0, 10_980 * 10_980]);
  assert.deepEqual(window, { col: 4466, row: 4466, width: 2048, height: 2048 });
  assert.deepEqual(size, { width: 512, height: 512 });
});

test('pixels that are narrow on the ground are drawn narrow', () => {
  // At 60 degrees north a degree of longitude is half as long as one of latitude.
  const { size } = planChip(grid({ crs: 'EPSG:4326', proj4: '', transform: [10, 0.001, 0, 60, 0, -0.001] }), [
    10 * 1000 + 10,
    1,
  ]);
  assert.deepEqual(size, { width: 32 * 8, height: 32 * 16 });
});

test('pixels of the change and of the ground around it are looked at, each once', () => {
  const runs = [500 * 1000 + 480, 40];
  const pixels = sampledPixels(grid(), planChip(grid(), runs).window, runs, 16);
  const within = pixels.filter((pixel) => pixel >= 500_480 && pixel < 500_520);
  assert.ok(within.length >= 16 && pixels.length >= 30 && new Set(pixels).size === pixels.length);
});
