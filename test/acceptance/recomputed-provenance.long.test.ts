import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DAY_MS } from '../../src/base/time.ts';
import {
  CROPS_FROM_MS,
  simulatedPasture,
  simulatedPlanting,
  simulatedSavanna,
  untilDay,
} from '../oracles/simulated-savanna.ts';
import { sharedService, type TestService } from '../fixtures/service.ts';
import { stackFixture } from '../fixtures/stack-fixture.ts';
import { tiffFixture, WGS84_KEYS, type TiffFixture } from '../fixtures/tiff-fixture.ts';
import { canonical, NO_PYTHON, PYTHON, VERIFY_SCRIPT } from '../fixtures/verify-script.ts';

const CONVERSION = new URL('../../../shared/data/matogrosso-modis-conversion/', import.meta.url);

const EDGE = 16; // side of the stack [pixels]
const DATES = Array.from({ length: 92 }, (_, i) => new Date(Date.UTC(2018, 0, 4) + i * 16 * 86_400_000));
const FIRST_FILE = 80; // the other dates come in a second file, as later images do
const CLEARED_FROM = 60;
const [CLEAR, CLOUD] = [21_824, 22_280]; // QA_PIXEL of Landsat Collection 2

interface Change {
  readonly id: string;
  readonly type: string;
  readonly recovered_at: string | null;
  readonly provenance: {
    readonly evidence: readonly { readonly t: string; readonly state: string }[];
    readonly digest: string;
    readonly scenes: readonly { readonly id: string }[];
    readonly series: readonly unknown[];
  };
}

/** NDVI x 10,000 of a forest of which a block of 6 x 6 pixels is cleared. */
function ndvi(date: number): number[] {
  return Array.from({ length: EDGE * EDGE }, (_, pixel) => {
    const [row, col] = [Math.floor(pixel / EDGE), pixel % EDGE];
    const isCleared = date >= CLEARED_FROM && row >= 5 && row < 11 && col >= 5 && col < 11;
    const noise = ((pixel * 7919 + date * 104_729) % 601) - 300;
    return 7000 + noise - (isCleared ? 3500 : 0);
  });
}

/** A cloud over a part of the image that moves from date to date. */
function isCloudy(date: number, pixel: number): boolean {
  return (pixel + date * 37) % 97 < 12;
}

