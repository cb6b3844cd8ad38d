// Long file: the same grid is compared in every format of arrays.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { layerFiles } from '../layers/layer-files.ts';
import { SceneFolder } from './scene-folder.ts';
import { gdal, withoutGdal } from '../../../test/fixtures/gdal.ts';
import { tiffFixture, WGS84_KEYS } from '../../../test/fixtures/tiff-fixture.ts';
import { python, withoutPackages } from '../../../test/fixtures/python.ts';
import { openArrays } from '../../formats/arrays/open-arrays.ts';
import { PointsFileReader } from '../stations/points-file.ts';
import { StackFileReader } from './stack-file.ts';

const skip = await withoutPackages('netCDF4', 'h5py', 'xarray', 'zarr');
const refused = (message: RegExp) => ({ name: 'InvalidInput', message });

/** Writes the files, and beside each what xarray reads from it: the values of `v`, from north to south. */
const PROGRAM = `
import sys, json, numpy as np, netCDF4, h5py, xarray as xr
folder = sys.argv[1]
rng = np.random.default_rng(7)
T, Y, X = 7, 21, 33
raw = rng.integers(-3000, 3000, (T, Y, X)).astype('i2')
raw[rng.random((T, Y, X)) < .1] = -32767
lat, lon = np.linspace(50, 45, Y), np.linspace(5, 13, X)
hours = 1000000 + 24 * np.arange(T)

def nc(name, lat=lat, lon=lon, group=None, **how):
    with netCDF4.Dataset(f'{folder}/{name}.nc', 'w', format='NETCDF4') as top:
        top.createDimension('time', None); top.createDimension('lat', Y); top.createDimension('lon', X); top.createDimension('nv', 2)
        def axis(key, values, units, **more):
            v = top.createVariable(key, 'f8', (key,)); v.units = units
            for k, w in more.items(): setattr(v, k, w)
            v[:] = values
        axis('time', hours, 'hours since 1900-01-01 00:00:00', calendar='standard', bounds='time_bnds')
        axis('lat', lat, 'degrees_north'); axis('lon', lon, 'degrees_east')
        b = top.createVariable('time_bnds', 'f8', ('time', 'nv')); b[:] = np.stack([hours - 24, hours], 1)
        where = top.createGroup(group) if group else top
        type_ = how.pop('type', 'i2'); values = how.pop('values', raw); fill = how.pop('fill', -32767)
        packing = how.pop('packing', dict(scale_factor=.01, add_offset=15.))
        v = where.createVariable('v', type_, ('time', 'lat', 'lon'), fill_value=fill, **how)
        v.set_auto_maskandscale(False)
        for k, w in packing.items(): setattr(v, k, w)
        v.units = 'K'; v.cell_methods = 'time: mean'
        v[:] = values
        other = where.createVariable('other', 'f4', ('time', 'lat', 'lon')); other[:] = 1
    expected(name, xr.open_dataset(f'{folder}/{name}.nc', group=group)['v'].values if group is None else xr.open_dataset(f'{folder}/{name}.nc', group=group)['v'].values, lat)

def expected(name, values, lat):
    values = np.asarray(values, 'f8')
    if lat[0] < lat[-1]: values = values[:, ::-1]
    values.astype('<f8').tofile(f'{folder}/{name}.raw')

nc('packed', zlib=True, shuffle=True, chunksizes=(3, 8, 8))
nc('ascending', lat=lat[::-1], zlib=True, chunksizes=(1, 21, 33), fletcher32=True)
nc('big-endian', endian='big', contiguous=False)
nc('dateline', lon=np.linspace(176, 184, X))
nc('group', group='g')
nc('float', type='f4', values=np.where(raw == -32767, np.nan, raw / 7).astype('f4'), fill=np.float32(np.nan), packing={}, zlib=True)
nc('double', type='f8', values=np.where(raw == -32767, 1e20, raw / 7), fill=1e20, packing={}, chunksizes=(7, 2, 33))
nc('bytes', type='u1', values=(raw % 250).astype('u1'), fill=255, packing=dict(scale_factor=.5))
nc('unsigned', type='u2', values=(raw.astype('i4') + 40000).astype('u2'), fill=65535, packing={})
nc('wide', type='i8', values=raw.astype('i8') * 1000, fill=-32767000, packing={})

with h5py.File(f'{folder}/plain.h5', 'w') as f:
    for key, values, units in (('time', hours, 'hours since 1900-01-01'), ('lat', lat, 'degrees_north'), ('lon', lon, 'degrees_east')):
        f[key] = values; f[key].make_scale(key); f[key].attrs['units'] = units
    v = f.create_dataset('v', data=(raw / 3).astype('f4'), chunks=(2, 5, 7), compression='gzip')
    for i, key in enumerate(('time', 'lat', 'lon')): v.dims[i].attach_scale(f[key])
expected('plain', (raw / 3).astype('f4'), lat)
with h5py.File(f'{folder}/leak.h5', 'w') as f:
    open(f'{folder}/secret', 'w').write('secret' * 10)
    f.create_dataset('outside', (60,), 'u1', external=[(f'{folder}/secret', 0, 60)])
    f['link'] = h5py.ExternalLink(f'{folder}/plain.h5', '/v')
    layout = h5py.VirtualLayout((7, 21, 33), 'f4'); layout[:] = h5py.VirtualSource(f'{folder}/plain.h5', 'v', (7, 21, 33))
    f.create_virtual_dataset('virtual', layout)
    f['inside'] = np.arange(3)
    f.create_dataset('packed', data=np.arange(1000.), compression='lzf')
with h5py.File(f'{folder}/huge.h5', 'w') as f:
    for key, n, units in (('time', 2, 'days since 2000-01-01'), ('lat', 40000, 'degrees_north'), ('lon', 40000, 'degrees_east')):
        f[key] = np.linspace(0, 80, n); f[key].make_scale(key); f[key].attrs['units'] = units
    v = f.create_dataset('v', (2, 40000, 40000), 'f4', chunks=(1, 20000, 20000), compression='gzip')
    for i, key in enumerate(('time', 'lat', 'lon')): v.dims[i].attach_scale(f[key])

with netCDF4.Dataset(f'{folder}/stations.nc', 'w') as f:
    f.createDimension('time', None); f.createDimension('station', 3)
    t = f.createVariable('time', 'i4', ('time',)); t.units = 'days since 2020-01-01'; t[:] = np.arange(5)
    for key, values, units in (('lat', [46.5, 47, 48.25], 'degrees_north'), ('lon', [14, 14.5, 15], 'degrees_east')):
        v = f.createVariable(key, 'f4', ('station',)); v.units = units; v[:] = values
    n = f.createVariable('station_name', str, ('station',))
    for i, text in enumerate(('Alpha', 'Beta', 'Gämma')): n[i] = text
    v = f.createVariable('temperature', 'f4', ('time', 'station')); v.units = 'K'; v[:] = np.arange(15).reshape(5, 3) + 270.5

time = np.datetime64('2014-01-29T16:00', 'ns') + np.arange(T) * np.timedelta64(1, 'D')
values = np.where(raw == -32767, np.nan, raw * .01)
values[3] = np.nan  # chunks that are not written
def zarr(name, version, dtype='i2', **more):
    data = xr.Dataset({'v': (('time', 'lat', 'lon'), values, {'units': 'K'})}, dict(time=time, lat=('lat', lat, {'units': 'degrees_north'}), lon=('lon', lon, {'units': 'degrees_east'})))
    encoding = dict(dtype=dtype, chunks=(1, 8, 9), **more)
    if dtype.endswith('i2'): encoding.update(scale_factor=.01, _FillValue=-32767)
    data.to_zarr(f'{folder}/{name}.zarr', zarr_format=version, encoding={'v': encoding}, consolidated=False, write_empty_chunks=False)
    expected(name + '.zarr', xr.open_zarr(f'{folder}/{name}.zarr', consolidated=False)['v'].values, lat)
zarr('two', 2); zarr('three', 3); zarr('two-float', 2, '>f4'); zarr('three-double', 3, 'f8')
import zarr as z
from numcodecs import Zlib
zarr('two-zlib', 2, compressors=(Zlib(5),))
zarr('three-sharded', 3, shards=(7, 24, 36))
`;

