import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drainTerrain, LEAVES, upstreamAreaKm2 } from './drainage.ts';
import type { Terrain } from './terrain.ts';

function terrain(
  width: number,
  height: number,
  at: (col: number, row: number) => number,
  cellM = 1000,
): Terrain {
  const heights = Float32Array.from({ length: width * height }, (_, i) =>
    at(i % width, Math.floor(i / width)),
  );
  const sizes = new Float64Array(height).fill(cellM);
  return { heights, width, height, cellWidthM: sizes, cellHeightM: sizes };
}

/** Seeded random numbers in [0, 1) (Numerical Recipes). */
function noise(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}

/** A rough surface with depressions and nodata. It has flat areas, because heights are whole metres. */
function rough(seed: number, width: number, height: number): Terrain {
  const random = noise(seed);
  return terrain(width, height, (col, row) => {
    if (random() < 0.02) return Number.NaN;
    return Math.round(20 + 8 * Math.sin(col / 3) * Math.cos(row / 4) + 4 * random());
  });
}

/**
 * Fills depressions by the definition, without a queue: starts with water of infinite height and lowers the surface
 * of each cell to that of its lowest neighbour, but not below the ground, until nothing changes.
 */
function filledByRelaxation({ heights, width, height }: Terrain): Float32Array {
  const isOpen = (col: number, row: number): boolean =>
    col < 0 || row < 0 || col >= width || row >= height || Number.isNaN(heights[row * width + col]!);
  const filled = heights.map((value, i) => {
    const [col, row] = [i % width, Math.floor(i / width)];
    for (let dy = -1; dy <= 1; dy++)
      for (let dx = -1; dx <= 1; dx++) if (isOpen(col + dx, row + dy)) return value;
    return Number.isNaN(value) ? value : Infinity;
  });
  for (let changed = true; changed;) {
    changed = false;
    for (let i = 0; i < filled.length; i++) {
      if (Number.isNaN(filled[i]!)) continue;
      const [col, row] = [i % width, Math.floor(i / width)];
      for (let dy = -1; dy <= 1; dy++) {
        for (let dx = -1; dx <= 1; dx++) {
          if (isOpen(col + dx, row + dy)) continue;
          const least = Math.max(heights[i]!, filled[(row + dy) * width + col + dx]!);
          if (least < filled[i]!) {
            filled[i] = least;
            changed = true;
          }
        }
      }
    }
  }
  return filled;
}

test('filling equals relaxation cell by cell (Planchon & Darboux 2001, without their slope), including flats and nodata', () => {
  for (const seed of [1, 2, 3, 4]) {
    const surface = rough(seed, 37, 29);
    assert.deepEqual(drainTerrain(surface).filled, filledByRelaxation(surface), `seed ${seed}`);
  }
});

test('every flow path ends at an edge, never rises, and has no loop', () => {
  for (const seed of [5, 6, 7]) {
    const surface = rough(seed, 41, 33);
    const { filled, receivers, order } = drainTerrain(surface);
    assert.equal(order.length, surface.heights.filter((value) => !Number.isNaN(value)).length);
    const seen = new Set<number>([LEAVES]);
    for (const cell of order) {
      const receiver = receivers[cell]!;
      assert.ok(seen.has(receiver), 'the receiver comes before');
      seen.add(cell);
      if (receiver === LEAVES) continue;
      assert.ok(filled[receiver]! <= filled[cell]!);
      const [dx, dy] = [(receiver % 41) - (cell % 41), Math.floor(receiver / 41) - Math.floor(cell / 41)];
      assert.ok(Math.abs(dx) <= 1 && Math.abs(dy) <= 1);
    }
  }
});

test('each cell drains along its steepest descent, diagonally only when that is steeper per metre', () => {
  // The cell east of the middle is 9 m lower, the cell south-east of it 12 m lower: slopes of 9/1000 and 12/1414.
  const east = terrain(
    5,
    5,
    (col, row) => 100 - (col === 3 && row === 2 ? 9 : 0) - (col === 3 && row === 3 ? 12 : 0),
  );
  const ringed = { ...east, heights: east.heights.map((value, i) => (i % 5 === 4 ? 50 : value)) };
  assert.equal(drainTerrain(ringed).receivers[2 * 5 + 2], 2 * 5 + 3);
  // With cells half as wide, the south-east cell is 1,118 m away and the east cell 500 m. The slope 9/500 is still
  // steeper than 12/1118, but less steep than 25/1118.
  const narrow = { ...ringed, cellWidthM: new Float64Array(5).fill(500) };
  assert.equal(drainTerrain(narrow).receivers[2 * 5 + 2], 2 * 5 + 3);
  narrow.heights[3 * 5 + 3] = 100 - 25;
  assert.equal(drainTerrain(narrow).receivers[2 * 5 + 2], 3 * 5 + 3);
});

test('water leaves a flat by the shortest path', () => {
  const { receivers } = drainTerrain(terrain(15, 9, (col, row) => (col === 0 && row === 4 ? 0 : 5)));
  for (let row = 1; row < 8; row++) {
    for (let col = 1; col < 14; col++) {
      let steps = 0;
      for (let cell = row * 15 + col; cell !== LEAVES; cell = receivers[cell]!) steps++;
      // Every border cell is an outlet. A shortest path has `toEdge` + 1 cells; one more is tolerated.
      const toEdge = Math.min(row, col, 8 - row, 14 - col);
      assert.ok(steps <= toEdge + 2, `${col}, ${row}: ${steps} steps`);
    }
  }
});

test('upstream area equals the number of cells whose flow path passes, followed cell by cell', () => {
  const surface = rough(8, 31, 27);
  const drainage = drainTerrain(surface);
  const areas = upstreamAreaKm2(surface, drainage);
  const passing = new Float64Array(areas.length);
  for (const [start, value] of surface.heights.entries()) {
    if (Number.isNaN(value)) continue;
    for (let cell = start; cell !== LEAVES; cell = drainage.receivers[cell]!) passing[cell]! += 1;
  }
  assert.deepEqual(areas, passing, 'cells of one km2');
});

test('the outlets together drain the whole area', () => {
  const surface = rough(9, 50, 40);
  const drainage = drainTerrain(surface);
  const areas = upstreamAreaKm2(surface, drainage);
  let out = 0;
  for (const cell of drainage.order) if (drainage.receivers[cell] === LEAVES) out += areas[cell]!;
  assert.equal(out, drainage.order.length);
});

test('rows of a geographic grid have their own cell areas', () => {
  const plane = terrain(3, 4, (_, row) => 10 - row);
  const cellWidthM = Float64Array.of(1000, 800, 600, 400);
  const areas = upstreamAreaKm2({ ...plane, cellWidthM }, drainTerrain({ ...plane, cellWidthM }));
  assert.ok(Math.abs(areas[1 + 3 * 3]! - (1 + 0.8 + 0.6 + 0.4)) < 1e-12);
});

test('a malformed terrain is refused', () => {
  const plane = terrain(3, 3, () => 1);
  assert.throws(() => drainTerrain({ ...plane, width: 4 }), RangeError);
  assert.throws(() => drainTerrain({ ...plane, cellWidthM: new Float64Array(3) }), RangeError);
  assert.throws(() => drainTerrain({ ...plane, cellHeightM: new Float64Array(2).fill(1) }), RangeError);
});
