import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import type { StormTrack } from '../../app/layers/derive/storm-tracks-reader.ts';
import { IbtracsCsvReader } from './ibtracs-csv.ts';

const folder = mkdtempSync(join(tmpdir(), 'ibtracs-'));
after(() => rmSync(folder, { recursive: true }));

/** The columns that are read, in the order of IBTrACS v04r01 and with its row of units. */
const HEADER =
  'SID,SEASON,NUMBER,BASIN,SUBBASIN,NAME,ISO_TIME,NATURE,LAT,LON,WMO_WIND,WMO_PRES,WMO_AGENCY,TRACK_TYPE,' +
  'USA_WIND,USA_PRES,USA_POCI,USA_RMW,TOKYO_WIND,TOKYO_PRES,NADI_WIND,NADI_PRES';
const UNITS = ' ,Year, , , , , , ,degrees_north,degrees_east,kts,mb, , ,kts,mb,mb,nmile,kts,mb,kts,mb';
const KNOT = 0.514444;

interface Fix {
  readonly sid?: string;
  readonly season?: number;
  readonly time: string;
  readonly lat?: number | string;
  readonly lng?: number;
  readonly track?: string;
  /** Fields of USA wind, pressure, isobar and radius; Tokyo wind and pressure; Nadi wind and pressure. */
  readonly agencies: string;
}

function line({
  sid = '2016041S14170',
  season = 2016,
  time,
  lat = -17,
  lng = 179.5,
  track = 'main',
  agencies,
}: Fix) {
  return `${sid},${season},8,SP,MM,WINSTON,${time},TS,${lat},${lng},95,917,nadi,${track},${agencies}`;
}

async function read(...lines: readonly string[]): Promise<StormTrack[]> {
  const path = join(folder, 'ibtracs.csv');
  writeFileSync(path, `${lines.join('\n')}\n`);
  const tracks: StormTrack[] = [];
  for await (const track of new IbtracsCsvReader().readTracks(path)) tracks.push(track);
  return tracks;
}

const refusal = (pattern: RegExp) => (error: unknown) =>
  error instanceof InvalidInput && pattern.test(error.message);

test('a storm after the row of units: winds in m/s, radius in km, longitudes wrapped, gaps as NaN', async () => {
  const [storm, ...others] = await read(
    HEADER,
    UNITS,
    line({ time: '2016-02-20 06:00:00', agencies: '155,907,1000,12, , ,125,917' }),
    line({ time: '2016-02-20 12:00:00', lng: 180.5, agencies: '150, , , , , , , ' }),
    line({ time: '2016-02-20 15:00:00', agencies: ' , , , , , , , ' }),
  );
  assert.equal(others.length, 0);
  assert.deepEqual([storm!.id, storm!.season, storm!.provisional], ['2016041S14170', 2016, false]);
  const [first, second, third] = storm!.fixes;
  assert.equal(third, undefined, 'a fix without a wind is no fix');
  assert.equal(first!.timeMs, Date.UTC(2016, 1, 20, 6));
  assert.ok(Math.abs(first!.maxWindMps - 155 * KNOT) < 1e-9);
  assert.deepEqual([first!.centralPressureHPa, first!.environmentHPa], [907, 1002]);
  assert.ok(Math.abs(first!.maxWindRadiusKm! - 22.224) < 1e-9);
  assert.equal(second!.lng, -179.5);
  assert.equal(second!.centralPressureHPa, 917, "the responsible centre's, where the agency has none");
  assert.ok(Number.isNaN(second!.maxWindRadiusKm) && Number.isNaN(second!.environmentHPa));
});