describe('arrays made by netCDF4, h5py, xarray and zarr-python', { skip }, () => {
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-arrays-'));
    await python(PROGRAM, [folder]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const [T, Y, X] = [7, 21, 33];
  const stack = (file: string, variable?: string) =>
    new StackFileReader().open(join(folder, file), { metric: undefined, variable: variable ?? 'v' });
  for (const file of [
    'packed.nc',
    'ascending.nc',
    'big-endian.nc',
    'dateline.nc',
    'group.nc',
    'float.nc',
    'double.nc',
    'bytes.nc',
    'unsigned.nc',
    'wide.nc',
    'plain.h5',
    'two.zarr',
    'three.zarr',
    'two-float.zarr',
    'three-double.zarr',
    'two-zlib.zarr',
    'three-sharded.zarr',
  ])
    test(`${file}: each sample as xarray reads it`, async () => {
      const read = await stack(file, file === 'group.nc' ? 'g/v' : 'v');
      const raw = readFileSync(join(folder, `${file.replace(/\.(nc|h5)$/, '')}.raw`));
      const expected = new Float64Array(raw.buffer, raw.byteOffset, raw.length / 8);
      assert.deepEqual([read.bandCount, read.grid.height, read.grid.width], [T, Y, X]);
      assert.equal(new Date(read.dates![0]!.timeMs).toISOString(), '2014-01-29T16:00:00.000Z');
      assert.equal(read.grid.transform[3], 50.125);
      assert.equal(read.grid.transform[0], file === 'dateline.nc' ? 175.875 : 4.875);
      if (file !== 'plain.h5') assert.equal(read.unit, 'K');
      for (let band = T - 1; band >= 0; band--) {
        const samples = await read.readBand(band);
        assert.equal(samples.length, Y * X);
        for (let i = 0; i < samples.length; i++) {
          const value = expected[band * Y * X + i]!;
          const near = read.sampleType === 'float32' ? Math.fround(value) : value;
          const isEqual =
            Object.is(samples[i], near) || Math.abs(samples[i]! - near) <= 1e-6 * Math.abs(near) + 1e-12;
          if (!isEqual) assert.fail(`band ${band}, sample ${i}: ${samples[i]} instead of ${near}`);
        }
      }
      await read.close();
    });

  test('stations of NetCDF-4 with names of any length', async () => {
    const file = await new PointsFileReader().open({
      path: join(folder, 'stations.nc'),
      metric: 'temperature',
    });
    assert.match(file.form, /^HDF5, temperature of 3 stations, a row a time$/);
    assert.deepEqual(
      file.stations.map(({ key, lat, lng }) => [key, lat, lng]),
      [
        ['Alpha', 46.5, 14],
        ['Beta', 47, 14.5],
        ['Gämma', 48.25, 15],
      ],
    );
    const seen: number[] = [];
    for await (const batch of file.batches()) seen.push(...batch.values.subarray(0, batch.count));
    assert.deepEqual(
      seen,
      Array.from({ length: 15 }, (_, i) => i + 270.5),
    );
  });

  test('one cell of a grid is a series', async () => {
    const file = await new PointsFileReader().open({
      path: join(folder, 'double.nc'),
      metric: 'v',
      column: 'v',
      lat: 49.7,
      lng: 5.3,
    });
    const seen: number[] = [];
    for await (const batch of file.batches()) seen.push(...batch.values.subarray(0, batch.count));
    const raw = readFileSync(join(folder, 'double.raw'));
    const expected = new Float64Array(raw.buffer, raw.byteOffset, raw.length / 8);
    const cell = Array.from({ length: T }, (_, t) => Number(expected[(t * Y + 1) * X + 1]!.toPrecision(12)));
    assert.deepEqual(seen.map(String), cell.map(String));
  });

  test('several variables are listed, and the same bytes have the same digest', async () => {
    await assert.rejects(
      new StackFileReader().open(join(folder, 'packed.nc'), { metric: 'ndvi', variable: undefined }),
      refused(/several variables.*v \(time, lat, lon\); other \(time, lat, lon\)/),
    );
    const [one, two, other] = await Promise.all([stack('two.zarr'), stack('two.zarr'), stack('three.zarr')]);
    assert.equal(one.sha256, two.sha256);
    assert.notEqual(one.sha256, other.sha256);
    await Promise.all([one.close(), two.close(), other.close()]);
  });

  test('an HDF5 file leads to no other file', async () => {
    const file = await openArrays(join(folder, 'leak.h5'));
    assert.deepEqual([...(await file.readAll(file.find('inside')!, 10))], [0, 1, 2]);
    await assert.rejects(
      file.readAll(file.find('packed')!, 1000),
      refused(/packed cannot be read: it is packed by a filter that is a plug-in .*h5repack/),
    );
    assert.equal(file.find('link'), undefined);
    assert.equal(file.find('virtual'), undefined);
    const outside = file.find('outside');
    if (outside !== undefined)
      await assert.rejects(file.readAll(outside, 100), refused(/outside cannot be read/));
    await file.close();
  });

  test('files that are cut short, damaged or too large are refused', async () => {
    await assert.rejects(stack('huge.h5'), refused(/expected at most 268435456 cells, got 40000 x 40000/));
    const whole = readFileSync(join(folder, 'packed.nc'));
    const broken = join(folder, 'broken.nc');
    const all = async (): Promise<void> => {
      const read = await stack('broken.nc');
      try {
        for (let band = 0; band < read.bandCount; band++) await read.readBand(band);
      } finally {
        await read.close();
      }
    };
    for (const share of [0.0005, 0.01, 0.5, 0.95]) {
      writeFileSync(broken, whole.subarray(0, whole.length * share));
      await assert.rejects(all(), { name: 'InvalidInput' }, `${share}`);
    }
    let failed = 0;
    for (let i = 0; i < 60; i++) {
      const bytes = Buffer.from(whole);
      for (let k = 0; k < 4; k++) bytes[(i * 977 + k * 4099) % Math.min(bytes.length, 20_000)]! ^= 0xff;
      writeFileSync(broken, bytes);
      await all().catch((error: Error) => {
        failed++;
        assert.equal(error.name, 'InvalidInput', error.stack);
      });
    }
    assert.ok(failed > 10, `${failed} of 60`);
    const array = join(folder, 'two.zarr', 'v', '.zarray');
    const metadata = JSON.parse(readFileSync(array, 'utf8')) as Record<string, unknown>;
    for (const [changed, message] of [
      [{ chunks: [1, 100_000, 100_000] }, /expected chunks of at most/],
      [{ chunks: [0, 8, 9] }, /expected a shape and chunks/],
      [{ compressor: { id: 'nothing' } }, /v cannot be read/],
    ] as const) {
      writeFileSync(array, JSON.stringify({ ...metadata, ...changed }));
      await assert.rejects(async () => (await stack('two.zarr')).readBand(0), refused(message));
    }
    writeFileSync(array, '{');
    await assert.rejects(stack('two.zarr'), refused(/\.zarray cannot be read/));
    writeFileSync(array, JSON.stringify(metadata));
    writeFileSync(join(folder, 'two.zarr', 'v', '0.0.0'), Buffer.alloc(100, 7));
    const read = async (): Promise<unknown> => (await stack('two.zarr')).readBand(0);
    await assert.rejects(
      read(),
      refused(/v cannot be read: chunk 0.0.0 (has 0 values|is cut short or damaged: )/),
    );
    const { shape } = metadata as { shape: number[] };
    writeFileSync(array, JSON.stringify({ ...metadata, compressor: null, chunks: shape }));
    writeFileSync(join(folder, 'two.zarr', 'v', '0.0.0'), Buffer.alloc(100, 7));
    await assert.rejects(read(), refused(/v cannot be read: chunk 0.0.0 (has 50 values|is cut short)/));
  });

  test('the only variable of a file is refused by its dimensions where they are in another order', async () => {
    const path = join(folder, 'projected.nc');
    await python(
      `import sys, netCDF4, numpy as np
with netCDF4.Dataset(sys.argv[1], 'w') as f:
    for name, size, units in (('time', 3, 'days since 2020-01-01'), ('y', 5, 'm'), ('x', 4, 'm')):
        f.createDimension(name, size); v = f.createVariable(name, 'f8', (name,)); v.units = units; v[:] = np.arange(size)
    f.createVariable('ndvi', 'f4', ('x', 'y', 'time'))[:] = 1`,
      [path],
    );
    await assert.rejects(
      new StackFileReader().open(path, { metric: 'ndvi', variable: undefined }),
      refused(
        /ndvi runs along x \(4\), y \(5\), time \(3\); expected a time, then latitudes and longitudes.*ds\.transpose\('time', 'y', 'x'\)$/,
      ),
    );
  });

  test('a file that is cut short is refused in one sentence', async () => {
    const bytes = readFileSync(join(folder, 'packed.nc'));
    const path = join(folder, 'cut.nc');
    writeFileSync(path, bytes.subarray(0, bytes.length >> 1));
    await assert.rejects(
      openArrays(path),
      refused(
        new RegExp(
          `^cut.nc cannot be read as HDF5: it is cut short: it has ${bytes.length >> 1} of ${bytes.length} bytes$`,
        ),
      ),
    );
  });
});

test('HDF4 is refused with a command that converts it, which GDAL carries out', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-hdf4-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'MOD13Q1.hdf');
  // The first bytes of a file of the HDF4 library.
  writeFileSync(
    path,
    Buffer.concat([Buffer.from('0e03130100c80000000000001e000100', 'hex'), Buffer.alloc(100)]),
  );
  const source = join(folder, 'source.tif');
  writeFileSync(source, tiffFixture({ width: 3, height: 2, bands: [[1, 2, 3, 4, 5, 6]], keys: WGS84_KEYS }));
  const made = withoutGdal
    ? false
    : await gdal('gdal_translate', ['-q', '-of', 'HDF4Image', source, path]).then(
        () => true,
        () => false, // a GDAL without HDF4
      );
  const message = /is HDF4.*gdal_translate -sds .*MOD13Q1\.hdf OUT\.tif/;
  await assert.rejects(new StackFileReader().open(path), refused(message));
  await assert.rejects(new PointsFileReader().open({ path, metric: 'temperature' }), refused(message));
  await assert.rejects(layerFiles.describe({ path, nodata: null }), refused(message));
  const scenes = new SceneFolder({} as never).search(folder, { bbox: undefined } as never);
  await assert.rejects(
    async () => void (await scenes[Symbol.asyncIterator]().next()),
    refused(/MOD13Q1\.hdf: it is HDF4.*gdal_translate 'HDF4_EOS:EOS_GRID:"MOD13Q1\.hdf"/),
  );
  if (!made) return t.diagnostic('no GDAL with HDF4 here: its command was not tried');
  await gdal('gdal_translate', ['-q', '-sds', path, join(folder, 'out.tif')]);
  const stack = await new StackFileReader().open(join(folder, 'out.tif'));
  assert.deepEqual([...(await stack.readBand(0))], [1, 2, 3, 4, 5, 6]);
  await stack.close();
});

test('GRIB is refused with the way to convert it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-grib-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'era5.grib');
  writeFileSync(path, Buffer.concat([Buffer.from('GRIB'), Buffer.alloc(100)]));
  await assert.rejects(
    new StackFileReader().open(path),
    refused(/is GRIB.*cdo -f nc4 copy .*grib_to_netcdf -D NC_FLOAT -o OUT\.nc/),
  );
  await assert.rejects(new PointsFileReader().open({ path, metric: 'temperature' }), refused(/is GRIB/));
});
