import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Grid, mapGrid } from '../geo/grid.ts';
import { planResampling } from './resample.ts';

const UTM = (width: number, height: number, x: number, y: number, pixelM: number): Grid => ({
  width,
  height,
  crs: 'EPSG:32633',
  proj4: '+proj=utm +zone=33 +datum=WGS84 +units=m +no_defs',
  transform: [x, pixelM, 0, y, 0, -pixelM],
});
const NONE = Number.NaN;

/** Plans a resampling and fills its window with `value` at each column and row of the source. */
function windowOf(source: Grid, target: Grid, value: (col: number, row: number) => number) {
  const plan = planResampling(source, target)!;
  const { col, row, width, height } = plan.window;
  const samples = Float32Array.from({ length: width * height }, (_, i) => {
    const [c, r] = [col + (i % width), row + Math.floor(i / width)];
    return c >= 0 && r >= 0 && c < source.width && r < source.height ? value(c, r) : NONE;
  });
  return { plan, samples };
}

test('finer pixels are averaged; of classes the one at the centre is taken', () => {
  const fine = UTM(8, 8, 500_000, 5_000_000, 10);
  const coarse = UTM(2, 2, 500_020, 4_999_980, 20);
  const { plan, samples } = windowOf(fine, coarse, (col, row) => 10 * row + col);
  // The first coarse pixel contains columns 2 and 3 of rows 2 and 3, with the values 22, 23, 32, 33.
  assert.deepEqual([...plan.apply(samples, 'values')], [27.5, 29.5, 47.5, 49.5]);
  assert.deepEqual([...plan.apply(samples, 'classes')], [33, 35, 53, 55]);
});

test('the mean is missing if one of its pixels is', () => {
  const fine = UTM(4, 4, 500_000, 5_000_000, 10);
  const coarse = UTM(2, 2, 500_000, 5_000_000, 20);
  const { plan, samples } = windowOf(fine, coarse, (col, row) => (col === 3 && row === 3 ? NONE : 1));
  assert.deepEqual([...plan.apply(samples, 'values')], [1, 1, 1, NONE]);
});

test('coarser pixels are repeated, and pixels beyond the source are missing', () => {
  const coarse = UTM(2, 2, 500_000, 5_000_000, 20);
  const fine = UTM(4, 1, 500_020, 5_000_000, 10);
  const { plan, samples } = windowOf(coarse, fine, (col, row) => 10 * row + col);
  assert.deepEqual([...plan.apply(samples, 'values')], [1, 1, NONE, NONE]);
});

test('rows of the source itself are not copied, and of a part of it only the pixels within are taken', () => {
  const source = UTM(6, 5, 500_000, 5_000_000, 10);
  const { plan, samples } = windowOf(source, source, (col, row) => 10 * row + col);
  assert.equal(plan.apply(samples, 'values'), samples);
  const shifted = windowOf(source, UTM(4, 3, 500_040, 4_999_960, 10), (col, row) => 10 * row + col);
  assert.deepEqual(
    [...shifted.plan.apply(shifted.samples, 'classes')],
    [44, 45, NONE, NONE, ...Array.from({ length: 8 }, () => NONE)],
  );
  const between = windowOf(source, UTM(5, 4, 500_004, 4_999_996, 10), (col, row) => 10 * row + col);
  assert.equal(between.plan.window.width, 6);
  assert.deepEqual([...between.plan.apply(between.samples, 'values')].slice(0, 6), [0, 1, 2, 3, 4, 10]);
});

test('in another reference system each target pixel takes the source pixel at its centre', () => {
  const source = UTM(50, 50, 499_500, 5_000_500, 20);
  const target: Grid = {
    width: 4,
    height: 3,
    crs: 'EPSG:4326',
    proj4: '+proj=longlat +datum=WGS84 +no_defs',
    transform: [15, 0.0004, 0, 45.155, 0, -0.0004],
  };
  const [from, to] = [mapGrid(target), mapGrid(source)];
  const { plan, samples } = windowOf(source, target, (col, row) => 100 * row + col);
  const expected = Array.from({ length: 12 }, (_, i) => {
    const pixel = to.pixelAt(from.pixelCentre(i))!;
    return 100 * Math.floor(pixel / 50) + (pixel % 50);
  });
  assert.deepEqual([...plan.apply(samples, 'values')], expected);
  assert.equal(new Set(expected).size, 12);
});

test('grids that do not overlap have no resampling', () => {
  assert.equal(planResampling(UTM(4, 4, 500_000, 5_000_000, 10), UTM(4, 4, 600_000, 5_000_000, 10)), null);
});
