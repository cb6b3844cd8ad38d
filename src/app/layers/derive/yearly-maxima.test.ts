import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { InvalidInput } from '../../../base/errors.ts';
import { PointsFileReader } from '../../../sources/stations/points-file.ts';
import { type MaximaRecord, readYearlyMaxima, type RecordsRequest, spanOf } from './yearly-maxima.ts';

const SHARED = join(import.meta.dirname, '../../../../../shared/data');
const reader = new PointsFileReader();

function folderOf(t: TestContext): (name: string, text: string) => string {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-maxima-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  return (name, text) => {
    writeFileSync(join(home, name), text);
    return join(home, name);
  };
}

const read = (
  path: string,
  more: Partial<RecordsRequest> = {},
  metric = 'gust',
): Promise<readonly MaximaRecord[]> =>
  readYearlyMaxima(
    reader,
    { path, ...more },
    metric,
    metric === 'gust' ? ['max_gust', 'value'] : ['discharge', 'value'],
  );
const valuesOf = ({ maxima }: MaximaRecord): number[] => maxima.map(({ value }) => value);
const yearsOf = ({ maxima }: MaximaRecord): number[] => maxima.map(({ year }) => year);

/** Lines of consecutive days, from the n-th day of a year on. */
function days(year: number, from: number, to: number, value: (day: number) => number | string): string[] {
  return Array.from({ length: to - from + 1 }, (_, i) => {
    const date = new Date(Date.UTC(year, 0, from + i)).toISOString().slice(0, 10);
    return `x,50,8,${date},${value(from + i)}`;
  });
}

test('yearly maxima are used unchanged, for stations in any order and however the table is written', async (t) => {
  const file = folderOf(t);
  const expected = [
    ['b', 52, 5, [30, 28]],
    ['a', 53, -6, [25]],
  ];
  for (const [name, text] of [
    ['plain.csv', 'station,lat,lng,year,gust\nb,52,5,1990,30\na,53,-6,1990,25\nb,52,5,1991,28\n'],
    [
      'semicolons.csv',
      'Station;Latitude;Longitude;Year;max_gust\r\nb;52;5;1990;30\r\na;53;-6;1990;25\r\nb;52;5;1991;28\r\n',
    ],
    [
      'commas.csv',
      'id;lat;lon;date;gust\nb;52;5;31.12.1990;30,0\na;53;-6;31.12.1990;25,0\nb;52;5;01.03.1991;28,0\n',
    ],
    [
      'units.csv',
      'station\tlat\tlng\tyear\tgust_kmh\nb\t52\t5\t1990\t108\na\t53\t-6\t1990\t90\nb\t52\t5\t1991\t100.8\n',
    ],
  ] as const) {
    const found = await read(file(name, text));
    assert.deepEqual(
      found.map((record) => [
        record.station,
        record.lat,
        record.lng,
        valuesOf(record).map((v) => Number(v.toFixed(9))),
      ]),
      expected,
      name,
    );
  }
});

test('positions may be in a table of stations, for a line a value or a column a station', async (t) => {
  const file = folderOf(t);
  const stationsPath = file('stations.csv', 'station,lon,lat\n1,4.4,52.1\n2,4.5,52.4\n');
  for (const text of [
    'station,year,value\n1,1971,27\n1,1972,33\n2,1971,30\n',
    'year,1,2\n1971,27,30\n1972,33,\n',
  ]) {
    const found = await read(file('records.csv', text), { stationsPath });
    assert.deepEqual(
      found.map((record) => [record.station, record.lat, valuesOf(record)]),
      [
        ['1', 52.1, [27, 33]],
        ['2', 52.4, [30]],
      ],
    );
  }
  await assert.rejects(
    read(file('other.csv', 'station,year,value\n9,1971,27\n'), { stationsPath }),
    (error) => {
      assert.ok(error instanceof InvalidInput);
      assert.match(error.message, /other\.csv, line 2: station "9" is not in the table/);
      return true;
    },
  );
});

test('a year counts with nine tenths of the days of the fullest year and a third of each month', async (t) => {
  const file = folderOf(t);
  const top = (value: number) => (day: number) => (day === 200 ? value : 10);
  const lines = [
    'station,lat,lng,date,gust',
    ...days(1999, 300, 365, top(50)), // partial first year
    ...days(2000, 1, 366, top(31)), // leap year
    ...days(2001, 1, 365, top(33)),
    ...days(2002, 1, 334, top(99)), // without December, 92 % of the days
    ...days(2004, 1, 365, (day) => (day % 10 === 0 ? '' : top(35)(day + 1))), // a tenth of the days is missing, evenly
    ...days(2005, 1, 100, top(60)), // partial last year
  ];
  const [record] = await read(file('daily.csv', lines.join('\n')));
  assert.deepEqual(yearsOf(record!), [2000, 2001, 2004]);
  assert.deepEqual(valuesOf(record!), [31, 33, 35]);
  assert.deepEqual([record!.from, record!.to, record!.dropped, record!.isYearly], [1999, 2005, 4, false]);
  assert.equal(spanOf(record!), '3 of 7 years (1999 to 2005)');
});

