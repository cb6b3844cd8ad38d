// Long file: most of it is a table of files, one entry for each form that is read or refused.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import type { PointsRequest } from '../../app/stations/points-reader.ts';
import { PointsFileReader } from './points-file.ts';

const REQUEST: Omit<PointsRequest, 'path'> = {
  metric: 'temperature',
};
const HERE = { lat: 46, lng: 14 };
const STATIONS = 'id,name,lat,lon\nA,Alm,46.1,14.1\nB,"Bad, upper",46.2,-14.2\n7,Seven,10,20\n';

describe('files of observations at stations', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-points-'));
    await writeFile(join(folder, 'stations.csv'), STATIONS);
  });
  after(() => rm(folder, { recursive: true }));

  /** Reads a text as a file: its form, and `station time value` of each observation. */
  async function read(text: string, over: Partial<PointsRequest> & { readonly withStations?: boolean } = {}) {
    const path = join(folder, 'f.csv');
    await writeFile(path, text);
    const { withStations, ...request } = over;
    const file = await new PointsFileReader().open({
      ...REQUEST,
      path,
      ...(withStations === true && { stationsPath: join(folder, 'stations.csv') }),
      ...request,
    });
    const observations: string[] = [];
    for await (const batch of file.batches())
      for (let i = 0; i < batch.count; i++) {
        const t = new Date(batch.timesMs[i]!).toISOString().replace(':00.000Z', 'Z').replace('T00:00Z', '');
        observations.push(`${file.stations[batch.stations[i]!]!.key} ${t} ${batch.values[i]!}`);
      }
    return { file, observations };
  }

  test('a text in ISO 8859-1 is decoded as such: its degree sign is one byte', async () => {
    const path = join(folder, 'latin1.csv');
    await writeFile(path, Buffer.from('date,Temp (°F)\n2020-02-29,50\n', 'latin1'));
    const file = await new PointsFileReader().open({ ...REQUEST, ...HERE, path, column: 'Temp (°F)' });
    assert.equal(file.column, 'Temp (°F)');
    for await (const batch of file.batches()) assert.equal(batch.values[0], 50);
  });

  test('lines of separators alone, as spreadsheets write them below a table, are skipped', async () => {
    const { observations } = await read('date;temperature\n2020-01-01;12,5\n;\n ; ;\n', HERE);
    assert.deepEqual(observations, ['46,14 2020-01-01 12.5']);
    await writeFile(join(folder, 'stations.csv'), `${STATIONS},,,\n`);
    const { file } = await read('id,date,temperature\nA,2020-01-01,12\n,,\n', { withStations: true });
    assert.equal(file.stations.find(({ key }) => key === 'A')?.lat, 46.1);
  });

  test('a field with a line break is refused by what it begins with', async () => {
    await assert.rejects(read('date,temperature,note\n2020-01-01,12,"calm\nday"\n', HERE), {
      name: InvalidInput.name,
      message: /a quote that is not closed in "\\"calm"; fields have no line breaks here$/,
    });
  });

  test('a line with more fields than columns is refused: an unquoted decimal comma was read as whole degrees', async () => {
    await assert.rejects(read('date,temperature\n2020-01-01,12,5\n', HERE), {
      name: InvalidInput.name,
      message: /f\.csv, line 2: 2 columns expected as named, got 3; a field with a comma in it needs quotes$/,
    });
    const { observations } = await read('date,temperature\n2020-01-01,12,,\n', HERE);
    assert.deepEqual(observations, ['46,14 2020-01-01 12']);
  });

  test('in a station table with several name columns, the column that the file also has is used', async () => {
    const sites = join(folder, 'sites.csv');
    await writeFile(sites, 'ID,site,lat,lon\n3,AT-Neu,47.1167,11.3175\n');
    const text = 'date,site,temperature\n2020-02-29,AT-Neu,1.5\n';
    const { observations } = await read(text, { stationsPath: sites });
    assert.deepEqual(observations, ['AT-Neu 2020-02-29 1.5']);
  });

  test('a station whose name has a comma without quotes is refused: its position would be another', async () => {
    const sites = join(folder, 'commas.csv');
    await writeFile(sites, 'id,name,lat,lon\nA,Quay, 3,46,14\n');
    const text = 'date,id,temperature\n2020-02-29,A,1.5\n';
    await assert.rejects(
      read(text, { stationsPath: sites }),
      /commas\.csv, line 2: 4 columns expected as named, got 5/,
    );
  });

  test('MOD13A1 as published: snow and cloud by SummaryQA are gaps, dates are the days of observation', async () => {
    // MOD13A1 of AT-Neu, GitHub kongdd/phenofit (commit 1923b6934c): QA 0 good, 1 marginal, 2 snow or ice, 3 cloud.
    const text =
      'DayOfYear,NDVI,SummaryQA,date\n59,2141,3,2000-02-18\n80,86,2,2000-03-05\n170,7814,0,2000-06-09\n3,4012,1,2000-12-18\n,,,2001-01-01\n';
    const { file, observations } = await read(text, {
      ...HERE,
      metric: 'ndvi',
      dayColumn: 'DayOfYear',
      maskColumn: 'SummaryQA',
      maskEncoding: 'modis-vi-summary',
    });
    assert.match(file.form, /a line an observation/);
    assert.deepEqual(observations, [
      '46,14 2000-02-18 NaN',
      '46,14 2000-03-05 NaN',
      '46,14 2000-06-18 7814',
      '46,14 2001-01-03 4012',
      '46,14 2001-01-01 NaN',
    ]);
    const plain = await read('date,temperature,flag\n2020-01-01,5,0\n2020-01-02,6,1\n', {
      ...HERE,
      maskColumn: 'flag',
    });
    assert.deepEqual(plain.observations, ['46,14 2020-01-01 5', '46,14 2020-01-02 NaN']);
  });

  test('columns lat and lon with displacements, as in Japanese GNSS series, are not read as positions', async () => {
    // GitHub helmsman-sun/gnss-station-neu-timeseries (commit 5c8542726d): displacements in mm under date,lon,lat,ver.
    const lines = Array.from({ length: 12 }, (_, i) => `2009-01-${10 + i},${-i / 3},${i / 7},${i}`);
    const text = `date,lon,lat,ver\n${lines.join('\n')}\n`;
    const request = { metric: 'displacement_up', column: 'ver' };
    await assert.rejects(
      read(text, request),
      /different position \(lat, lon\) at each time.*--lat and --lng/,
    );
    assert.equal((await read(text, { ...request, ...HERE })).observations[1], '46,14 2009-01-11 1');
    const field = text.replaceAll(/2009-01-\d\d/g, '2009-01-10');
    assert.equal((await read(field, request)).file.stations.length, 12, 'one time, twelve places');
  });

  test('missing columns of quality and days, and unknown codes, are refused', async () => {
    const text = 'date,temperature,flag,doy\n2020-01-01,5,0,1\n2020-01-17,6,cloud,60\n';
    const refused = (over: Partial<PointsRequest>, pattern: RegExp) =>
      assert.rejects(read(text, { ...HERE, ...over }), (error: unknown) => {
        assert.ok(error instanceof InvalidInput);
        assert.match(error.message, pattern);
        return true;
      });
    await refused({ maskColumn: 'qa' }, /no column qa in f\.csv; there are date, temperature, flag, doy/);
    await refused({ maskColumn: 'flag' }, /line 3, column flag: a code .* got "cloud"/);
    await refused(
      { maskColumn: 'flag', maskEncoding: 'modis' },
      /--mask-encoding: expected one of .*modis-vi/,
    );
    await refused({ maskEncoding: 'landsat-ard' }, /together with --mask/);
    await refused(
      { dayColumn: 'doy' },
      /line 3, column doy: .* within 31 days of 2020-01-17 expected, got "60"/,
    );
    const wide = 'date,A,B\n2020-01-01,5,0\n';
    await assert.rejects(read(wide, { withStations: true, maskColumn: 'B' }), /--mask: expected a table/);
  });

  const FORMS: readonly (readonly [
    name: string,
    text: string,
    over: Parameters<typeof read>[1],
    expected: readonly string[],
  ])[] = [
    [
      'Met Éireann: station and legend above the column names, names of months',
      'Station Name: VALENTIA\nLatitude:51.938  ,Longitude: -10.241\n\ndate:  -  00 to 00 utc\nhg:  -  Highest Gust (knot)\n\n' +
        'date,ind,maxtp,ind,hg\n31-jan-1962,0,9.1,0,47\n01-feb-1962,0,8.8,0, \n',
      { ...HERE, metric: 'gust', column: 'hg' },
      ['46,14 1962-01-31 47', '46,14 1962-02-01 NaN'],
    ],
    [
      'KNMI: column names in a comment',
      '# BRON: KNMI, date of print\n# FXX = gust, in 0.1 m/s\n# STN,YYYYMMDD,  FXX,   TG\n\n  240,19620131,  110,   40\n  240,19620201,  120,   41\n',
      { ...HERE, column: 'TG' },
      ['46,14 1962-01-31 40', '46,14 1962-02-01 41'],
    ],
    [
      'ECA&D: a text above the column names',
      'EUROPEAN CLIMATE ASSESSMENT & DATASET (ECA&D)\n\n08-15 DATE : Date YYYYMMDD\n\nSTAID, SOUID,    DATE,   TG, Q_TG\n   162,100522,19620131,   40,    0\n   162,100522,19620201,-9999,    9\n',
      { ...HERE, column: 'TG' },
      ['46,14 1962-01-31 40', '46,14 1962-02-01 -9999'],
    ],
    [
      'Open-Meteo: a table of the place above the column names',
      'latitude,longitude,elevation\n52.5,13.4,38.0\n\ntime,temperature_2m_max (°C)\n2020-01-31,5.5\n',
      { ...HERE, column: 'temperature_2m_max (°C)' },
      ['46,14 2020-01-31 5.5'],
    ],
    [
      'USGS: a column of time zones, codes for missing values',
      '# USGS\nagency_cd\tsite_no\tdatetime\ttz_cd\t1_00060\t1_00060_cd\n5s\t15s\t20d\t6s\t14n\t10s\n' +
        'USGS\t01\t2020-03-08 01:45\tEST\t7\tA\nUSGS\t01\t2020-03-08 03:00\tEDT\tIce\tA\nUSGS\t01\t2020-03-08 03:15\tEDT\t8\tA\n',
      { ...HERE, metric: 'river_flow', column: '1_00060' },
      ['46,14 2020-03-08T06:45Z 7', '46,14 2020-03-08T07:00Z NaN', '46,14 2020-03-08T07:15Z 8'],
    ],
    [
      'GRDC: days without a time of day',
      '# River: RHEIN\r\nYYYY-MM-DD;hh:mm; Value\r\n2020-01-31;--:--;   2000.500\r\n',
      { ...HERE, metric: 'river_flow', column: 'Value' },
      ['46,14 2020-01-31 2000.5'],
    ],
    [
      'Environment Canada: remarks after the column names of the place',
      '"Longitude (x)","Latitude (y)","Station Name","Climate ID","Date/Time","Year","Month","Day","Mean Temp (°C)"\n"-63.51","44.88","A","8202251","2020-01-31","2020","01","31","-1.2"\n',
      { column: 'Mean Temp (°C)' },
      ['44.88,-63.51 2020-01-31 -1.2'],
    ],
    [
      'plain',
      'date,temperature\n2020-02-29,1.5\n2020-03-01,\n',
      HERE,
      ['46,14 2020-02-29 1.5', '46,14 2020-03-01 NaN'],
    ],
    [
      'a byte order mark, Windows line ends and quotes',
      '\uFEFF"date","temperature"\r\n"2020-01-01","-3"\r\n',
      HERE,
      ['46,14 2020-01-01 -3'],
    ],
    [
      'semicolons and decimal commas',
      'Datum;Temperatur\n01.03.2020;-1,5\n13.03.2020;2,25\n',
      { ...HERE, timeColumn: 'Datum', column: 'temperatur' },
      ['46,14 2020-03-01 -1.5', '46,14 2020-03-13 2.25'],
    ],
    [
      'quoted decimal commas between comma separators',
      'date,temperature\n2020-01-01,"1,5"\n2020-01-02,"12,25"\n',
      HERE,
      ['46,14 2020-01-01 1.5', '46,14 2020-01-02 12.25'],
    ],
    [
      'tabs and a USGS line of column widths',
      '# of a gauge\nsite_no\tdatetime\ttemperature\n5s\t20d\t14n\n0123\t2020-01-01 06:30\t4\n',
      HERE,
      ['46,14 2020-01-01T06:30Z 4'],
    ],
    ['spaces as separators', 'date  temperature\n2020-01-01   4\n', HERE, ['46,14 2020-01-01 4']],
    [
      'offsets',
      'datetime,temperature\n2020-01-01T01:00+02:00,1\n2020-01-01T01:00Z,2\n',
      HERE,
      ['46,14 2019-12-31T23:00Z 1', '46,14 2020-01-01T01:00Z 2'],
    ],
    [
      'a zone for times without an offset',
      'datetime,temperature\n2020-01-15 12:00,1\n2020-07-15 12:00,2\n2020-07-15T12:00Z,3\n',
      { ...HERE, timezone: 'Europe/Dublin' },
      ['46,14 2020-01-15T12:00Z 1', '46,14 2020-07-15T11:00Z 2', '46,14 2020-07-15T12:00Z 3'],
    ],
    [
      'one offset for all times',
      'datetime,temperature\n2020-01-01 00:30,1\n',
      { ...HERE, timezone: '+05:30' },
      ['46,14 2019-12-31T19:00Z 1'],
    ],
    [
      'dates without a time are not shifted by the zone',
      'date,temperature\n2020-01-01,1\n',
      { ...HERE, timezone: '+05:30' },
      ['46,14 2020-01-01 1'],
    ],
    [
      'dates with the month first',
      'date,temperature\n1/2/2020,1\n1/13/2020,2\n',
      HERE,
      ['46,14 2020-01-02 1', '46,14 2020-01-13 2'],
    ],
    [
      'dates with a given order',
      'date,temperature\n1/2/2020,1\n',
      { ...HERE, dateOrder: 'dmy' },
      ['46,14 2020-02-01 1'],
    ],
    ['compact dates', 'date,temperature\n20200229,1\n', HERE, ['46,14 2020-02-29 1']],
    [
      'columns of year, month, day and hour',
      'yr,mon,day,hour,temperature\n2020,2,29,6,1\n2020,2,29,24,2\n',
      HERE,
      ['46,14 2020-02-29T06:00Z 1', '46,14 2020-03-01 2'],
    ],
    ['day of the year', 'year,doy,temperature\n2020,60,1\n', HERE, ['46,14 2020-02-29 1']],
    [
      'date and time in two columns',
      'date,time,temperature\n2020-01-01,06:15,1\n',
      HERE,
      ['46,14 2020-01-01T06:15Z 1'],
    ],
    [
      'decimal years',
      'decimal_year,temperature\n2011.1890,1\n2012.5,2\n',
      HERE,
      ['46,14 2011-03-11 1', '46,14 2012-07-02 2'],
    ],
    ['modified Julian days', 'mjd,temperature\n53894.5,1\n', HERE, ['46,14 2006-06-08T12:00Z 1']],
    [
      'modified Julian days since June 2009 in any column',
      'time,temperature\n59215,1\n',
      HERE,
      ['46,14 2021-01-01 1'],
    ],
    ['Unix time', 'time,temperature\n1577836800,1\n', HERE, ['46,14 2020-01-01 1']],
    [
      'months',
      'month,temperature\n2020-01,1\n2020-02,2\n',
      HERE,
      ['46,14 2020-01-01 1', '46,14 2020-02-01 2'],
    ],
    [
      'years',
      'year,month,temperature\n2020,1,1\n2020,12,2\n',
      HERE,
      ['46,14 2020-01-01 1', '46,14 2020-12-01 2'],
    ],
    [
      'words for missing values',
      'date,temperature\n2020-01-01,NA\n2020-01-02,NaN\n2020-01-03,null\n2020-01-04,-\n2020-01-05,1e1\n',
      HERE,
      [
        '46,14 2020-01-01 NaN',
        '46,14 2020-01-02 NaN',
        '46,14 2020-01-03 NaN',
        '46,14 2020-01-04 NaN',
        '46,14 2020-01-05 10',
      ],
    ],
    [
      'a column named after the metric and its unit',
      'date,temperature_c,wind_ms\n2020-01-01,4,9\n',
      HERE,
      ['46,14 2020-01-01 4'],
    ],
    [
      'a station on each line, with its position in columns',
      'station,lat,lon,date,temperature\nA,1,2,2020-01-01,3\nB,4,350,2020-01-01,5\nA,1,2,2020-01-02,6\n',
      {},
      ['A 2020-01-01 3', 'B 2020-01-01 5', 'A 2020-01-02 6'],
    ],
    [
      'a station on each line, with its position in the station table',
      'id,date,temperature\nB,2020-01-01,3\n',
      { withStations: true },
      ['B 2020-01-01 3'],
    ],
    [
      'one column a station',
      'date,A,B\n2020-01-01,3,4\n2020-01-02,,5\n',
      { withStations: true },
      ['A 2020-01-01 3', 'B 2020-01-01 4', 'A 2020-01-02 NaN', 'B 2020-01-02 5'],
    ],
    [
      'column names of a letter and the number of the station',
      'date,p7\n2020-01-01,3\n',
      { withStations: true },
      ['7 2020-01-01 3'],
    ],
    [
      'one station of a table of many columns',
      'date,A,B\n2020-01-01,3,4\n',
      { withStations: true, column: 'B' },
      ['B 2020-01-01 4'],
    ],
    [
      'a file of one station in the station table',
      'date,temperature\n2020-01-01,3\n',
      { withStations: true, station: 'A' },
      ['A 2020-01-01 3'],
    ],
    [
      'positions without station names',
      'lat,lon,date,temperature\n1,2,2020-01-01,3\n1,3,2020-01-01,4\n',
      {},
      ['1,2 2020-01-01 3', '1,3 2020-01-01 4'],
    ],
    [
      'EGMS: one line a point, one column a date',
      'pid,latitude,longitude,mean_velocity,20190105,20190111\nP1,38.6,-28.75,1.2,7.0,0.8\nP2,38.7,-28.75,0,,-1\n',
      { metric: 'displacement' },
      ['P1 2019-01-05 7', 'P1 2019-01-11 0.8', 'P2 2019-01-05 NaN', 'P2 2019-01-11 -1'],
    ],
    [
      'CSV of PBO: millimetres, a comma at the end of each line, empty where unknown',
      'PBO Station Position Time Series. Reference Frame : IGS08\nFormat Version,1.0.4\n4-character ID,P156\nStation name,GibsonRdg_CN2006\nBegin Date, 2006-06-08\nReference position, 40.0244429509 North Latitude, -123.9061171351 East Longitude, 488.99986 meters elevation,\nDate, North (mm), East (mm), Vertical (mm), North Std. Deviation (mm), East Std. Deviation (mm), Vertical Std. Deviation (mm), Quality,\n2006-06-08,-122.8, 62.65, 2.76, 3.12, 2.46, 11.22, repro,\n2006-06-09,-120.46, 62.71, , 1.78, 1.49, 6.54, repro,\n',
      { metric: 'displacement_up' },
      ['P156 2006-06-08 2.76', 'P156 2006-06-09 NaN'],
    ],
    [
      'CSV of the EarthScope web service: metres, the position above the columns',
      '# Station_ID: P156\n# Latitude: 40.0244\n# Longitude: -123.9061\nDatetime, delta E, delta N, delta v, Std Dev E, Std Dev N, Std Dev V, Solution\n2006-06-08T00:00:00+0000,0.06265,-0.1228,0.00276,0.002,0.003,0.011,repro\n',
      { metric: 'displacement_up' },
      ['P156 2006-06-08 0.00276'],
    ],
    [
      'tenv3',
      'site YYMMMDD yyyy.yyyy __MJD week d reflon _e0(m) __east(m) ____n0(m) _north(m) u0(m) ____up(m) _ant(m) sig_e(m) sig_n(m) sig_u(m) __corr_en __corr_eu __corr_nu _latitude(deg) _longitude(deg) __height(m)\nP156 06JUN08 2006.4353 53894 1378 4 -123.9 524 0.25 4431234 0.5 488 0.9 0.0083 0.001 0.001 0.003 0.0 0.0 0.0 40.0244 -123.9061 488.99\nP156 06JUN09 2006.4381 53895 1378 5 -123.9 525 -0.7 4431234 0.5 489 -0.05 0.0083 0.001 0.001 0.003 0.0 0.0 0.0 40.0244 -123.9061 488.99\n',
      { metric: 'displacement_up' },
      ['P156 2006-06-08 0.9', 'P156 2006-06-09 0.95'],
    ],
  ];
  for (const [name, text, over, expected] of FORMS)
    test(`read: ${name}`, async () => assert.deepEqual((await read(text, over)).observations, expected));

  test('tenv3 east positions are continuous when the whole metres change', async () => {
    const [, text] = FORMS.find(([name]) => name === 'tenv3')!;
    assert.deepEqual((await read(text, { metric: 'displacement_east' })).observations, [
      'P156 2006-06-08 0.25',
      'P156 2006-06-09 0.3',
    ]);
  });

  test('the form is reported, and a second reading gives the same', async () => {
    const { file } = await read('Date;A;B\n31.12.2020;1,5;2\n', { withStations: true });
    assert.match(
      file.form,
      /a line a time and a column a station, 2 of them, times in date \(day, month, year\)/,
    );
    const again = [];
    for await (const batch of file.batches()) again.push(...batch.values.subarray(0, batch.count));
    assert.deepEqual(again, [1.5, 2]);
    assert.deepEqual(
      file.stations.map(({ key, lat, lng }) => [key, lat, lng]),
      [
        ['A', 46.1, 14.1],
        ['B', 46.2, -14.2],
      ],
    );
  });

  test('lines across the boundary of two chunks are joined', async () => {
    const lines = Array.from({ length: 60_000 }, (_, i) => `${new Date(i * 60_000).toISOString()},${i}`);
    const { observations } = await read(`datetime,temperature\n${lines.join('\n')}`, HERE);
    assert.equal(observations.length, 60_000);
    assert.ok(observations.every((text, i) => text.endsWith(` ${i}`)));
  });

  const BAD: readonly (readonly [
    name: string,
    text: string,
    over: Parameters<typeof read>[1],
    message: RegExp,
  ])[] = [
    [
      'a missing column',
      'date,rain\n2020-01-01,1\n',
      { ...HERE, column: 'snow' },
      /--column: no column snow in f\.csv; there are date, rain/,
    ],
    [
      'without a column of the metric',
      'date,rain,wind\n2020-01-01,1,2\n',
      HERE,
      /no column named temperature; expected --column with one of rain, wind/,
    ],
    [
      'a station whose name holds a control character',
      'date,station,lat,lon,temperature\n2020-01-01,A\u001b[31m,1,2,3\n',
      {},
      /line 2: the name of a station: expected text without control .*, got U\+001B/,
    ],
    [
      'a station whose name turns text round',
      'date,temperature\n2020-01-01,3\n',
      { ...HERE, station: 'A\u202eB' },
      /the name of a station: expected .*, got U\+202E/,
    ],
    [
      'a latitude beyond the pole',
      'date,temperature\n2020-01-01,3\n',
      { lat: 95, lng: 1 },
      /from -90 to 90 expected, got 95/,
    ],
    ['a table without times', 'when,temperature\n2020-01-01,1\n', HERE, /line 1: no column of times/],
    [
      'times of an unknown form',
      'date,temperature\nyesterday,1\n',
      HERE,
      /line 1: date: a date or time such as 2020-03-31.*got "yesterday"/,
    ],
    [
      'a day that does not exist',
      'date,temperature\n2020-02-28,1\n2019-02-29,1\n',
      HERE,
      /line 3, time: a date.*got "2019-02-29"/,
    ],
    [
      'a time that the zone skips',
      'datetime,temperature\n2020-03-29 00:30,1\n2020-03-29 01:30,1\n',
      { ...HERE, timezone: 'Europe/Dublin' },
      /line 3, time/,
    ],
    ['ambiguous dates', 'date,temperature\n1/2/2020,1\n2/2/2020,1\n', HERE, /--date-order dmy or mdy/],
    [
      'a word in place of a number',
      'date,temperature\n2020-01-01,1\n2020-01-02,warm\n',
      HERE,
      /line 3, column temperature: a number expected.*got "warm"/,
    ],
    [
      'the day number of a spreadsheet',
      'date,temperature\n45292,1\n',
      HERE,
      /45292 may be the modified Julian day of 1982-11-19 or the day number of a spreadsheet for 2024-01-01/,
    ],
    ['an absent time beside day numbers', 'time,temperature\n59215,1\n,1\n', HERE, /line 3, time: .*got ""/],
    [
      'an offset of more than a day',
      'date,temperature\n2020-01-01T10:00+25:00,1\n',
      HERE,
      /a date or time such as .* expected, got "2020-01-01T10:00\+25:00"/,
    ],
    [
      'a column of positions that stands twice',
      'date,lat,lat,lng,temperature\n2020-01-01,46,1,6,1\n',
      {},
      /the column lat stands twice; expected once/,
    ],
    [
      'degrees, minutes and seconds',
      "date,lat,lng,temperature\n2020-01-01,46°30'N,6,1\n",
      {},
      /line 2: column lat: decimal degrees such as -46.25 expected, got "46°30'N"/,
    ],
    ['a hexadecimal number', 'date,temperature\n2020-01-01,0x10\n', HERE, /line 2, column temperature/],
    [
      'a truncated line',
      'date,station,temperature\n2020-01-01,A,1\n2020-01-02\n',
      HERE,
      /line 3: 3 columns expected as named, got 1/,
    ],
    [
      'an unclosed quote',
      'date,temperature\n2020-01-01,"1\n',
      HERE,
      /line 2: a quote that is not closed|a quote that is not closed/,
    ],
    [
      'a table without positions',
      'date,temperature\n2020-01-01,1\n',
      {},
      /does not say where its station stands: give --lat and --lng/,
    ],
    [
      'a latitude without a longitude',
      'date,temperature\n2020-01-01,1\n',
      { lat: 46 },
      /--lat and --lng: expected both or neither/,
    ],
    [
      'an invalid position',
      'date,temperature\n2020-01-01,1\n',
      { lat: 91, lng: 0 },
      /latitude from -90 to 90/,
    ],
    [
      'one position for several stations',
      'id,date,temperature\nA,2020-01-01,1\nB,2020-01-01,1\n',
      HERE,
      /several stations in its column id/,
    ],
    [
      'a station that changes its position',
      'id,lat,lon,date,temperature\nA,1,2,2020-01-01,1\nA,1,3,2020-01-02,1\n',
      {},
      /line 3: station A stands at 1, 2 before and at 1, 3 here/,
    ],
    [
      'a station missing in the station table',
      'id,date,temperature\nX,2020-01-01,1\n',
      { withStations: true },
      /line 2: station "X" is not in the table/,
    ],
    [
      'an unknown zone',
      'date,temperature\n2020-01-01,1\n',
      { ...HERE, timezone: 'Mars/Olympus' },
      /--timezone: expected UTC.*got "Mars\/Olympus"/,
    ],
    ['only column names', 'date,temperature\n', HERE, /no observations below the column names/],
    ['an empty file', '', HERE, /is empty/],
    ['a binary file', 'date,\u0000\n', HERE, /is not a text file/],
    [
      'a GNSS series for another metric',
      'PBO Station Position Time Series. Reference Frame : ITRF08\nNEU Reference position :  40 236 0\n*YYYYMMDD HHMMSS dN dE dU\n',
      { metric: 'wind' },
      /--metric expected one of displacement/,
    ],
  ];
  for (const [name, text, over, message] of BAD)
    test(`refused: ${name}`, async () => {
      await assert.rejects(read(text, over), (error) => {
        assert.ok(error instanceof InvalidInput, String(error));
        assert.match(error.message, message);
        return true;
      });
    });

  test('a missing file is refused', async () => {
    await assert.rejects(
      new PointsFileReader().open({ ...REQUEST, ...HERE, path: join(folder, 'none.csv') }),
      (error) =>
        error instanceof InvalidInput && error.param === 'file' && /cannot be read/.test(error.message),
    );
  });
});
