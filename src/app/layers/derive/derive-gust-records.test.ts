import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GUST_RETURN_PERIODS } from './derive-gust.ts';
import { deriveGustRecords, gustSites, levelsBetween, spacingKm } from './derive-gust-records.ts';
import type { GustRecord } from './gust-records-reader.ts';

/** Returns yearly maxima at the plotting positions of a Gumbel distribution with the given mode. */
const maxima = (mode: number, count = 25): number[] =>
  Array.from({ length: count }, (_, i) => mode - 3 * Math.log(-Math.log((i + 0.56) / (count + 0.12))));

const station = (name: string, lat: number, lng: number, mode: number, count?: number): GustRecord => ({
  station: name,
  lat,
  lng,
  maxima: maxima(mode, count),
});

function between(stations: readonly GustRecord[], lat: number, lng: number): number[] {
  const levels = new Float64Array(GUST_RETURN_PERIODS.length);
  levelsBetween(gustSites(stations), lat, lng, levels);
  return [...levels];
}

test('a place has the levels of its station, the mean between two like stations, and NaN far from all', () => {
  const stations = [station('a', 50, 8, 25), station('b', 50, 8.6, 31)];
  const [a, b] = gustSites(stations);
  for (const [i, level] of between(stations, 50, 8).entries())
    assert.ok(Math.abs(level / a!.levels[i]! - 1) < 0.01, `${level}, ${a!.levels[i]}`);
  for (const [i, level] of between(stations, 50, 8.3).entries())
    assert.ok(Math.abs(level - Math.sqrt(a!.levels[i]! * b!.levels[i]!)) < 1e-9);
  assert.ok(between(stations, 51, 8).every(Number.isNaN), '111 km off');
});

test('levels rise with the return period, up to ten times the length of a record', () => {
  const levels = between([station('a', 50, 8, 25, 10)], 50, 8);
  assert.deepEqual(
    levels.map(Number.isNaN),
    GUST_RETURN_PERIODS.map((T) => T > 100),
  );
  for (let i = 1; levels[i]! > 0; i++) assert.ok(levels[i]! > levels[i - 1]!);
});

test('stations on both sides of the antimeridian are neighbours', () => {
  const here = [station('a', -17, 179.8, 30), station('b', -17, -179.8, 34)];
  const there = [station('a', -17, 9.8, 30), station('b', -17, 10.2, 34)];
  assert.ok(Math.abs(spacingKm(here) - spacingKm(there)) < 1e-9);
  for (const d of [-0.3, -0.1, 0, 0.1, 0.3]) {
    const lng = 180 + d > 180 ? d - 180 : 180 + d;
    for (const [i, level] of between(here, -17, lng).entries())
      assert.ok(Math.abs(level - between(there, -17, 10 + d)[i]!) < 1e-9);
  }
});

test('a short record takes its spread from its neighbours, and keeps its own mean', () => {
  const calm = Array.from({ length: 7 }, (_, i) => station(`s${i}`, 50 + i / 10, 8, 27, 40));
  const wild: GustRecord = {
    ...station('wild', 50, 9, 0),
    maxima: maxima(27, 12).map((gust) => 27 + 2.2 * (gust - 27)),
  };
  const alone = gustSites([wild])[0]!.levels[4]!;
  const among = gustSites([...calm, wild]).at(-1)!.levels[4]!;
  const usual = gustSites([...calm, wild])[0]!.levels[4]!;
  assert.ok(among < alone && among > usual, `${among} between ${usual} and ${alone}`);
});

test('records without a usable station and an invalid scale are refused', async () => {
  const deps = (records: readonly GustRecord[]) =>
    ({ gustRecords: { readRecords: () => Promise.resolve(records) } }) as unknown as Parameters<
      typeof deriveGustRecords
    >[0];
  const request = { path: '/tmp/g.csv', version: 'v1' };
  await assert.rejects(
    deriveGustRecords(deps([station('a', 50, 8, 25, 9)]), request),
    /g\.csv has 1 stations, none with 10 whole years/,
  );
  const same = { ...station('a', 50, 8, 25), maxima: Array.from({ length: 30 }, () => 20) };
  await assert.rejects(deriveGustRecords(deps([same]), request), /gusts that differ/);
  await assert.rejects(
    deriveGustRecords(deps([]), { ...request, scale: 0 }),
    /scale 0: expected a number above 0/,
  );
  const far = [station('a', -60, 0, 25), station('b', 60, 120, 25)];
  await assert.rejects(deriveGustRecords(deps(far), request), /derive them in parts/);
});
