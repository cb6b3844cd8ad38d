import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distanceKm, eachCell, influenceAreas, medianSpacingKm, type Place } from './points-of-influence.ts';

/** Cells within reach of a place, over all areas, as `lat,lng`, with the distance to the nearest place. */
function reached(places: readonly Place[], reachKm: number, step: number): Map<string, number> {
  const found = new Map<string, number>();
  for (const area of influenceAreas(places, reachKm, step))
    eachCell(area, reachKm, (_, centre, near) => {
      const km = Math.min(...near.map((place) => distanceKm(place, centre)));
      if (km <= reachKm) found.set(`${centre.lat.toFixed(6)},${centre.lng.toFixed(6)}`, km);
    });
  return found;
}

test('a small network is one grid, with cell centres at multiples of the cell size', () => {
  const places = [
    { lat: 50, lng: 8 },
    { lat: 50.3, lng: 8.7 },
  ];
  const areas = influenceAreas(places, 75, 0.05);
  assert.equal(areas.length, 1);
  const { transform } = areas[0]!.grid;
  const first = (transform[0] + transform[1] / 2) / 0.05;
  assert.ok(Math.abs(first - Math.round(first)) < 1e-6);
  assert.ok(Math.abs(medianSpacingKm(places) - distanceKm(places[0]!, places[1]!)) < 1e-9);
  assert.equal(medianSpacingKm(places.slice(1)), Infinity);
});

test('every cell within reach is visited, also across the antimeridian and near a pole', () => {
  for (const lat of [-17, 0, 60, 84]) {
    const here = reached([{ lat, lng: 179.9 }], 40, 0.1);
    let expected = 0;
    for (let y = -10; y <= 10; y++)
      for (let x = -1800; x < 1800; x++) {
        const place = { lat: (Math.round(lat / 0.1) + y) * 0.1, lng: x * 0.1 };
        if (distanceKm(place, { lat, lng: 179.9 }) <= 40) expected++;
      }
    assert.equal(here.size, expected, `${lat}`);
  }
});

test('a network over a continent is divided into grids of bounded size that share their seams', () => {
  // 60 x 20 places, 2 degrees apart: at 0.01 degrees the whole box has 49 million cells.
  const places = Array.from({ length: 1200 }, (_, i) => ({
    lat: 30 + 2 * (i % 20),
    lng: -60 + 2 * Math.floor(i / 20),
  }));
  const areas = influenceAreas(places, 20, 0.01);
  const cells = areas.map(({ grid }) => grid.width * grid.height);
  assert.ok(
    areas.length > 1 && Math.max(...cells) <= 4_000_000,
    `${areas.length} grids of ${Math.max(...cells)}`,
  );
  const step = areas[0]!.grid.transform[1];
  assert.ok(step <= 20 / 111.195 / 3 && areas.every(({ grid }) => grid.transform[1] === step));
  // Each place is inside a grid with all cells within reach, although it may be at a seam.
  for (const place of places.filter((_, i) => i % 97 === 0)) {
    const alone = reached([place], 20, step);
    const holders = areas.filter((area) => area.places.includes(place));
    let held = new Set<string>();
    for (const area of holders)
      eachCell({ grid: area.grid, places: [place] }, 20, (_, centre) => {
        if (distanceKm(place, centre) <= 20)
          held = held.add(`${centre.lat.toFixed(6)},${centre.lng.toFixed(6)}`);
      });
    assert.equal(held.size, alone.size);
  }
});

test('two clusters a world apart are two small grids, not one that spans the ocean', () => {
  const cluster = (lat: number, lng: number): Place[] =>
    Array.from({ length: 5 }, (_, i) => ({ lat: lat + i / 10, lng: lng + i / 10 }));
  const areas = influenceAreas([...cluster(-60, 0), ...cluster(60, 120)], 75, 0.05);
  const cells = areas.reduce((sum, { grid }) => sum + grid.width * grid.height, 0);
  assert.equal(areas.length, 2);
  assert.ok(cells < 20_000, `${cells}`);
});
