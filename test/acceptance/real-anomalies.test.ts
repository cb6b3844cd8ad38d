import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { deriveSeries } from '../../src/app/stations/derive-series.ts';
import { newId } from '../../src/base/ids.ts';
import { ingestPoints, type PointsIngest } from '../../src/app/stations/ingest-points.ts';
import type { CubeStore } from '../../src/app/series/cube-store.ts';
import { listAnomalies } from '../../src/app/anomalies/read-anomalies.ts';
import { refreshAnomalies } from '../../src/app/anomalies/refresh-anomalies.ts';
import type { AnomalyRecord } from '../../src/app/anomalies/anomaly-store.ts';
import type { Aoi } from '../../src/app/areas/aoi-store.ts';
import type { Peril } from '../../src/contract/fields.ts';
import { PointsFileReader } from '../../src/sources/stations/points-file.ts';
import { putAoi } from '../fixtures/records.ts';
import { testStorage, type TestStorage } from '../fixtures/storage.ts';

const DATA = new URL('../../../shared/data/', import.meta.url);
const absent = (folder: string): string | false =>
  existsSync(new URL(folder, DATA)) ? false : `skipped: the measured data of ${folder} are not here`;
const path = (file: string): string => fileURLToPath(new URL(file, DATA));
const CLOCK = { now: () => Date.UTC(2026, 10, 23) };

