import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { areaSeries } from '../../src/app/series/area-series.ts';
import { newId } from '../../src/base/ids.ts';
import { ingestPoints } from '../../src/app/stations/ingest-points.ts';
import { ingestStack, type StackIngest } from '../../src/app/imagery/ingest-stack.ts';
import type { DatesReader, RasterStack, StackReader } from '../../src/app/imagery/raster-stack.ts';
import { readSeries } from '../../src/app/series/read-series.ts';
import { refreshAnomalies } from '../../src/app/anomalies/refresh-anomalies.ts';
import type { Aoi } from '../../src/app/areas/aoi-store.ts';
import { MemoryCubeStore } from '../fakes/memory-cube.ts';
import { bboxOf } from '../../src/geo/bbox.ts';
import { readDatesCsv } from '../../src/sources/imagery/dates-csv.ts';
import { netcdfFile } from '../fixtures/netcdf-files.ts';
import { PointsFileReader } from '../../src/sources/stations/points-file.ts';
import { StackFileReader } from '../../src/sources/imagery/stack-file.ts';
import { tiffFixture, WGS84_KEYS } from '../fixtures/tiff-fixture.ts';
import { putAoi } from '../fixtures/records.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';

const CLOCK = { now: () => Date.UTC(2026, 10, 23) };

