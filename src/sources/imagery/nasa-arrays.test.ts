import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { python, withoutPackages } from '../../../test/fixtures/python.ts';
import { openArrayLayer } from '../layers/array-layer.ts';
import { StackFileReader } from './stack-file.ts';

/**
 * Writes files as NASA hands them out, by h5py: a level 3 map of PACE (netCDF-4, no time dimension, attributes of ACDD,
 * a palette), a subset of HLS by AppEEARS (projection, Julian calendar), and night lights of VIIRS (HDF-EOS5, degrees).
 */
const PROGRAM = `
import sys, numpy as np, h5py
folder = sys.argv[1]
def scales(g, **axes):
    for name, (values, attrs) in axes.items():
        d = g.create_dataset(name, data=values); d.make_scale(name)
        for k, v in attrs.items(): d.attrs[k] = v
def variable(g, name, data, dims, **attrs):
    d = g.create_dataset(name, data=data, chunks=True, compression='gzip', shuffle=True)
    for i, one in enumerate(dims): d.dims[i].attach_scale(g[one])
    for k, v in attrs.items(): d.attrs[k] = v
with h5py.File(f'{folder}/PACE_OCI.20240601.L3m.DAY.CHL.V3_0.chlor_a.nc', 'w') as f:
    scales(f, lat=(np.linspace(50.875, 50.125, 4).astype('f4'), {'units': 'degrees_north'}), lon=(np.linspace(10.125, 11.375, 6).astype('f4'), {'units': 'degrees_east'}),
           rgb=(np.arange(3), {}), eightbitcolor=(np.arange(256), {}))
    chl = (np.arange(24).reshape(4, 6) * 100).astype('>i2'); chl[1, 2] = -32767
    variable(f, 'chlor_a', chl, ('lat', 'lon'), _FillValue=np.array([-32767], '>i2'), scale_factor=np.array([.001], 'f4'), units='mg m^-3')
    variable(f, 'palette', np.zeros((3, 256), 'u1'), ('rgb', 'eightbitcolor'))
    f.attrs['time_coverage_start'] = '2024-06-01T00:25:01.000Z'; f.attrs['time_coverage_end'] = '2024-06-02T02:50:00.000Z'
    f.create_group('processing_control').attrs['software_name'] = 'l3mapgen'
for source in ('AppEEARS v3.65', 'a model'):
    with h5py.File(f"{folder}/{source.split()[0]}.nc", 'w') as f:
        scales(f, time=(np.array([8918, 8923], 'i4'), {'units': 'days since 2000-01-01 00:00:00', 'calendar': 'julian', 'standard_name': 'time'}),
               ydim=(5100000 - 15 - 30. * np.arange(3), {'units': 'm', 'standard_name': 'projection_y_coordinate'}),
               xdim=(500015 + 30. * np.arange(5), {'units': 'm', 'standard_name': 'projection_x_coordinate'}))
        c = f.create_dataset('crs', data=np.bytes_(b' '))
        for k, v in dict(grid_mapping_name='transverse_mercator', longitude_of_central_meridian=15., false_easting=500000., false_northing=0., latitude_of_projection_origin=0., scale_factor_at_central_meridian=.9996, semi_major_axis=6378137., inverse_flattening=298.257223563).items(): c.attrs[k] = v
        nir = (np.arange(30).reshape(2, 3, 5) * 10).astype('i2'); nir[1, 0, 0] = -9999
        variable(f, 'B8A', nir, ('time', 'ydim', 'xdim'), _FillValue=np.array([-9999], 'i2'), scale_factor=np.array([1e-4]), grid_mapping='crs')
        variable(f, 'Fmask', np.full((2, 3, 5), 64, 'u1'), ('time', 'ydim', 'xdim'), grid_mapping='crs')
        f.attrs['source'] = source
with h5py.File(f'{folder}/VNP46A2.A2024153.h18v04.002.h5', 'w') as f:
    grid = f.create_group('HDFEOS/GRIDS/VIIRS_Grid_DNB_2d/Data Fields')
    light = np.arange(12, dtype='f4').reshape(3, 4) / 8; light[2, 3] = np.float32(-999.9)
    d = grid.create_dataset('Gap_Filled_DNB_BRDF-Corrected_NTL', data=light, chunks=(2, 2), compression='gzip'); d.attrs['_FillValue'] = np.array([-999.9], 'f4')
    grid.create_dataset('Mandatory_Quality_Flag', data=np.zeros((3, 4), 'u1'))
    text = '''GROUP=GridStructure\\n\\tGROUP=GRID_1\\n\\t\\tGridName="VIIRS_Grid_DNB_2d"\\n\\t\\tXDim=4\\n\\t\\tYDim=3
\\t\\tUpperLeftPointMtrs=(0.000000,50000000.000000)\\n\\t\\tLowerRightMtrs=(10000000.000000,40000000.000000)\\n\\t\\tProjection=HE5_GCTP_GEO
\\t\\tGridOrigin=HE5_HDFE_GD_UL\\n\\tEND_GROUP=GRID_1\\nEND_GROUP=GridStructure\\nEND\\n'''
    f.create_dataset('HDFEOS INFORMATION/StructMetadata.0', data=np.bytes_(text.ljust(32000, '\\0')))
`;