describe('anomalies of real stations, from the files they came in', () => {
  let world: TestStorage;
  let home: string;
  before(async () => {
    world = await testStorage();
    home = await mkdtemp(join(tmpdir(), 'groundwatch-anomalies-'));
  });
  after(async () => {
    await world.close();
    await rm(home, { recursive: true });
  });

  async function ingest(
    collection: string,
    metric: string,
    file: Partial<PointsIngest['file']> & { readonly path: string },
    unit?: string,
  ) {
    const deps = { storage: world.storage, clock: CLOCK, points: new PointsFileReader() };
    const report = await ingestPoints(
      deps,
      {
        collection,
        environment: 'production',
        accountId: null,
        file: {
          metric,
          ...file,
        },
        unit,
      },
      () => undefined,
    );
    await deriveSeries(deps, report.collection);
    return report;
  }

  /** Subscribes to the anomalies in a bounding box and returns them, newest first. */
  async function anomalies(
    [west, south, east, north]: readonly [number, number, number, number],
    perils: readonly Peril[],
  ): Promise<readonly AnomalyRecord[]> {
    const ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ] as [number, number][];
    const aoi: Aoi = await putAoi(world.storage, world.owner, { type: 'Polygon', coordinates: [ring] });
    const id = newId('subscription');
    await world.storage.subscriptions.create({ ...world.owner, id, aoiId: aoi.id, perils, status: 'active' });
    await refreshAnomalies(
      { storage: world.storage, cube: undefined as unknown as CubeStore },
      world.owner,
      aoi.id,
    );
    const all: AnomalyRecord[] = [];
    let page: readonly string[] | undefined;
    do {
      const { items, next } = await listAnomalies(
        world.storage,
        world.owner,
        { since: undefined, publishedSince: undefined },
        { limit: 1000, after: page },
      );
      for (const { id } of items) all.push((await world.storage.anomalies.find(world.owner, id))!);
      page = next;
    } while (page !== undefined);
    return all.filter(({ aoiId }) => aoiId === aoi.id);
  }

  const on = (all: readonly AnomalyRecord[], day: string) =>
    all.filter(
      ({ startedAt, endedAt }) =>
        startedAt.getTime() <= Date.parse(day) && (endedAt === null || endedAt.getTime() > Date.parse(day)),
    );

  test(
    'Irish wind (Haslett & Raftery 1989), ingested in knots: one storm anomaly for each station that 1966-12-01 stood out at',
    { skip: absent('ireland-daily-wind') },
    async () => {
      await ingest(
        'ireland',
        'wind',
        {
          path: path('ireland-daily-wind/daily_mean_wind_knots.csv'),
          stationsPath: path('ireland-daily-wind/stations.csv'),
        },
        'knots',
      );
      const all = await anomalies([-10.5, 51.5, -6, 55.5], ['storm']);
      for (const [day, least] of [
        ['1965-01-17', 5],
        ['1966-12-01', 7],
      ] as const) {
        const storms = on(all, day).filter(({ residual }) => residual > 0);
        assert.ok(storms.length >= least, `${day}: ${storms.length}`);
        assert.equal(new Set(storms.map(({ station }) => station!.id)).size, storms.length);
        for (const { value, expected } of storms)
          assert.ok(value > 8 && value < 25 && expected < 10, 'in m/s');
      }
    },
  );

  test(
    'Canadian cities 1990-1993 (ERA5, xclim-testdata): heat and fire weather, each metric a feed of wildfire',
    { skip: absent('era5-daily-canada') },
    async () => {
      for (const [metric, column] of [
        ['temperature', 'tmax_c'],
        ['humidity', 'rh_mean_pct'],
        ['wind', 'wind_mean_ms'],
        ['precipitation', 'precip_mm'],
      ] as const)
        await ingest('montreal', metric, {
          path: path('era5-daily-canada/montreal.csv'),
          column,
          lat: 45.5,
          lng: -73.4,
        });
      const all = await anomalies([-73.5, 45.4, -73.3, 45.6], ['wildfire']);
      assert.ok(
        on(all, '1993-07-06').some(({ metric, residual }) => metric === 'temperature' && residual > 0),
      );
      const fire = all.filter(({ metric }) => metric === 'fwi');
      // The fire weather of this record is calm, so few anomalies are expected. Four other series are judged too, so a
      // result without any anomaly of fire weather would also be correct.
      assert.ok(fire.length < 40, `${fire.length} anomalies of fire weather in three years`);
      const feeds = await world.storage.stations.covering(world.owner, 'fwi', [-73.5, 45.4, -73.3, 45.6]);
      assert.deepEqual(
        feeds.map(({ name }) => name),
        ['montreal'],
      );
      for (const { residual, value, startedAt } of fire) {
        const month = startedAt.getUTCMonth() + 1;
        assert.ok(
          residual < 0 || (value > 1 && month >= 3 && month <= 11),
          `${startedAt.toISOString()} ${value}`,
        );
      }
    },
  );

  test(
    'airGR L0123001: the greatest flood is critical, and the year without flow says nothing',
    { skip: absent('airgr-daily-catchment') },
    async () => {
      await ingest(
        'airgr',
        'river_flow',
        { path: path('airgr-daily-catchment/L0123001.csv'), column: 'discharge_l_s', lat: 45, lng: 3 },
        'l/s',
      );
      const all = (await anomalies([2.9, 44.9, 3.1, 45.1], ['flood'])).filter(
        ({ metric }) => metric === 'river_flow',
      );
      const [flood] = on(all, '1997-05-09');
      assert.equal(flood?.severity, 'critical');
      assert.ok(flood.residual > 0);
      for (const { startedAt, endedAt, detectedAt } of all)
        for (const date of [startedAt, endedAt, detectedAt]) assert.notEqual(date?.getUTCFullYear(), 1989);
    },
  );

  test('a spike planted in hourly rain is caught on its way in and is no anomaly; a real cloudburst is one', async () => {
    const lines = ['datetime,precipitation'];
    const at = (day: number, hour: number) => new Date(Date.UTC(2021, 0, 1 + day, hour)).toISOString();
    for (let day = 0; day < 800; day++) {
      for (let hour = 0; hour < 24; hour++) {
        const shower = (day * 7 + hour) % 29 === 0 ? 1 + ((day * 13 + hour * 5) % 17) / 4 : 0;
        const cloudburst = day === 700 && hour >= 10 && hour < 14 ? 45 : 0;
        const spike = day === 750 && hour === 4 ? 650 : 0; // mm; more than the wettest hour ever measured
        lines.push(`${at(day, hour)},${shower + cloudburst + spike}`);
      }
    }
    await writeFile(join(home, 'rain.csv'), lines.join('\n'));
    const report = await ingest('hourly', 'precipitation', {
      path: join(home, 'rain.csv'),
      lat: 10,
      lng: 100,
    });
    assert.equal(report.doubtful.count, 1);
    const all = await anomalies([99.9, 9.9, 100.1, 10.1], ['flood']);
    assert.ok(
      on(all, at(700, 11)).some(
        ({ severity, metric }) => metric === 'precipitation' && severity === 'critical',
      ),
    );
    assert.deepEqual(
      all.filter(({ startedAt }) => startedAt.toISOString().startsWith(at(750, 4).slice(0, 10))),
      [],
    );
  });
});
