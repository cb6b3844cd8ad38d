import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { ConfinedReaders } from '../../../src/sources/confined/confined-readers.ts';
import { gdal, withoutGdal } from '../../fixtures/gdal.ts';
import { python, withoutPackages } from '../../fixtures/python.ts';
import { tiffFixture } from '../../fixtures/tiff-fixture.ts';
import { zipFixture } from '../../fixtures/zip-fixture.ts';
import type { FileSeed } from './file-seeds.ts';

/** Sound files that GDAL and Python make, and why some are missing. */
export interface MadeSeeds {
  readonly seeds: readonly FileSeed[];
  readonly missing: readonly string[];
}

const square = (x: number, y: number, size: number) => [
  [
    [x, y],
    [x + size, y],
    [x + size, y + size],
    [x, y + size],
    [x, y],
  ],
];
const AREAS = JSON.stringify({
  type: 'FeatureCollection',
  features: ['a', 'b', 'c'].map((name, i) => ({
    type: 'Feature',
    properties: { name },
    geometry: { type: 'Polygon', coordinates: square(14 + i, 46, 0.2) },
  })),
});

async function asAreas(readers: ConfinedReaders, path: string): Promise<void> {
  const areas = await readers.areaFiles.readAreas(path, {});
  if (areas.length === 0) throw new Error('no areas');
}

async function asScene(readers: ConfinedReaders, path: string): Promise<void> {
  const raster = await readers.scenes.open(path);
  try {
    await raster.read(0, { col: -3, row: 2, width: 120, height: 90 });
  } finally {
    await raster.close();
  }
}

/** Files of areas, and images in JPEG 2000. */
async function gdalSeeds(folder: string): Promise<FileSeed[]> {
  const from = join(folder, 'areas.geojson');
  writeFileSync(from, AREAS);
  const made: FileSeed[] = [{ name: 'areas.geojson', bytes: Buffer.from(AREAS), read: asAreas }];
  for (const [name, form] of [
    ['areas.kml', 'KML'],
    ['areas.gpkg', 'GPKG'],
    ['areas.fgb', 'FlatGeobuf'],
    ['areas.shz', 'ESRI Shapefile'],
  ] as const) {
    await gdal('ogr2ogr', ['-f', form, join(folder, name), from]);
    const bytes = readFileSync(join(folder, name));
    made.push({ name: name.replace('.shz', '-shape.zip'), bytes, read: asAreas });
    if (form === 'KML')
      made.push({ name: 'areas.kmz', bytes: zipFixture({ 'doc.kml': bytes }, true), read: asAreas });
  }
  const tiff = join(folder, 'image.tif');
  const bands = [1, 2, 3].map((seed) =>
    Array.from({ length: 120 * 90 }, (_, i) => ((i * 37 * seed) % 4000) + 90),
  );
  const UTM_33N = { 1024: 1, 1025: 1, 3072: 32633 };
  writeFileSync(
    tiff,
    tiffFixture({
      width: 120,
      height: 90,
      bands,
      kind: 'uint16',
      origin: [4e5, 5e6],
      pixel: [10, 10],
      keys: UTM_33N,
    }),
  );
  for (const [i, options] of [
    ['BLOCKXSIZE=64', 'BLOCKYSIZE=64', 'TLM=YES'],
    ['QUALITY=30', 'PLT=YES', 'TILEPARTS=LAYERS'],
  ].entries()) {
    const path = join(folder, `image-${i}.jp2`);
    const given = options.flatMap((option) => ['-co', option]);
    await gdal('gdal_translate', ['-q', '-of', 'JP2OpenJPEG', ...given, tiff, path]);
    const bytes = readFileSync(path);
    made.push({ name: `image-${i}.jp2`, bytes, read: asScene });
    made.push({ name: `layer-${i}.jp2`, bytes, read: asLayer });
  }
  return made;
}

