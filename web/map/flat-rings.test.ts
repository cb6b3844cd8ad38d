import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { flatLand, flatRing } from './flat-rings.ts';

test('a ring that crosses the antimeridian continues beyond 180 degrees', () => {
  const ring = [
    [179, 65],
    [-179, 65],
    [-179, 68],
    [179, 68],
    [179, 65],
  ];
  assert.deepEqual(flatRing(ring), [
    [179, 65],
    [181, 65],
    [181, 68],
    [179, 68],
    [179, 65],
  ]);
});

test('a ring around a pole is closed along the edge of the map', () => {
  const coast = [
    [-120, -75],
    [0, -70],
    [120, -65],
    [-120, -75],
  ];
  assert.deepEqual(flatRing(coast), [
    [-120, -75],
    [0, -70],
    [120, -65],
    [240, -75],
    [240, -90],
    [-120, -90],
    [-120, -75],
  ]);
});

test('a ring that does not cross the antimeridian stays unchanged', () => {
  const ring = [
    [10, 45],
    [12, 45],
    [12, 47],
    [10, 45],
  ];
  assert.deepEqual(flatRing(ring), ring);
});

test('no border in the shipped land data jumps across the map, and every ring is closed', () => {
  const path = createRequire(import.meta.url).resolve('world-atlas/countries-110m.json');
  const atlas = JSON.parse(readFileSync(path, 'utf8')) as Topology<{ countries: GeometryCollection }>;
  const land = flatLand(feature(atlas, atlas.objects.countries));
  let rings = 0;
  for (const { geometry } of land.features) {
    assert.ok(geometry.type === 'Polygon' || geometry.type === 'MultiPolygon');
    const polygons = geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
    for (const ring of polygons.flat()) {
      rings++;
      assert.deepEqual(ring[0], ring.at(-1));
      for (const [i, [lng, lat]] of ring.entries())
        if (i > 0 && Math.abs(lat!) < 90 && Math.abs(ring[i - 1]![1]!) < 90)
          assert.ok(
            Math.abs(lng! - ring[i - 1]![0]!) < 180,
            `${String(ring[i - 1])} to ${String([lng, lat])}`,
          );
    }
  }
  assert.ok(rings > 200, `${rings} rings`);
});
