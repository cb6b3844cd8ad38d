import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { NO_PYTHON, PYTHON, VERIFY_SCRIPT } from '../fixtures/verify-script.ts';
import { tiffFixture } from '../fixtures/tiff-fixture.ts';
import { sharedService, type TestService } from '../fixtures/service.ts';

const EDGE = 12;
const CLEARED = { from: 4, to: 8 }; // rows and columns
const NO_DATA = 255;
const OTHER_CODE = 150; // above 100 %: not observed, though the file does not declare it
const STEP_MS = 5 * 86_400_000;
const DATES = Array.from({ length: 14 }, (_, i) => new Date(Date.UTC(2023, 0, 3, 18, 59, 31) + i * STEP_MS));
const CLEARED_AT = 6; // index of the first granule with the loss
/** GeoKeys of UTM zone 10 N (EPSG:32610), the reference system of the tile T10TEM. */
const UTM_KEYS = { 1024: 1, 1025: 1, 3072: 32_610 };
const CONFIRMED_LOSS = 70; // loss of cover in the clearing [%]

const isCleared = (i: number): boolean =>
  [Math.floor(i / EDGE), i % EDGE].every((at) => at >= CLEARED.from && at < CLEARED.to);

/** Loss layer of a granule: noise of up to 2 %, a clearing from `CLEARED_AT` on, one row under clouds, another code. */
function losses(date: number): number[] {
  return Array.from({ length: EDGE * EDGE }, (_, i) => {
    if (Math.floor(i / EDGE) === date % EDGE) return NO_DATA;
    if (i === EDGE * EDGE - 1) return OTHER_CODE;
    return date >= CLEARED_AT && isCleared(i) ? CONFIRMED_LOSS : (i * 7 + date * 3) % 3;
  });
}

