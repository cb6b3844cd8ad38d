import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import { csvRowsOf } from '../../formats/csv/table.ts';
import { GustRecordsCsvReader, gustRecords } from './gust-records-csv.ts';

const parse = (text: string) => gustRecords(csvRowsOf(text, 'g.csv'), 'g.csv', undefined);

test('yearly maxima are used unchanged, for stations in any order', () => {
  const text = 'station,lat,lng,year,gust\nb,52,5,1990,30\na,53,-6,1990,25\nb,52,5,1991,28\n';
  assert.deepEqual(parse(text), [
    { station: 'b', lat: 52, lng: 5, maxima: [30, 28] },
    { station: 'a', lat: 53, lng: -6, maxima: [25] },
  ]);
});

test('of dated gusts the highest of each year is used, and years with gaps are dropped', () => {
  const day = (year: number, n: number, gust: string): string =>
    `x,50,8,${new Date(Date.UTC(year, 0, n)).toISOString().slice(0, 10)},${gust}`;
  const year = (of: number, days: number, top: number): string[] =>
    Array.from({ length: days }, (_, i) => day(of, i + 1, String(i === 3 ? top : 10)));
  const lines = ['Station,Latitude,Longitude,Date,Gust'];
  lines.push(...year(2000, 300, 31), ...year(2001, 300, 33), ...year(2002, 200, 99), day(2001, 301, ''));
  assert.deepEqual(parse(lines.join('\r\n'))[0]!.maxima, [31, 33]);
});

test('a column name may end with its unit, and codes for missing values are gaps', () => {
  const text =
    'station,lat,lng,year,max_gust_kmh\na,52,5,1990,108\na,52,5,1991,NA\na,52,5,1992,-999\na,52,5,1993,999.9\na,52,5,1994,99\n';
  assert.deepEqual(parse(text)[0]!.maxima, [30, 27.5]);
});

test('unusable values are refused; the message names column and line', () => {
  const head = 'station,lat,lng,year,gust\n';
  for (const [text, pattern] of [
    ['station,lat,lng,year\n', /line 1: no column of gust; expected one of gust/],
    [`${head}a,95,5,1990,30`, /line 2: lat "95"; expected a number from -90 to 90/],
    [`${head}a,,5,1990,30`, /line 2: lat ""/],
    [`${head}a,50,5,1990,strong`, /line 2: gust "strong"/],
    [`${head}a,50,5,1990,-3`, /line 2: gust "-3"/],
    [`${head}a,50,5,90,30`, /line 2: time "90"; expected a year or a date/],
    [`${head},50,5,1990,30`, /line 2: station ""; expected a name/],
    [`${head}a,50,5,1990,30\na,51,5,1991,30`, /line 3: station "a"; expected it at 50, 5/],
    [`${head}"a,50,5,1990,30`, /line 2/],
  ] as const)
    assert.throws(
      () => parse(text),
      (error) =>
        error instanceof InvalidInput && pattern.test(error.message) && error.message.includes('g.csv'),
      text,
    );
});

test('positions may come from a station table, for a station column and for one column a station', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-gusts-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const stations = file(
    'stations.csv',
    'station,lon,lat,elevation_m\n1,4.419,52.165,-0.2\n2,4.575,52.463,4.4\n',
  );
  const reader = new GustRecordsCsvReader();
  const expected = [
    { station: '1', lat: 52.165, lng: 4.419, maxima: [278, 334] },
    { station: '2', lat: 52.463, lng: 4.575, maxima: [300] },
  ];
  const long = file('long.csv', 'station,year,value\n1,1971,278\n1,1972,334\n2,1971,300\n');
  assert.deepEqual(await reader.readRecords(long, stations), expected);
  const wide = file('wide.csv', 'year,1,2\n1971,278,300\n1972,334,\n');
  assert.deepEqual(await reader.readRecords(wide, stations), expected);
  await assert.rejects(
    reader.readRecords(file('other.csv', 'station,year,value\n9,1971,278\n'), stations),
    /other\.csv, line 2: station "9"; expected one of the table of stations/,
  );
  await assert.rejects(
    reader.readRecords(long),
    /line 1: no column of lat; expected one of lat, latitude, or --stations/,
  );
});
