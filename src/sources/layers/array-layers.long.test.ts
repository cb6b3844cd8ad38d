import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gdal, withoutGdal } from '../../../test/fixtures/gdal.ts';
import { python, withoutPackages } from '../../../test/fixtures/python.ts';
import { tiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import { addLayer, type LayerFile } from '../../app/layers/add-layer.ts';
import { FolderLayerShelf } from './folder-layer-shelf.ts';

const skip = await withoutPackages('netCDF4', 'h5py', 'xarray', 'zarr', 'pyarrow');
const refused = (message: RegExp) => ({ name: 'InvalidInput', message });
const [Y, X] = [270, 300]; // more than one square of the band file

/** Writes maps, and beside each what xarray reads from its variable `v`, from north to south. */
const PROGRAM = `
import sys, numpy as np, netCDF4, h5py, xarray as xr, pyarrow as pa, pyarrow.parquet as pq
folder = sys.argv[1]
rng = np.random.default_rng(11)
Y, X = 270, 300
raw = rng.integers(0, 5000, (Y, X)).astype('i2')
raw[rng.random((Y, X)) < .1] = -32767
lat, lon = np.linspace(50, 45, Y), np.linspace(5, 13, X)

def expected(name, values, lat):
    values = np.asarray(values, 'f8')
    (values[::-1] if lat[0] < lat[-1] else values).astype('<f8').tofile(f'{folder}/{name}.raw')

def nc(name, values=raw, lat=lat, lon=lon, group=None, times=0, form='NETCDF4', take=0, **how):
    with netCDF4.Dataset(f'{folder}/{name}', 'w', format=form) as top:
        top.createDimension('lat', Y); top.createDimension('lon', X); top.createDimension('nv', 2)
        for key, at, unit in (('lat', lat, 'degrees_north'), ('lon', lon, 'degrees_east')):
            v = top.createVariable(key, 'f8', (key,)); v.units = unit; v.bounds = key + '_bnds'; v[:] = at
            b = top.createVariable(key + '_bnds', 'f8', (key, 'nv')); b[:] = np.stack([at, at], 1)
        if times:
            top.createDimension('time', None)
            t = top.createVariable('time', 'i4', ('time',)); t.units = 'days since 2020-01-01'; t[:] = np.arange(times)
        where = top.createGroup(group) if group else top
        more = how.pop('attributes', dict(scale_factor=.01, add_offset=15.))
        kind = how.pop('type', 'i2'); fill = how.pop('fill', -32767)
        dims = (('time',) if times else ()) + ('lat', 'lon')
        v = where.createVariable('v', kind, dims, fill_value=fill, **how)
        v.set_auto_maskandscale(False)
        for k, w in more.items(): setattr(v, k, w)
        if 'units' not in more: v.units = 'm'
        v[:] = np.stack([values + i for i in range(times)]) if times else values
    read = xr.open_dataset(f'{folder}/{name}', group=group)['v'].values
    expected(name, read[take] if times else read, lat)

nc('packed.nc', zlib=True, chunksizes=(100, 64))
nc('ascending.nc', lat=lat[::-1], zlib=True, chunksizes=(77, 300), fletcher32=True)
nc('big-endian.nc', endian='big')
nc('dateline.nc', lon=np.linspace(176, 184, X))
nc('group.nc', group='maps')
nc('classic.nc', form='NETCDF3_CLASSIC')
nc('months.nc', times=4, take=2, values=np.where(raw == -32767, 0, raw), chunksizes=(2, 100, 100), zlib=True)
nc('months-classic.nc', times=4, take=2, values=np.where(raw == -32767, 0, raw), form='NETCDF3_64BIT_OFFSET')
nc('float.nc', type='f4', fill=np.float32(-9999.9), values=np.where(raw == -32767, -9999.9, raw / 7).astype('f4'), attributes={})
nc('unsigned.nc', type='u1', fill=255, values=(raw % 200).astype('u1'), attributes=dict(scale_factor=.5))
nc('signed-unsigned.nc', type='i1', fill=np.int8(-1), values=(raw % 256).astype('u1').view('i1'), attributes=dict(_Unsigned='true'), form='NETCDF3_CLASSIC')
nc('wide.nc', type='i4', fill=-1, values=raw.astype('i4') * 3, attributes={})
nc('feet.nc', attributes=dict(units='furlong'))
for limit, name in ((4000, 'range.nc'),):
    nc(name, type='i2', fill=None, attributes=dict(valid_range=np.array([0, limit], 'i2')))
    expected(name, np.where((raw >= 0) & (raw <= limit), raw, np.nan), lat)

with h5py.File(f'{folder}/plain.h5', 'w') as f:
    for key, values, units in (('lat', lat, 'degrees_north'), ('lon', lon, 'degrees_east')):
        f[key] = values; f[key].make_scale(key); f[key].attrs['units'] = units
    v = f.create_dataset('v', data=(raw / 3).astype('f4'), chunks=(50, 70), compression='gzip')
    for i, key in enumerate(('lat', 'lon')): v.dims[i].attach_scale(f[key])
expected('plain.h5', (raw / 3).astype('f4'), lat)

data = xr.Dataset({'v': (('lat', 'lon'), np.where(raw == -32767, np.nan, raw * .01), {'units': 'm'})}, dict(lat=('lat', lat, {'units': 'degrees_north'}), lon=('lon', lon, {'units': 'degrees_east'})))
for form in (2, 3):
    data.to_zarr(f'{folder}/map-{form}.zarr', zarr_format=form, encoding=dict(v=dict(dtype='i2', scale_factor=.01, _FillValue=-32767, chunks=(64, 80))))
    expected(f'map-{form}.zarr', xr.open_zarr(f'{folder}/map-{form}.zarr')['v'].values, lat)
data['w'] = data['v'] * 2
data.to_netcdf(f'{folder}/two.nc')
data.drop_vars('w').transpose().to_netcdf(f'{folder}/turned.nc')
pq.write_table(pa.table(dict(lat=[1.], lng=[2.], v=[3.])), f'{folder}/table.parquet')

# Cells of the same map as tables, in random order and without those that are missing.
import json, struct
map = data['v'].values
order = np.random.default_rng(5).permutation(map.size)
order = order[~np.isnan(map.ravel()[order])]
at, of, v = lat[order // lon.size], lon[order % lon.size], map.ravel()[order]
pq.write_table(pa.table(dict(latitude=at, longitude=of, v=v, w=v * 2)), f'{folder}/cells.parquet', compression='zstd', row_group_size=20000)
geo = dict(version='1.1.0', primary_column='geometry', columns=dict(geometry=dict(encoding='WKB', geometry_types=['Point'])))
points = pa.table(dict(geometry=[struct.pack('<BIdd', 1, 1, x, y) for y, x in zip(at, of)], v=v))
pq.write_table(points.replace_schema_metadata({'geo': json.dumps(geo)}), f'{folder}/points.parquet')
geo['columns']['geometry']['crs'] = dict(id=dict(authority='EPSG', code=32633))
pq.write_table(points.replace_schema_metadata({'geo': json.dumps(geo)}), f'{folder}/projected.parquet')
for name in ('cells.parquet', 'points.parquet'): expected(name, map, lat)
pq.write_table(pa.table(dict(lat=[1., 1., 2., 2., 2.], lng=[5., 6., 5., 6., 6.], v=[1.] * 5)), f'{folder}/twice.parquet')
pq.write_table(pa.table(dict(lat=[1., 1.3, 2.], lng=[5., 6., 7.], v=[1.] * 3)), f'{folder}/uneven.parquet')
rng = np.random.default_rng(6)
pq.write_table(pa.table(dict(lat=rng.integers(0, 900, 200) / 10., lng=rng.integers(0, 1800, 200) / 10., v=[1.] * 200)), f'{folder}/scattered.parquet')
`;

describe('layers from arrays and images', { skip }, () => {
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-array-layers-'));
    await python(PROGRAM, [folder]);
    writeFileSync(join(folder, 'shipped.json'), '{"layers":[]}');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const shelf = () =>
    new FolderLayerShelf({ folder: join(folder, 'layers'), catalogues: [join(folder, 'shipped.json')] });
  const add = (file: string, more: Partial<LayerFile> = {}) =>
    addLayer(
      { clock: { now: () => Date.parse('2026-11-21T12:00:00Z') }, shelf: shelf() },
      { path: join(folder, file), nodata: null, layer: 'terrain', version: file, ...more },
    );
  /** Compares a read of a file with the values beside it, to single precision. */
  const assertRead = async (file: string, more: Partial<LayerFile> = {}): Promise<void> => {
    const { grid, samples } = await shelf().read({ path: join(folder, file), nodata: null, ...more });
    const raw = readFileSync(join(folder, `${file}.raw`));
    const expected = new Float64Array(raw.buffer, raw.byteOffset, raw.length / 8);
    assert.deepEqual([grid.height, grid.width, samples.length], [Y, X, expected.length]);
    for (const [i, value] of expected.entries()) {
      const isEqual =
        Object.is(samples[i], Math.fround(value)) || Math.abs(samples[i]! - value) <= 2e-7 * Math.abs(value);
      if (!isEqual) assert.fail(`${file}, sample ${i}: ${samples[i]} instead of ${value}`);
    }
  };

  for (const [file, more = {}] of [
    ['packed.nc'],
    ['cells.parquet', { variable: 'v' }],
    ['points.parquet'],
    ['ascending.nc'],
    ['big-endian.nc'],
    ['dateline.nc'],
    ['group.nc'],
    ['classic.nc'],
    ['months.nc', { band: 2 }],
    ['months-classic.nc', { band: 2 }],
    ['float.nc'],
    ['unsigned.nc'],
    ['signed-unsigned.nc'],
    ['wide.nc'],
    ['range.nc'],
    ['plain.h5'],
    ['map-2.zarr'],
    ['map-3.zarr'],
  ] as const)
    test(`${file}: each sample as xarray reads it`, async () => {
      await assertRead(file, more);
      const { piece, values, card } = await add(file, more);
      assert.equal(card.unit, /^plain|parquet$/.test(file) ? 'not stated' : 'm');
      assert.equal(piece.coverage[0].toFixed(2), file === 'dateline.nc' ? '175.99' : '4.99');
      assert.ok(values!.highest > values!.lowest);
    });

  test('a variable is chosen by name, and is part of what a piece is', async () => {
    await assert.rejects(
      add('two.nc'),
      refused(
        /two\.nc: 2 variables on a grid; expected --variable with one of v \(lat, lon\); w \(lat, lon\)/,
      ),
    );
    await assert.rejects(
      add('two.nc', { variable: 'x' }),
      refused(/there is no variable x; expected --variable/),
    );
    const first = await add('two.nc', { variable: 'v' });
    assert.deepEqual([first.added, first.piece.variable, first.piece.from], [true, 'v', 'two.nc']);
    assert.equal((await add('two.nc', { variable: 'v' })).added, false);
    await assert.rejects(add('two.nc', { variable: 'w' }), refused(/same ground already, with other values/));
    const other = await add('two.nc', { variable: 'w', version: 'double' });
    assert.equal(other.values!.highest, 2 * first.values!.highest);
  });

  test('what does not fit is refused by the name of its fault, and nothing is left', async () => {
    for (const [file, more, message] of [
      ['months.nc', {}, /v has 4 images along time \(4\); expected --band from 1 to 4, got none/],
      ['months.nc', { band: 4 }, /expected --band from 1 to 4, got 5/],
      ['packed.nc', { band: 1 }, /v has 1 image; expected --band from 1 to 1, got 2/],
      ['turned.nc', {}, /v runs along lon \(300\), lat \(270\); expected latitudes and longitudes/],
      ['feet.nc', { layer: 'elevation' }, /furlong/],
      ['table.parquet', {}, /expected positions of a regular grid, got 1 latitudes/],
      ['cells.parquet', {}, /expected --variable with one of the columns v, w$/],
      ['cells.parquet', { variable: 'x' }, /expected --variable with one of the columns v, w$/],
      ['projected.parquet', {}, /expected positions in degrees of WGS84/],
      ['twice.parquet', {}, /two rows have the position 2, 6; expected one a cell/],
      ['uneven.parquet', {}, /got 3 latitudes that are not evenly spaced.*gdal_grid/],
      ['scattered.parquet', {}, /are scattered points; make a map of them first/],
      ['absent.nc', {}, /absent\.nc cannot be read/],
    ] as const)
      await assert.rejects(add(file, { version: 'none', ...more }), refused(message), `${file}: ${message}`);
    writeFileSync(join(folder, 'cut.nc'), readFileSync(join(folder, 'packed.nc')).subarray(0, 30_000));
    await assert.rejects(add('cut.nc'), refused(/cut\.nc cannot be read as HDF5: it is cut short/));
    const damaged = join(folder, 'damaged.zarr');
    cpSync(join(folder, 'map-2.zarr'), damaged, { recursive: true });
    writeFileSync(join(damaged, 'v', '1.1'), Buffer.alloc(50, 7));
    await assert.rejects(add('damaged.zarr'), refused(/damaged\.zarr: v cannot be read/));
    const files = join(folder, 'layers', 'files');
    assert.deepEqual(existsSync(files) ? readdirSync(files).filter((one) => one.endsWith('.tmp')) : [], []);
    const versions = (await shelf().installed()).map(({ card }) => card.version);
    assert.ok(!versions.some((one) => ['none', 'cut.nc', 'damaged.zarr'].includes(one)), versions.join());
  });

  test('a code of missing values that the file does not declare', async () => {
    const { samples } = await shelf().read({ path: join(folder, 'unsigned.nc'), nodata: 7 });
    const raw = readFileSync(join(folder, 'unsigned.nc.raw'));
    const expected = new Float64Array(raw.buffer, raw.byteOffset, raw.length / 8);
    assert.ok(expected.includes(3.5));
    for (const [i, value] of expected.entries())
      assert.ok(Object.is(samples[i], value === 3.5 ? Number.NaN : value), `sample ${i}`);
  });

  test(
    'what GDAL writes as NetCDF, Zarr and JPEG 2000 is the same layer as its GeoTIFF',
    { skip: withoutGdal },
    async () => {
      const tiff = join(folder, 'utm.tif');
      writeFileSync(
        tiff,
        tiffFixture({
          width: X,
          height: Y,
          bands: [Array.from({ length: X * Y }, (_, i) => (i * 7919) % 4001)],
          kind: 'uint16',
          origin: [4e5, 5e6],
          pixel: [30, 30],
          keys: { 1024: 1, 1025: 1, 3072: 32633 },
        }),
      );
      const of = async (file: string) => shelf().read({ path: join(folder, file), nodata: null });
      const expected = await of('utm.tif');
      for (const [file, ...options] of [
        ['utm.nc', '-of', 'netCDF'],
        ['utm4.nc', '-of', 'netCDF', '-co', 'FORMAT=NC4C', '-co', 'COMPRESS=DEFLATE'],
        ['utm.zarr', '-of', 'Zarr'],
        [
          'utm.jp2',
          '-of',
          'JP2OpenJPEG',
          '-co',
          'REVERSIBLE=YES',
          '-co',
          'QUALITY=100',
          '-co',
          'BLOCKXSIZE=64',
          '-co',
          'BLOCKYSIZE=128',
        ],
      ] as const) {
        await gdal('gdal_translate', ['-q', ...options, tiff, join(folder, file)]);
        const { grid, samples } = await of(file);
        assert.deepEqual([grid.crs, grid.transform], ['EPSG:32633', expected.grid.transform], file);
        assert.deepEqual(samples, expected.samples, file);
      }
      await assert.rejects(add('utm.jp2', { band: 1 }), refused(/utm\.jp2 has 1 bands; there is no band 2/));
    },
  );
});
