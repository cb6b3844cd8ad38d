// Long file: one test for each real data set of stations, with the values from the README of the data set.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before, describe, test } from 'node:test';
import { deriveSeries } from '../../src/app/stations/derive-series.ts';
import { ingestPoints, type PointsIngest, type PointsReport } from '../../src/app/stations/ingest-points.ts';
import { readSeries } from '../../src/app/series/read-series.ts';
import { PointsFileReader } from '../../src/sources/stations/points-file.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';

const DATA = new URL('../../../shared/data/', import.meta.url);
const absent = (folder: string): string | false =>
  existsSync(new URL(folder, DATA)) ? false : `skipped: the measured data of ${folder} are not here`;
const path = (file: string): string => fileURLToPath(new URL(file, DATA));
const CLOCK = { now: () => Date.UTC(2026, 10, 23) };

/** Options of an ingest, named like those of the command `ingest points`. */
interface Options extends Partial<PointsIngest['file']> {
  readonly collection: string;
  readonly metric: string;
  readonly path: string;
  readonly unit?: string;
  readonly scale?: number;
}

/**
 * Stations in colorado-monthly-climate: latitude, longitude, and the driest years according to the README of the data,
 * the driest year first.
 */
const DRIEST = [
  [37.28, -107.88, [1901, 1956, 1900, 1977]],
  [40.58, -105.08, [1966, 1939, 1954, 1964]],
  [38.03, -103.7, [1924, 1964, 1926, 1937]],
  [41.25, -103.67, [1911, 1934, 1914, 1895]],
] as const;

