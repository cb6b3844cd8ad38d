import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import { DisplacementCsvReader } from './displacement-csv.ts';

const DATA = join(import.meta.dirname, '../../../../shared/data');
const absent = existsSync(DATA) ? false : `${DATA} is absent`;
const reader = new DisplacementCsvReader();

function file(t: TestContext, text: string): string {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-points-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  writeFileSync(join(home, 'p.csv'), text);
  return join(home, 'p.csv');
}

test('an EGMS table with easting and northing: velocity, its deviation and acceleration; date columns are ignored', async (t) => {
  const path = file(
    t,
    'pid,easting,northing,height,rmse,mean_velocity,mean_velocity_std,acceleration,acceleration_std,20190105\r\n' +
      'a1,4321050,3210050,12.5,1.1,-3.4,0.2,0.15,0.05,0.3\r\n"a2",4321150,3210050,12.5,1.1,0.1,,,0.05,\r\n',
  );
  const { crs, points, records } = await reader.readPoints(path);
  assert.equal(crs, 'EPSG:3035');
  assert.deepEqual(points, [
    { x: 4321050, y: 3210050, velocity: -3.4, error: 0.2, acceleration: 0.15 },
    { x: 4321150, y: 3210050, velocity: 0.1, error: Number.NaN, acceleration: Number.NaN },
  ]);
  assert.deepEqual(records, []);
});

test('lines are grouped into series by name and sorted by time', async (t) => {
  const path = file(
    t,
    'series_id,t,y,lat,lon\nb,2020-01-13,2,50,8\nb,2020-01-01,1,50,8\nc,2020-01-01,5,51,8\nb,2020-01-25,,50,8\n',
  );
  const { crs, records } = await reader.readPoints(path);
  assert.equal(crs, 'EPSG:4326');
  assert.deepEqual(records[0], {
    x: 8,
    y: 50,
    timesMs: [Date.parse('2020-01-01'), Date.parse('2020-01-13')],
    displacementsMm: [1, 2],
  });
  assert.equal(records.length, 2);
});

const PBO_CSV = (id: string, lat: number): string =>
  `PBO Station Position Time Series.\nFormat Version, 1.2.0\nReference Frame, IGS14\n4-character ID, ${id}\nReference position, ${lat} North Latitude, 250.5 East Longitude, 10 meters elevation\nDate, North (mm), East (mm), Vertical (mm), Quality,\n2020-01-02, 1, 2, 3.5, final,\n2020-01-01, 1, 2, 3, final,\n`;

test('a comma within quotes does not move the fields after it', async (t) => {
  const path = file(t, 'latitude,longitude,"name",velocity\n46,14,"Quay, 3",-5\n');
  const { points } = await reader.readPoints(path);
  assert.deepEqual(
    points.map(({ x, y, velocity }) => [x, y, velocity]),
    [[14, 46, -5]],
  );
});

test('a line with more fields than columns is refused by its number: a comma without quotes moved its fields', async (t) => {
  const velocities = file(t, 'latitude,longitude,name,velocity\n46,14,Pier,-4\n46,14,Quay, 3,-5\n');
  await assert.rejects(
    reader.readPoints(velocities),
    (error) =>
      error instanceof InvalidInput && /line 3: 4 columns expected as named, got 5/.test(error.message),
  );
  const series = file(t, 'id,t,y,lat,lon\nb,2020-01-13,2,5,50,8\n');
  await assert.rejects(reader.readPoints(series), /line 2: 5 columns expected as named, got 6/);
  const empty = file(t, 'latitude,longitude,velocity\n46,14,-5,,\n'); // as spreadsheets write columns without a title
  assert.equal((await reader.readPoints(empty)).points.length, 1);
});

