import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { snowCubeId } from '../../src/app/series/snow-cube.ts';
import { tiffFixture, type TiffFixture, WGS84_KEYS } from '../fixtures/tiff-fixture.ts';
import { sharedService, type TestService } from '../fixtures/service.ts';

/** A stack of 2 x 2 pixels and one date. */
const VALUES: TiffFixture = {
  width: 2,
  height: 2,
  bands: [[7000, 7100, 7200, 7300]],
  origin: [20, 40],
  pixel: [0.001, 0.001],
  keys: WGS84_KEYS,
  nodata: '-32768',
};

describe('a quality band hides what its provider codes as cloud, shadow, snow or fill', () => {
  let service: TestService;
  let folder: string;
  before(async () => {
    service = await sharedService();
    folder = await mkdtemp(join(tmpdir(), 'groundwatch-masks-'));
  });
  after(() => rm(folder, { recursive: true }));

  /** Ingests by the command. The values are what is tested, so nothing waits for the search for changes. */
  async function put(given: Readonly<Record<string, string>>, ...rest: string[]): Promise<void> {
    const options = Object.entries(given).flatMap(([name, value]) => [`--${name}`, value]);
    const fixed = ['--environment', 'staging', '--metric', 'ndvi', '--no-wait'];
    await service.cli('ingest', 'stack', ...fixed, ...options, ...rest);
  }

  async function ingest(collection: string, quality: readonly number[], ...rest: string[]): Promise<void> {
    const [values, dates, mask] = ['values.tif', 'dates.csv', 'mask.tif'].map((name) => join(folder, name));
    await writeFile(values!, tiffFixture(VALUES));
    await writeFile(dates!, 'band,date\n1,2020-06-01\n');
    const { nodata: _none, ...grid } = VALUES;
    await writeFile(mask!, tiffFixture({ ...grid, kind: 'uint16', bands: [quality] }));
    await put({ collection, values: values!, dates: dates!, mask: mask!, scale: '0.0001' }, ...rest);
  }

  async function samplesOf(name: string): Promise<number[]> {
    const { storage, cube } = await service.backstage();
    const [collection] = await storage.collections.byName('staging', null, name);
    return [...(await cube.readStrip(collection!.id, 0, 4)).values];
  }

  test('Landsat Collection 2 QA_PIXEL: clear 21824, cloud 22280, water 21888, snow 30048', async () => {
    await ingest('qa-coded', [21824, 22280, 21888, 30048], '--mask-encoding', 'landsat-c2');
    assert.deepEqual(await samplesOf('qa-coded'), [7000, Number.NaN, 7200, Number.NaN]);
    const { storage, cube } = await service.backstage();
    const [collection] = await storage.collections.byName('staging', null, 'qa-coded');
    const { values } = await cube.readStrip(snowCubeId(collection!.id), 0, 4);
    assert.deepEqual([...values], [Number.NaN, Number.NaN, Number.NaN, 1]);
  });

  test('without an encoding, what is not zero is not clear', async () => {
    await ingest('qa-plain', [0, 22280, 1, 0]);
    assert.deepEqual(await samplesOf('qa-plain'), [7000, Number.NaN, Number.NaN, 7300]);
  });

  test('four bands of bytes, the last of which GDAL marks as alpha, are four dates where the table has four', async () => {
    const { nodata: _none, ...grid } = VALUES;
    const marked = { ...grid, kind: 'uint8', fields: { 262: [3, [2]], 338: [3, [2]] } } as const;
    const [values, mask, dates] = ['four.tif', 'four-mask.tif', 'four.csv'].map((name) => join(folder, name));
    const bands = [0, 1, 2, 3].map((date) => [10, 20, 30, 40].map((value) => value + date));
    await writeFile(values!, tiffFixture({ ...marked, bands }));
    const clear = [0, 0, 0, 0];
    await writeFile(mask!, tiffFixture({ ...marked, bands: [clear, clear, clear, [0, 1, 0, 1]] }));
    const table = (count: number): string =>
      `band,date\n${Array.from({ length: count }, (_, i) => `${i + 1},2020-0${i + 1}-01\n`).join('')}`;
    const putDates = async (collection: string, count: number, ...rest: string[]): Promise<void> => {
      await writeFile(dates!, table(count));
      await put({ collection, values: values!, dates: dates!, scale: '0.01' }, ...rest);
    };
    const dated = async (name: string): Promise<readonly number[][]> => {
      const { storage, cube } = await service.backstage();
      const [collection] = await storage.collections.byName('staging', null, name);
      const scenes: number[][] = [];
      for (const { key } of await cube.scenes(collection!.id))
        scenes.push([...(await cube.readScene(collection!.id, key, 0, 4))!]);
      return scenes;
    };
    await putDates('bytes-four', 4, '--mask', mask!);
    const four = await dated('bytes-four');
    assert.deepEqual([four.length, four[0], four[3]], [4, bands[0], [13, Number.NaN, 33, Number.NaN]]);
    await putDates('bytes-three', 3);
    assert.deepEqual(await dated('bytes-three'), bands.slice(0, 3));
    await assert.rejects(putDates('bytes-five', 5), /expected an integer from 1 to 3/);
  });

  test('an unknown encoding is refused, and the known ones are named', async () => {
    await assert.rejects(
      ingest('qa-unknown', [0, 0, 0, 0], '--mask-encoding', 'landsat-c9'),
      /--mask-encoding: expected one of sentinel-2-scl, .*landsat-c2.*got "landsat-c9"/,
    );
  });
});
