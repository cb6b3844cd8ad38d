import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateArea } from './area-validation.ts';
import { geodesicAreaM2 } from './area.ts';
import { type AreaGeometry, countVertices, polygonsOf } from './polygon.ts';
import { simplifyArea } from './simplify.ts';

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function star(
  next: () => number,
  lng: number,
  lat: number,
  radius: number,
  count: number,
  rough: number,
): number[][] {
  const ring = Array.from({ length: count }, (_, i) => {
    const r = radius * (1 - rough * next());
    return [lng + r * Math.cos((2 * Math.PI * i) / count), lat + r * Math.sin((2 * Math.PI * i) / count)];
  });
  return [...ring, ring[0]!];
}

function valid(geometry: unknown): AreaGeometry {
  const result = validateArea(geometry);
  assert.ok(result.ok, JSON.stringify(result));
  return result.area;
}

test('a small area stays unchanged', () => {
  const area = valid({ type: 'Polygon', coordinates: [star(random(1), 0, 0, 1, 50, 0.3)] });
  assert.deepEqual(simplifyArea(area, 51), area);
});

test('simplified random areas with holes and parts are valid, within the vertex limit and close in area', () => {
  const next = random(3);
  for (let round = 0; round < 10; round++) {
    const rough = round % 2 === 0 ? 0.05 : 0.6;
    const area = valid({
      type: 'MultiPolygon',
      coordinates: [
        [star(next, 10, 50, 2, 900, rough), star(next, 10, 50, 0.5, 200, rough)],
        [star(next, 10, 50, 0.15, 60, rough)],
        [star(next, 14, 50, 1, 300, rough)],
      ],
    });
    for (const budget of [400, 200, 60]) {
      const simple = simplifyArea(area, budget);
      assert.ok(countVertices(simple) <= budget, `${countVertices(simple)} of ${budget}`);
      valid(simple);
      assert.equal(polygonsOf(simple).length, 3, 'nothing is dropped while triangles fit');
      const kept = new Set(polygonsOf(area).flat(2).map(String));
      for (const at of polygonsOf(simple).flat(2)) assert.ok(kept.has(String(at)), 'no vertex is invented');
      if (rough < 0.1) {
        const ratio = geodesicAreaM2(simple) / geodesicAreaM2(area);
        assert.ok(Math.abs(ratio - 1) < 0.05, `area changed to ${ratio}`);
      }
    }
  }
});

test('a spiral is not shortened across its own windings', () => {
  const arm = (shift: number): number[][] =>
    Array.from({ length: 600 }, (_, i) => {
      const [angle, r] = [i / 20, 0.02 + (i / 600) * 2 + shift];
      return [r * Math.cos(angle), r * Math.sin(angle)];
    });
  const ring = [...arm(0), ...arm(0.15).reverse()];
  const area = valid({ type: 'Polygon', coordinates: [[...ring, ring[0]!]] });
  const simple = simplifyArea(area, 200);
  valid(simple);
  assert.ok(countVertices(simple) <= 200);
});

test('when triangles do not fit, small holes are dropped first, with what lies in them, then small parts', () => {
  const box = (x: number, y: number, size: number): number[][] => [
    [x, y],
    [x + size, y],
    [x + size, y + size],
    [x, y + size],
    [x, y],
  ];
  const area = valid({
    type: 'MultiPolygon',
    coordinates: [
      [box(0, 0, 10), box(1, 1, 2), box(5, 5, 3)],
      [box(1.5, 1.5, 1)],
      [box(20, 0, 1)],
      [box(30, 0, 2)],
    ],
  });
  const fewer = simplifyArea(area, 20);
  valid(fewer);
  assert.equal(polygonsOf(fewer)[0]!.length, 2, 'the large hole stays');
  assert.equal(polygonsOf(fewer).length, 3, 'the part in the small hole went with it');
  const least = simplifyArea(area, 4);
  assert.equal(countVertices(least), 4);
  assert.ok(
    polygonsOf(least)[0]![0]!.every(([lng]) => lng <= 10),
    'the largest part stays',
  );
  assert.throws(() => simplifyArea(area, 3), RangeError);
});
