// Long file: one service ingests real data once, and every test checks another result of this ingest.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fromFile } from 'geotiff';
import proj4 from 'proj4';
import { Webhook } from 'standardwebhooks';
import { startService, type TestService } from '../fixtures/service.ts';
import { throwawayCertificate, type TlsSink, tlsSink } from '../fixtures/tls-sink.ts';

const DATA = new URL('../../../shared/data/', import.meta.url);
const SLOVENIA = new URL('slovenia-sentinel2-ndvi/', DATA);
const TURA = new URL('tura-landsat-ndvi/', DATA);
const absent = (folder: URL): string | false =>
  existsSync(folder)
    ? false
    : `skipped: the measured data of ${folder.pathname.split('/').at(-2)} are not here`;

const UTM33 = '+proj=utm +zone=33 +datum=WGS84 +units=m';
const UTM36 = '+proj=utm +zone=36 +datum=WGS84 +units=m';

interface Change {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly first_anomaly_at: string;
  readonly detected_at: string;
  readonly area_m2: number;
  readonly geometry: { readonly type: string; readonly coordinates: number[][][] };
  readonly provenance: {
    readonly scenes: readonly {
      readonly id: string;
      readonly href: string;
      readonly datetime: string;
      readonly sha256: string;
    }[];
    readonly pixels: { readonly runs: readonly number[] };
    readonly digest: string;
  };
}

/** Returns the row and column of each pixel of a change, on a grid of `width` columns. */
function pixelsOf(change: Change, width: number): { readonly row: number; readonly col: number }[] {
  const { runs } = change.provenance.pixels;
  const pixels = [];
  for (let r = 0; r < runs.length; r += 2) {
    for (let k = 0; k < runs[r + 1]!; k++) {
      const index = runs[r]! + k;
      pixels.push({ row: Math.floor(index / width), col: index % width });
    }
  }
  return pixels;
}

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let i = 0; i < 2_400; i++) {
    const found = await look();
    if (found !== undefined) return found;
    await delay(100);
  }
  throw new Error(`${what} did not come within four minutes`);
}

