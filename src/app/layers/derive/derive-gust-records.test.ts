import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { FolderLayerShelf } from '../../../sources/layers/folder-layer-shelf.ts';
import { GUST_RETURN_PERIODS } from './derive-gust.ts';
import {
  deriveGustRecords,
  type GustRecord,
  gustSites,
  installGusts,
  levelsBetween,
  spacingKm,
} from './derive-gust-records.ts';
import { PointsFileReader } from '../../../sources/stations/points-file.ts';

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

/** Derives gusts from a CSV in memory-backed dependencies. Returns the result and the rasters that were installed. */
function derivation(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-gust-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const shelf = new FolderLayerShelf({ folder: join(home, 'layers'), catalogues: [] });
  const deps = {
    clock: { now: () => Date.parse('2026-11-21T12:00:00Z') },
    shelf,
    points: new PointsFileReader(),
  };
  const run = (text: string, more: object = {}) => {
    writeFileSync(join(home, 'g.csv'), text);
    return deriveGustRecords(deps, { path: join(home, 'g.csv'), version: 'v1', ...more });
  };
  return { deps, run };
}

const table = (stations: readonly GustRecord[], factor = 1): string =>
  [
    'station,lat,lng,year,gust',
    ...stations.flatMap(({ station: id, lat, lng, maxima: values }) =>
      values.map((value, i) => `${id},${lat},${lng},${1980 + i},${(factor * value).toFixed(2)}`),
    ),
  ].join('\n');

test('records without a usable station are refused with their spans', async (t) => {
  const { run } = derivation(t);
  await assert.rejects(
    run(table([station('a', 50, 8, 25, 9)])),
    /g\.csv has no station with 10 whole years .*station a has 9 of 9 years \(1980 to 1988\)/,
  );
  await assert.rejects(
    run(table([station('a', 50, 8, 25)]), { scale: 0 }),
    /scale 0: expected a number above 0/,
  );
});

test('implausible records are refused with their numbers, unless they are confirmed', async (t) => {
  const { run } = derivation(t);
  const good = station('good', 50, 8, 25);
  const same = { ...station('same', 50, 9, 25), maxima: Array.from({ length: 30 }, () => 20) };
  const stuck = { ...station('stuck', 50, 9, 25), maxima: good.maxima.map((v, i) => (i < 15 ? 31 : v)) };
  const spike = { ...station('spike', 50, 9, 25), maxima: good.maxima.map((v, i) => (i === 3 ? 90 : v)) };
  const code = { ...station('code', 50, 9, 25), maxima: good.maxima.map((v, i) => (i === 3 ? 99.9 : v)) };
  for (const [record, message] of [
    [same, /station same: 30 of its 30 yearly maxima are 20 m\/s/],
    [stuck, /station stuck: 15 of its 25 yearly maxima are 31 m\/s/],
    [spike, /station spike: 90 m\/s in 1983 is 3\.\d+ times the median of its yearly maxima, 26/],
    [code, /station code: 99\.9 in 1983 looks like a code for a missing value \(give --nodata 99\.9\)/],
  ] as const)
    await assert.rejects(run(table([good, record])), message);
  await assert.rejects(
    run(table([good], 2.5)),
    /implausible records at 1 of 1 stations\. station good: every other year has 65\.\d m\/s or more; plausible are 5 to 45.*--keep-doubtful/,
  );
  const confirmed = await run(table([good], 2.5), { keepDoubtful: true });
  assert.match(confirmed.doubts[0]!, /^station good: every other year has 65/);
  const { leftOut } = await run(table([good, same]), { keepDoubtful: true, replace: true });
  assert.match(leftOut[0]!, /station same has 30 of 30 years/); // a constant record has no return levels
});

test('stations a world apart are installed as pieces of one version', async (t) => {
  const { deps } = derivation(t);
  const far = [station('a', -60, 0, 25), station('b', 60, 120, 25)];
  for (const replace of [false, true]) {
    const { added } = await installGusts(deps, far, { path: 'g.csv', version: 'v1', replace });
    const [two] = await deps.shelf
      .installed()
      .then((all) => all.filter(({ card }) => card.returnPeriodYears === 2));
    assert.equal(two!.pieces.length, 2);
    assert.equal(added.length, 2 * GUST_RETURN_PERIODS.length);
  }
});