describe('a change and its scenes are recomputed from the answer of the API and the ingested files', () => {
  let service: TestService;
  let folder: string;
  const path = (name: string): string => join(folder, name);

  before(async () => {
    service = await sharedService();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-provenance-'));
    const grid = {
      width: EDGE,
      height: EDGE,
      origin: [20, 40],
      pixel: [0.001, 0.001],
      keys: WGS84_KEYS,
    } as const;
    const write = (name: string, fixture: Omit<TiffFixture, keyof typeof grid>) =>
      writeFile(path(name), tiffFixture({ ...grid, ...fixture }));
    const dates = DATES.map((_, date) => date);
    const parts = [dates.slice(0, FIRST_FILE), dates.slice(FIRST_FILE)] as const;
    const samples = (some: readonly number[]): number[][] => some.map(ndvi);
    await write('first.tif', {
      bands: samples(parts[0]),
      kind: 'int16',
      bigEndian: true,
      tile: 16,
      deflate: true,
      nodata: '-32768',
    });
    await write('later.tif', { bands: samples(parts[1]), kind: 'int16', interleaved: true });
    const clouds = (code: readonly [number, number], some: readonly number[]): number[][] =>
      some.map((date) => ndvi(date).map((_, pixel) => code[isCloudy(date, pixel) ? 1 : 0]));
    await write('qa.tif', { bands: clouds([CLEAR, CLOUD], parts[0]), kind: 'uint16' });
    await write('cloud.tif', { bands: clouds([0, 1], parts[1]), kind: 'uint8' });
    const nbr = (date: number) =>
      ndvi(date).map((value, pixel) => (isCloudy(date, pixel) ? -Infinity : Math.fround(value / 12_000)));
    await write('nbr.tif', { bands: dates.map(nbr), kind: 'float32', nodata: '-inf', interleaved: true });
    const csv = (some: readonly number[]): string =>
      ['band,date', ...some.map((date, i) => `${i + 1},${DATES[date]!.toISOString().slice(0, 10)}`)].join(
        '\n',
      );
    await writeFile(path('first.csv'), csv(parts[0]));
    await writeFile(path('later.csv'), csv(parts[1]));
    await writeFile(path('all.csv'), csv(dates));
  });
  after(() => rm(folder, { recursive: true }));

  /** Ingests a stack; the values, dates and mask are files of the folder or absolute paths. */
  async function ingest(
    collection: string,
    metric: string,
    values: string,
    dates: string,
    ...rest: string[]
  ) {
    const stack = ['--metric', metric, '--values', values, '--dates', dates];
    await service.cli('ingest', 'stack', '--collection', collection, ...stack, ...rest);
  }

  /** The text of the answer for the first change of a status in a square. */
  async function changeIn(
    collection: string,
    west: number,
    south: number,
    size: number,
    status = 'confirmed',
  ): Promise<string> {
    await service.cli('accounts', 'create', collection);
    const scopes = ['--environment', 'production', '--scopes', 'all'];
    const made = await service.cli('keys', 'create', '--account', collection, ...scopes);
    const key = String(made['key']);
    const [east, north] = [west + size, south + size];
    const ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
      [west, south],
    ];
    const json = { name: collection, geometry: { type: 'Polygon', coordinates: [ring] } };
    const { id } = (await service.call('/v1/aois', { method: 'POST', key, json })).json();
    const list = await service.call(`/v1/changes?aoi_id=${String(id)}&status=${status}`, { key });
    const { changes } = list.json() as { changes: { id: string }[] };
    return (await service.call(`/v1/changes/${changes[0]!.id}`, { key })).text;
  }

  /** Runs the script. @returns its output, and whether it found that all agrees */
  async function script(change: string, ...files: string[]): Promise<{ said: string; agrees: boolean }> {
    await writeFile(path('change.json'), change);
    try {
      const { stdout } = await promisify(execFile)(PYTHON, [VERIFY_SCRIPT, path('change.json'), ...files]);
      return { said: stdout, agrees: true };
    } catch (error) {
      const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
      return { said: stdout + stderr, agrees: false };
    }
  }

  let change: string;
  const files = () => ['first.tif', 'later.tif', 'qa.tif', 'cloud.tif', 'nbr.tif'].map(path);

  test('the script has fewer than 60 lines', async () => {
    const lines = (await readFile(VERIFY_SCRIPT, 'utf8')).trimEnd().split('\n');
    assert.ok(lines.length < 60, `${lines.length} lines`);
  });

  test('the digest is the SHA-256 of the JSON of the API without the members that the page names', async () => {
    const scale = ['--scale', '0.0001'];
    await ingest(
      'recomputed',
      'ndvi',
      path('first.tif'),
      path('first.csv'),
      ...scale,
      '--mask',
      path('qa.tif'),
      '--mask-encoding',
      'landsat-c2',
    );
    await ingest('recomputed', 'nbr', path('nbr.tif'), path('all.csv'));
    await ingest(
      'recomputed',
      'ndvi',
      path('later.tif'),
      path('later.csv'),
      ...scale,
      '--mask',
      path('cloud.tif'),
    );
    change = await changeIn('recomputed', 19.9, 39.9, 0.2);
    const {
      id: _id,
      aoi_ids: _aois,
      created_at: _created,
      updated_at: _updated,
      versions: _versions,
      ...content
    } = JSON.parse(change) as Record<string, unknown>;
    const { digest, collection, ...provenance } = content['provenance'] as Record<string, unknown>;
    const { id: _collectionId, ...named } = collection as Record<string, unknown>;
    const text = canonical({ ...content, provenance: { ...provenance, collection: named } });
    assert.equal(createHash('sha256').update(text).digest('hex'), digest);
    assert.deepEqual(provenance['series'], [
      {
        metric: 'ndvi',
        unit: '1',
        sample_type: 'int16',
        scale: 0.0001,
        offset: 0,
        reading: { nodata: -32768, mask: { file: 'qa.tif', encoding: 'landsat-c2' } },
      },
      {
        metric: 'nbr',
        unit: '1',
        sample_type: 'float32',
        scale: 1,
        offset: 0,
        reading: { nodata: '-inf', mask: null },
      },
    ]);
    const scenes = provenance['scenes'] as { href: string; reading?: unknown }[];
    for (const { href, reading } of scenes)
      assert.deepEqual(
        reading,
        href.startsWith('later')
          ? { nodata: null, mask: { file: 'cloud.tif', encoding: 'nonzero' } }
          : undefined,
      );
    assert.ok(scenes.some(({ href }) => href.startsWith('later')));
  });

  test('docs/verify_change.py agrees with the digest and every scene', { skip: NO_PYTHON }, async () => {
    const { said, agrees } = await script(change, ...files());
    assert.ok(agrees, said);
    const { provenance } = JSON.parse(change) as Change;
    const lines = said.trim().split('\n');
    assert.equal(lines.length, 1 + provenance.scenes.length);
    assert.ok(provenance.scenes.length >= 120, 'scenes of both metrics');
    assert.ok(lines.every((line) => line.endsWith(' agrees')));
  });

  test('docs/verify_change.py names what was altered', { skip: NO_PYTHON }, async () => {
    const forged = await script(change.replace('"confirmed"', '"suspected"'), ...files());
    assert.match(forged.said, /^digest [0-9a-f]{64} DIFFERS$/m);
    const bytes = await readFile(path('nbr.tif'));
    const at = 8 + 4 * (bytes.length >> 4);
    bytes[at] = bytes[at]! ^ 1;
    await writeFile(path('nbr.tif'), bytes);
    const { said, agrees } = await script(change, ...files());
    assert.equal(agrees, false);
    assert.match(said, /^digest [0-9a-f]{64} agrees$/m);
    assert.equal(said.match(/^scene \S+ nbr DIFFERS$/gm)?.length, 1);
  });

  const crops = simulatedSavanna(CROPS_FROM_MS + 208 * DAY_MS);
  const pasture = simulatedPasture(Number.POSITIVE_INFINITY);
  const grownAgain = simulatedPasture(CROPS_FROM_MS + 100 * DAY_MS);
  const forest = simulatedPlanting(Number.POSITIVE_INFINITY);
  const fieldsAgain = simulatedPlanting(CROPS_FROM_MS + 200 * DAY_MS);
  for (const [what, west, stack, status, last] of [
    ['change of seasonality that is over', 30, crops, 'recovered', 'watching'],
    ['plain fall that is noted', 31, untilDay(pasture, 40), 'confirmed', 'confirmed'],
    ['plain fall that stands after a year', 32, untilDay(pasture, 480), 'confirmed', 'confirmed'],
    ['plain fall that is over', 33, grownAgain, 'recovered', 'watching'],
    ['plain rise that is noted', 34, untilDay(forest, 160), 'confirmed', 'confirmed'],
    ['plain rise that stands after a year', 35, untilDay(forest, 540), 'confirmed', 'confirmed'],
    ['plain rise that is over', 36, fieldsAgain, 'recovered', 'watching'],
  ] as const)
    test(`docs/verify_change.py agrees with a ${what}`, { skip: NO_PYTHON }, async () => {
      const name = what.replaceAll(' ', '-');
      const { tiff, dates } = stackFixture(stack, west);
      await writeFile(path(`${name}.tif`), tiff);
      await writeFile(path(`${name}.csv`), dates);
      await ingest(name, 'ndvi', path(`${name}.tif`), path(`${name}.csv`), '--scale', '0.0001');
      const text = await changeIn(name, west - 0.1, 9.9, 0.2, status);
      const { id, type, recovered_at: recovered, provenance } = JSON.parse(text) as Change;
      const [before, end] = provenance.evidence.slice(-2);
      assert.deepEqual([before!.state, end!.state], ['confirmed', last]);
      if (stack === crops) assert.equal(type, 'conversion');
      // The evidence is that of one pixel, which recovers before most of the others.
      if (stack === fieldsAgain) assert.ok(end!.t < recovered!);
      else assert.equal(recovered, status === 'recovered' ? end!.t.slice(0, 10) : null);
      const { said, agrees } = await script(text, path(`${name}.tif`));
      assert.ok(agrees, said);
      const { problems } = await service.cli('verify', id);
      assert.deepEqual(problems, []);
    });

  test(
    'matogrosso-modis-conversion: docs/verify_change.py agrees with a change in real images',
    { skip: NO_PYTHON || (existsSync(CONVERSION) ? false : 'skipped: the data set is not here') },
    async () => {
      const [values, dates] = ['ndvi.tif', 'dates.csv'].map((name) =>
        fileURLToPath(new URL(name, CONVERSION)),
      );
      await ingest('field', 'ndvi', values!, dates!, '--scale', '0.0001');
      const { said, agrees } = await script(await changeIn('field', -56, -13, 2), values!);
      assert.ok(agrees, said);
    },
  );
});
