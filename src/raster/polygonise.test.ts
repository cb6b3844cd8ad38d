import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateArea } from '../geo/area-validation.ts';
import { type Grid, mapGrid } from '../geo/grid.ts';
import { outlineArea, type PixelPolygon } from '../geo/pixel-outline.ts';
import type { AreaGeometry } from '../geo/polygon.ts';
import { prepareArea } from '../geo/prepared-area.ts';
import { simplifyArea } from '../geo/simplify.ts';
import { componentPixels } from '../../test/oracles/components.ts';
import { paddedMask } from '../../test/fixtures/padded-mask.ts';
import { outlineObjects, polygonisePixels } from './polygonise.ts';

/** Degrees per pixel: a power of two, so that pixel corners stay exact. */
const STEP = 1 / 64;

function mask(...rows: string[]): Uint8Array {
  return Uint8Array.from(rows.join(''), (character) => (character === '#' ? 1 : 0));
}

function noise(seed: number, count: number, share: number): Uint8Array {
  let state = seed;
  return Uint8Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 < share ? 1 : 0;
  });
}

function asGeometry(polygons: readonly PixelPolygon[]): unknown {
  return {
    type: 'MultiPolygon',
    coordinates: polygons.map((rings) =>
      rings.map((ring) => {
        const closed = Array.from({ length: ring.length / 2 }, (_, i) => [
          ring[2 * i]! * STEP,
          ring[2 * i + 1]! * STEP,
        ]);
        return [...closed, closed[0]!];
      }),
    ),
  };
}

function valid(polygons: readonly PixelPolygon[]): AreaGeometry {
  const result = validateArea(asGeometry(polygons));
  assert.ok(result.ok, JSON.stringify(result));
  return result.area;
}

/** Area of one polygon [pixels] by the shoelace formula, for any winding order. */
function pixelArea(polygon: PixelPolygon): number {
  const areas = polygon.map((ring) => {
    let sum = 0;
    for (let i = 0; i < ring.length; i += 2) {
      const j = (i + 2) % ring.length;
      sum += ring[i]! * ring[j + 1]! - ring[j]! * ring[i + 1]!;
    }
    return Math.abs(sum) / 2;
  });
  return areas.slice(1).reduce((rest, hole) => rest - hole, areas[0]!);
}

function hasCollinear(polygon: PixelPolygon): boolean {
  return polygon.some((ring) => {
    const size = ring.length / 2;
    for (let i = 0; i < size; i++) {
      const [a, b, c] = [i, (i + 1) % size, (i + 2) % size];
      const isStraight = (k: number): boolean =>
        ring[2 * a + k] === ring[2 * b + k] && ring[2 * b + k] === ring[2 * c + k];
      if (isStraight(0) || isStraight(1)) return true;
    }
    return false;
  });
}

test('the outline of one pixel is a square', () => {
  assert.deepEqual(polygonisePixels(Uint32Array.of(7), 5), [[Int32Array.of(2, 1, 2, 2, 3, 2, 3, 1)]]);
});

test('pixels that touch at a corner are parts that touch at a point', () => {
  const [object, ...others] = outlineObjects(paddedMask(mask('#.', '.#'), 2, 2));
  assert.equal(others.length, 0);
  assert.equal(object!.length, 2);
  valid(object!);
});

test('a ring closed only by a corner encloses a hole that touches the shell', () => {
  const open = outlineObjects(paddedMask(mask('####', '#..#', '#...', '####'), 4, 4))[0]!;
  assert.deepEqual(
    open.map((rings) => rings.length),
    [1],
    'no hole while there is a gap',
  );
  const closed = outlineObjects(paddedMask(mask('.##', '#.#', '###'), 3, 3))[0]!;
  assert.deepEqual(
    closed.map((rings) => rings.length),
    [2],
    'shell and hole share the corner',
  );
  valid(closed);
});