test('ten-minute winds are converted to one-minute winds, and one agency is used for a whole storm', async () => {
  const [tokyo] = await read(
    HEADER,
    UNITS,
    line({ time: '1985-09-01 00:00:00', agencies: ' , , , ,88,940, , ' }),
    line({ time: '1985-09-01 06:00:00', agencies: ' , , , ,90,938, , ' }),
    line({ time: '1985-09-01 12:00:00', agencies: '120,935, , ,92,936, , ' }),
  );
  assert.deepEqual(
    tokyo!.fixes.map(({ maxWindMps }) => Math.round(maxWindMps / KNOT)),
    [100, 102, 105],
    'one fix of the first agency does not break the series of the other',
  );
  const [usa] = await read(
    HEADER,
    UNITS,
    line({ time: '1985-09-01 00:00:00', agencies: '115,940, , ,88,940, , ' }),
    line({ time: '1985-09-01 06:00:00', agencies: '117,938, , ,90,938, , ' }),
    line({ time: '1985-09-01 12:00:00', agencies: ' , , , ,92,936, , ' }),
  );
  assert.deepEqual(
    usa!.fixes.map(({ maxWindMps }) => Math.round(maxWindMps / KNOT)),
    [115, 117],
  );
});

test('consecutive storms are separated; side tracks are dropped, provisional tracks are marked', async () => {
  const tracks = await read(
    HEADER,
    UNITS,
    line({ time: '2016-02-20 06:00:00', agencies: '100,950, , , , , , ' }),
    line({ time: '2016-02-20 06:00:00', track: 'spur-merge', agencies: '70,950, , , , , , ' }),
    line({
      sid: 'B',
      season: 2026,
      track: 'PROVISIONAL',
      time: '2026-01-02 00:00:00',
      agencies: '50,990, , , , , , ',
    }),
  );
  assert.deepEqual(
    tracks.map(({ id, provisional, fixes }) => [id, provisional, fixes.length]),
    [
      ['2016041S14170', false, 1],
      ['B', true, 1],
    ],
  );
});

test('fixes are sorted by time, without duplicates', async () => {
  const agencies = '100,950, , , , , , ';
  const [storm] = await read(
    HEADER,
    UNITS,
    line({ time: '2016-02-20 12:00:00', agencies }),
    line({ time: '2016-02-20 06:00:00', agencies }),
    line({ time: '2016-02-20 12:00:00', agencies }),
  );
  assert.deepEqual(
    storm!.fixes.map(({ timeMs }) => new Date(timeMs).getUTCHours()),
    [6, 12],
  );
});

test('a file longer than one chunk keeps every row, and the message names the line of a bad one', async () => {
  const agencies = '100,950, , , , , , ';
  const many = Array.from({ length: 20_000 }, (_, i) =>
    line({
      sid: `S${Math.floor(i / 4)}`,
      time: `2016-02-20 ${String((i % 4) * 6).padStart(2, '0')}:00:00`,
      agencies,
    }),
  );
  const tracks = await read(HEADER, UNITS, ...many);
  assert.equal(tracks.length, 5000);
  assert.ok(tracks.every(({ fixes }) => fixes.length === 4));
  const bad = line({ time: '2016-02-20 06:00:00', lat: 'south', agencies });
  await assert.rejects(read(HEADER, UNITS, ...many, bad), refusal(/line 20003: LAT is 'south'/));
});