const skip = await withoutPackages('h5py');

describe('arrays as NASA hands them out', { skip }, () => {
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-nasa-'));
    await python(PROGRAM, [folder]);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const stack = (name: string, variable?: string) =>
    new StackFileReader().open(join(folder, name), { variable, metric: undefined });
  const near = (found: ArrayLike<number>, expected: readonly number[]): void => {
    const values = Array.from(found);
    assert.equal(values.length, expected.length);
    for (const [i, value] of values.entries())
      if (!(Math.abs(value - expected[i]!) < 1e-6)) assert.deepEqual([i, value], [i, expected[i]]);
  };

  test('a level 3 map of PACE is a stack of one image, dated by the start of what it covers', async () => {
    const name = 'PACE_OCI.20240601.L3m.DAY.CHL.V3_0.chlor_a.nc';
    const found = await stack(name);
    assert.deepEqual(found.dates, [{ band: 1, timeMs: Date.parse('2024-06-01T00:25:01Z'), scene: null }]);
    assert.deepEqual([found.grid.crs, found.grid.transform], ['EPSG:4326', [10, 0.25, 0, 51, 0, -0.25]]);
    const expected = Array.from({ length: 24 }, (_, i) => (i === 8 ? Number.NaN : i / 10));
    const values = Array.from(await found.readBand(0));
    assert.ok(Number.isNaN(values[8]));
    near(values.toSpliced(8, 1), expected.toSpliced(8, 1));
    await assert.rejects(found.readBand(1), RangeError);
    await found.close();
    await assert.rejects(stack(name, 'palette'), {
      name: 'InvalidInput',
      message: /there is no variable palette on a grid; expected --variable with one of chlor_a \(lat, lon\)/,
    });
  });

  test('a subset of AppEEARS has days of the Gregorian calendar, though it declares another', async () => {
    const found = await stack('AppEEARS.nc', 'B8A');
    assert.deepEqual(
      found.dates!.map(({ timeMs }) => new Date(timeMs).toISOString().slice(0, 10)),
      ['2024-06-01', '2024-06-06'],
    );
    assert.deepEqual(found.grid.transform, [500_000, 30, 0, 5_100_000, 0, -30]);
    near(
      await found.readBand(0),
      Array.from({ length: 15 }, (_, i) => i / 1000),
    );
    assert.ok(Number.isNaN((await found.readBand(1))[0]));
    await found.close();
    await assert.rejects(stack('a.nc', 'B8A'), {
      name: 'InvalidInput',
      message: /the calendar julian has days/,
    });
  });

  test('a field of HDF-EOS5 is a layer, named with or without its groups', async () => {
    const path = join(folder, 'VNP46A2.A2024153.h18v04.002.h5');
    for (const groups of ['', 'HDFEOS/GRIDS/VIIRS_Grid_DNB_2d/Data Fields/']) {
      const layer = await openArrayLayer({
        path,
        band: undefined,
        nodata: null,
        variable: `${groups}Gap_Filled_DNB_BRDF-Corrected_NTL`,
      });
      assert.deepEqual(layer.grid.transform, [0, 2.5, 0, 50, 0, -10 / 3]);
      const samples = Array.from(await layer.read(1, 3));
      assert.deepEqual(
        samples.slice(0, 7),
        [4, 5, 6, 7, 8, 9, 10].map((n) => n / 8),
      );
      assert.ok(Number.isNaN(samples[7]));
      await layer.close();
    }
    await assert.rejects(openArrayLayer({ path, band: undefined, nodata: null, variable: undefined }), {
      name: 'InvalidInput',
      message: /2 variables on a grid; expected --variable with one of .*Mandatory_Quality_Flag/,
    });
  });
});
