import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync, zstdCompressSync } from 'node:zlib';
import type { ConfinedReaders } from '../../../src/sources/confined/confined-readers.ts';
import { NETCDF_FILES, netcdfFile } from '../../fixtures/netcdf-files.ts';
import { encodeLerc, encodeLzw, encodePackBits } from '../../fixtures/tiff-encoders.ts';
import { tiffFixture, type TiffFixture } from '../../fixtures/tiff-fixture.ts';

/** A sound file, and how files of its kind are read. */
export interface FileSeed {
  /** Name of the file; its ending tells the readers what it is. */
  readonly name: string;
  readonly bytes: Buffer;
  /** The folder of which the file is a member, if it is read as a part of one: its files, by their paths. */
  readonly rest?: { readonly files: Readonly<Record<string, Buffer>>; readonly member: string };
  /** Reads the whole file. @throws InvalidInput when it is damaged */
  readonly read: (readers: ConfinedReaders, path: string) => Promise<void>;
}

const MOST_BANDS = 4; // bands that are read of a stack

async function asStack(readers: ConfinedReaders, path: string, metric?: string): Promise<void> {
  const stack = await readers.stacks.open(path, { metric, variable: undefined });
  try {
    for (let band = 0; band < Math.min(MOST_BANDS, stack.bandCount); band++) await stack.readBand(band);
  } finally {
    await stack.close();
  }
}

/** Reads a GeoTIFF as a stack, as a scene and as a layer. */
async function asRaster(readers: ConfinedReaders, path: string): Promise<void> {
  const failures: unknown[] = [];
  const tried = (work: Promise<unknown>): Promise<unknown> =>
    work.catch((error: unknown) => failures.push(error));
  await tried(asStack(readers, path));
  await tried(
    (async () => {
      const raster = await readers.scenes.open(path);
      try {
        await raster.read(0, { col: -3, row: 2, width: 40, height: 40 });
      } finally {
        await raster.close();
      }
    })(),
  );
  const to = `${path}.gwl`;
  await tried(readers.layerFiles.transcode({ path, band: 0, nodata: null }, to));
  await rm(to, { force: true });
  const worst = failures.find((error) => (error as Error).name !== 'InvalidInput') ?? failures[0];
  if (worst !== undefined) throw worst;
}

async function asPoints(readers: ConfinedReaders, path: string, metric = 'temperature'): Promise<void> {
  const place = path.endsWith('.txt') ? { lat: 46, lng: 14 } : {};
  const file = await readers.points.open({ path, metric, ...place });
  for await (const batch of file.batches())
    if (batch.count < 0) throw new Error('a batch of less than nothing');
}

async function asScenes(readers: ConfinedReaders, path: string): Promise<void> {
  const query = { bounds: undefined, fromMs: -Infinity, toMs: Infinity };
  for await (const found of readers.scenes.search(path, query))
    if (found.ok && found.item.id === '') throw new Error('an item without id');
}

async function asTracks(readers: ConfinedReaders, path: string): Promise<void> {
  for await (const { fixes } of readers.tracks.readTracks(path))
    if (!Array.isArray(fixes)) throw new Error('no fixes');
}

const EDGE = 48;
const BAND = Array.from({ length: EDGE * EDGE }, (_, i) => (i * 7) % 251);
const TIFF: TiffFixture = {
  width: EDGE,
  height: EDGE,
  bands: [BAND, BAND.toReversed()],
  pixel: [0.01, 0.01],
};
const METADATA = `<GDALMetadata>${[0, 1]
  .map((band) => {
    const item = (role: string, text: string): string =>
      `<Item name="${role.toUpperCase()}" sample="${band}" role="${role}">${text}</Item>`;
    return item('scale', '0.5') + item('offset', '1') + item('description', `2020-05-0${band + 1}`);
  })
  .join('')}</GDALMetadata>`;