describe('an alert product', () => {
  let service: TestService;
  let folder: string;
  let changeText: string;
  before(async () => {
    service = await sharedService();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-alerts-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function publish(date: number, produced = '20240101T000000Z'): Promise<void> {
    const acquired = DATES[date]!.toISOString().replaceAll(/[-:]|\.000/g, '');
    const granule = `OPERA_L3_DIST-ALERT-HLS_T10TEM_${acquired}_${produced}_S2A_30_v1`;
    const layer = (bands: number[][]) =>
      tiffFixture({
        width: EDGE,
        height: EDGE,
        bands,
        kind: 'uint8',
        nodata: '255',
        origin: [500_000, 5_100_000],
        pixel: [30, 30],
        keys: UTM_KEYS,
      });
    await writeFile(join(folder, `${granule}_VEG-ANOM.tif`), layer([losses(date)]));
    await writeFile(join(folder, `${granule}_VEG-DIST-STATUS.tif`), layer([losses(date).map(() => 0)]));
  }
  const ingest = (...more: string[]) =>
    service.cli('ingest', 'alerts', folder, '--collection', 'alerts', '--environment', 'staging', ...more);

  test('granules become a change with provenance, an event, a series and a verifiable record', async () => {
    await service.cli('accounts', 'create', 'alerts');
    const scope = ['--account', 'alerts', '--environment', 'staging', '--scopes', 'all'];
    const key = (await service.cli('keys', 'create', ...scope))['key'] as string;
    const corners = [
      [-123.01, 46.04],
      [-122.99, 46.04],
      [-122.99, 46.06],
      [-123.01, 46.06],
      [-123.01, 46.04],
    ];
    const geometry = { type: 'Polygon', coordinates: [corners] };
    const aoi = await service.call('/v1/aois', { key, method: 'POST', json: { name: 'wood', geometry } });
    const changes = async () => {
      const path = `/v1/changes?status=all&aoi_id=${String(aoi.json()['id'])}`;
      return (await service.call(path, { key })).json()['changes'] as { id: string; type: string }[];
    };

    for (let date = 0; date < CLEARED_AT; date++) await publish(date);
    assert.deepEqual((await ingest())['changes'], {
      inserted: 0,
      updated: 0,
      unchanged: 0,
      confirmed: 0,
      ran: true,
    });
    assert.deepEqual(await changes(), []);

    for (let date = CLEARED_AT; date < DATES.length; date++) await publish(date);
    const report = await ingest();
    assert.deepEqual([report['scenes'], report['added']], [DATES.length, DATES.length - CLEARED_AT]);
    const [listed, ...others] = await changes();
    assert.deepEqual(others, []);
    const answer = await service.call(`/v1/changes/${listed!.id}`, { key });
    changeText = answer.text;
    const change = answer.json();
    assert.equal(change['type'], 'vegetation_loss');
    assert.equal(change['status'], 'confirmed');
    assert.deepEqual([change['metric'], change['magnitude']], ['veg_anom', CONFIRMED_LOSS]);
    assert.equal(change['first_anomaly_at'], DATES[CLEARED_AT]!.toISOString().slice(0, 10));
    assert.ok((change['confidence'] as number) > 0.64 && (change['confidence'] as number) < 1);
    const area = change['area_m2'] as number;
    assert.ok(Math.abs(area - 16 * 900) < 0.01 * area, `${area} m2`);
    const provenance = change['provenance'] as {
      readonly method: string;
      readonly baseline: { readonly kind: string };
      readonly scenes: readonly { readonly id: string; readonly href: string; readonly sha256: string }[];
      readonly series: readonly Readonly<Record<string, unknown>>[];
      readonly evidence: readonly { readonly value: number; readonly expected: number }[];
    };
    assert.equal(provenance.method, 'alert-ewma');
    assert.equal(provenance.baseline.kind, 'provider');
    assert.equal(provenance.scenes[0]!.id, 'DIST-ALERT-HLS_T10TEM_20230103T185931Z_S2A');
    assert.match(provenance.scenes[0]!.href, /_VEG-ANOM\.tif$/);
    const reading = { nodata: NO_DATA, valid_range: [0, 100], mask: null };
    const values = { metric: 'veg_anom', unit: '%', sample_type: 'int16', scale: 1, offset: 0 };
    assert.deepEqual(provenance.series, [{ ...values, reading }]);
    const samples = Int16Array.from(losses(0), (loss) => (loss > 100 ? -32_768 : loss));
    assert.equal(provenance.scenes[0]!.sha256, createHash('sha256').update(samples).digest('hex'));
    assert.ok(provenance.evidence.every(({ value, expected }) => value === CONFIRMED_LOSS && expected === 0));

    const events = (await service.call('/v1/events', { key })).json()['events'] as {
      type: string;
      data: { id: string };
    }[];
    assert.deepEqual(
      events.filter(({ type }) => type.startsWith('change.')).map(({ type, data }) => [type, data.id]),
      [['change.detected', listed!.id]],
    );
    const at = '/v1/historical?lat=46.0519&lng=-122.9977&metric=veg_anom&from=2023-01-01&to=2023-04-01';
    const series = (await service.call(at, { key })).json()['series'] as { v: number }[];
    assert.equal(series.at(-1)!.v, CONFIRMED_LOSS);
    const verified = await service.cli('verify', listed!.id);
    assert.deepEqual(verified['problems'], []);

    const labels = join(folder, 'labels.csv');
    const places = [
      'a,46.0519,-122.9977,2023-01-30,2023-02-10,vegetation_loss',
      'b,46.0526,-122.9995,,,none',
    ];
    await writeFile(labels, ['id,lat,lng,from,to,label', ...places].join('\n'));
    const replayed = ['--collection', 'alerts', '--environment', 'staging', '--labels', labels];
    const { overall_accuracy: accuracy } = await service.cli('backtest', ...replayed);
    assert.equal((accuracy as { readonly value: number }).value, 1);

    await publish(CLEARED_AT + 1, '20250101T000000Z');
    const again = await ingest();
    assert.deepEqual([again['scenes'], again['added']], [DATES.length, 0]);
    assert.deepEqual(
      (await changes()).map(({ id }) => id),
      [listed!.id],
    );
  });

  test('docs/verify_change.py agrees with the digest and every scene', { skip: NO_PYTHON }, async () => {
    const path = join(folder, 'change.json');
    await writeFile(path, changeText);
    const files = (await readdir(folder)).filter((name) =>
      name.endsWith('_20240101T000000Z_S2A_30_v1_VEG-ANOM.tif'),
    );
    const paths = files.map((name) => join(folder, name));
    const { stdout, stderr, status } = spawnSync(PYTHON, [VERIFY_SCRIPT, path, ...paths], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout + stderr);
    const { provenance } = JSON.parse(changeText) as { provenance: { scenes: unknown[] } };
    assert.equal(stdout.match(/^scene \S+ veg_anom agrees$/gm)?.length, provenance.scenes.length);
  });

  test('a granule that is dated in the future is refused by name, and nothing is written', async () => {
    const ahead = await mkdtemp(join(tmpdir(), 'groundwatch-ahead-'));
    const name = 'OPERA_L3_DIST-ALERT-HLS_T10TEM_20980815T185931Z_20980817T153514Z_S2A_30_v1_VEG-ANOM.tif';
    try {
      const shape = { width: 1, height: 1, kind: 'uint8', keys: UTM_KEYS } as const;
      await writeFile(join(ahead, name), tiffFixture({ ...shape, bands: [[0]] }));
      await assert.rejects(
        service.cli('ingest', 'alerts', ahead, '--collection', 'ahead'),
        /S2A_30_v1_VEG-ANOM\.tif is dated 2098-08-15T18:59:31\.000Z, in the future; expected at most/,
      );
      await assert.rejects(service.cli('collections', 'check', '--collection', 'ahead'), /ahead/);
    } finally {
      await rm(ahead, { recursive: true });
    }
  });

  test('another product is refused by name', async () => {
    const other = await mkdtemp(join(tmpdir(), 'groundwatch-radd-'));
    try {
      await writeFile(join(other, 'radd_alerts_africa.tif'), 'not read');
      await assert.rejects(
        service.cli('ingest', 'alerts', other, '--collection', 'radd'),
        /expected granules of OPERA DIST-ALERT-HLS.*got RADD/s,
      );
    } finally {
      await rm(other, { recursive: true });
    }
  });
});
