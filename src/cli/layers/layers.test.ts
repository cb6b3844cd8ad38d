import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { recordedActs } from '../../../test/fixtures/recorded-acts.ts';
import { FolderLayerShelf } from '../../sources/layers/folder-layer-shelf.ts';
import { LayerStore } from '../../sources/layers/layer-store.ts';
import { tiffFixture, type TiffFixture } from '../../../test/fixtures/tiff-fixture.ts';
import type { CliDeps } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { runCommand } from '../run.ts';

/** 40 x 30 pixels of 0.001 degrees: a valley that falls to the south. */
const VALLEY: TiffFixture = {
  width: 40,
  height: 30,
  kind: 'float32',
  bands: [Array.from({ length: 1200 }, (_, i) => 5 * Math.abs((i % 40) - 20) + 60 - Math.floor(i / 40))],
  origin: [10, 50],
  pixel: [0.001, 0.001],
};

function bench(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'groundwatch-cli-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const shelf = new FolderLayerShelf({ folder: join(home, 'layers'), catalogues: [] });
  const clock = { now: () => Date.parse('2026-11-21T12:00:00Z') };
  const { storage, acts } = recordedActs();
  const run = async (...argv: string[]) => {
    const layers = await LayerStore.open({ folder: join(home, 'layers'), catalogues: [] });
    const [out, err]: [string[], string[]] = [[], []];
    const terminal = {
      out: (line: string) => out.push(line),
      err: (line: string) => err.push(line),
      version: '0',
    };
    const deps = { clock, shelf, layers, storage } as unknown as CliDeps;
    const code = await runCommand(COMMANDS, argv, terminal, {
      open: () => Promise.resolve(deps),
      serve: () => Promise.reject(new Error('not here')),
    });
    layers.close();
    return { code, out, err: err.join('\n') };
  };
  const json = async (...argv: string[]) => {
    const { code, out, err } = await run(...argv, '--json');
    assert.deepEqual([code, out.length], [0, 1], err);
    const result: Record<string, unknown> = { ...(JSON.parse(out[0]!) as object), err };
    return result;
  };
  const put = (name: string, fixture: TiffFixture): string => {
    writeFileSync(join(home, name), tiffFixture(fixture));
    return join(home, name);
  };
  return { home, run, json, put, acts };
}

test('layers add, list, sample, derive, check and remove, each in one line of JSON', async (t) => {
  const { json, put, acts } = bench(t);
  const dem = put('dem.tif', VALLEY);
  const added = await json(
    'layers',
    'add',
    dem,
    '--layer',
    'elevation',
    '--version',
    'v1',
    '--licence',
    'CC0',
  );
  assert.deepEqual(
    [added['layer'], added['unit'], added['resolution_m'], added['added'], added['bbox']],
    ['elevation', 'm', 111, true, [10, 49.97, 10.04, 50]],
  );
  assert.ok((added['read_by'] as string[]).includes('flood'));
  assert.match(String(added['err']), /No --date/);
  const derived = await json(
    'layers',
    'derive',
    'hand',
    '--dem',
    dem,
    '--layer-version',
    'v1',
    '--threshold',
    '0.2',
  );
  assert.deepEqual(
    (derived['layers'] as { layer: string }[]).map(({ layer }) => layer),
    ['hand', 'upstream-area'],
  );
  const { layers } = (await json('layers', 'list')) as unknown as {
    layers: { layer: string; origin: string }[];
  };
  assert.deepEqual(
    layers.map(({ layer, origin }) => `${layer} ${origin}`),
    ['elevation installed', 'hand installed', 'upstream-area installed'],
  );
  // The centre of column 24, row 20: 20 m above the valley's floor, which is at 40 m.
  const place = ['--lat', '49.9795', '--lng', '10.0245'];
  const { samples } = (await json('layers', 'sample', ...place)) as unknown as {
    samples: { layer: string; value: number }[];
  };
  assert.ok(Math.abs(samples[0]!.value - 60) < 1e-3 && Math.abs(samples[1]!.value - 20) < 1e-3);
  const elsewhere = (await json(
    'layers',
    'sample',
    '--lat',
    '-5',
    '--lng',
    '-3',
    '--layer',
    'hand',
  )) as unknown as {
    samples: { value: null; reason: string }[];
  };
  assert.deepEqual([elsewhere.samples.length, elsewhere.samples[0]!.reason], [1, 'outside']);
  assert.deepEqual((await json('layers', 'check'))['checked'], 3);
  const { removed } = (await json('layers', 'remove', '--layer', 'hand', '--version', 'v1')) as unknown as {
    removed: unknown[];
  };
  assert.equal(removed.length, 1);
  assert.deepEqual(
    acts.map(({ action, target, result }) => [action, target, result]),
    [
      ['layers add', dem, 'done'],
      ['layers derive hand', null, 'done'],
      ['layers remove', 'hand', 'done'],
    ],
  );
});

