import assert from 'node:assert/strict';
import { test } from 'node:test';
import proj4 from 'proj4';
import { boundsForTiles, placeInTile, zoomOf } from './tile.ts';

test('the corners of tiles are those that proj4 gives for EPSG:3857', () => {
  const halfM = Math.PI * 6_378_137;
  for (const [z, x, y] of [
    [0, 0, 0],
    [3, 5, 2],
    [14, 8852, 5829],
    [22, 4_194_303, 0],
  ] as const)
    for (const [across, down] of [
      [0, 0],
      [1, 1],
      [0.5, 0.25],
    ] as const) {
      const sideM = (2 * halfM) / 2 ** z;
      const [expectedLng, expectedLat] = proj4('EPSG:3857', 'WGS84', [
        -halfM + (x + across) * sideM,
        halfM - (y + down) * sideM,
      ]) as [number, number];
      const [lng, lat] = placeInTile({ z, x, y }, across, down);
      assert.ok(Math.abs(lng - expectedLng) < 1e-9 && Math.abs(lat - expectedLat) < 1e-9, `${z}/${x}/${y}`);
    }
});

test('a pixel of 156,543 m has the zoom 0 at the equator, and half of it at 60 degrees north', () => {
  assert.ok(Math.abs(zoomOf(156_543.034, 0)) < 1e-6);
  assert.ok(Math.abs(zoomOf(156_543.034 / 2, 60)) < 1e-6);
  assert.ok(Math.abs(zoomOf(156_543.034 / 2 ** 14, 0) - 14) < 1e-6);
});

test('bounds across the antimeridian have all longitudes, and none go beyond the tiles', () => {
  const fiji = [179.99, -16.81, 180.005, -16.8] as const;
  assert.deepEqual(boundsForTiles(fiji), [-180, -16.81, 180, -16.8]);
  assert.deepEqual(boundsForTiles([-10, 40, 20, 50]), [-10, 40, 20, 50]);
  assert.deepEqual(boundsForTiles([-180, -90, 180, 90]), [-180, -85.05, 180, 85.05]);
});
