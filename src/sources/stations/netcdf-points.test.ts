import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import type { PointsRequest } from '../../app/stations/points-reader.ts';
import { netcdfFile } from '../../../test/fixtures/netcdf-files.ts';
import { PointsFileReader } from './points-file.ts';

describe('series of NetCDF files written by netCDF4-python 1.7.5', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-netcdf-'));
  });
  after(() => rm(folder, { recursive: true }));

  const open = (path: string, metric: string, more: Partial<PointsRequest> = {}) =>
    new PointsFileReader().open({
      path,
      metric,
      ...more,
    });

  async function observed(path: string, metric: string, more: Partial<PointsRequest> = {}) {
    const file = await open(path, metric, more);
    const rows: [string, string, number][] = [];
    for await (const batch of file.batches())
      for (let i = 0; i < batch.count; i++)
        rows.push([
          file.stations[batch.stations[i]!]!.key,
          new Date(batch.timesMs[i]!).toISOString().slice(0, 16),
          batch.values[i]!,
        ]);
    return { column: file.column, unit: file.unit, stations: file.stations, rows };
  }

  const refused = (pattern: RegExp) => (error: unknown) =>
    error instanceof InvalidInput && pattern.test(error.message);

  test('times by stations: variable found by standard name, single precision as decimal numbers, fill values as gaps', async () => {
    const { column, unit, stations, rows } = await observed(
      await netcdfFile(folder, 'stations'),
      'precipitation',
    );
    assert.deepEqual([column, unit], ['rain', 'kg m-2']);
    assert.deepEqual(stations, [
      { key: 'Delft', lng: 4.36, lat: 52.01 },
      { key: 'Ee', lng: 6.1, lat: 53.4 },
    ]);
    assert.deepEqual(rows, [
      ['Delft', '2021-01-01T00:00', 1.5],
      ['Ee', '2021-01-01T00:00', 0.1],
      ['Delft', '2021-01-02T06:00', Number.NaN],
      ['Ee', '2021-01-02T06:00', 12.3],
      ['Delft', '2021-01-03T00:00', 0],
      ['Ee', '2021-01-03T00:00', 2.2],
    ]);
  });

  test('one row an observation, with a count of rows for each station, and times with a zone', async () => {
    const { rows } = await observed(await netcdfFile(folder, 'contiguous'), 'river_level');
    assert.deepEqual(rows, [
      ['A1', '2020-02-28T23:00', 101.1],
      ['A1', '2020-02-28T23:10', 102.2],
      ['B2', '2020-02-28T23:00', 7.5],
      ['B2', '2020-02-29T23:00', Number.NaN],
      ['B2', '2020-03-01T23:00', 8.5],
    ]);
  });

  test('one row an observation, with an index of stations; packed, with the default fill value; days since the year 1 as in cftime 1.6', async () => {
    const { rows, unit } = await observed(await netcdfFile(folder, 'indexed'), 'wind');
    assert.equal(unit, 'm s**-1');
    assert.deepEqual(rows, [
      ['47.5,8.55', '2020-12-31T00:00', 1.2],
      ['-33.9,151.2', '2020-12-31T12:00', Number.NaN],
      ['47.5,8.55', '2021-01-01T00:00', 3.45],
    ]);
  });

  test('one row a station with its own times, shorter series padded, and one height', async () => {
    const { rows } = await observed(await netcdfFile(folder, 'padded'), 'gust');
    assert.deepEqual(rows, [
      ['1,3', '1970-01-01T00:00', 1],
      ['1,3', '1970-01-01T01:00', 2],
      ['1,3', '1970-01-01T02:00', 3],
      ['2,4', '1970-01-01T00:01', 4],
      ['2,4', '1970-01-01T00:02', 5],
    ]);
  });

  test('the grid cell that contains a place; a place outside the grid is refused', async () => {
    const path = await netcdfFile(folder, 'era5');
    const { rows, stations, unit } = await observed(path, 'temperature', { lat: 50.1, lng: 6.3 });
    assert.deepEqual(stations, [{ key: '50,6.25', lng: 6.25, lat: 50 }]);
    assert.equal(unit, 'K');
    // The first value is 0.002 * 900 + 280. The raw value rises by 1200 from each time to the next.
    assert.deepEqual(
      rows.map(([, time, value]) => [time, value]),
      [
        ['2021-01-01T00:00', 281.8],
        ['2021-01-01T06:00', 284.2],
        ['2021-01-01T12:00', 286.6],
      ],
    );
    await assert.rejects(
      open(path, 'temperature', { lat: 51.1, lng: 6.3 }),
      refused(/does not reach 51.1, 6.3/),
    );
    await assert.rejects(open(path, 'temperature'), refused(/is a grid.*ingest stack.*--lat and --lng/));
    const around = await observed(await netcdfFile(folder, 'south'), 'precipitation', {
      lat: 0.2,
      lng: -1.3,
    });
    assert.deepEqual(around.stations, [{ key: '0,-1', lng: -1, lat: 0 }]);
    assert.deepEqual(
      around.rows.map(([, , value]) => value),
      [0.003, 0.012],
    );
  });

  test('unsupported files are refused; the message says what is expected', async () => {
    const hdf = join(folder, 'four.nc');
    await writeFile(hdf, Buffer.from('\x89HDF\r\n\x1a\n and more', 'latin1'));
    await assert.rejects(open(hdf, 'wind'), refused(/four\.nc cannot be read as HDF5: /));
    const wide = await netcdfFile(folder, 'indexed', [['CDF\x01', 'CDF\x05']]);
    await assert.rejects(open(wide, 'wind'), refused(/CDF-5.*nccopy -k classic/));
    const model = await netcdfFile(folder, 'indexed', [['standard', '360_day']]);
    await assert.rejects(open(model, 'wind'), refused(/calendar 360_day .* expected standard/));
    const months = await netcdfFile(folder, 'indexed', [['days since', 'mons since']]);
    await assert.rejects(
      open(months, 'wind'),
      refused(/"hours since.*got "mons since.*\. Months and years have no fixed length.*pandas\.date_range/),
    );
    const path = await netcdfFile(folder, 'stations');
    await assert.rejects(
      open(path, 'wind'),
      refused(/none is named wind; expected --column with one of rain \(time, station: precip.*; flag/),
    );
    await assert.rejects(open(path, 'wind', { column: 'none' }), refused(/no variable none/));
    await assert.rejects(
      open(path, 'precipitation', { timezone: 'Europe/Dublin' }),
      refused(/--timezone: expected with a table/),
    );
  });

  test('a truncated file is refused before anything is read', async () => {
    const path = await netcdfFile(folder, 'stations');
    const whole = await readFile(path);
    for (let length = 4; length < whole.length - 4; length += 7) {
      await writeFile(path, whole.subarray(0, length));
      await assert.rejects(open(path, 'precipitation'), refused(/cut short/), `${length} bytes`);
    }
  });
});