test('a file that is not IBTrACS is refused; the message names what is missing', async () => {
  await assert.rejects(
    read('name,season,lat,lon', 'A,2016,1,1'),
    refusal(/no column ISO_TIME; expected an IBTrACS/),
  );
  await assert.rejects(read('SID,SEASON,ISO_TIME,LAT,LON'), refusal(/no agency's winds/));
  await assert.rejects(
    read(HEADER, UNITS, line({ time: 'noon', agencies: ', , , , , , , ' })),
    refusal(/ISO_TIME is 'noon'/),
  );
  writeFileSync(join(folder, 'empty.csv'), '');
  await assert.rejects(
    new IbtracsCsvReader().readTracks(join(folder, 'empty.csv')).next(),
    refusal(/empty\.csv is empty/),
  );
  await assert.rejects(
    new IbtracsCsvReader().readTracks(join(folder, 'none.csv')).next(),
    refusal(/cannot be read/),
  );
});

test('other tables of best tracks are read: one-minute knots, hPa, storms by id, by name and season, or a single storm', async () => {
  const told = (tracks: readonly StormTrack[]) =>
    tracks.map(({ id, season, fixes }) => [
      id,
      season,
      fixes.map(({ timeMs, lng, maxWindMps, centralPressureHPa }) => [
        new Date(timeMs).toISOString().slice(0, 16),
        lng,
        Math.round(maxWindMps / KNOT),
        centralPressureHPa,
      ]),
    ]);
  const hurdat = await read(
    '\uFEFF"id","name","time","lat","long","status","category","wind_kt","pressure_mb"',
    '"Amy-1975","Amy","1975-06-27T00:00:00Z",27.5,-79,"tropical depression","-1",25,1013',
    '"Amy-1975","Amy","1975-06-27T06:00:00Z",28.5,-79,"tropical depression","-1",25,1012',
    '"Zeta-2005","Zeta","2005-12-31T18:00:00Z",23.9,-35.6,"tropical storm","0",55,',
  );
  assert.deepEqual(told(hurdat), [
    [
      'Amy-1975',
      1975,
      [
        ['1975-06-27T00:00', -79, 25, 1013],
        ['1975-06-27T06:00', -79, 25, 1012],
      ],
    ],
    ['Zeta-2005', 2005, [['2005-12-31T18:00', -35.6, 55, Number.NaN]]],
  ]);
  const south = await read(
    'name,season,iso_time,lon,lat,usa_wind_kt,usa_rmw_nmi,usa_pres_mb,usa_poci_mb',
    'ULA,2016,2015-12-29T06:00:00Z,180.5,-14.1,35,20,999,1001',
    'SOLO,2016,2016-02-10T06:00:00Z,160,-18,55,,,',
    'SOLO,2020,2020-02-10T06:00:00Z,160,-18,55,,,',
  );
  assert.deepEqual(told(south), [
    ['ULA', 2016, [['2015-12-29T06:00', -179.5, 35, 999]]],
    ['SOLO', 2016, [['2016-02-10T06:00', 160, 55, Number.NaN]]],
    ['SOLO', 2020, [['2020-02-10T06:00', 160, 55, Number.NaN]]],
  ]);
  assert.ok(Math.abs(south[0]!.fixes[0]!.maxWindRadiusKm! - 37.04) < 1e-9);
  const katrina = await read(
    '"date","latitude","longitude","wind"',
    '"200508231800",23.1,-75.1,30',
    '"200508240000",23.4,-75.7,30',
  );
  assert.deepEqual(told(katrina), [
    [
      'storm',
      2005,
      [
        ['2005-08-23T18:00', -75.1, 30, Number.NaN],
        ['2005-08-24T00:00', -75.7, 30, Number.NaN],
      ],
    ],
  ]);
  const named = await read(
    'name,time,lat,lon,wind_kt',
    'ANA,2015-05-08 00:00,31,-78,40',
    'ANA,2015-05-08 06:00,31,-78,45',
    'BILL,2015-06-16 00:00,27,-95,50',
    'ANA,2021-05-22 00:00,34,-62,40',
  );
  assert.deepEqual(
    named.map(({ id, season, fixes }) => [id, season, fixes.length]),
    [
      ['ANA', 2015, 2],
      ['BILL', 2015, 1],
      ['ANA', 2021, 1],
    ],
  );
  const pressures = await read(
    'time,lat,lon,pressure',
    '2011-02-01 00:00,-15,152,960',
    '2011-02-01 06:00,-15,151,',
  );
  assert.deepEqual(told(pressures), [['storm', 2011, [['2011-02-01T00:00', 152, Number.NaN, 960]]]]);
  const unnamed = await read('time,lat,lon,wind_kt', '2015-05-08,31,-78,40', '2015-09-08,31,-78,45');
  assert.equal(unnamed.length, 2, 'months apart: two storms');
  const [summer] = await read('time,lat,lon,wind', '2015-12-29T06:00:00Z,-14.1,170,35');
  assert.equal(summer!.season, 2016, 'a southern season has the year of its end');
});
