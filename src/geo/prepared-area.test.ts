import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateArea } from './area-validation.ts';
import { type AreaGeometry, polygonsOf, type Ring } from './polygon.ts';
import type { Position } from './position.ts';
import { prepareArea } from './prepared-area.ts';

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function area(...coordinates: number[][][]): AreaGeometry {
  const result = validateArea({ type: 'Polygon', coordinates });
  assert.ok(result.ok, JSON.stringify(result));
  return result.area;
}

function box(west: number, south: number, east: number, north: number): number[][] {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

function star(next: () => number, lng: number, lat: number, radius: number, count: number): number[][] {
  const ring = Array.from({ length: count }, (_, i) => {
    const r = radius * (0.5 + 0.5 * next());
    return [lng + r * Math.cos((2 * Math.PI * i) / count), lat + r * Math.sin((2 * Math.PI * i) / count)];
  });
  return [...ring, ring[0]!];
}

/** Whether a point is inside a ring by the sum of angles, a method independent of the code under test. */
function winds(ring: Ring, x: number, y: number): boolean {
  let angle = 0;
  for (let i = 1; i < ring.length; i++) {
    const [ax, ay] = [ring[i - 1]![0] - x, ring[i - 1]![1] - y];
    const [bx, by] = [ring[i]![0] - x, ring[i]![1] - y];
    angle += Math.atan2(ax * by - ay * bx, ax * bx + ay * by);
  }
  return Math.abs(angle) > Math.PI;
}

function containsByBruteForce(a: AreaGeometry, x: number, y: number): boolean {
  return polygonsOf(a).some(
    ([shell, ...holes]) => winds(shell!, x, y) && !holes.some((hole) => winds(hole, x, y)),
  );
}

function intersectsByBruteForce(a: AreaGeometry, b: AreaGeometry): boolean {
  const side = (p: readonly number[], q: readonly number[], r: readonly number[]): number =>
    Math.sign((q[0]! - p[0]!) * (r[1]! - p[1]!) - (q[1]! - p[1]!) * (r[0]! - p[0]!));
  for (const r of polygonsOf(a).flat()) {
    for (const s of polygonsOf(b).flat()) {
      for (let i = 1; i < r.length; i++) {
        for (let j = 1; j < s.length; j++) {
          const [p, q, t, u] = [r[i - 1]!, r[i]!, s[j - 1]!, s[j]!];
          if (side(p, q, t) * side(p, q, u) < 0 && side(t, u, p) * side(t, u, q) < 0) return true;
        }
      }
    }
  }
  const [p, q] = [polygonsOf(a)[0]![0]![0]!, polygonsOf(b)[0]![0]![0]!];
  return containsByBruteForce(b, p[0], p[1]) || containsByBruteForce(a, q[0], q[1]);
}

function pointInArea(area: AreaGeometry, position: Position): boolean {
  return prepareArea(area).contains(position);
}

function areasIntersect(a: AreaGeometry, b: AreaGeometry): boolean {
  return prepareArea(a).intersects(prepareArea(b));
}

test('points are in an area exactly when their winding number is not 0', () => {
  const next = random(1);
  for (let round = 0; round < 60; round++) {
    const shape = area(star(next, 10, 20, 5, 3 + (round % 50) * 4), star(next, 10, 20, 1, 3 + (round % 7)));
    const prepared = prepareArea(shape);
    for (let k = 0; k < 200; k++) {
      const [x, y] = [4 + 12 * next(), 14 + 12 * next()];
      assert.equal(prepared.contains([x, y]), containsByBruteForce(shape, x, y), `${round}: ${x} ${y}`);
    }
  }
});

test('edges and corners belong to an area, also those of its holes', () => {
  const shape = area(box(0, 0, 10, 10), box(4, 4, 6, 6));
  for (const at of [
    [0, 0],
    [10, 10],
    [5, 0],
    [0, 5],
    [10, 3.3],
    [4, 5],
    [5, 6],
    [6, 6],
  ] as const) {
    assert.ok(pointInArea(shape, at), at.join());
  }
  for (const at of [
    [5, 5],
    [-1e-12, 5],
    [10.000000001, 5],
    [5, 90],
  ] as const) {
    assert.ok(!pointInArea(shape, at), at.join());
  }
});

test('180 and -180 are one meridian, a pole is one point', () => {
  const east = area(box(170, 0, 180, 10));
  assert.ok(pointInArea(east, [-180, 5]) && pointInArea(east, [180, 5]) && !pointInArea(east, [-180, 11]));
  assert.ok(areasIntersect(east, area(box(-180, 10, -170, 20))), 'corner to corner across 180');
  assert.ok(areasIntersect(area(box(-180, 2, -170, 3)), east));
  assert.ok(!areasIntersect(east, area(box(-180, 11, -170, 20))));
  assert.ok(!areasIntersect(east, area(box(-179, 0, -170, 10))));
  const arctic = area(box(0, 80, 10, 90));
  assert.ok(pointInArea(arctic, [-120, 90]));
  assert.ok(areasIntersect(arctic, area(box(-120, 85, -110, 90))));
  assert.ok(!areasIntersect(arctic, area(box(-120, 85, -110, 89))));
});

test('areas intersect exactly when two edges meet or one contains a corner of the other, in either order', () => {
  const next = random(2);
  let hits = 0;
  for (let round = 0; round < 40; round++) {
    const large = area(star(next, 0, 0, 10, 400), star(next, 0, 0, 4, 30));
    const prepared = prepareArea(large);
    for (let k = 0; k < 25; k++) {
      const small = area(
        star(next, 26 * next() - 13, 26 * next() - 13, 0.2 + 2 * next(), 3 + Math.floor(9 * next())),
      );
      const expected = intersectsByBruteForce(large, small);
      if (expected) hits++;
      assert.equal(prepared.intersects(prepareArea(small)), expected, JSON.stringify(small));
      assert.equal(areasIntersect(small, large), expected);
    }
  }
  assert.ok(hits > 200 && hits < 800, `${hits} of 1000 intersect`);
});

test('areas that touch or contain each other intersect, an area inside a hole does not', () => {
  const shape = area(box(0, 0, 10, 10), box(4, 4, 6, 6));
  assert.ok(areasIntersect(shape, area(box(10, 10, 11, 11))), 'a shared corner');
  assert.ok(areasIntersect(shape, area(box(10, 2, 11, 3))), 'a shared edge');
  assert.ok(areasIntersect(shape, area(box(-1, -1, 11, 11))), 'inside the other');
  assert.ok(areasIntersect(shape, area(box(1, 1, 2, 2))), 'the other inside');
  assert.ok(!areasIntersect(shape, area(box(4.5, 4.5, 5.5, 5.5))), 'in the hole');
  assert.ok(areasIntersect(shape, area(box(4.5, 4.5, 6, 5.5))), 'in the hole, touching its edge');
});

test('an area across 180 gives the same answers as the same area elsewhere, cut or not (random stars with holes)', () => {
  const next = random(4);
  const wrap = (lng: number): number => (lng > 180 ? lng - 360 : lng);
  for (let round = 0; round < 60; round++) {
    // Multiples of 1/64 degree can be shifted without rounding, so both areas have exactly the same corners.
    const snap = (ring: number[][]): number[][] =>
      ring.map(([lng, lat]) => [Math.round(lng! * 64) / 64, Math.round(lat! * 64) / 64]);
    const rings = [snap(star(next, 0, 0, 20, 3 + (round % 40))), snap(star(next, 0, 0, 4, 3 + (round % 9)))];
    const plain = validateArea({ type: 'Polygon', coordinates: rings });
    const shift = 175 + Math.floor(10 * next());
    const across = validateArea({
      type: 'Polygon',
      coordinates: rings.map((ring) => ring.map(([lng, lat]) => [wrap(lng! + shift), lat!])),
    });
    assert.equal(plain.ok, across.ok, JSON.stringify(across));
    if (!plain.ok || !across.ok) continue;
    assert.ok(validateArea(across.area).ok, 'the parts are valid themselves');
    const [here, there] = [prepareArea(plain.area), prepareArea(across.area)];
    for (let k = 0; k < 200; k++) {
      const [x, y] = [44 * next() - 22, 44 * next() - 22];
      assert.equal(there.contains([wrap(x + shift), y]), here.contains([x, y]), `${round}: ${x} ${y}`);
    }
  }
});
