import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { readBestTracks } from '../../../scripts/derive/best-tracks.ts';
import { interpolateTrack, type TrackFix, type TrackState, windsFromPressure } from './cyclone-track.ts';
import { cycloneWindField } from './cyclone-wind.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SHARED = join(ROOT, '../shared/data');
const TRACKS = join(SHARED, 'global-cyclone-tracks');
const KATRINA = join(SHARED, 'katrina-county-winds');
const MPS_PER_KNOT = 0.514444; // international knot

const at = (hour: number, lat: number, lng: number, wind = 40): TrackFix => ({
  timeMs: hour * 3_600_000,
  lat,
  lng,
  maxWindMps: wind,
  centralPressureHPa: Number.NaN,
});

function near(actual: number, expected: number, tolerance: number): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual}, expected ${expected} within ${tolerance}`);
}

test('an interpolated track is linear in time, keeps its fixes, and has the motion of the storm', () => {
  const states = interpolateTrack([at(0, 20, -60, 30), at(6, 21, -61, 42), at(9, 21, -61, 40)], 1);
  assert.equal(states.length, 10);
  near(states[3]!.lat, 20.5, 1e-12);
  near(states[3]!.maxWindMps, 36, 1e-12);
  near(states[3]!.northMps, 111_195 / 21_600, 1e-9);
  near(states[3]!.eastMps, (-111_195 * Math.cos((20.5 * Math.PI) / 180)) / 21_600, 1e-9);
  assert.equal(states[6]!.timeMs, 6 * 3_600_000);
  assert.equal(states[7]!.eastMps, 0);
});

test('a leg at an impossible speed is left out, and the fix before it is kept', () => {
  // The sign of the longitude changes by mistake: a move of 122 degrees in six hours.
  const states = interpolateTrack([at(0, 20, -60), at(6, 20, -61, 50), at(12, 20, 61), at(18, 20, 60)], 3);
  assert.deepEqual(
    states.map(({ timeMs, lng, maxWindMps }) => [timeMs / 3_600_000, lng, maxWindMps]),
    [
      [0, -60, 40],
      [3, -60.5, 45],
      [6, -61, 50],
      [12, 61, 40],
      [15, 60.5, 40],
      [18, 60, 40],
    ],
  );
});

test('winds from pressures follow Holland (2008, equations 7 and 11), computed by hand', () => {
  // 50 hPa below 1010 at 20 degrees, moving north at 5 m/s; then deepening by 1 hPa per hour.
  const hours = [0, 6, 12];
  const north = 0.971266693646297; // displacement in 6 h [degrees]
  const steady = hours.map((hour, i) => ({
    ...at(hour, 20 + (i - 1) * north, 150, Number.NaN),
    centralPressureHPa: 960,
  }));
  near(windsFromPressure(steady)[1]!.maxWindMps, 47.7370540169699, 1e-9);
  const deepening = steady.map((fix, i) => ({ ...fix, centralPressureHPa: 966 - 6 * i }));
  near(windsFromPressure(deepening)[1]!.maxWindMps, 48.23702521045953, 1e-9);
  // If a neighbouring fix has no pressure, the change of the pressure drop is taken as 0.
  const unknownBefore = steady.map((fix, i) => (i === 0 ? { ...fix, centralPressureHPa: Number.NaN } : fix));
  near(windsFromPressure(unknownBefore)[1]!.maxWindMps, 47.7370540169699, 1e-9);
  assert.equal(windsFromPressure([{ ...steady[0]!, centralPressureHPa: 1012 }])[0]!.maxWindMps, 0);
  assert.equal(windsFromPressure([at(0, 20, 150, 33)])[0]!.maxWindMps, 33, 'a recorded wind stands');
});

test('a track crosses the antimeridian the short way, and a day without fixes is a gap', () => {
  const states = interpolateTrack([at(0, -15, 179.5), at(6, -15, -179.5)], 3);
  assert.deepEqual(
    states.map((state) => state.lng),
    [179.5, -180, -179.5],
  );
  assert.ok(states[0]!.eastMps > 0);
  assert.equal(interpolateTrack([at(0, 10, 0), at(30, 10, 1)], 1).length, 0);
  assert.throws(() => interpolateTrack([at(6, 0, 0), at(6, 0, 1)], 1), RangeError);
});

test('the field reaches the recorded wind right of the track in the north, left of it in the south', () => {
  const moving = (lat: number): TrackState => ({ ...at(0, lat, 0, 50), eastMps: 0, northMps: 6 });
  for (const lat of [20, -20]) {
    const field = cycloneWindField(moving(lat));
    let east = 0;
    let west = 0;
    for (let d = 0.02; d < 2; d += 0.01) {
      east = Math.max(east, field.windAt(lat, d));
      west = Math.max(west, field.windAt(lat, -d));
    }
    const [strong, weak] = lat > 0 ? [east, west] : [west, east];
    near(strong, 50, 0.3);
    near(weak, 38, 1); // slightly above 50 - 2 * 6 farther out, where the translation fades faster than the rotation
    assert.equal(field.windAt(lat + 4, 0), 0, 'beyond 300 km');
  }
});

test('the same storm moved across the antimeridian has the same field', () => {
  const state = { ...at(0, 15, 179.9, 45), eastMps: -4, northMps: 1 };
  const here = cycloneWindField(state);
  const there = cycloneWindField({ ...state, lng: 9.9 });
  for (const d of [-1.5, -0.3, 0.4, 1.1])
    near(here.windAt(15.2, wrap(179.9 + d)), there.windAt(15.2, 9.9 + d), 1e-9);
});

function wrap(lng: number): number {
  return lng > 180 ? lng - 360 : lng;
}

test(
  'storms within 100 km of 36 places of all basins, and storms per basin, are counted as published (IBTrACS; +-1)',
  { skip: existsSync(TRACKS) ? false : `${TRACKS} is absent` },
  () => {
    const text = gunzipSync(readFileSync(join(TRACKS, 'tracks_1980_2024.csv.gz'))).toString();
    const storms = [...readBestTracks(text).values()];
    const hurricanes = storms.filter((fixes) =>
      fixes.some(({ maxWindMps }) => maxWindMps / MPS_PER_KNOT > 63.9),
    );
    assert.equal(hurricanes.length, 2115);
    const places = rows(join(TRACKS, 'expected_counts_100km.csv'));
    assert.equal(places.length, 36);
    for (const [place, lat, lng, ...expected] of places) {
      const peaks = storms.map((fixes) => peakWithin(fixes, Number(lat), Number(lng), 100));
      for (const [i, knots] of [34, 64, 96].entries()) {
        const count = peaks.filter((peak) => peak >= knots - 0.01).length;
        assert.ok(
          Math.abs(count - Number(expected[i])) <= 1,
          `${place}, ${knots} kt: ${count}, expected ${expected[i]}`,
        );
      }
      near(Math.max(...peaks), Number(expected[3]), 3);
    }
  },
);

function peakWithin(fixes: readonly TrackFix[], lat: number, lng: number, km: number): number {
  if (!fixes.some((fix) => Math.abs(fix.lat - lat) < 5)) return 0; // two degrees a fix at most: saves time
  let peak = 0;
  for (const state of interpolateTrack(fixes, 1)) {
    const x = (state.lng - lng) * Math.cos((lat * Math.PI) / 180);
    if (Math.hypot(x, state.lat - lat) * 111.195 <= km)
      peak = Math.max(peak, state.maxWindMps / MPS_PER_KNOT);
  }
  return peak;
}

test(
  'Katrina: winds over counties follow another published field (stormwindmodel, Willoughby 2006)',
  { skip: existsSync(KATRINA) ? false : `${KATRINA} is absent` },
  () => {
    const fixes = rows(join(KATRINA, 'katrina_track.csv')).map(([time, lat, lng, knots]) => ({
      timeMs: Date.UTC(+time!.slice(0, 4), +time!.slice(4, 6) - 1, +time!.slice(6, 8), +time!.slice(8, 10)),
      lat: Number(lat),
      lng: Number(lng),
      maxWindMps: Number(knots) * MPS_PER_KNOT,
      centralPressureHPa: Number.NaN,
    }));
    const fields = interpolateTrack(fixes, 0.5).map(cycloneWindField);
    const pairs = rows(join(KATRINA, 'county_winds.csv'))
      .map(([, lat, lng, , sustained]) => ({
        ours: Math.max(...fields.map((field) => field.windAt(Number(lat), Number(lng)))),
        theirs: Number(sustained),
      }))
      .filter(({ ours, theirs }) => theirs >= 17 && ours > 0);
    assert.ok(pairs.length > 50, `${pairs.length} counties`);
    // The reference wind is at 10 m over land, ours over open water. The difference is a constant factor,
    // so the test compares patterns.
    const ratios = pairs.map(({ ours, theirs }) => theirs / ours).sort((a, b) => a - b);
    const middle = ratios[Math.floor(ratios.length / 2)]!;
    assert.ok(middle > 0.6 && middle < 1, `median ratio ${middle}`);
    const spread = ratios.filter((ratio) => Math.abs(ratio / middle - 1) < 0.25).length / ratios.length;
    assert.ok(spread > 0.8, `${spread} within 25 % of the median ratio ${middle}`);
  },
);

function rows(file: string): string[][] {
  const lines = readFileSync(file, 'utf8').trim().replaceAll('"', '').split('\n').slice(1);
  return lines.map((line) => line.split(','));
}

test('the wind of a weak, fast-moving storm never exceeds its recorded maximum', () => {
  const fast: TrackState = { ...at(0, 45, -30, 18), eastMps: 22, northMps: 9 };
  const field = cycloneWindField(fast);
  for (let d = -2.5; d <= 2.5; d += 0.01)
    for (const wind of [field.windAt(45 + d, -30), field.windAt(45, -30 + d)]) assert.ok(wind <= 18 + 1e-9);
});

test('the wind is highest at the recorded radius of maximum wind', () => {
  for (const km of [15, 40, 90]) {
    const field = cycloneWindField({ ...at(0, -18, 178, 60), maxWindRadiusKm: km, eastMps: 0, northMps: 0 });
    const winds = Array.from({ length: 300 }, (_, i) => field.windAt(-18 + i / 111.195, 178));
    assert.equal(winds.indexOf(Math.max(...winds)), km);
  }
});

const PACIFIC = join(SHARED, 'tropical-cyclone-tracks/ibtracs_south_pacific_9_storms.csv');

test(
  'the wind fields of nine South Pacific storms reach their published strength, on both sides of the antimeridian (IBTrACS)',
  { skip: existsSync(PACIFIC) ? false : `${PACIFIC} is absent` },
  () => {
    const published = {
      WINSTON: 155,
      PAM: 150,
      NIRAN: 140,
      ULA: 120,
      ZENA: 90,
      UESI: 80,
      LUCAS: 65,
      GRETEL: 65,
      SOLO: 55,
    };
    const storms = Map.groupBy(rows(PACIFIC), ([name]) => name!);
    assert.deepEqual([...storms.keys()].sort(), Object.keys(published).sort());
    const sides = new Set<number>();
    for (const [name, lines] of storms) {
      const fixes = lines
        .filter((line) => line[5] !== '')
        .map(([, , time, lng, lat, wind, radius, pressure]) => ({
          timeMs: Date.parse(time!),
          lat: Number(lat),
          lng: Number(lng),
          maxWindMps: Number(wind) * MPS_PER_KNOT,
          centralPressureHPa: pressure === '' ? Number.NaN : Number(pressure),
          maxWindRadiusKm: radius === '' ? Number.NaN : Number(radius) * 1.852,
        }));
      let peak = 0;
      for (const state of interpolateTrack(fixes, 1)) {
        assert.ok(state.lng >= -180 && state.lng < 180);
        assert.ok(Math.hypot(state.eastMps, state.northMps) < 35, `${name} jumps at ${state.lng}`);
        const field = cycloneWindField(state);
        for (let bearing = 0; bearing < 360; bearing += 10)
          for (const km of [10, 15, 20, 25, 30, 40, 60]) {
            const [east, north] = [Math.sin((bearing * Math.PI) / 180), Math.cos((bearing * Math.PI) / 180)];
            const lng = state.lng + (east * km) / (111.195 * Math.cos((state.lat * Math.PI) / 180));
            const wind = field.windAt(state.lat + (north * km) / 111.195, wrap(lng < -180 ? lng + 360 : lng));
            assert.ok(wind <= state.maxWindMps * 1.03 + 0.5);
            peak = Math.max(peak, wind);
            if (wind > 17) sides.add(Math.sign(lng));
          }
      }
      near(peak / MPS_PER_KNOT, published[name as keyof typeof published], 8);
    }
    assert.equal(sides.size, 2);
  },
);

test(
  'winds from the pressures of nine South Pacific storms equal the recorded winds within 5 m/s (IBTrACS)',
  { skip: existsSync(PACIFIC) ? false : `${PACIFIC} is absent` },
  () => {
    let [count, squares] = [0, 0];
    for (const [, lines] of Map.groupBy(rows(PACIFIC), ([name]) => name!)) {
      const known = lines.filter((line) => line[5] !== '' && line[7] !== '');
      const fixes = known.map(([, , time, lng, lat, , , pressure, isobar]) => ({
        timeMs: Date.parse(time!),
        lat: Number(lat),
        lng: Number(lng),
        maxWindMps: Number.NaN,
        centralPressureHPa: Number(pressure),
        environmentHPa: isobar === '' ? Number.NaN : Number(isobar) + 2,
      }));
      for (const [i, { maxWindMps }] of windsFromPressure(fixes).entries()) {
        const recorded = Number(known[i]![5]) * MPS_PER_KNOT;
        if (recorded < 17) continue;
        count++;
        squares += (maxWindMps - recorded) ** 2;
      }
    }
    assert.ok(count > 400);
    assert.ok(Math.sqrt(squares / count) < 5, `${Math.sqrt(squares / count)}`);
  },
);
