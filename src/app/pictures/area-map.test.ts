import assert from 'node:assert/strict';
import { test } from 'node:test';
import { square } from '../../../test/fixtures/records.ts';
import { drawAreaMap, MAP_SIZE } from './area-map.ts';

const [GROUND, LINE, AREA, EDGE] = [0, 1, 2, 3];
const { width, height } = MAP_SIZE;

test('an area is filled in the middle of its map, with an edge and lines around it', () => {
  const { pixels, step } = drawAreaMap([square(14, 0, 0.1)]);
  const at = (x: number, y: number) => pixels[y * width + x];
  assert.equal(at(width / 2, Math.floor(height / 2)), AREA);
  assert.notEqual(at(1, 1), AREA);
  // At the equator the square is as wide as it is high: two thirds of the height with a margin of a quarter around it.
  const rows = Array.from({ length: height }, (_, y) => at(width / 2, y));
  const columns = Array.from({ length: width }, (_, x) => at(x, Math.floor(height / 2)));
  const sizeOf = (line: readonly (number | undefined)[]) =>
    line.filter((one) => one === AREA || one === EDGE).length;
  assert.ok(Math.abs(sizeOf(rows) - (height * 2) / 3) < 2, String(sizeOf(rows)));
  assert.ok(Math.abs(sizeOf(columns) - sizeOf(rows)) < 2);
  assert.equal(
    rows.find((one) => one === AREA || one === EDGE),
    EDGE,
  );
  assert.ok([0.02, 0.05].includes(Number(step.toFixed(3))), String(step));
  assert.ok(pixels.includes(LINE) && pixels.includes(GROUND));
});

test('areas at the antimeridian, at a pole and of the whole world have maps', () => {
  const world = [square(-180, -90, 180), square(0, -90, 180)];
  for (const areas of [[square(179.95, 10, 0.1)], [square(20, 89.9, 0.1)], world, [square(1, 1, 1e-6)]]) {
    const { pixels } = drawAreaMap(areas);
    assert.ok(pixels.some((one) => one === AREA || one === EDGE));
  }
});