/** Grids of the variable `v`, and a table of stations. */
const PROGRAM = `
import sys, numpy as np, netCDF4, h5py, xarray as xr, pyarrow as pa, pyarrow.parquet as pq, geopandas as gpd, shapely
folder = sys.argv[1]
rng = np.random.default_rng(7)
T, Y, X = 5, 21, 33
raw = rng.integers(-3000, 3000, (T, Y, X)).astype('i2')
time = np.arange('2020-01-01', '2020-01-06', dtype='M8[D]').astype('M8[ns]')
cube = xr.Dataset({'v': (('time', 'lat', 'lon'), raw / 100)}, dict(time=time, lat=np.linspace(50, 45, Y), lon=np.linspace(5, 13, X)))
packed = dict(v=dict(dtype='i2', scale_factor=.01, _FillValue=-32767))
cube.to_netcdf(f'{folder}/grid-0.nc', engine='netcdf4', encoding=dict(v=dict(packed['v'], zlib=True, chunksizes=(2, 8, 8))), unlimited_dims=['time'])
cube.to_netcdf(f'{folder}/grid-1.nc', engine='netcdf4', encoding=dict(v=dict(packed['v'], fletcher32=True, chunksizes=(1, 21, 33))))
for form in (2, 3):
    cube.to_zarr(f'{folder}/grid-{form}.zarr', zarr_format=form, consolidated=form == 2, encoding=dict(v=dict(packed['v'], chunks=(2, 11, 16))))
cube.isel(time=0, drop=True).to_netcdf(f'{folder}/map.nc', engine='netcdf4', encoding=dict(v=dict(packed['v'], zlib=True, chunksizes=(8, 8))))
cube.isel(time=0, drop=True).assign_attrs(time_coverage_start='2020-01-01T00:00:00Z').to_netcdf(f'{folder}/dated.nc', engine='netcdf4', encoding=dict(v=dict(packed['v'], zlib=True, chunksizes=(8, 8))))
with h5py.File(f'{folder}/VNP09H1.A2020153.h18v04.002.2020170101112.h5', 'w') as f:
    for field in ('SurfReflect_I1', 'SurfReflect_State_500m'):
        f.create_dataset(f'HDFEOS/GRIDS/VIIRS_Grid_500m_2D/Data Fields/{field}', data=raw[0], chunks=(8, 8), compression='gzip')
    lines = ['GROUP=GridStructure', 'GROUP=GRID_1', 'GridName="VIIRS_Grid_500m_2D"', f'XDim={X}', f'YDim={Y}', 'UpperLeftPointMtrs=(0.0,5559752.6)', 'LowerRightMtrs=(15290.0,5550000.0)',
      'Projection=HE5_GCTP_SNSOID', 'ProjParams=(6371007.181,0,0,0,0,0,0,0,0,0,0,0,0)', 'GridOrigin=HE5_HDFE_GD_UL', 'END_GROUP=GRID_1', 'END_GROUP=GridStructure', 'END']
    f.create_dataset('HDFEOS INFORMATION/StructMetadata.0', data=np.bytes_(chr(10).join(lines).ljust(4000, chr(0))))
flat = cube.rename(lat='y', lon='x').assign_coords(y=5e6 - 30. * np.arange(Y), x=4e5 + 30. * np.arange(X))
flat['crs'] = ((), np.int32(0), dict(grid_mapping_name='transverse_mercator', latitude_of_projection_origin=0., longitude_of_central_meridian=15., scale_factor_at_central_meridian=.9996, false_easting=5e5, false_northing=0., semi_major_axis=6378137., inverse_flattening=298.257223563))
flat['v'].attrs['grid_mapping'] = 'crs'
flat.to_netcdf(f'{folder}/projected.nc', engine='netcdf4', encoding=dict(v=dict(packed['v'], zlib=True, chunksizes=(2, 8, 8))))
boxes = gpd.GeoDataFrame(dict(id=list('abc'), name=list('abc'), label=['burn', 'none', 'burn']), geometry=[shapely.box(14 + i, 46, 14.2 + i, 46.2) for i in range(3)], crs='EPSG:4326')
boxes['from'] = boxes['to'] = '2020-01-01'
for name in ('labels', 'areas'): boxes.to_parquet(f'{folder}/{name}.parquet')
n = 300
pq.write_table(pa.table(dict(date=[f'2020-01-{i % 28 + 1:02}' for i in range(n)], station=pa.array([f's{i % 3}' for i in range(n)]).dictionary_encode(),
  lat=[46. + i % 3 for i in range(n)], lng=[14.] * n, temperature=rng.normal(15, 8, n))), f'{folder}/points.parquet', compression='zstd', row_group_size=100)
pq.write_table(pa.table(dict(lat=[46. + i // 10 / 10 for i in range(100)], lng=[14. + i % 10 / 10 for i in range(100)], v=rng.normal(15, 8, 100))), f'{folder}/cells.parquet', compression='snappy')
`;

async function asGrid(readers: ConfinedReaders, path: string): Promise<void> {
  const stack = await readers.stacks.open(path, { metric: 'temperature', variable: 'v' });
  try {
    for (let band = 0; band < Math.min(4, stack.bandCount); band++) await stack.readBand(band);
  } finally {
    await stack.close();
  }
}

