import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { python, withoutPackages } from '../../../test/fixtures/python.ts';
import { mapGrid } from '../../geo/grid.ts';
import { PointsFileReader } from '../stations/points-file.ts';
import { StackFileReader } from './stack-file.ts';

const skip = await withoutPackages('netCDF4', 'xarray', 'zarr', 'pyproj');
const refused = (message: RegExp) => ({ name: 'InvalidInput', message });
const [T, Y, X] = [3, 6, 5];

/** Writes grids of projections, and beside each where PROJ has the centres of its first and last cell. */
const PROGRAM = `
import sys, json, numpy as np, xarray as xr, pyproj
folder = sys.argv[1]
T, Y, X = 3, 6, 5
values = np.arange(T * Y * X, dtype='f4').reshape(T, Y, X)
time = np.datetime64('2020-05-01', 'ns') + np.arange(T) * np.timedelta64(8, 'D')
corners = {}
def cube(name, crs, x, y, unit='m', mapping=None, attribute='spatial_ref', kind='f8', metres=1, drop=()):
    crs = pyproj.CRS(crs) if crs else None
    data = xr.Dataset({'ndvi': (('time', 'y', 'x'), values)}, dict(time=time, y=('y', np.asarray(y, kind)), x=('x', np.asarray(x, kind))))
    for key in 'xy': data[key].attrs = {'units': unit, 'standard_name': f'projection_{key}_coordinate'}
    if crs is not None or mapping is not None:
        attrs = dict(crs.to_cf() if mapping is None else mapping)
        for key in drop: attrs.pop(key, None)
        data['spatial_ref'] = ((), np.int64(0), attrs)
        if attribute: data['ndvi'].attrs['grid_mapping'] = attribute
    if name.endswith('.nc'): data.to_netcdf(f'{folder}/{name}')
    else: data.to_zarr(f'{folder}/{name}', zarr_format=3 if '3' in name else 2)
    if crs is not None and name != 'off-earth.nc':
        to = pyproj.Transformer.from_crs(crs, 'EPSG:4326', always_xy=True)
        ends = [(x[0], max(y)), (x[-1], min(y))]
        corners[name] = [to.transform(a * metres, b * metres) for a, b in ends]

x, y = 399965 + 30 * np.arange(X), 5000015 - 30 * np.arange(Y)
cube('utm.nc', 'EPSG:32633', x, y)
cube('utm-2.zarr', 'EPSG:32633', x, y)
cube('utm-3.zarr', 'EPSG:32633', x, y[::-1])
cube('unnamed.nc', 'EPSG:32633', x, y, attribute=None)
cube('long-form.nc', 'EPSG:32633', x, y, attribute='spatial_ref: x y')
cube('single.nc', 'EPSG:32633', x, y, kind='f4')
text = ('crs_wkt', 'spatial_ref')
cube('parameters.nc', 'EPSG:32733', x, y, drop=text)
cube('lambert-km.nc', '+proj=lcc +lat_0=38.5 +lon_0=-97.5 +lat_1=38.5 +lat_2=38.5 +R=6371229', np.arange(X) * 3 - 100, np.arange(Y) * 3 + 50, 'km', drop=text, metres=1000)
cube('two-parallels.nc', '+proj=lcc +lat_0=40 +lon_0=-100 +lat_1=33 +lat_2=45 +ellps=GRS80', np.arange(X) * 1000., np.arange(Y) * -1000., drop=text)
cube('polar.nc', 'EPSG:3413', np.arange(X) * 25000. - 4e5, np.arange(Y) * -25000. - 5e5, drop=text)
cube('albers.nc', 'EPSG:5070', np.arange(X) * 30. + 1e5, np.arange(Y) * -30. + 2e6, drop=text)
cube('laea.nc', 'EPSG:3035', np.arange(X) * 1000. + 4.3e6, np.arange(Y) * -1000. + 3.2e6, drop=text)
cube('sinusoidal.nc', '+proj=sinu +lon_0=0 +R=6371007.181', np.arange(X) * 463.3127165 + 1111950.5, np.arange(Y) * -463.3127165 + 5.5e6, drop=text)
cube('cylindrical.nc', 'EPSG:6933', np.arange(X) * 9000. + 1e6, np.arange(Y) * -9000. + 3e6, drop=text)
cube('none.nc', None, x, y)
cube('bessel.nc', None, x, y, mapping=dict(grid_mapping_name='transverse_mercator', semi_major_axis=6377397.155, inverse_flattening=299.1528128, latitude_of_projection_origin=0., longitude_of_central_meridian=9., scale_factor_at_central_meridian=1., false_easting=3500000., false_northing=0.))
cube('geostationary.nc', None, x, y, mapping=dict(grid_mapping_name='geostationary', perspective_point_height=35785831.))
cube('feet.nc', 'EPSG:32633', x, y, unit='US_survey_foot')
cube('off-earth.nc', 'EPSG:3035', x + 4e7, y)
uneven = np.array(x, 'f8'); uneven[2] += 9
cube('uneven.nc', 'EPSG:32633', uneven, y)

rotated = xr.Dataset({'ndvi': (('time', 'rlat', 'rlon'), values, {'grid_mapping': 'pole', 'coordinates': 'lon lat'})}, dict(time=time,
  rlat=('rlat', np.arange(Y) * .1, {'units': 'degrees', 'standard_name': 'grid_latitude'}), rlon=('rlon', np.arange(X) * .1, {'units': 'degrees', 'standard_name': 'grid_longitude'}),
  lat=(('rlat', 'rlon'), np.zeros((Y, X)), {'units': 'degrees_north'}), lon=(('rlat', 'rlon'), np.zeros((Y, X)), {'units': 'degrees_east'})))
curved = rotated.rename(rlat='line', rlon='pixel').drop_vars(['line', 'pixel'])
curved['ndvi'].attrs = {}
rotated['pole'] = ((), np.int32(0), dict(grid_mapping_name='rotated_latitude_longitude', grid_north_pole_latitude=39.25, grid_north_pole_longitude=-162.))
rotated.to_netcdf(f'{folder}/rotated.nc')
curved.to_netcdf(f'{folder}/curved.nc')

fine = np.arange(4000) / 3600 + 45 + 1 / 7200
xr.Dataset({'ndvi': (('time', 'lat', 'lon'), np.zeros((1, 4000, 2), 'i1'))}, dict(time=time[:1], lat=fine, lon=fine[:2])).to_netcdf(f'{folder}/fine.nc')
json.dump(corners, open(f'{folder}/corners.json', 'w'))
`;