test('--environment decides whom a layer serves and what is listed, sampled and removed', async (t) => {
  const { json, run, put } = bench(t);
  const add = ['layers', 'add', put('dem.tif', VALLEY), '--layer', 'elevation', '--version', 'v1'];
  assert.equal((await json(...add))['environment'], 'production');
  assert.equal((await json(...add, '--environment', 'sandbox'))['environment'], 'sandbox');
  assert.equal((await json(...add, '--environment', 'all'))['environment'], 'all');
  const listed = async (...argv: string[]) => {
    const { layers } = await json('layers', 'list', ...argv);
    return (layers as { environment: string }[]).map(({ environment }) => environment).toSorted();
  };
  assert.deepEqual(await listed(), ['all', 'production', 'sandbox']);
  assert.deepEqual(await listed('--environment', 'sandbox'), ['all', 'sandbox']);
  const gone = await json(
    'layers',
    'remove',
    '--layer',
    'elevation',
    '--version',
    'v1',
    '--environment',
    'all',
  );
  assert.equal((gone['removed'] as unknown[]).length, 1);
  const sample = ['layers', 'sample', '--lat', '49.9795', '--lng', '10.0245', '--environment'];
  assert.equal(((await json(...sample, 'sandbox'))['samples'] as unknown[]).length, 1);
  assert.equal(((await json(...sample, 'staging'))['samples'] as unknown[]).length, 0);
  for (const command of [add, sample.slice(0, -1)]) {
    const { code, err } = await run(...command, '--environment', 'test');
    assert.equal(code, 2);
    assert.match(err, /--environment: expected sandbox, staging or production, got test/);
  }
});

test('negative numbers are values; an unknown layer name suggests a similar one; misuse and bad files exit 2', async (t) => {
  const { json, run, put, home } = bench(t);
  const bands = [VALLEY.bands[0]!.with(0, -9999)];
  const hollow = put('hollow.tif', { ...VALLEY, bands });
  const add = ['layers', 'add', hollow, '--version', 'v1', '--layer'];
  const refused = await run(...add, 'elevation');
  assert.deepEqual([refused.code, refused.out], [2, []]);
  assert.match(refused.err, /hollow\.tif holds the value -9999, which looks like nodata/);
  const added = await json(...add, 'elevaton', '--nodata', '-9999', '--offset', '-.5', '--scale=2');
  assert.deepEqual(added['read_by'], []);
  assert.match(
    String(added['err']),
    /No model reads layer elevaton: it changes no answer\. Did you mean elevation\?/,
  );
  for (const [argv, message] of [
    [['elevation', '--band', '0'], /--band: expected a whole number from 1/],
    [['elevation', '--return-period', 'ten'], /--return-period: expected a number/],
    [['elevation', '--unit', 'K'], /is in m; got K/],
    [['flood-depth', '--return-period', '-10'], /return period -10/],
    [['elevation', '--colour', 'red'], /add: there is no option --colour\n/],
  ] as const) {
    const { code, err } = await run(...add, ...argv);
    assert.equal(code, 2, err);
    assert.match(err, message);
  }
  assert.equal((await run('layers', 'sample', '--lat', '91', '--lng', '0')).code, 2);
  assert.equal((await run('layers', 'remove', '--layer', 'none', '--version', 'v1')).code, 1);
  assert.deepEqual(readdirSync(join(home, 'layers', 'files')).length, 1);
});

test('layers check exits 1 and names the damage', async (t) => {
  const { json, run, put, home } = bench(t);
  await json('layers', 'add', put('dem.tif', VALLEY), '--layer', 'elevation', '--version', 'v1');
  const [file] = readdirSync(join(home, 'layers', 'files'));
  const fd = openSync(join(home, 'layers', 'files', file!), 'r+');
  writeSync(fd, Buffer.from([1, 2, 3]), 0, 3, 5000);
  closeSync(fd);
  const { code, out, err } = await run('layers', 'check', '--json');
  assert.equal(code, 1);
  assert.equal(err, 'groundwatch layers check: 1 of 1 files of layers are damaged');
  const result = JSON.parse(out[0]!) as { ok: boolean; damaged: { layer: string; problem: string }[] };
  assert.deepEqual([result.ok, result.damaged[0]?.layer], [false, 'elevation']);
  assert.match(result.damaged[0]!.problem, /tile 1 of 1 is damaged; add dem\.tif again with --replace/);
});