const UTM = { 1024: 1, 1025: 1, 3072: 32633, 3076: 9001 };
/** GeoKeys of a Lambert projection whose parameters stand in the list of doubles: number, place, count and position. */
const LAMBERT = [
  1024, 0, 1, 1, 1025, 0, 1, 1, 2048, 0, 1, 4258, 3072, 0, 1, 32767, 3074, 0, 1, 32767, 3075, 0, 1, 8, 3076,
  0, 1, 9001, 3078, 34736, 1, 0, 3079, 34736, 1, 1, 3084, 34736, 1, 3, 3085, 34736, 1, 2, 3086, 34736, 1, 4,
  3087, 34736, 1, 5,
];

function tiffs(): FileSeed[] {
  const lerc = (encode: (blob: Buffer) => Buffer) => ({
    kind: 'float32' as const,
    rowsPerStrip: EDGE,
    compression: { code: 34887, encode: (block: Buffer) => encode(encodeLerc(block, EDGE, EDGE)) },
  });
  const layouts: readonly Partial<TiffFixture>[] = [
    { rowsPerStrip: 8 },
    { interleaved: true, rowsPerStrip: 16, nodata: '-9999', metadata: METADATA },
    { tile: 16, deflate: true, differenced: true },
    { tile: 16, deflate: true, big: true, interleaved: true },
    { bigEndian: true, rowsPerStrip: 4, deflate: true, kind: 'float32', nodata: 'nan' },
    { bigEndian: true, big: true, tile: 32, kind: 'int32' },
    { rowsPerStrip: 12, kind: 'uint8', compression: { code: 5, encode: (block) => encodeLzw(block) } },
    { tile: 16, compression: { code: 5, encode: (block) => encodeLzw(block) }, differenced: true },
    {
      rowsPerStrip: 12,
      kind: 'uint8',
      compression: { code: 32773, encode: (block) => encodePackBits(block) },
    },
    { tile: 32, compression: { code: 50000, encode: (block) => zstdCompressSync(block) } },
    { ...lerc((blob) => blob), fields: { 50674: [4, [2, 0]] } },
    { ...lerc((blob) => deflateSync(blob)), fields: { 50674: [4, [2, 1]] } },
    { keys: UTM, origin: [500_000, 5_100_000], pixel: [10, 10], rowsPerStrip: EDGE, deflate: true },
    {
      origin: [700_000, 6_600_000],
      pixel: [10, 10],
      fields: {
        34735: [3, [1, 1, 0, LAMBERT.length / 4, ...LAMBERT]],
        34736: [12, [49, 44, 46.5, 3, 700_000, 6_600_000]],
      },
    },
    { matrix: [0.01, 0, 0, 14, 0, -0.01, 0, 46, 0, 0, 0, 0, 0, 0, 0, 1], fields: { 338: [3, [1]] } },
  ];
  return layouts.map((layout, i) => ({
    name: `file-${i}.tif`,
    bytes: tiffFixture({ ...TIFF, ...layout }),
    read: asRaster,
  }));
}

const ITEM = {
  type: 'Feature',
  stac_version: '1.0.0',
  id: 'S2A_33TVM_20200501',
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [14, 46],
        [15, 46],
        [15, 47],
        [14, 47],
        [14, 46],
      ],
    ],
  },
  properties: {
    datetime: '2020-05-01T10:00:00Z',
    platform: 'sentinel-2a',
    'eo:cloud_cover': 12,
    'sat:relative_orbit': 22,
  },
  links: [{ rel: 'self', href: 'item.json' }],
  assets: {
    red: {
      href: 'red.tif',
      type: 'image/tiff',
      'eo:bands': [{ common_name: 'red' }],
      'raster:bands': [{ scale: 0.0001 }],
    },
    nir: { href: 'nir.tif', type: 'image/tiff', 'eo:bands': [{ common_name: 'nir' }] },
    scl: { href: 'scl.tif', type: 'image/tiff' },
  },
};

const text = (name: string, content: string, read: FileSeed['read']): FileSeed => ({
  name,
  bytes: Buffer.from(content),
  read,
});