describe('series of real stations, taken in from the files they came in', () => {
  let world: TestStorage;
  before(async () => {
    world = await testStorage();
  });
  after(() => world.close());

  async function ingest({ collection, unit, scale, ...file }: Options): Promise<PointsReport> {
    const deps = { storage: world.storage, clock: CLOCK, points: new PointsFileReader() };
    const report = await ingestPoints(
      deps,
      {
        collection,
        environment: 'production',
        accountId: null,
        file: {
          ...file,
        },
        unit,
        scale: scale ?? 1,
      },
      () => undefined,
    );
    await deriveSeries(deps, report.collection);
    return report;
  }

  async function series(lat: number, lng: number, metric: string, from?: string, to?: string) {
    const cube = undefined as never; // this test has no images
    const found = await readSeries({ storage: world.storage, cube, clock: CLOCK }, world.owner, {
      lat,
      lng,
      metric,
      from,
      to,
    });
    return Array.from(
      found.values,
      (value, i) => [new Date(found.timesMs[i]!).toISOString().slice(0, 10), value] as const,
    );
  }

  test(
    'ireland-daily-wind (Haslett & Raftery 1989): knots of a column a station are m/s at each station',
    { skip: absent('ireland-daily-wind') },
    async () => {
      const report = await ingest({
        collection: 'ireland',
        metric: 'wind',
        path: path('ireland-daily-wind/daily_mean_wind_knots.csv'),
        stationsPath: path('ireland-daily-wind/stations.csv'),
        unit: 'knots',
      });
      assert.equal(report.stations.length, 8);
      assert.equal(report.observations, 8 * 6574);
      // Mean winds [m/s] from the table of stations in the data set.
      for (const [lat, lng, mean] of [
        [51.9333, -10.25, 5.48],
        [51.8, -8.25, 6.36],
        [53.0833, -7.8833, 3.65],
      ] as const) {
        const values = await series(lat, lng, 'wind');
        assert.equal(values.length, 6574);
        const found = values.reduce((sum, [, value]) => sum + value, 0) / values.length;
        assert.ok(Math.abs(found - mean) < 0.02, `${found} against ${mean}`);
      }
      const again = await ingest({
        collection: 'ireland',
        metric: 'wind',
        path: path('ireland-daily-wind/daily_mean_wind_knots.csv'),
        stationsPath: path('ireland-daily-wind/stations.csv'),
        unit: 'knots',
      });
      assert.equal(again.added, 0);
    },
  );

  test(
    'airgr-daily-catchment: litres a second are m3/s; days without flow stay gaps',
    { skip: absent('airgr-daily-catchment') },
    async () => {
      const report = await ingest({
        collection: 'airgr',
        metric: 'river_flow',
        path: path('airgr-daily-catchment/L0123001.csv'),
        column: 'discharge_l_s',
        lat: 45,
        lng: 3,
      });
      assert.equal(report.unit, 'l/s');
      // Number of missing values in this column. The README states 802, which is the number in the other column.
      assert.equal(report.gaps.empty, 772);
      assert.equal(report.observations, 10_593 - 772);
      assert.deepEqual(await series(45, 3, 'river_flow', '1984-01-01', '1984-01-03'), [
        ['1984-01-01', 2.64],
        ['1984-01-02', 3.44],
        ['1984-01-03', 12.2],
      ]);
      const [day, flow] = (await series(45, 3, 'river_flow')).reduce((a, b) => (b[1] > a[1] ? b : a));
      // The highest daily flow is 23.88 mm over a catchment of 360 km2.
      assert.equal(day, '1997-05-09');
      assert.ok(Math.abs((flow * 86.4) / 360 - 23.88) < 0.05);
      assert.deepEqual(await series(45, 3, 'river_flow', '1989-01-01', '1989-12-31'), []);
      await assert.rejects(
        ingest({
          collection: 'airgr',
          metric: 'river_flow',
          path: path('airgr-daily-catchment/L0123001.csv'),
          column: 'discharge_mm',
          lat: 45,
          lng: 3,
        }),
        /discharge_mm says mm, which is no unit of river_flow/,
      );
    },
  );

  test(
    'colorado-monthly-climate (NOAA): centimetres by month, no sum of 30 days of them, and the driest years lowest on the standardised precipitation index',
    { skip: absent('colorado-monthly-climate') },
    async () => {
      const stations = path('colorado-monthly-climate/stations.csv');
      for (const station of ['052432', '053005', '057167', '254440']) {
        const report = await ingest({
          collection: 'colorado',
          metric: 'precipitation',
          path: path(`colorado-monthly-climate/station_${station}.csv`),
          column: 'precip',
          unit: 'cm',
          stationsPath: stations,
          station,
        });
        assert.equal(report.observations, 1236);
        assert.deepEqual(report.doubtful.count, 0);
      }
      assert.deepEqual(await series(37.28, -107.88, 'precipitation', '1895-01-01', '1895-02-28'), [
        ['1895-01-01', 58],
        ['1895-02-01', 38],
      ]);
      assert.deepEqual(await series(37.28, -107.88, 'precipitation_30d'), []);
      for (const [lat, lng, driest] of DRIEST) {
        const years = (await series(lat, lng, 'spi_12')).filter(([day]) => day.endsWith('-12-31'));
        assert.equal(years.length, 103);
        const lowest = years.toSorted(([, a], [, b]) => a - b).slice(0, 4);
        assert.deepEqual(
          lowest.map(([day]) => Number(day.slice(0, 4))),
          driest,
        );
        assert.ok(lowest[0]![1] < -2 && lowest[0]![1] > -4, `${driest[0]}: ${lowest[0]![1]}`);
      }
    },
  );

  test(
    'era5-daily-canada: four columns of weather give a Fire Weather Index, driest where the README says',
    { skip: absent('era5-daily-canada') },
    async () => {
      const highest: number[] = [];
      for (const [city, lat, lng] of [
        ['halifax', 44.5, -63.4],
        ['montreal', 45.5, -73.4],
        ['saskatoon', 52, -106.65],
      ] as const) {
        for (const [metric, column] of [
          ['temperature', 'tmax_c'],
          ['humidity', 'rh_mean_pct'],
          ['wind', 'wind_mean_ms'],
          ['precipitation', 'precip_mm'],
          ['pressure', 'mslp_hpa'],
        ] as const)
          await ingest({
            collection: 'era5',
            metric,
            path: path(`era5-daily-canada/${city}.csv`),
            column,
            lat,
            lng,
          });
        const fwi = await series(lat, lng, 'fwi');
        assert.equal(fwi.length, 1461);
        assert.ok(
          fwi.every(([day, value]) => !day.endsWith('-01-15') || value === 0),
          'no fires in January',
        );
        highest.push(fwi.map(([, value]) => value).toSorted((a, b) => b - a)[14]!);
      }
      const [halifax, montreal, saskatoon] = highest;
      assert.ok(saskatoon! > montreal! && saskatoon! > halifax!, highest.join(' '));
      const month = await series(44.5, -63.4, 'precipitation_30d');
      assert.equal(month.length, 1461 - 26);
    },
  );

  test(
    'pbo-gnss-p156 (.pos): metres are mm; the rate of the last years is near that of least squares',
    { skip: absent('pbo-gnss-p156') },
    async () => {
      const file = path('pbo-gnss-p156/P156.pbo.final_igs08.pos');
      const report = await ingest({ collection: 'pbo', metric: 'displacement_up', path: file });
      assert.deepEqual(
        report.stations.map(({ key, lat, lng }) => [key, lat.toFixed(4), lng.toFixed(4)]),
        [['P156', '40.0244', '-123.9061']],
      );
      assert.equal(report.observations, 3196);
      const up = await series(40.0244, -123.9061, 'displacement_up');
      assert.deepEqual(up[0], ['2006-06-08', 2.76]);
      assert.equal(up.at(-1)![0], '2015-03-14');
      const rates = await series(40.0244, -123.9061, 'displacement_rate');
      assert.ok(rates.length > 70);
      const mean = rates.reduce((sum, [, value]) => sum + value, 0) / rates.length;
      // The reference is a least-squares fit over all years: -1.21 mm/yr.
      assert.ok(Math.abs(mean + 1.21) < 1, String(mean));
    },
  );

  test(
    'egms-azores-point: a series of 241 dates by its own names of columns, of a stable point',
    { skip: absent('egms-azores-point') },
    async () => {
      const report = await ingest({
        collection: 'egms',
        metric: 'displacement',
        path: path('egms-azores-point/egms_point.csv'),
        column: 'y',
      });
      assert.equal(report.observations, 241);
      assert.deepEqual(report.stations, [{ key: '4Kdbj5ZSD2', lng: -28.75266647, lat: 38.6035881 }]);
      const rates = await series(38.6035881, -28.75266647, 'displacement_rate');
      assert.ok(rates.length > 30 && rates.every(([, value]) => Math.abs(value) < 6), JSON.stringify(rates));
    },
  );

  test(
    'bfast-ndvi-series: a column a pixel, ten thousandths, at the places of another table',
    { skip: absent('bfast-ndvi-series') },
    async () => {
      const report = await ingest({
        collection: 'somalia',
        metric: 'ndvi',
        path: path('bfast-ndvi-series/somalia_mod13c1_ndvi_x10000.csv'),
        stationsPath: path('bfast-ndvi-series/somalia_mod13c1_pixels.csv'),
        scale: 0.0001,
      });
      assert.equal(report.observations, 17 * 275);
      assert.deepEqual(await series(0.075, 41.925, 'ndvi', '2000-02-18', '2000-03-05'), [
        ['2000-02-18', 0.4189],
        ['2000-03-05', 0.4351],
      ]);
    },
  );

  test('japan-gnss-series: millimetres by day', { skip: absent('japan-gnss-series') }, async () => {
    const report = await ingest({
      collection: 'japan',
      metric: 'displacement_up',
      path: path('japan-gnss-series/USUD.csv'),
      column: 'ver',
      station: 'USUD',
      lat: 36.1,
      lng: 138.4,
    });
    assert.equal(report.unit, 'mm');
    assert.deepEqual((await series(36.1, 138.4, 'displacement_up'))[0], ['2005-07-29', -15.56]);
  });

  test(
    'stageiv-florence-rain (NCEP): its totals and greatest hours by the hour are believed, a planted hour of 300 mm is not',
    { skip: absent('stageiv-florence-rain') },
    async () => {
      const [, ...lines] = (await readFile(path('stageiv-florence-rain/rain_2018-09-13_14.csv'), 'utf8'))
        .trim()
        .split('\n');
      const cells = lines
        .map((line) => line.split(',').map(Number) as [lat: number, lng: number, total: number, most: number])
        .filter(([lat, lng]) => Math.abs(lat - 33.975) < 0.25 && Math.abs(lng + 78.111) < 0.3);
      assert.ok(cells.length > 100);
      const [wettest] = cells.toSorted((a, b) => b[2] - a[2]);
      assert.deepEqual(wettest!.slice(0, 3), [33.9747, -78.1111, 577.54]);
      const folder = await mkdtemp(join(tmpdir(), 'groundwatch-florence-'));
      // The record contains the total and the wettest hour of each cell. The rest of the total is spread evenly over
      // the other 22 hours.
      const hours = (planted: boolean): string =>
        `lat,lon,datetime,precipitation\n${cells
          .flatMap(([lat, lng, total, most]) =>
            Array.from({ length: 23 }, (_, h) => {
              const isPlanted = planted && h === 5 && lat === wettest![0] && lng === wettest![1];
              const value = isPlanted ? 300 : h === 12 ? most : (total - most) / 22;
              return `${lat},${lng},${new Date(Date.UTC(2018, 8, 13, 19 + h)).toISOString()},${value.toFixed(4)}`;
            }),
          )
          .join('\n')}\n`;
      const file = join(folder, 'hours.csv');
      try {
        await writeFile(file, hours(true));
        const caught = await ingest({ collection: 'planted', metric: 'precipitation', path: file });
        assert.deepEqual(
          caught.doubtful.first.map(({ station, value }) => [station, value]),
          [['33.9747,-78.1111', 300]],
        );
        assert.match(caught.doubtful.first[0]!.reason, /stations within 10 km/);
        await writeFile(file, hours(false));
        const real = await ingest({ collection: 'florence', metric: 'precipitation', path: file });
        assert.equal(real.doubtful.count, 0);
        assert.equal(real.observations, cells.length * 23);
      } finally {
        await rm(folder, { recursive: true });
      }
      const found = await series(33.9747, -78.1111, 'precipitation', '2018-09-13', '2018-09-14');
      // Both collections cover the place, and either may answer. The collection `planted` lacks one hour, because its
      // planted value was rejected.
      const total = found.reduce((sum, [, value]) => sum + value, 0);
      assert.ok(
        Math.abs(total - 577.54) < 0.01 || Math.abs(total - 577.54 + (577.54 - wettest![3]) / 22) < 0.01,
      );
    },
  );
});