test('GNSS series are stations, in one file or a folder of them', async (t) => {
  const path = file(t, PBO_CSV('P001', 40));
  const one = await reader.readPoints(path);
  assert.deepEqual(one, {
    crs: 'EPSG:4326',
    points: [],
    records: [
      {
        x: -109.5,
        y: 40,
        timesMs: [Date.parse('2020-01-01'), Date.parse('2020-01-02')],
        displacementsMm: [3, 3.5],
      },
    ],
    areStations: true,
  });
  const folder = dirname(path);
  writeFileSync(join(folder, 'q.csv'), PBO_CSV('P002', 41));
  writeFileSync(join(folder, 'notes.txt'), 'not a series');
  const all = await reader.readPoints(folder);
  assert.deepEqual([all.records.map(({ y }) => y), all.areStations], [[40, 41], true]);
  await assert.rejects(
    reader.readPoints(folder, { lat: 1, lng: 2 }),
    /is a folder: --lat and --lng are of one/,
  );
});

test('a table of one station takes column, unit and position from the options', async (t) => {
  const path = file(t, 'date;lon;lat;ver\n01.01.2020;-82,07;0,95;-1,5\n02.01.2020;-81,3;1,9;-1,1\n');
  const options = { lat: 36.13, lng: 138.36, column: 'ver', unit: 'cm' };
  const { records } = await reader.readPoints(path, options);
  assert.deepEqual([records[0]!.x, records[0]!.y, records[0]!.displacementsMm], [138.36, 36.13, [-15, -11]]);
  await assert.rejects(
    reader.readPoints(path, { lat: 36, lng: 138, column: 'up' }),
    /no column up .* there are date/,
  );
});

test('the series of P156 in the .pos format of PBO is read completely', { skip: absent }, async () => {
  const { records, areStations } = await reader.readPoints(
    join(DATA, 'pbo-gnss-p156/P156.pbo.final_igs08.pos'),
  );
  const [{ x, y, timesMs }] = records as [(typeof records)[number]];
  assert.deepEqual(
    [areStations, timesMs.length, Number(x.toFixed(4)), Number(y.toFixed(4))],
    [true, 3196, -123.9061, 40.0244],
  );
});

test('unusable values are refused; the message names the line', async (t) => {
  for (const [text, message] of [
    ['', /is empty/],
    ['lat,lon,height\n1,2,3\n', /line 1: expected columns of one of mean_velocity/],
    ['velocity,height\n1,2\n', /line 1: expected columns of a place/],
    ['lat,lon,velocity\n1,2,3\n95,2,3\n', /line 3: expected a latitude from -90 to 90, got '95'/],
    ['lat,lon,velocity\n1,2,fast\n', /line 2: expected a number as velocity, got 'fast'/],
    ['lat,lon,velocity\n1,2,\n', /line 2: expected a number as velocity/],
    ['lat,lon,date,y\n1,2,2020-02-30,3\n', /line 2: expected a date, got '2020-02-30'/],
    ['lat,lon,date,y\n1,2,2020-02-03,3\n1,2,2020-02-03,3\n', /line 3: 2020-02-03 stands twice/],
  ] as const) {
    await assert.rejects(reader.readPoints(file(t, text)), (error) => {
      assert.ok(error instanceof InvalidInput);
      assert.match(error.message, message);
      return true;
    });
  }
  await assert.rejects(reader.readPoints('/nowhere/p.csv'), InvalidInput);
});

test(
  'the Alpine table and the EGMS point of Faial are read completely (Sanchez et al. 2018; Copernicus)',
  { skip: absent },
  async () => {
    const alps = await reader.readPoints(join(DATA, 'alps-gnss-velocity/velocity.csv'));
    assert.ok(alps.points.length > 50 && alps.points.every(({ velocity }) => Math.abs(velocity) <= 2.8));
    const faial = await reader.readPoints(join(DATA, 'egms-azores-point/egms_point.csv'));
    assert.deepEqual([faial.records.length, faial.records[0]!.timesMs.length], [1, 241]);
    assert.deepEqual([faial.records[0]!.x, faial.records[0]!.y], [-28.75266647, 38.6035881]);
  },
);
