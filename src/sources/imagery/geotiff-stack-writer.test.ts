import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { StackLayout } from '../../app/imagery/raster-stack.ts';
import type { SampleType, Samples } from '../../app/series/cube-store.ts';
import { readDatesCsv } from './dates-csv.ts';
import { GeoTiffStackReader } from './geotiff-stack.ts';
import { GeoTiffStackWriter } from './geotiff-stack-writer.ts';

const ARRAYS = { int16: Int16Array, float32: Float32Array, float64: Float64Array } as const;

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'groundwatch-writer-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function layoutOf(sampleType: SampleType, over: Partial<StackLayout> = {}): StackLayout {
  return {
    grid: {
      width: 7,
      height: 11,
      crs: 'EPSG:32633',
      proj4: '',
      transform: [465_181.25, 30, 0, 5_079_244.5, 0, -30],
    },
    sampleType,
    scale: 0.0001,
    offset: -0.1,
    bands: [
      { band: 1, timeMs: Date.UTC(2020, 1, 29, 10, 5, 31), scene: 'S2A <1> & "one", two' },
      { band: 2, timeMs: Date.UTC(2020, 2, 5), scene: 'b' },
      { band: 3, timeMs: Date.UTC(2021, 0, 1), scene: 'c' },
    ],
    rowsAtOnce: 4,
    ...over,
  };
}

/** A different value for each sample; some are missing. */
function sample(sampleType: SampleType, band: number, pixel: number): number {
  if ((pixel + band) % 5 === 0) return sampleType === 'int16' ? -32_768 : Number.NaN;
  return sampleType === 'int16' ? pixel * 13 - band * 100 : (pixel + 0.1) * (band + 1) * 1e-3;
}

/** Samples of pixels `[from, from + length)` of a band. */
function samplesOf(sampleType: SampleType, band: number, from: number, length: number): Samples {
  const samples = new ARRAYS[sampleType](length);
  for (let i = 0; i < length; i++) samples[i] = sample(sampleType, band, from + i);
  return samples;
}

function rowsOf({ grid, sampleType, bands }: StackLayout) {
  return async (first: number, last: number): Promise<readonly Samples[]> =>
    bands.map((_, b) => samplesOf(sampleType, b, first * grid.width, (last - first) * grid.width));
}

for (const sampleType of ['int16', 'float32', 'float64'] satisfies SampleType[]) {
  test(`a ${sampleType} stack is the same after writing and reading, including its grid, scale and dates`, async (t) => {
    const path = folder(t);
    const layout = layoutOf(sampleType);
    const writer = new GeoTiffStackWriter();
    await writer.write(join(path, 'v.tif'), layout, rowsOf(layout));
    await writer.writeDates(join(path, 'd.csv'), layout.bands);
    assert.deepEqual(readdirSync(path), ['d.csv', 'v.tif']);
    const stack = await new GeoTiffStackReader().open(join(path, 'v.tif'));
    t.after(() => stack.close());
    const { width, height, crs, transform } = stack.grid;
    assert.deepEqual([width, height], [7, 11]);
    assert.deepEqual([crs, transform], [layout.grid.crs, layout.grid.transform]);
    assert.deepEqual([stack.sampleType, stack.scale, stack.offset], [sampleType, 0.0001, -0.1]);
    assert.deepEqual(stack.nodata, sampleType === 'int16' ? -32_768 : Number.NaN);
    for (const [b] of layout.bands.entries()) {
      assert.deepEqual(await stack.readBand(b), samplesOf(sampleType, b, 0, 77));
    }
    assert.deepEqual(await readDatesCsv(join(path, 'd.csv'), 3), layout.bands);
  });
}

test('GDAL reads the grid, dates, scale and samples of a written stack', async (t) => {
  if (spawnSync('gdalinfo', ['--version']).status !== 0) {
    t.skip('skipped: GDAL (gdalinfo, gdal_translate) is not installed');
    return;
  }
  const path = folder(t);
  for (const sampleType of ['int16', 'float32'] as const) {
    const layout = layoutOf(sampleType);
    const file = join(path, `${sampleType}.tif`);
    await new GeoTiffStackWriter().write(file, layout, rowsOf(layout));
    const run = spawnSync('gdalinfo', ['-json', file], { encoding: 'utf8' });
    assert.equal(run.stderr, '');
    const info = JSON.parse(run.stdout) as {
      readonly size: readonly number[];
      readonly geoTransform: readonly number[];
      readonly stac?: unknown;
      readonly coordinateSystem: { readonly wkt: string };
      readonly bands: readonly {
        readonly description: string;
        readonly scale: number;
        readonly offset: number;
        readonly noDataValue: number | string;
        readonly type: string;
      }[];
    };
    assert.deepEqual(info.size, [7, 11]);
    assert.deepEqual(info.geoTransform, layout.grid.transform);
    assert.match(info.coordinateSystem.wkt, /ID\["EPSG",32633\]\]$/);
    assert.deepEqual(
      info.bands.map(({ description, scale, offset, noDataValue, type }) => [
        description,
        scale,
        offset,
        String(noDataValue).toLowerCase(),
        type,
      ]),
      layout.bands.map(({ timeMs, scene }) => [
        `${new Date(timeMs).toISOString()} ${scene}`,
        0.0001,
        -0.1,
        sampleType === 'int16' ? '-32768' : 'nan',
        sampleType === 'int16' ? 'Int16' : 'Float32',
      ]),
    );
    const raw = join(path, 'band.bin');
    const translated = spawnSync('gdal_translate', ['-q', '-of', 'ENVI', '-b', '2', file, raw]);
    assert.equal(translated.status, 0, String(translated.stderr));
    const bytes = readFileSync(raw);
    const read = new ARRAYS[sampleType](
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    );
    assert.deepEqual(read, samplesOf(sampleType, 1, 0, 77));
  }
});

test('a rotated grid keeps its transform, a reference system without a code is refused, and a failure leaves no file', async (t) => {
  const path = folder(t);
  const writer = new GeoTiffStackWriter();
  const turned = layoutOf('int16', {
    grid: { ...layoutOf('int16').grid, transform: [500_000, 20, 5, 5_000_000, 4, -20] },
  });
  await writer.write(join(path, 'turned.tif'), turned, rowsOf(turned));
  const stack = await new GeoTiffStackReader().open(join(path, 'turned.tif'));
  await stack.close();
  assert.deepEqual(stack.grid.transform, turned.grid.transform);
  const custom = layoutOf('int16', { grid: { ...layoutOf('int16').grid, crs: 'custom' } });
  await assert.rejects(writer.write(join(path, 'custom.tif'), custom, rowsOf(custom)), /custom.*EPSG/);
  const failing = writer.write(join(path, 'failed.tif'), turned, async (first) => {
    if (first > 0) throw new Error('the rows ran out');
    return rowsOf(turned)(0, 4);
  });
  await assert.rejects(failing, /the rows ran out/);
  await assert.rejects(writer.write(join(path, 'no', 'folder.tif'), turned, rowsOf(turned)), {
    name: 'InvalidInput',
    message: /no.folder\.tif cannot be written: ENOENT/,
  });
  assert.deepEqual(readdirSync(path), ['turned.tif']);
});
