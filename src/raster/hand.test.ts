import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heightAboveDrainage } from './hand.ts';
import type { Terrain } from './terrain.ts';

const STREAM = { streamAreaKm2: 10, nodataIsWater: false };

/** A terrain with cells of 1 km2. */
function terrain(width: number, height: number, at: (col: number, row: number) => number): Terrain {
  const heights = Float32Array.from({ length: width * height }, (_, i) =>
    at(i % width, Math.floor(i / width)),
  );
  const sizes = new Float64Array(height).fill(1000);
  return { heights, width, height, cellWidthM: sizes, cellHeightM: sizes };
}

test('on a tilted plane the stream begins where the area is reached, and heights above it count from there', () => {
  // The terrain falls 2 m per row to the south. Water stays in its column, so r + 1 km2 drain through row r.
  const { handM, streamAreaKm2 } = heightAboveDrainage(
    terrain(7, 30, (_, row) => 100 - 2 * row),
    STREAM,
  );
  for (let row = 0; row < 30; row++) {
    for (let col = 1; col < 6; col++) {
      assert.equal(handM[row * 7 + col], Math.max(0, 9 - row) * 2, `row ${row}`);
      assert.equal(streamAreaKm2[row * 7 + col], Math.max(10, row + 1));
    }
  }
});

test('in a V-shaped valley the height above the stream is the slope times the distance to it', () => {
  const { handM } = heightAboveDrainage(
    terrain(21, 40, (col, row) => 5 * Math.abs(col - 10) + 0.5 * (40 - row)),
    { streamAreaKm2: 12, nodataIsWater: false },
  );
  for (let row = 2; row < 39; row++) {
    for (let col = 1; col < 20; col++) {
      const got = handM[row * 21 + col]!;
      assert.ok(Math.abs(got - 5 * Math.abs(col - 10)) < 1e-4, `${col}, ${row}: ${got}`);
    }
  }
});

test('a cone drains in all directions: no stream drains half of it, so no height is known', () => {
  const cone = terrain(15, 15, (col, row) => 100 - Math.hypot(col - 7, row - 7));
  const { handM } = heightAboveDrainage(cone, { streamAreaKm2: 113, nodataIsWater: false });
  assert.ok(handM.every(Number.isNaN));
});

test('in a bowl with one outlet the lake has the level of the outlet, and cells below it have a height of 0', () => {
  // The bowl rises from the middle. The rim has one low cell, at 12 m.
  const bowl = terrain(21, 21, (col, row) =>
    col === 20 && row === 10 ? 12 : 2 * Math.hypot(col - 10, row - 10),
  );
  const { handM } = heightAboveDrainage(bowl, STREAM);
  for (const [i, ground] of bowl.heights.entries()) {
    const [col, row] = [i % 21, Math.floor(i / 21)];
    if (col % 20 === 0 || row % 20 === 0) continue;
    if (ground <= 12) assert.equal(handM[i], 0, `${col}, ${row}`);
    else if (!Number.isNaN(handM[i]!)) assert.ok(Math.abs(handM[i]! - (ground - 12)) < 9, `${col}, ${row}`);
  }
  assert.equal(handM[10 * 21 + 10], 0);
});

test('where water leaves the data before any stream the height is unknown; next to nodata that is water it is a bank', () => {
  // An island 9 cells wide in a sea of nodata. It rises 3 m per cell towards the middle.
  const island = terrain(13, 13, (col, row) => {
    const inland = Math.min(col, row, 12 - col, 12 - row) - 1;
    return inland < 1 ? Number.NaN : 3 * inland;
  });
  const dry = heightAboveDrainage(island, { streamAreaKm2: 40, nodataIsWater: false });
  assert.ok(dry.handM.every(Number.isNaN));
  const { handM } = heightAboveDrainage(island, { streamAreaKm2: 40, nodataIsWater: true });
  for (const [i, ground] of island.heights.entries()) {
    if (Number.isNaN(ground)) assert.ok(Number.isNaN(handM[i]!));
    else assert.equal(handM[i], ground - 3);
  }
});

test('a sea at 0 m is drainage, a single cell at 0 m is ground', () => {
  const island = terrain(13, 13, (col, row) => {
    const inland = Math.min(col, row, 12 - col, 12 - row) - 2;
    return inland < 0 ? 0 : 4 * inland + 1;
  });
  const { handM } = heightAboveDrainage(island, { streamAreaKm2: 40, nodataIsWater: false });
  assert.deepEqual(handM, island.heights);
  const slope = terrain(5, 5, (_, row) => 4 - row);
  assert.ok(heightAboveDrainage(slope, { streamAreaKm2: 8, nodataIsWater: false }).handM.every(Number.isNaN));
});

test('heights are within 0 and the relief, and unchanged by a shift of the datum, reflections and quarter turns', () => {
  const [n, options] = [48, { streamAreaKm2: 25, nodataIsWater: false }];
  // The terrain falls towards one corner. Its ripples are too weak to form depressions, and no two heights are equal,
  // because equal heights would be ambiguous.
  const at = (col: number, row: number): number =>
    3 * col + 2 * row + 2 * Math.sin(col * 0.9) * Math.sin(row * 0.7) + (col * 7 + row * 13) / 4096;
  const plain = heightAboveDrainage(terrain(n, n, at), options).handM;
  const known = plain.filter((value) => !Number.isNaN(value));
  assert.ok(known.length > n * n * 0.3);
  assert.ok(known.every((value) => value >= 0 && value <= 5 * n + 4));
  const shifted = heightAboveDrainage(
    terrain(n, n, (col, row) => at(col, row) + 512),
    options,
  ).handM;
  const mirrored = heightAboveDrainage(
    terrain(n, n, (col, row) => at(n - 1 - col, row)),
    options,
  ).handM;
  const turned = heightAboveDrainage(
    terrain(n, n, (col, row) => at(row, n - 1 - col)),
    options,
  ).handM;
  for (let row = 0; row < n; row++) {
    for (let col = 0; col < n; col++) {
      const want = plain[row * n + col]!;
      for (const got of [
        shifted[row * n + col]!,
        mirrored[row * n + n - 1 - col]!,
        turned[col * n + n - 1 - row]!,
      ]) {
        assert.ok(Number.isNaN(want) ? Number.isNaN(got) : Math.abs(got - want) < 1e-3, `${col}, ${row}`);
      }
    }
  }
});

test('a larger threshold moves streams down: heights grow or become unknown, never fall', () => {
  const hills = terrain(60, 60, (col, row) => 50 + 10 * Math.sin(col / 6) * Math.cos(row / 9) - 0.3 * row);
  const few = heightAboveDrainage(hills, { streamAreaKm2: 200, nodataIsWater: false });
  const many = heightAboveDrainage(hills, { streamAreaKm2: 20, nodataIsWater: false });
  for (const [i, value] of few.handM.entries()) {
    if (Number.isNaN(value)) continue;
    assert.ok(value >= many.handM[i]!);
    assert.ok(few.streamAreaKm2[i]! >= many.streamAreaKm2[i]!);
  }
});

test('a threshold that is not a positive area is refused', () => {
  for (const streamAreaKm2 of [0, -1, Number.NaN]) {
    assert.throws(
      () =>
        heightAboveDrainage(
          terrain(3, 3, () => 1),
          { streamAreaKm2, nodataIsWater: false },
        ),
      RangeError,
    );
  }
});