describe(
  'a real image stack, through a service started as a user starts it',
  { skip: absent(SLOVENIA) },
  () => {
    let service: TestService;
    let sink: TlsSink;
    let caFolder: string;
    let key: string;
    let aoiId: string;
    let secret: string;
    let refusals = 2;

    const get = async <T>(path: string): Promise<T> => {
      const answer = await service.call(path, { key });
      assert.equal(answer.status, 200, answer.text);
      return answer.json() as T;
    };
    const create = async <T>(path: string, body: unknown): Promise<T> => {
      const answer = await service.call(path, { key, method: 'POST', json: body });
      assert.equal(answer.status, 201, answer.text);
      return answer.json() as T;
    };
    const ingestSlovenia = () =>
      service.cli(
        'ingest',
        'stack',
        '--collection',
        'slovenia',
        '--metric',
        'ndvi',
        '--scale',
        '0.0001',
        '--values',
        new URL('ndvi.tif', SLOVENIA).pathname,
        '--dates',
        new URL('dates.csv', SLOVENIA).pathname,
        '--mask',
        new URL('cloud_mask.tif', SLOVENIA).pathname,
      );
    const changes = async (status: string): Promise<Change[]> => {
      const list = await get<{ changes: { id: string }[] }>(`/v1/changes?aoi_id=${aoiId}&status=${status}`);
      return Promise.all(list.changes.map(({ id }) => get<Change>(`/v1/changes/${id}`)));
    };

    before(async () => {
      const certificate = await throwawayCertificate();
      caFolder = await mkdtemp(join(tmpdir(), 'groundwatch-ca-'));
      await writeFile(join(caFolder, 'ca.pem'), certificate.caPem);
      // The receiver answers the first two deliveries with an error.
      sink = await tlsSink(certificate, (_, response) => {
        response.statusCode = refusals-- > 0 ? 500 : 200;
        response.end();
      });
      service = await startService({
        GROUNDWATCH_WEBHOOK_ALLOW: '127.0.0.0/8',
        GROUNDWATCH_WEBHOOK_SCHEDULE: '0,1s,1s,1s',
        GROUNDWATCH_CA_FILE: join(caFolder, 'ca.pem'),
      });
      await service.cli('accounts', 'create', 'acceptance');
      key = (
        await service.cli('keys', 'create', '--account', 'acceptance', '--scopes', 'all', '--limit', '0')
      )['key'] as string;
      aoiId = (
        await create<{ id: string }>('/v1/aois', {
          name: 'Ljubljana moor',
          geometry: {
            type: 'Polygon',
            coordinates: [
              [
                [14.5, 45.8],
                [14.7, 45.8],
                [14.7, 45.95],
                [14.5, 45.95],
                [14.5, 45.8],
              ],
            ],
          },
        })
      ).id;
      const hook = await create<{ secret: string }>('/v1/webhooks', {
        url: `https://localhost:${sink.port}/hook`,
        events: ['change.detected'],
      });
      secret = hook.secret;
      await create('/v1/anomalies/subscribe', { aoi_id: aoiId, perils: ['wildfire'] });
      const report = await ingestSlovenia();
      assert.equal(report['added'], 68);
    });
    after(async () => {
      await service?.stop();
      await sink?.[Symbol.asyncDispose]();
      if (caFolder !== undefined) await rm(caFolder, { recursive: true });
    });

    test('slovenia-sentinel2-ndvi expected.json: the built-up change is found where and when it happened', async () => {
      const expected = JSON.parse(await readFile(new URL('expected.json', SLOVENIA), 'utf8')) as {
        events: { rows: [number, number]; cols: [number, number]; lon: number; lat: number }[];
        not_events: { rows: [number, number]; cols: [number, number] }[];
      };
      const confirmed = await changes('confirmed');
      const [event] = expected.events;
      const overlapping = (
        change: Change,
        { rows, cols }: { rows: [number, number]; cols: [number, number] },
      ) =>
        pixelsOf(change, 76).filter(
          ({ row, col }) => row >= rows[0] && row <= rows[1] && col >= cols[0] && col <= cols[1],
        ).length;
      const real = confirmed.filter((change) => overlapping(change, event!) >= 3);
      assert.equal(real.length, 1, 'one confirmed change overlaps the event');
      const [change] = real;
      assert.equal(change!.type, 'vegetation_loss');
      assert.ok(
        change!.first_anomaly_at >= '2015-09-09' && change!.first_anomaly_at <= '2016-08-31',
        change!.first_anomaly_at,
      );
      const [shell] = change!.geometry.coordinates;
      const near = shell!.some(
        ([lng, lat]) => Math.hypot((lng! - event!.lon) * 77_500, (lat! - event!.lat) * 111_100) < 60,
      );
      assert.ok(near, 'its polygon lies where expected.json says');
      assert.ok(change!.area_m2 >= 300 && change!.area_m2 <= 4000, `${change!.area_m2} m2`);
      for (const field of expected.not_events) {
        const mown = confirmed.filter((other) => other.id !== change!.id && overlapping(other, field) > 0);
        assert.deepEqual(
          mown.map(({ id }) => id),
          [],
          `mown field at rows ${field.rows.join('-')}`,
        );
      }
      assert.ok(confirmed.length <= 3, `${confirmed.length - 1} other confirmed changes`);

      const dates = (await readFile(new URL('dates.csv', SLOVENIA), 'utf8')).trim().split('\n').slice(1);
      const known = new Set(dates.map((line) => Date.parse(line.split(',')[1]!)));
      assert.ok(change!.provenance.scenes.length >= 10);
      for (const scene of change!.provenance.scenes) {
        assert.ok(known.has(Date.parse(scene.datetime)), scene.datetime);
        assert.match(scene.href, /^ndvi\.tif#band=\d+$/);
        assert.match(scene.sha256, /^[0-9a-f]{64}$/);
      }
    });

    test('ingesting the same files again changes nothing', async () => {
      const before = await changes('all');
      const report = await ingestSlovenia();
      assert.equal(report['added'], 0);
      assert.deepEqual(await changes('all'), before);
    });

    test('verify recomputes every change to the same digest; one that was altered is named and fails', async () => {
      const [confirmed] = await changes('confirmed');
      const whole = await service.cli('verify', confirmed!.id);
      assert.deepEqual([whole['verified'], whole['digest']], [true, confirmed!.provenance.digest]);
      const { storage } = await service.backstage();
      const record = (await storage.changes.locate(confirmed!.id))!;
      await storage.changes.update({ ...record, areaM2: record.areaM2 + 1 });
      await assert.rejects(service.cli('verify', confirmed!.id), /altered after it was made/);
      await storage.changes.update(record);
    });

    test('backtest holds the replay against the place that changed and two that did not', async () => {
      const labels = join(caFolder, 'labels.csv');
      await writeFile(
        labels,
        'id,lat,lng,from,to,label\nbuilt,45.87467,14.56029,2015-09-09,2016-08-31,vegetation_loss\n' +
          'still,45.87267,14.55829,,,none\nwood,45.8722,14.5575,,,none\n',
      );
      const plot = join(caFolder, 'plot.svg');
      const report = await service.cli(
        'backtest',
        '--collection',
        'slovenia',
        '--labels',
        labels,
        '--plot',
        plot,
      );
      const classes = report['classes'] as { label: string; right: number; labelled: number }[];
      assert.deepEqual(
        classes.map(({ label, right, labelled }) => [label, right, labelled]),
        [
          ['any change', 1, 1],
          ['vegetation_loss', 1, 1],
          ['none', 2, 2],
        ],
      );
      assert.match(await readFile(plot, 'utf8'), /^<svg /);
    });

    test('historical gives the file’s value at every clear date of ten pixels, and nothing else', async () => {
      const [values, mask] = await Promise.all(
        ['ndvi.tif', 'cloud_mask.tif'].map(async (name) =>
          (await fromFile(new URL(name, SLOVENIA).pathname)).getImage(),
        ),
      );
      const [originX, originY] = values!.getOrigin() as [number, number];
      const [stepX, stepY] = values!.getResolution() as [number, number];
      const days = (await readFile(new URL('dates.csv', SLOVENIA), 'utf8'))
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[1]!);
      for (let k = 0; k < 10; k++) {
        const [col, row] = [(k * 31 + 3) % 76, (k * 17 + 5) % 101];
        const window = [col, row, col + 1, row + 1];
        const [raw, cloud] = await Promise.all([
          values!.readRasters({ window }),
          mask!.readRasters({ window }),
        ]);
        const expected = days
          .map((day, i) => ({
            day,
            raw: Number((raw[i] as Int16Array)[0]),
            cloud: Number((cloud[i] as Uint8Array)[0]),
          }))
          .filter((observation) => observation.cloud === 0)
          .toSorted((a, b) => a.day.localeCompare(b.day))
          .map((observation) => ({ t: observation.day.slice(0, 10), v: observation.raw / 10_000 }));
        const [lng, lat] = proj4(UTM33, 'WGS84', [
          originX + (col + 0.5) * stepX,
          originY + (row + 0.5) * stepY,
        ]);
        const { series } = await get<{ series: unknown }>(`/v1/historical?lat=${lat}&lng=${lng}&metric=ndvi`);
        assert.deepEqual(series, expected, `pixel ${col}, ${row}`);
      }
    });

    test('the signed change.detected arrives, though the receiver failed twice; both signatures verify', async () => {
      const delivered = await until('a delivery after the refusals', async () =>
        sink.received.length >= 3 ? sink.received.at(-1) : undefined,
      );
      assert.equal(
        new Set(sink.received.map(({ headers }) => headers['webhook-id'])).size,
        1,
        'one event, one id',
      );
      const body = new Webhook(secret).verify(
        delivered.body,
        delivered.headers as Record<string, string>,
      ) as {
        type: string;
        environment: string;
        data: Record<string, unknown>;
      };
      assert.equal(body.type, 'change.detected');
      assert.equal(body.environment, 'production');
      assert.equal(body.data['type'], 'vegetation_loss');
      assert.equal('provenance' in body.data, false);
      assert.ok(Buffer.byteLength(delivered.body) < 20_000);
      const header = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(delivered.headers['x-service-signature']));
      assert.ok(header, String(delivered.headers['x-service-signature']));
      const byHand = createHmac('sha256', secret).update(`${header[1]}.${delivered.body}`).digest('hex');
      assert.equal(header[2], byHand);
    });

    test('anomalies of the area’s mean are listed, and each can be read', async () => {
      const anomalies = await until('an anomaly', async () => {
        const list = await get<{ anomalies: { id: string; severity: string }[] }>('/v1/anomalies');
        return list.anomalies.length > 0 ? list.anomalies : undefined;
      });
      for (const { id, severity } of anomalies) {
        const anomaly = await get<{
          aoi_id: string;
          severity: string;
          metric: string;
          value: number;
          expected: number;
          residual: number;
        }>(`/v1/anomalies/${id}`);
        assert.equal(anomaly.aoi_id, aoiId);
        assert.equal(anomaly.severity, severity);
        assert.equal(anomaly.metric, 'ndvi');
        assert.ok(Math.abs(anomaly.value - anomaly.expected - anomaly.residual) < 1e-9);
      }
    });

    test('a batch of 1,000 locations equals 1,000 single calls', async () => {
      const perils = ['flood', 'storm', 'wildfire', 'subsidence'];
      const locations = Array.from({ length: 1000 }, (_, i) => ({
        lat: Math.round(Math.sin(i * 12.9898) * 8_500) / 100,
        lng: Math.round(Math.sin(i * 78.233) * 18_000) / 100,
        peril: perils[i % 4]!,
      }));
      const batch = await service.call('/v1/risk/batch', { key, method: 'POST', json: { locations } });
      assert.equal(batch.status, 200);
      const { results } = batch.json() as { results: { risk_score: number; confidence: number }[] };
      for (let from = 0; from < 1000; from += 50) {
        const singles = await Promise.all(
          locations
            .slice(from, from + 50)
            .map(({ lat, lng, peril }) =>
              get<{ risk_score: number; confidence: number }>(
                `/v1/risk?lat=${lat}&lng=${lng}&peril=${peril}`,
              ),
            ),
        );
        for (const [i, { risk_score, confidence }] of singles.entries())
          assert.deepEqual(
            results[from + i],
            { risk_score, confidence },
            JSON.stringify(locations[from + i]),
          );
      }
    });

    test(
      'tura-landsat-ndvi: most clusters of strong breaks are found in sparse SLC-off data, the bulk of the forest is not flagged',
      { skip: absent(TURA) },
      async () => {
        const report = await service.cli(
          'ingest',
          'stack',
          '--collection',
          'tura',
          '--metric',
          'ndvi',
          '--scale',
          '0.0001',
          '--values',
          new URL('tura_south_ndvi.tif', TURA).pathname,
          '--dates',
          new URL('dates.csv', TURA).pathname,
        );
        assert.equal(report['added'], 166);
        const [lng, lat] = proj4(UTM36, 'WGS84', [819_540, 830_130]);
        const square = [
          [lng - 0.2, lat - 0.2],
          [lng + 0.2, lat - 0.2],
          [lng + 0.2, lat + 0.2],
          [lng - 0.2, lat + 0.2],
          [lng - 0.2, lat - 0.2],
        ];
        aoiId = (
          await create<{ id: string }>('/v1/aois', {
            name: 'Tura',
            geometry: { type: 'Polygon', coordinates: [square] },
          })
        ).id;
        const found = [...(await changes('confirmed')), ...(await changes('recovered'))].filter(
          (change) => change.type === 'vegetation_loss' && change.detected_at >= '2009',
        );
        const flagged = new Set(
          found.flatMap((change) => pixelsOf(change, 143)).map(({ row, col }) => row * 143 + col),
        );
        const clusters = clustersOf(
          (await readFile(new URL('strong_breaks.csv', TURA), 'utf8'))
            .trim()
            .split('\n')
            .slice(1)
            .map((line) => line.split(',').map(Number))
            .map(([row, col]) => row! * 143 + col!),
          143,
        ).filter((cluster) => cluster.length >= 3);
        const hit = clusters.filter((cluster) => cluster.some((pixel) => flagged.has(pixel)));
        assert.ok(hit.length > clusters.length / 2, `${hit.length} of ${clusters.length} clusters`);
        assert.ok(flagged.size < 0.15 * 11_726, `${flagged.size} of 11726 pixels flagged since 2009`);
      },
    );

    test(
      'tura-landsat-ndvi (bfast 1.7.2, bfastmonitor_2009.tif): the breaks of BFAST Monitor in a backtest are those of bfastmonitor, and stand beside the monitor’s changes',
      { skip: absent(TURA) },
      async () => {
        const tiff = await fromFile(new URL('bfastmonitor_2009.tif', TURA).pathname);
        const image = await tiff.getImage();
        const [breaks] = (await image.readRasters()) as unknown as [Float32Array];
        const [west, south, east, north] = image.getBoundingBox() as [number, number, number, number];
        const [width, height] = [image.getWidth(), image.getHeight()];
        const lines = Array.from(breaks, (at, pixel) => {
          const x = west + ((pixel % width) + 0.5) * ((east - west) / width);
          const y = north - (Math.floor(pixel / width) + 0.5) * ((north - south) / height);
          const [lng, lat] = proj4(UTM36, 'WGS84', [x, y]);
          return `${pixel},${lat},${lng},,,${Number.isNaN(at) ? 'none' : 'vegetation_loss'}`;
        });
        const path = join(caFolder, 'tura.csv');
        await writeFile(path, ['id,lat,lng,from,to,label', ...lines].join('\n'));
        const report = await service.cli(
          'backtest',
          '--collection',
          'tura',
          '--labels',
          path,
          '--from',
          '2009-01-01',
        );
        type Share = { value: number };
        type Row = { label: string; users_accuracy: Share; producers_accuracy: Share };
        const accuracies = (row: Row): readonly [number, number] => [
          row.users_accuracy.value,
          row.producers_accuracy.value,
        ];
        type Method = Row & { key: string; mapped: number; right: number; withdrawn: { changed: number } };
        const { methods } = report['references'] as { readonly methods: readonly Method[] };
        assert.deepEqual(
          methods.map(({ key }) => key),
          ['mosum', 'ewma', 'cusum'],
        );
        const [{ mapped, right, withdrawn }] = methods as readonly [Method, ...Method[]];
        const broken = Array.from(breaks).filter((at) => !Number.isNaN(at)).length;
        // A break of bfastmonitor is the first crossing. The backtest maps only those that stand at the end.
        assert.equal(right, mapped, 'BFAST Monitor maps nothing that bfastmonitor does not');
        const crossed = right + withdrawn.changed;
        assert.ok(crossed >= 0.99 * broken, `BFAST Monitor: ${crossed} of ${broken} breaks`);
        // The monitor reports only changes that last, exceed twice the noise floor and cover at least three pixels.
        // Half of the breaks of the reference are smaller than 0.05 NDVI. When single pixels are compared, the
        // producer's accuracy of change-v0.17.0 is 0.54 (bench/results/conversions.md).
        const any = (report['classes'] as readonly Row[]).find(({ label }) => label === 'any change')!;
        const own = accuracies(any);
        assert.ok(own[0] >= 0.65 && own[1] >= 0.3, `the monitor: UA ${own[0]}, PA ${own[1]}`);
      },
    );
  },
);

/** Groups pixels that share a side or a corner. */
function clustersOf(pixels: readonly number[], width: number): number[][] {
  const left = new Set(pixels);
  const clusters: number[][] = [];
  for (const start of pixels) {
    if (!left.delete(start)) continue;
    const cluster = [start];
    for (let i = 0; i < cluster.length; i++) {
      for (const step of [-width - 1, -width, -width + 1, -1, 1, width - 1, width, width + 1]) {
        const next = cluster[i]! + step;
        if (Math.abs((next % width) - (cluster[i]! % width)) <= 1 && left.delete(next)) cluster.push(next);
      }
    }
    clusters.push(cluster);
  }
  return clusters;
}