test('holes that touch at corners, and an island between them, stay valid', () => {
  const rows = mask('#######', '#######', '###.###', '##.#.##', '###.###', '#######', '#######');
  const [object] = outlineObjects(paddedMask(rows, 7, 7));
  const area = valid(object!);
  assert.equal(object!.length, 2, 'the pixel in the middle is a part of its own');
  assert.ok(prepareArea(area).contains([3.5 * STEP, 3.5 * STEP]));
  assert.ok(!prepareArea(area).contains([2.5 * STEP, 3.5 * STEP]));
});

test('outlines of noisy masks are valid, without extra vertices, exact in area, and contain exactly their pixel centres', () => {
  for (let round = 0; round < 60; round++) {
    const [width, height] = [5 + (round % 40), 4 + ((round * 11) % 37)];
    const pixels = noise(round + 1, width * height, 0.1 + (round % 9) / 10);
    const objects = outlineObjects(paddedMask(pixels, width, height));
    const lists = componentPixels(pixels, width, height);
    assert.equal(objects.length, lists.length);
    for (const [i, polygons] of objects.entries()) {
      assert.equal(
        polygons.reduce((sum, polygon) => sum + pixelArea(polygon), 0),
        lists[i]!.length,
      );
      assert.ok(!polygons.some(hasCollinear));
      assert.deepEqual(polygonisePixels(lists[i]!, width), polygons, 'a set of pixels alone gives the same');
    }
    const prepared = prepareArea(valid(objects.flat()));
    for (let at = 0; at < pixels.length; at++) {
      const centre = [((at % width) + 0.5) * STEP, (Math.floor(at / width) + 0.5) * STEP] as const;
      assert.equal(prepared.contains(centre), pixels[at] === 1, `round ${round}, pixel ${at}`);
    }
  }
});

test('outlines of noisy masks on the ground are valid and contain their pixels, across 180, round a pole and elsewhere', () => {
  const grids: readonly [crs: string, transform: Grid['transform']][] = [
    ['EPSG:32633', [495000, 10, 0, 5105000, 0, -10]],
    ['EPSG:32760', [760000, 500, 0, 6200000, 0, -500]],
    ['EPSG:4326', [179.25, 1 / 32, 0, 10, 0, -1 / 32]],
    ['EPSG:3031', [-240000, 10000, 0, 240000, 0, -10000]],
    ['EPSG:3413', [-245000, 10000, 0, 240000, 0, -10000]],
  ];
  const SIZE = 48;
  for (let round = 0; round < 30; round++) {
    const [crs, transform] = grids[round % grids.length]!;
    const grid: Grid = { width: SIZE, height: SIZE, crs, proj4: '', transform };
    const pixels = noise(round + 900, SIZE * SIZE, 0.15 + ((round * 7) % 10) / 12);
    const area = outlineArea(outlineObjects(paddedMask(pixels, SIZE, SIZE)).flat(), grid);
    const checked = validateArea({ ...area, type: 'MultiPolygon' });
    // The outline of a noisy mask may have more vertices than `validateArea` allows. No other problem may occur.
    if (!checked.ok) assert.match(checked.problem.message, /at most 10000 positions/);
    const simple = validateArea(simplifyArea(area, 600));
    assert.ok(simple.ok, JSON.stringify(simple));
    const prepared = prepareArea(area);
    const map = mapGrid(grid);
    for (let at = 0; at < pixels.length; at++) {
      const [lng, lat] = map.pixelCentre(at);
      assert.equal(
        prepared.contains([lng > 180 ? lng - 360 : lng, lat]),
        pixels[at] === 1,
        `${crs} ${round} ${at}`,
      );
    }
  }
});

test('no pixels give no polygons; pixels out of order are refused', () => {
  assert.deepEqual(polygonisePixels(new Uint32Array(0), 10), []);
  assert.deepEqual(outlineObjects(paddedMask(new Uint8Array(4), 2, 2)), []);
  assert.throws(() => polygonisePixels(Uint32Array.of(3, 3), 10), RangeError);
  assert.throws(() => polygonisePixels(Uint32Array.of(4, 3), 10), RangeError);
});
