import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { tiffFixture, WGS84_KEYS } from '../fixtures/tiff-fixture.ts';
import { sharedService, type TestService } from '../fixtures/service.ts';

const EDGE = 24;
const BURNT = { from: 6, to: 14 }; // rows and columns of the block that burns
const CLEARED = { from: 16, to: 22 };
const DATES = Array.from({ length: 60 }, (_, i) => new Date(Date.UTC(2020, 0, 5) + i * 16 * 86_400_000));
const EVENT_MS = Date.UTC(2022, 1, 1);

const within = (row: number, col: number, { from, to }: typeof BURNT): boolean =>
  row >= from && row < to && col >= from && col < to;

/**
 * Creates a generator of approximately normal noise. It is based on a linear congruential generator (Numerical Recipes)
 * and gives the same numbers in every run.
 */
function noise(seed: number): () => number {
  let state = seed;
  const uniform = (): number => (state = (Math.imul(1_664_525, state) + 1_013_904_223) >>> 0) / 2 ** 32;
  return () => (uniform() + uniform() + uniform() + uniform() - 2) * Math.sqrt(3);
}

/** Creates the bands of a forest with a seasonal curve. One block burns and another block is felled on the same day. */
function bands(level: number, season: number, burnt: number, felled: number, seed: number): number[][] {
  const next = noise(seed);
  return DATES.map((date) => {
    const phase = (2 * Math.PI * (date.getTime() - Date.UTC(2020, 0, 1))) / (365.25 * 86_400_000);
    const isAfter = date.getTime() >= EVENT_MS;
    return Array.from({ length: EDGE * EDGE }, (_, i) => {
      const [row, col] = [Math.floor(i / EDGE), i % EDGE];
      const forest = level - season * Math.cos(phase);
      const value = !isAfter
        ? forest
        : within(row, col, BURNT)
          ? burnt
          : within(row, col, CLEARED)
            ? felled
            : forest;
      return Math.round(10_000 * (value + 0.02 * next()));
    });
  });
}

interface Listed {
  readonly id: string;
  readonly type: string;
}

describe('several indices of one collection are one monitor', () => {
  let service: TestService;
  let folder: string;
  before(async () => {
    service = await sharedService();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-indices-'));
  });
  after(() => rm(folder, { recursive: true }));

  async function ingest(collection: string, metric: string, samples: number[][]) {
    const values = join(folder, `${metric}.tif`);
    const dates = join(folder, 'dates.csv');
    await writeFile(
      values,
      tiffFixture({
        width: EDGE,
        height: EDGE,
        bands: samples,
        origin: [24, 52],
        pixel: [0.0003, 0.0002],
        keys: WGS84_KEYS,
        nodata: '-32768',
      }),
    );
    const days = DATES.map((date, i) => `${i + 1},${date.toISOString().slice(0, 10)}`);
    await writeFile(dates, `band,date\n${days.join('\n')}\n`);
    const given = { environment: 'staging', collection, metric, values, dates, scale: '0.0001' };
    return service.cli(
      'ingest',
      'stack',
      ...Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]),
    );
  }

  test('NDVI and NBR together tell a fire from a felling; the same change is told anew, not twice', async () => {
    await service.cli('accounts', 'create', 'indices');
    const made = await service.cli(
      'keys',
      'create',
      '--account',
      'indices',
      '--environment',
      'staging',
      '--scopes',
      'all',
    );
    const key = made['key'] as string;
    const geometry = {
      type: 'Polygon',
      coordinates: [
        [
          [23.999, 51.994],
          [24.01, 51.994],
          [24.01, 52.001],
          [23.999, 52.001],
          [23.999, 51.994],
        ],
      ],
    };
    const aoi = await service.call('/v1/aois', { key, method: 'POST', json: { name: 'wood', geometry } });
    const list = async (): Promise<Listed[]> => {
      const answer = await service.call(`/v1/changes?aoi_id=${String(aoi.json()['id'])}`, { key });
      return answer.json()['changes'] as Listed[];
    };

    await ingest('wood', 'ndvi', bands(0.65, 0.1, 0.2, 0.25, 1));
    const first = await list();
    assert.deepEqual(
      first.map(({ type }) => type),
      ['vegetation_loss', 'vegetation_loss'],
    );

    await ingest('wood', 'nbr', bands(0.6, 0.08, -0.25, 0.1, 2));
    const second = await list();
    assert.deepEqual(second.map(({ type }) => type).toSorted(), ['burn', 'vegetation_loss']);
    assert.deepEqual(second.map(({ id }) => id).toSorted(), first.map(({ id }) => id).toSorted());

    const burn = second.find(({ type }) => type === 'burn')!;
    const answer = await service.call(`/v1/changes/${burn.id}`, { key });
    const provenance = answer.json()['provenance'] as {
      scenes: { metric?: string }[];
      moves: { metric: string; residual: number; value: number }[];
    };
    assert.equal(
      provenance.scenes.filter(({ metric }) => metric === 'nbr').length,
      provenance.scenes.length / 2,
    );
    const nbr = provenance.moves.find(({ metric }) => metric === 'nbr')!;
    assert.ok(nbr.residual < -0.7 && nbr.value < -0.1, JSON.stringify(nbr));
    const verified = await service.cli('verify', burn.id);
    assert.deepEqual(verified['problems'], []);
  });
});
