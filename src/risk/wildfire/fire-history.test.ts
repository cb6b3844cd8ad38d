import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fireHistory, firesOfDetections, type RecordedFire } from './fire-history.ts';

const fire = (lat: number, lng: number, areaHa = Number.NaN, day = 0): RecordedFire => ({
  lat,
  lng,
  day,
  areaHa,
});

/** Uniform random numbers in [0, 1) (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Great-circle distance [km] by the haversine formula. */
function distanceKm(a: RecordedFire, b: RecordedFire): number {
  const radians = Math.PI / 180;
  const h =
    Math.sin(((a.lat - b.lat) * radians) / 2) ** 2 +
    Math.cos(a.lat * radians) * Math.cos(b.lat * radians) * Math.sin(((a.lng - b.lng) * radians) / 2) ** 2;
  return 2 * 6371.0088 * Math.asin(Math.sqrt(h));
}

test('every cell counts exactly the fires within 5 km, also across the antimeridian and in the far north', () => {
  for (const [west, north] of [
    [-4, 40],
    [179.8, -16],
    [25, 70],
  ] as const) {
    const random = generator(3);
    const lattice = { west, north, step: 0.025, width: 21, height: 17 };
    const fires = Array.from({ length: 60 }, () => {
      const lng = west - 0.2 + 0.9 * random();
      return fire(north + 0.1 - 0.6 * random(), lng > 180 ? lng - 360 : lng, 400 * random());
    });
    const { frequency, burned } = fireHistory(fires, lattice, 12);
    let some = 0;
    for (let i = 0; i < frequency.length; i++) {
      const here = fire(north - 0.025 * Math.floor(i / 21), west + 0.025 * (i % 21));
      const km = fires.map((one) => distanceKm(one, here));
      const near = fires.filter((_, k) => km[k]! <= 5);
      // Skip cells with a fire close to the 5 km limit: the code under test computes distances on a plane.
      if (km.some((distance) => Math.abs(distance - 5) < 0.02)) continue;
      some++;
      assert.ok(Math.abs(frequency[i]! * Math.PI * 25 * 12 - near.length) < 1e-4, `cell ${i}`);
      const km2 = near.reduce((sum, { areaHa }) => sum + areaHa / 100, 0);
      assert.ok(Math.abs(burned![i]! * Math.PI * 25 * 12 - km2) < 1e-3, `cell ${i}`);
    }
    assert.ok(some > 200, `${some} cells`);
  }
});

test('a fire larger than the land within 5 km burns all of it once; without areas burned land is null', () => {
  const lattice = { west: 0, north: 45, step: 0.025, width: 3, height: 3 };
  const { burned } = fireHistory([fire(45, 0, 1e6)], lattice, 10);
  assert.ok(Math.abs(burned![0]! - 0.1) < 1e-6);
  assert.equal(fireHistory([fire(45, 0, 20), fire(45, 0)], lattice, 10).burned, null);
});

test('detections are grouped into fires by chains of 2 km and four days, compared with brute force', () => {
  for (const [lat, lng] of [
    [40, -4],
    [0, 0],
    [66, 25],
  ] as const) {
    const random = generator(11);
    const detections = Array.from({ length: 400 }, () =>
      fire(lat + 0.5 * random() - 0.25, lng + 0.6 * random() - 0.3, Number.NaN, Math.floor(60 * random())),
    );
    const group = detections.map((_, i) => i);
    for (let changed = true; changed;) {
      changed = false;
      for (const [i, a] of detections.entries())
        for (const [k, b] of detections.entries())
          if (group[i]! > group[k]! && Math.abs(a.day - b.day) <= 4 && distanceKm(a, b) <= 2) {
            group[i] = group[k]!;
            changed = true;
          }
    }
    const found = firesOfDetections(detections);
    assert.equal(found.length, new Set(group).size);
    assert.ok(found.length > 50 && found.length < 390, `${found.length} fires`);
  }
});
