import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { python, withoutPackages } from '../../../test/fixtures/python.ts';
import { StackFileReader } from './stack-file.ts';

const skip = await withoutPackages('netCDF4', 'xarray', 'zarr', 'numcodecs');
const [WIDTH, HEIGHT] = [9, 7];
const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2020, 0, 1, 6);

/** Writes maps whose date is elsewhere than along a dimension, and beside them the values that xarray has. */
const PROGRAM = `
import sys, os, numpy as np, xarray as xr, netCDF4, numcodecs
folder = sys.argv[1]
values = np.random.default_rng(3).integers(0, 1000, (3, 7, 9)).astype('f4') / 8
values[1, 2, 3] = np.nan
values.astype('<f8').tofile(f'{folder}/values.raw')
time = np.datetime64('2020-01-01T06:00', 'ns') + np.arange(3) * np.timedelta64(1, 'D')
cube = xr.Dataset({'v': (('time', 'lat', 'lon'), values, {'units': 'K'})}, dict(time=time, lat=('lat', 50 - .25 * np.arange(7), {'units': 'degrees_north'}), lon=('lon', 10 + .25 * np.arange(9), {'units': 'degrees_east'})))
cube.isel(time=0).to_netcdf(f'{folder}/scalar.nc')
cube.isel(time=0).to_netcdf(f'{folder}/scalar-classic.nc', format='NETCDF3_CLASSIC')
cube.isel(time=0).to_zarr(f'{folder}/scalar.zarr', zarr_format=3)
dated = lambda i: cube.isel(time=i, drop=True).assign_attrs(time_coverage_start=str(time[i])[:19] + '.000Z')
for form in (2, 3): dated(0).to_zarr(f'{folder}/dated-{form}.zarr', zarr_format=form)
for name in ('maps', 'years', 'twins', 'units', 'grids'): os.mkdir(f'{folder}/{name}')
for i in range(3): dated(i).to_netcdf(f'{folder}/maps/PACE_OCI.2020010{i + 1}.L3m.DAY.nc')
cube.isel(time=[0, 1]).to_netcdf(f'{folder}/years/a.nc'); cube.isel(time=[2]).to_netcdf(f'{folder}/years/b.nc')
cube.isel(time=[0, 1]).to_netcdf(f'{folder}/twins/a.nc'); cube.isel(time=[1, 2]).to_netcdf(f'{folder}/twins/b.nc')
cube.isel(time=[0]).to_netcdf(f'{folder}/units/a.nc')
other = cube.isel(time=[1]); other.v.attrs['units'] = 'degC'; other.to_netcdf(f'{folder}/units/b.nc')
cube.isel(time=[0]).to_netcdf(f'{folder}/grids/a.nc'); cube.isel(time=[1], lon=slice(1, 9)).to_netcdf(f'{folder}/grids/b.nc')
for unit, step in (('nanoseconds', 10**9), ('microseconds', 10**6)):
    cube.to_netcdf(f'{folder}/{unit}.nc')
    with netCDF4.Dataset(f'{folder}/{unit}.nc', 'a') as f:
        f['time'].setncattr('units', f'{unit} since 2020-01-01 06:00')
        f['time'].set_auto_mask(False); f['time'][:] = np.arange(3, dtype='i8') * 86400 * step
cube.astype('f2').to_zarr(f'{folder}/half.zarr', zarr_format=2)
cube.to_zarr(f'{folder}/bz2.zarr', zarr_format=2, encoding={'v': {'compressors': numcodecs.BZ2()}})
`;

describe('maps and stacks of others', { skip }, () => {
  let folder: string;
  let expected: Float64Array;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-dated-'));
    await python(PROGRAM, [folder]);
    const bytes = readFileSync(join(folder, 'values.raw'));
    expected = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const open = (name: string, variable: string | undefined = 'v') =>
    new StackFileReader().open(join(folder, name), { metric: undefined, variable });
  const refusal = (message: RegExp) => ({ name: 'InvalidInput', message });

  for (const [name, count] of [
    ['scalar.nc', 1],
    ['scalar-classic.nc', 1],
    ['scalar.zarr', 1],
    ['dated-2.zarr', 1],
    ['dated-3.zarr', 1],
    ['maps', 3],
    ['years', 3],
    ['nanoseconds.nc', 3],
    ['microseconds.nc', 3],
  ] as const)
    test(`${name} has the times and values of xarray`, async () => {
      const stack = await open(name);
      try {
        assert.deepEqual([stack.bandCount, stack.unit], [count, 'K']);
        assert.deepEqual(
          stack.dates!.map(({ timeMs }) => timeMs),
          Array.from({ length: count }, (_, i) => FIRST_MS + i * DAY_MS),
        );
        const size = WIDTH * HEIGHT;
        // Not in the order of the files: each is opened for its own band.
        for (let band = count - 1; band >= 0; band--)
          assert.deepEqual(
            [...(await stack.readBand(band))],
            [...expected.subarray(band * size, (band + 1) * size)],
          );
      } finally {
        await stack.close();
      }
    });

  test('maps in a folder are named as their files, several times of a file are not', async () => {
    const maps = await open('maps');
    assert.equal(maps.dates![2]!.scene, 'PACE_OCI.20200103.L3m.DAY');
    const years = await open('years');
    assert.deepEqual(
      years.dates!.map(({ scene }) => scene),
      [null, null, 'b'],
    );
    assert.deepEqual(years.files, ['a.nc', 'a.nc', 'b.nc']);
  });

  test('files of a folder that do not belong together are refused by name', async () => {
    await assert.rejects(open('twins'), refusal(/^a\.nc and b\.nc both have 2020-01-02T06:00:00\.000Z; /));
    await assert.rejects(open('units'), refusal(/^b\.nc is in degC, a\.nc in K; /));
    await assert.rejects(open('grids'), refusal(/^b\.nc has another grid than a\.nc: 8 x 7 pixels /));
  });

  const withoutHalf = 'Float16Array' in globalThis ? false : 'this Node has no Float16Array';
  test('half precision of Zarr is read to its digits', { skip: withoutHalf }, async () => {
    const values = [...(await (await open('half.zarr')).readBand(0))];
    for (const [i, value] of values.entries())
      assert.ok(Math.abs(value - expected[i]!) < 0.04, `${value} at ${i}`);
  });

  test('a codec that is not read is not called damage, and an archive not a TIFF', async () => {
    const stack = await open('bz2.zarr');
    await assert.rejects(
      stack.readBand(0),
      refusal(/v cannot be read: it is packed by bz2, which is not read; write it again with zstd/),
    );
    writeFileSync(join(folder, 'cube.zarr.zip'), Buffer.from('504b030414000000', 'hex'));
    await assert.rejects(open('cube.zarr.zip', undefined), refusal(/is a ZIP archive; .*unpack it first$/));
  });
});
