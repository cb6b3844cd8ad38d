import assert from 'node:assert/strict';
import { test } from 'node:test';
import { distanceKm, placesWithin } from './nearby-places.ts';

test('the index finds what a search through all places finds, at any latitude', () => {
  const places = Array.from({ length: 3000 }, (_, i) => ({
    lat: -75 + 150 * ((i * 0.618034) % 1),
    lng: -10 + 20 * ((i * 0.414214) % 1),
  }));
  for (const km of [12, 200]) {
    const index = placesWithin(places, km);
    let count = 0;
    for (let lat = -74.9; lat < 75; lat += 3.7) {
      const found = index(lat, 1.3);
      const expected = places.filter((place) => distanceKm(lat, 1.3, place.lat, place.lng) <= km);
      assert.deepEqual(new Set(found), new Set(expected), `${lat}, ${km} km`);
      count += found.length;
    }
    assert.ok(km < 200 || count > 50);
  }
});
