import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { InvalidInput } from '../../base/errors.ts';
import { mapGrid } from '../../geo/grid.ts';
import { netcdfFile } from '../../../test/fixtures/netcdf-files.ts';
import { StackFileReader } from './stack-file.ts';

describe('grids of NetCDF files written by netCDF4-python 1.7.5', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-netcdf-'));
  });
  after(() => rm(folder, { recursive: true }));

  const open = (path: string, metric: string, variable?: string) =>
    new StackFileReader().open(path, { metric, variable });
  const refused = (pattern: RegExp) => (error: unknown) =>
    error instanceof InvalidInput && pattern.test(error.message);

  test('a packed grid, the only variable of the file, with times by record; coordinates are cell centres', async () => {
    const stack = await open(await netcdfFile(folder, 'era5'), 'temperature');
    const { grid, unit, nodata, scale, offset, dates, bandCount } = stack;
    assert.deepEqual(grid.transform, [5.875, 0.25, 0, 50.625, 0, -0.25]);
    assert.deepEqual([grid.width, grid.height, grid.crs], [4, 3, 'EPSG:4326']);
    assert.deepEqual([unit, nodata, scale, offset, bandCount], ['K', null, 1, 0, 3]);
    assert.deepEqual(
      dates?.map(({ timeMs, band }) => [band, new Date(timeMs).toISOString()]),
      [
        [1, '2021-01-01T00:00:00.000Z'],
        [2, '2021-01-01T06:00:00.000Z'],
        [3, '2021-01-01T12:00:00.000Z'],
      ],
    );
    const band = await stack.readBand(1);
    assert.ok(band instanceof Float32Array);
    // Value i is 0.002 * 100 * (12 + i) + 280. The first value is the fill value.
    assert.deepEqual([...band], [NaN, ...Array.from({ length: 11 }, (_, i) => Math.fround(282.6 + 0.2 * i))]);
    await stack.close();
  });

  test('a grid that starts in the south, crosses Greenwich as 359, 0, 1, and has one height; found by standard name', async () => {
    const stack = await open(await netcdfFile(folder, 'south'), 'precipitation');
    assert.deepEqual(stack.grid.transform, [-1.5, 1, 0, 1.5, 0, -1]);
    assert.equal(mapGrid(stack.grid).pixelAt([-1.2, -0.9]), 6);
    assert.deepEqual(
      [...(await stack.readBand(1))].map((metres) => Math.round(metres * 1000)),
      [15, 16, 17, 12, 13, 14, 9, 10, 11],
    );
    await stack.close();
    const other = await open(await netcdfFile(folder, 'south'), 'pressure', 'sp');
    assert.deepEqual(
      [...(await other.readBand(0))],
      Array.from({ length: 9 }, () => 101_325),
    );
    await other.close();
  });

  test('a variable that is not a grid, or has uneven steps, is refused; the message says what the file has', async () => {
    const south = await netcdfFile(folder, 'south');
    await assert.rejects(
      open(south, 'ndvi'),
      refused(/--variable with one of tp \(time, height, lat, lon.*; sp/),
    );
    const stations = await netcdfFile(folder, 'stations');
    await assert.rejects(
      open(stations, 'precipitation', 'rain'),
      refused(/rain runs along time \(3\), station \(2\); expected a time, then latitudes/),
    );
    const float = (value: number): string => {
      const bytes = Buffer.alloc(4);
      bytes.writeFloatBE(value);
      return bytes.toString('latin1');
    };
    const uneven = await netcdfFile(folder, 'era5', [[float(6.25), float(6.3)]]);
    await assert.rejects(open(uneven, 'temperature'), refused(/even steps of longitude, 6.25 at 2; got 6.3/));
    const eastFirst = [6.75, 6.5, 6.25, 6].map(float).join('');
    const falling = await netcdfFile(folder, 'era5', [[[6, 6.25, 6.5, 6.75].map(float).join(''), eastFirst]]);
    await assert.rejects(
      open(falling, 'temperature'),
      refused(/longitude falls from 6\.75 to 6; expected it to rise.*ds\.sortby\('longitude'\)$/),
    );
    const int = (value: number): string => {
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(value);
      return bytes.toString('latin1');
    };
    const twice = await netcdfFile(folder, 'era5', [[int(1_060_686), int(1_060_680)]]);
    await assert.rejects(open(twice, 'temperature'), refused(/times 1 and 2 are both 2021-01-01T00/));
  });
});