/** A band of a file as a layer. */
async function asLayer(readers: ConfinedReaders, path: string): Promise<void> {
  const band = `${path}.gwl`;
  try {
    await readers.layerFiles.transcode({ path, nodata: null }, band);
  } finally {
    rmSync(band, { force: true });
  }
}

/** A field of a granule of HDF-EOS5, as a scene and as a layer. */
async function asGranule(readers: ConfinedReaders, path: string): Promise<void> {
  const band = `${path}.gwl`;
  const failures: unknown[] = [];
  const note = (error: unknown): void => void failures.push(error);
  const field = `${path}/${basename(path).replace('.h5', '')}_SurfReflect_I1.h5`;
  const scene = async (): Promise<void> => {
    const raster = await readers.scenes.open(field);
    try {
      await raster.read(0, { col: -3, row: 2, width: 40, height: 40 });
    } finally {
      await raster.close();
    }
  };
  await scene().catch(note);
  const choice = { path, nodata: null, variable: 'SurfReflect_I1' };
  await readers.layerFiles.transcode(choice, band).catch(note);
  rmSync(band, { force: true });
  const worst = failures.find((error) => (error as Error).name !== 'InvalidInput') ?? failures[0];
  if (worst !== undefined) throw worst;
}

async function asCell(readers: ConfinedReaders, path: string): Promise<void> {
  const choice = { path, metric: 'temperature', column: 'v', lat: 45.1431, lng: 13.7318 };
  const file = await readers.points.open(choice);
  for await (const batch of file.batches())
    if (batch.count < 0) throw new Error('a batch of less than nothing');
}

async function asLabels(readers: ConfinedReaders, path: string): Promise<void> {
  const labels = await readers.labels.readLabels(path);
  if (labels.length === 0) throw new Error('no labels');
}

async function asTable(readers: ConfinedReaders, path: string): Promise<void> {
  const file = await readers.points.open({ path, metric: 'temperature' });
  for await (const batch of file.batches())
    if (batch.count < 0) throw new Error('a batch of less than nothing');
}

async function pythonSeeds(folder: string): Promise<FileSeed[]> {
  await python(PROGRAM, [folder]);
  const file = (name: string, read: FileSeed['read']): FileSeed => ({
    name,
    bytes: readFileSync(join(folder, name)),
    read,
  });
  return [
    file('grid-0.nc', asGrid),
    file('grid-1.nc', asGrid),
    file('points.parquet', asTable),
    file('map.nc', asLayer),
    file('projected.nc', asGrid),
    { ...file('projected.nc', asCell), name: 'cell.nc' },
    file('dated.nc', asGrid),
    file('VNP09H1.A2020153.h18v04.002.2020170101112.h5', asGranule),
    file('cells.parquet', asLayer),
    file('labels.parquet', asLabels),
    file('areas.parquet', asAreas),
    ...[2, 3].flatMap((form) => zarrSeeds(folder, `grid-${form}.zarr`)),
  ];
}

/** A folder of Zarr gives one seed for each kind of file in it; the other files stay sound. */
function zarrSeeds(folder: string, name: string): FileSeed[] {
  const files = readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => relative(join(folder, name), join(one.parentPath, one.name)).replaceAll(sep, '/'));
  const sound = Object.fromEntries(files.map((one) => [one, readFileSync(join(folder, name, one))]));
  const changed = files.filter(
    (one) => /(^|\/)(zarr\.json|\.zmetadata|\.z\w+)$/.test(one) || /^v\/(c\/)?0[./]0[./]0$/.test(one),
  );
  return changed.map((member) => ({
    name,
    bytes: sound[member]!,
    rest: { files: sound, member },
    read: asGrid,
  }));
}

/** Makes sound files of the formats that take a program to write. */
export async function madeSeeds(): Promise<MadeSeeds> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-seeds-'));
  const withoutPython = await withoutPackages('netCDF4', 'h5py', 'xarray', 'zarr', 'pyarrow', 'geopandas');
  try {
    return {
      seeds: [
        ...(withoutGdal ? [] : await gdalSeeds(folder)),
        ...(withoutPython ? [] : await pythonSeeds(folder)),
      ],
      missing: [withoutGdal, withoutPython].filter((why) => why !== false),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Writes a seed, or changed bytes in its place. @returns the path that is read */
export function putSeed(folder: string, { name, rest, bytes }: FileSeed, changed: Buffer = bytes): string {
  const path = join(folder, name);
  if (rest === undefined) {
    writeFileSync(path, changed);
    return path;
  }
  rmSync(path, { recursive: true, force: true });
  for (const [member, content] of Object.entries(rest.files)) {
    const full = join(path, member);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, member === rest.member ? changed : content);
  }
  return path;
}
