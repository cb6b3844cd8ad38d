import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areaGeometryOf, type AreaGeometry, type Ring } from './polygon.ts';
import { geodesicAreaM2 as areaM2 } from './area.ts';
import { type AreaSample, sampleArea } from './area-sample.ts';
import { validateArea } from './area-validation.ts';
import { prepareArea } from './prepared-area.ts';

const LIMITS = { shareM2: 100, most: 1000 };

function valid(geometry: unknown): AreaGeometry {
  const result = validateArea(geometry);
  assert.ok(result.ok, JSON.stringify(result));
  return result.area;
}

function box(west: number, south: number, east: number, north: number): Ring {
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

function sampleOf(area: AreaGeometry, limits = LIMITS): AreaSample {
  const sample = sampleArea(area, areaM2(area), limits);
  const prepared = prepareArea(area);
  for (let i = 0; i < sample.lngs.length; i++)
    assert.ok(prepared.contains([sample.lngs[i]!, sample.lats[i]!]), `${sample.lngs[i]}, ${sample.lats[i]}`);
  return sample;
}

test('there is one place per share, at most 1,000 and at least one, and always the same places', () => {
  for (const [size, count] of [
    [1, 1000],
    [0.01, 1000],
    [0.0005, 31], // a square of 55.6 m x 55.3 m at the equator
    [0.00001, 1],
  ] as const) {
    const area = areaGeometryOf([[box(10, 0, 10 + size, size)]]);
    const sample = sampleOf(area);
    assert.equal(sample.lngs.length, count, `${size} degrees`);
    assert.deepEqual(sampleOf(area), sample);
  }
});

test('each place represents the same area: the mean of the places is the middle of the area, from equator to pole', () => {
  // On a sphere, the sine of the latitude that divides a cap or zone into equal areas is the mean of the sines of its
  // bounding latitudes.
  for (const [south, north] of [
    [0, 90],
    [40, 80],
    [-90, -60],
    [-30, 30],
  ] as const) {
    const area = areaGeometryOf([[box(-120, south, 60, north)]]);
    const { lats, lngs } = sampleOf(area);
    const sines = lats.map((lat) => Math.sin((lat * Math.PI) / 180));
    const [low, high] = [Math.sin((south * Math.PI) / 180), Math.sin((north * Math.PI) / 180)];
    const mean = sines.reduce((sum, sine) => sum + sine, 0) / sines.length;
    assert.ok(Math.abs(mean - (low + high) / 2) < 0.002, `${south} to ${north}: mean sine ${mean}`);
    const west = lngs.filter((lng) => lng < -30).length;
    assert.ok(Math.abs(west - 500) <= 25, `${west} of 1000 in the western half`);
  }
});

test('holes contain no places; thin, slanting and ragged areas have places, islands in proportion to their size', () => {
  const holed = areaGeometryOf([[box(0, 0, 1, 1), box(0.1, 0.1, 0.9, 0.9).toReversed()]]);
  assert.equal(sampleOf(holed).lngs.length, 1000);
  // Areas a metre wide and 111 km long: along a meridian, along a parallel, and diagonal.
  for (const ring of [
    box(0, 0, 0.00001, 1),
    box(0, 0, 1, 0.00001),
    [
      [0, 0],
      [1, 1],
      [1, 1.00001],
      [0, 0.00001],
      [0, 0],
    ] as Ring,
  ]) {
    const { lngs, lats } = sampleOf(areaGeometryOf([[ring]]));
    assert.equal(lngs.length, 1000);
    const along = lats[0] === lats.at(-1) ? lngs : lats;
    assert.ok(along.some((value) => value < 0.05) && along.some((value) => value > 0.95));
  }
  const teeth: Ring = [[0, 0]];
  for (let i = 0; i < 1000; i++)
    teeth.push([i + 1, i % 2 === 0 ? 60 : 1].map((v) => v / 100) as [number, number]);
  teeth.push([10, 0], [0, 0]);
  assert.equal(sampleOf(valid({ type: 'Polygon', coordinates: [teeth] })).lngs.length, 1000);
  const islands = areaGeometryOf([[box(0, 0, 0.3, 0.1)], [box(20, 0, 20.1, 0.1)]]);
  assert.equal(sampleOf(islands).lngs.filter((lng) => lng > 10).length, 250);
});

test('an area across the antimeridian has places on both sides, in proportion to their size', () => {
  const fiji = valid({ type: 'Polygon', coordinates: [box(178, -18, 181 - 360, -16)] });
  assert.equal(fiji.type, 'MultiPolygon');
  const { lngs } = sampleOf(fiji);
  const east = lngs.filter((lng) => lng > 0).length;
  assert.ok(Math.abs(east - 667) <= 2, `${east} of 1000 west of it, which is two thirds`);
  assert.ok(lngs.every((lng) => lng >= -180 && lng <= 180));
});