describe('weather on grids, from NetCDF files written by netCDF4-python', () => {
  let world: TestStorage;
  let folder: string;
  const cube = new MemoryCubeStore();
  before(async () => {
    world = await testStorage();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-grids-'));
  });
  after(async () => {
    await world.close();
    await rm(folder, { recursive: true });
  });

  const ingest = (
    given: Partial<StackIngest> & Pick<StackIngest, 'collection' | 'metric' | 'valuesPath'>,
    stacks: StackReader & DatesReader = Object.assign(new StackFileReader(), { readDates: readDatesCsv }),
  ) =>
    ingestStack(
      { clock: { now: () => Date.now() }, storage: world.storage, cube, stacks },
      {
        environment: 'production',
        accountId: null,
        variable: undefined,
        datesPath: undefined,
        maskPath: undefined,
        maskEncoding: undefined,
        scale: undefined,
        offset: undefined,
        nodata: undefined,
        unit: undefined,
        ...given,
      },
      () => undefined,
    );
  const series = async (lat: number, lng: number, metric: string) => {
    const { timesMs, values } = await readSeries(
      { storage: world.storage, cube, clock: CLOCK },
      world.owner,
      { lat, lng, metric, from: undefined, to: undefined },
    );
    return Array.from(
      values,
      (value, i) => [new Date(timesMs[i]!).toISOString().slice(0, 13), value] as const,
    );
  };

  test('packed kelvins are degrees at a place, where they were observed; the same file again adds nothing', async () => {
    const valuesPath = await netcdfFile(folder, 'era5');
    const report = await ingest({ collection: 'reanalysis', metric: 'temperature', valuesPath });
    assert.deepEqual([report.scenes, report.added], [3, 3]);
    assert.equal((await ingest({ collection: 'reanalysis', metric: 'temperature', valuesPath })).added, 0);
    // The temperature is 280 K + 0.002 K times the raw value. The raw values in this cell are 100, 1300 and 2500.
    assert.deepEqual(await series(50.5, 6.25, 'temperature'), [
      ['2021-01-01T00', 7.05],
      ['2021-01-01T06', 9.45],
      ['2021-01-01T12', 11.85],
    ]);
    assert.deepEqual(
      (await series(50.5, 6, 'temperature')).map(([t]) => t),
      ['2021-01-01T00', '2021-01-01T12'],
    );
  });

  test('metres of rain are millimetres, and an area of two cells is their mean by its parts', async () => {
    const { collection } = await ingest({
      collection: 'rain',
      metric: 'precipitation',
      valuesPath: await netcdfFile(folder, 'south'),
    });
    assert.deepEqual(await series(0.1, -0.9, 'precipitation'), [
      ['2000-02-28T00', 3],
      ['2000-02-29T00', 12],
    ]);
    const ring: [number, number][] = [
      [-0.75, -0.25],
      [0.25, -0.25],
      [0.25, 0.25],
      [-0.75, 0.25],
      [-0.75, -0.25],
    ];
    const geometry = { type: 'Polygon' as const, coordinates: [ring] };
    const mean = await areaSeries(cube, collection, { geometry, bounds: bboxOf(geometry) } as Aoi);
    assert.deepEqual([mean?.pixelCount, [...mean!.values]], [2, [3.75, 12.75]]);
  });

  test('what has no dates, or a unit that the metric cannot have, is refused before anything is written', async () => {
    const valuesPath = await netcdfFile(folder, 'south');
    await assert.rejects(
      ingest({ collection: 'wrong', metric: 'precipitation', valuesPath, variable: 'sp' }),
      /expected a unit of precipitation, one of mm, cm.*got "Pa"/,
    );
    await assert.rejects(
      ingest({ collection: 'wrong', metric: 'precipitation', valuesPath, unit: 'mm', scale: 1e8 }),
      /are no precipitation/,
    );
    assert.deepEqual(await world.storage.collections.byName('production', null, 'wrong'), []);
  });

  test('a GeoTIFF says nothing of its unit: kelvins are degrees with --unit, and without it no temperature', async () => {
    const [valuesPath, datesPath] = [join(folder, 'kelvins.tif'), join(folder, 'kelvins.csv')];
    const grid = { width: 2, height: 2, origin: [50, 10], pixel: [0.25, 0.25], keys: WGS84_KEYS } as const;
    await writeFile(
      valuesPath,
      tiffFixture({ ...grid, kind: 'float32', bands: [[273.25, 280, 290, 300.5]] }),
    );
    await writeFile(datesPath, 'band,date\n1,2020-06-01\n');
    const given = { collection: 'kelvins', metric: 'temperature', valuesPath, datesPath };
    await assert.rejects(
      ingest({ ...given, datesPath: undefined }),
      /--dates: expected a table of dates.*or give the folder of files like it/,
    );
    await assert.rejects(ingest(given), /273\.25|300\.5/);
    await ingest({ ...given, unit: 'K' });
    const [[, value] = []] = await series(9.6, 50.4, 'temperature');
    assert.ok(Math.abs(value! - 27.35) < 1e-4, `${value}`);
  });

  /** Daily rain in four cells over three years: rain on every third day, and heavy rain on four days near the end. */
  const rainy: RasterStack = {
    grid: {
      width: 2,
      height: 2,
      crs: 'EPSG:4326',
      proj4: '',
      transform: [30, 0.25, 0, 10.5, 0, -0.25],
    },
    bandCount: 1100,
    sampleType: 'float32',
    nodata: null,
    scale: 1,
    offset: 0,
    sha256: '',
    unit: 'mm',
    dates: Array.from({ length: 1100 }, (_, i) => ({
      band: i + 1,
      timeMs: Date.UTC(2018, 0, 1 + i),
      scene: null,
    })),
    readBand: (band) =>
      Promise.resolve(
        new Float32Array(4).fill(
          band >= 1080 && band < 1084 ? 120 : band % 3 === 0 ? 3 + ((band * 7) % 5) : 0,
        ),
      ),
    close: () => Promise.resolve(),
  };

  test('thirty days of rain of a grid are computed when they are asked for, and their anomalies stand beside those of the days', async () => {
    const given = { collection: 'floods', metric: 'precipitation', valuesPath: 'rainy' };
    const { collection } = await ingest(given, {
      open: () => Promise.resolve(rainy),
      readDates: () => Promise.reject(new Error('it has its own')),
    });
    const month = await series(10.4, 30.1, 'precipitation_30d');
    assert.equal(month.length, 1100 - 26);
    assert.deepEqual(month.at(-1), ['2021-01-04T00', 480 + 5 + 6 + 7 + 5 + 6 + 7 + 3 + 4]);
    const ring: [number, number][] = [
      [30.05, 10.05],
      [30.45, 10.05],
      [30.45, 10.45],
      [30.05, 10.45],
      [30.05, 10.05],
    ];
    const aoi = await putAoi(world.storage, world.owner, { type: 'Polygon', coordinates: [ring] });
    const subscription = {
      id: newId('subscription'),
      aoiId: aoi.id,
      perils: ['flood'],
      status: 'active',
    } as const;
    await world.storage.subscriptions.create({ ...world.owner, ...subscription });
    await refreshAnomalies({ storage: world.storage, cube }, world.owner, aoi.id);
    const found = await world.storage.anomalies.ofArea(aoi.id);
    const began = found.filter(({ startedAt }) => startedAt.getTime() === Date.UTC(2018, 0, 1 + 1080));
    assert.deepEqual(
      began
        .toSorted((a, b) => (a.metric < b.metric ? -1 : 1))
        .map(({ metric, collectionId }) => [metric, collectionId]),
      [
        ['precipitation', collection.id],
        ['precipitation_30d', collection.id],
      ],
    );
    await refreshAnomalies({ storage: world.storage, cube }, world.owner, aoi.id);
    const again = await world.storage.anomalies.ofArea(aoi.id);
    assert.deepEqual(
      again.map(({ id }) => id),
      found.map(({ id }) => id),
    );
  });

  test('stations of a file are a feed, in the unit of the metric', async () => {
    const report = await ingestPoints(
      { storage: world.storage, clock: CLOCK, points: new PointsFileReader() },
      {
        collection: 'gauges',
        environment: 'production',
        accountId: null,
        file: {
          path: await netcdfFile(folder, 'contiguous'),
          metric: 'river_level',
        },
      },
      () => undefined,
    );
    assert.deepEqual([report.unit, report.observations, report.gaps.empty], ['cm', 4, 1]);
    assert.deepEqual(await series(-33.9, 151.2, 'river_level'), [
      ['2020-02-28T23', 0.075],
      ['2020-03-01T23', 0.085],
    ]);
  });
});