describe('grids of projections', { skip }, () => {
  let folder: string;
  let corners: Readonly<Record<string, readonly (readonly [number, number])[]>>;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-projected-'));
    await python(PROGRAM, [folder]);
    corners = JSON.parse(readFileSync(join(folder, 'corners.json'), 'utf8')) as typeof corners;
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const open = (file: string) =>
    new StackFileReader().open(join(folder, file), { metric: 'ndvi', variable: undefined });

  for (const [file, crs] of Object.entries({
    'utm.nc': 'EPSG:32633',
    'utm-2.zarr': 'EPSG:32633',
    'utm-3.zarr': 'EPSG:32633',
    'unnamed.nc': 'EPSG:32633',
    'long-form.nc': 'EPSG:32633',
    'single.nc': 'EPSG:32633',
    'parameters.nc': 'custom',
    'lambert-km.nc': 'custom',
    'two-parallels.nc': 'custom',
    'polar.nc': 'custom',
    'albers.nc': 'custom',
    'laea.nc': 'custom',
    'sinusoidal.nc': 'custom',
    'cylindrical.nc': 'custom',
  }))
    test(`${file}: its cells are where PROJ has them, with the values of xarray`, async () => {
      const stack = await open(file);
      const { grid } = stack;
      assert.deepEqual([stack.bandCount, grid.height, grid.width, grid.crs], [T, Y, X, crs]);
      const map = mapGrid(grid);
      for (const [i, [lng, lat]] of corners[file]!.entries()) {
        const [atLng, atLat] = map.pixelCentre(i === 0 ? 0 : X * Y - 1);
        const near = Math.hypot((atLng - lng) * Math.cos((lat * Math.PI) / 180), atLat - lat) * 111_320;
        assert.ok(near < 0.5, `${near} m between ${atLng}, ${atLat} and ${lng}, ${lat}`);
      }
      const isSouthUp = ['utm-3.zarr', 'lambert-km.nc'].includes(file);
      for (let band = 0; band < T; band++) {
        const expected = Array.from({ length: Y * X }, (_, i) => {
          const row = Math.floor(i / X);
          return (band * Y + (isSouthUp ? Y - 1 - row : row)) * X + (i % X);
        });
        assert.deepEqual([...(await stack.readBand(band))], expected);
      }
      await stack.close();

      // The same series as those of single cells, by a place in each.
      const inside = 3 * X + 2;
      const [lng, lat] = map.pixelCentre(inside);
      const choice = { path: join(folder, file), metric: 'ndvi', lat, lng };
      const points = await new PointsFileReader().open(choice);
      const [station, ...others] = points.stations;
      assert.deepEqual(others, []);
      assert.ok(Math.hypot(station!.lng - lng, station!.lat - lat) < 1e-6);
      const values: number[] = [];
      for await (const batch of points.batches()) values.push(...batch.values.subarray(0, batch.count));
      const row = isSouthUp ? Y - 1 - 3 : 3;
      assert.deepEqual(
        values,
        Array.from({ length: T }, (_, band) => (band * Y + row) * X + 2),
      );
      await assert.rejects(
        new PointsFileReader().open({ ...choice, lat: lat > 0 ? -60 : 60 }),
        refused(/does not reach .*: its corners are/),
      );
    });

  for (const [file, message] of [
    ['none.nc', /none\.nc: ndvi is on a grid of a projection, but has no reference system; .*grid_mapping/],
    ['bessel.nc', /bessel\.nc is in a reference system that cannot be used: .*radius of 6377397\.155 m/],
    ['geostationary.nc', /grid_mapping_name is geostationary/],
    ['feet.nc', /feet\.nc: y is in 'US_survey_foot'; expected m or km/],
    ['off-earth.nc', /off-earth\.nc has its middle at .*no place on Earth/],
    ['uneven.nc', /uneven\.nc: expected even steps of x, 400025 at 3; got 400034/],
    ['rotated.nc', /ndvi is on a grid with a rotated pole \(rotated_latitude_longitude\).*warp it first/],
    ['curved.nc', /ndvi is on a curvilinear grid \(lat has two dimensions\).*warp it first/],
  ] as const)
    test(`${file} is refused by its reason`, () => assert.rejects(open(file), refused(message)));

  test('cells of an arc second do not drift over many rows', async () => {
    const stack = await open('fine.nc');
    const [, , , north, , step] = stack.grid.transform;
    assert.ok(Math.abs(north + 4000 * step - 45) < 0.05 / 3600, `${north + 4000 * step}`);
    await stack.close();
  });
});