function texts(): FileSeed[] {
  const days = Array.from({ length: 60 }, (_, i) =>
    new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10),
  );
  const read = {
    dates: (readers: ConfinedReaders, path: string) =>
      readers.stacks.readDates(path, 60).then(() => undefined),
    labels: (readers: ConfinedReaders, path: string) => readers.labels.readLabels(path).then(() => undefined),
    fires: (readers: ConfinedReaders, path: string) => readers.fires.readFires(path).then(() => undefined),
    weather: (readers: ConfinedReaders, path: string) =>
      readers.weather.readWeather(path).then(() => undefined),
  };
  const feature = (id: string): unknown => ({
    type: 'Feature',
    properties: { id, label: 'burn', from: '2020-01-01', to: '' },
    geometry: ITEM.geometry,
  });
  return [
    text(
      'dates.csv',
      `band,date,scene\n${days.map((day, i) => `${i + 1},${day},"s ${i}"`).join('\n')}\n`,
      read.dates,
    ),
    text(
      'labels.csv',
      `id,lat,lng,from,to,label\n${days.map((day, i) => `p${i},46.${i},14,${day},,none`).join('\n')}\n`,
      read.labels,
    ),
    text(
      'labels.geojson',
      JSON.stringify({ type: 'FeatureCollection', features: ['a', 'b'].map(feature) }),
      read.labels,
    ),
    text(
      'points.csv',
      `date,station,lat,lon,temperature\n${days.map((day, i) => `${day},S${i % 3},46.${i % 3},14,${i / 3}`).join('\n')}\n`,
      asPoints,
    ),
    text(
      'series.txt',
      `time;temperature\n${days.map((day, i) => `${day} 12:00;${i},5`).join('\n')}\n`,
      asPoints,
    ),
    text(
      'fires.csv',
      `latitude,longitude,acq_date,confidence\n${days.map((day, i) => `41.${i},-7,${day},${i + 30}`).join('\n')}\n`,
      read.fires,
    ),
    text(
      'weather.csv',
      `date,temp_noon_c,rh_noon_pct,wind_noon_kmh,rain_24h_mm\n${days.map((day, i) => `${day},${i},50,10,0.5`).join('\n')}\n`,
      read.weather,
    ),
    ...records(days),
  ];
}

/** Records from which layers are derived, and catalogues of scenes. */
function records(days: readonly string[]): FileSeed[] {
  return [
    text(
      'displacement.csv',
      `pid,easting,northing,mean_velocity,mean_velocity_std\n${days.map((_, i) => `p${i},4321${i}0,3210050,-${i}.5,0.2`).join('\n')}\n`,
      (readers, path) => readers.displacementPoints.readPoints(path).then(() => undefined),
    ),
    text(
      'tracks.csv',
      `SID,SEASON,ISO_TIME,LAT,LON,TRACK_TYPE,USA_WIND,USA_PRES\n ,Year, ,degrees_north,degrees_east, ,kts,mb\n${days
        .map(
          (day, i) =>
            `2020A${Math.floor(i / 9)},2020,${day} 06:00:00,-1${i % 9},17${i % 9},main,${30 + i},9${60 - (i % 50)}`,
        )
        .join('\n')}\n`,
      asTracks,
    ),
    text('item.json', JSON.stringify(ITEM), asScenes),
    text(
      'items.json',
      JSON.stringify({ type: 'FeatureCollection', features: [ITEM, { ...ITEM, id: 'b' }], links: [] }),
      asScenes,
    ),
  ];
}

/** Metrics of the grids and of the stations in files of NetCDF. */
const NETCDF_METRICS = {
  era5: 'temperature',
  south: 'precipitation',
  stations: 'precipitation',
  contiguous: 'river_level',
  indexed: 'wind',
  padded: 'gust',
} as const;

async function netcdfs(): Promise<FileSeed[]> {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-seeds-'));
  try {
    const seeds: FileSeed[] = [];
    for (const name of NETCDF_FILES) {
      const bytes = readFileSync(await netcdfFile(folder, name));
      const as = name === 'era5' || name === 'south' ? asStack : asPoints;
      const read: FileSeed['read'] = (readers, path) => as(readers, path, NETCDF_METRICS[name]);
      seeds.push({ name: `${name}.nc`, bytes, read });
    }
    return seeds;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Sound files of the formats that are written here. */
export async function fileSeeds(): Promise<readonly FileSeed[]> {
  return [...tiffs(), ...texts(), ...(await netcdfs())];
}