test('a record that became hourly keeps its daily years', async (t) => {
  const file = folderOf(t);
  const hourly = days(2001, 1, 365, () => 12).flatMap((line) => [
    line.replace(/(\d{4}-\d{2}-\d{2})/, '$1T06:00Z'),
    line.replace(/(\d{4}-\d{2}-\d{2}),12/, '$1T18:00Z,14'),
  ]);
  const text = ['station,lat,lng,date,gust', ...days(2000, 1, 366, () => 11), ...hourly].join('\n');
  const [record] = await read(file('hourly.csv', text));
  assert.deepEqual(valuesOf(record!), [11, 14]);
});

test('twenty maxima in forty calendar years are twenty', async (t) => {
  const file = folderOf(t);
  const lines = Array.from({ length: 20 }, (_, i) => `a,50,8,${1961 + 2 * i},${25 + (i % 7)}`);
  const [record] = await read(file('gaps.csv', ['station,lat,lng,year,gust', ...lines].join('\n')));
  assert.deepEqual([record!.maxima.length, record!.dropped], [20, 19]);
});

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i);
/** A table of one gust a year: 20, 21, ... m/s in the order of the years. */
const yearly = (years: readonly number[]): string =>
  ['station,lat,lng,year,gust', ...years.map((year, i) => `a,50,5,${year},${20 + (i === 10 ? 0 : i)}`)]
    .join('\n')
    .replace(/,41$/, ',40');

test('maxima of two water years in one calendar year are two, beside a year without one', async (t) => {
  const file = folderOf(t);
  const years = [...range(1970, 1979), 1980, 1980, ...range(1982, 1995)];
  const [record] = await read(file('water.csv', yearly(years)));
  assert.deepEqual(yearsOf(record!), range(1970, 1995));
  assert.deepEqual([valuesOf(record!)[10], valuesOf(record!)[11], record!.dropped], [31, 20, 0]);
});

test('codes for missing values are gaps, and unusable values are refused by line', async (t) => {
  const file = folderOf(t);
  const head = 'station,lat,lng,year,gust\n';
  const [record] = await read(
    file('codes.csv', `${head}a,52,5,1990,30\na,52,5,1991,NA\na,52,5,1992,-999\na,52,5,1993,999.9\n`),
  );
  assert.deepEqual(valuesOf(record!), [30]);
  const [own] = await read(file('own.csv', `${head}a,52,5,1990,30\na,52,5,1991,88.8\n`), { nodata: 88.8 });
  assert.deepEqual(valuesOf(own!), [30]);
  for (const [text, message, more] of [
    [
      'station,lat,lng,year\na,1,2,1990\n',
      /no column named gust or max_gust or value; expected --column/,
      {},
    ],
    [`${head}a,95,5,1990,30`, /line 2: station a: a latitude from -90 to 90 expected, got 95/, {}],
    [`${head}a,50,5,1990,strong`, /line 2, column gust: a number expected.*"strong"/, {}],
    [
      `${head}a,50,5,1990,278`,
      /line 2: gust expected in \[0, 150\] m\/s, got 278: check --unit and --scale/,
      {},
    ],
    [`${head}a,50,5,90,30`, /time/, {}],
    [
      yearly([...range(1970, 1990), 1980]),
      /station a has 2 values for 1980, from 20 to 40; expected one/,
      {},
    ],
    [`${head}a,50,5,1990,30`, /scale 0: expected a number above 0/, { scale: 0 }],
    [`${head}a,50,5,1990,30`, /--unit: expected a unit of gust/, { unit: 'kg' }],
  ] as const)
    await assert.rejects(read(file('bad.csv', text), more), (error) => {
      assert.ok(error instanceof InvalidInput, String(error));
      assert.match(error.message, message);
      return true;
    });
});

const CATCHMENT = join(SHARED, 'airgr-daily-catchment/L0123001.csv');

test(
  'the catchment of airGR: the year without flow is missing, and units are converted',
  { skip: existsSync(CATCHMENT) ? false : `${CATCHMENT} is absent` },
  async () => {
    const request = { lat: 45, lng: 5, column: 'discharge_l_s' };
    const [record] = await read(CATCHMENT, request, 'river_flow');
    assert.deepEqual([record!.from, record!.to], [1984, 2012]);
    assert.ok(!yearsOf(record!).includes(1989) && record!.maxima.length >= 20, spanOf(record!));
    // 23.88 mm a day over 360 km2 is 99.5 m3/s (the README of the set).
    const highest = record!.maxima.reduce((most, one) => (one.value > most.value ? one : most));
    assert.equal(highest.year, 1997);
    assert.ok(Math.abs(highest.value - 99.5) < 0.1, String(highest.value));
  },
);
