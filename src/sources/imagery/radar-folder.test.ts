import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gdal, withoutGdal } from '../../../test/fixtures/gdal.ts';
import { isRadar, readRadarPass } from '../../app/imagery/read-radar.ts';
import type { FoundScene } from '../../app/imagery/scene-source.ts';
import { SceneFolder } from './scene-folder.ts';
import { StacSceneSource } from './stac-scene-source.ts';

const GRANULE = 'OPERA_L2_RTC-S1_T047-100908-IW3_20200702T133142Z_20230619T221158Z_S1B_30_v1.0';
const NEWER = GRANULE.replace('20230619T221158Z', '20230719T221158Z');
const source = new SceneFolder(new StacSceneSource(undefined as never));
const ALL = { bounds: undefined, fromMs: -Infinity, toMs: Infinity };
const SIDE = 6;

describe('a folder of OPERA RTC-S1', { skip: withoutGdal }, () => {
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'groundwatch-opera-'));
    const flat = (value: number | string) => Array.from({ length: SIDE * SIDE }, () => value);
    const power = flat(0.1);
    power[35] = 'nan';
    await write(`${GRANULE}_VH`, 'Float32', power);
    // Shadow, layover, both and fill in the first row.
    await write(`${GRANULE}_mask`, 'Byte', [1, 2, 3, 255, ...flat(0).slice(4)]);
    await write(`${GRANULE}_VV`, 'Float32', flat(0.2));
  });
  after(() => rmSync(folder, { recursive: true }));

  async function write(name: string, type: string, values: readonly (number | string)[]): Promise<void> {
    const grid = join(folder, 'layer.asc');
    const rows = Array.from({ length: SIDE }, (_, r) => values.slice(r * SIDE, (r + 1) * SIDE).join(' '));
    writeFileSync(
      grid,
      `ncols ${SIDE}\nnrows ${SIDE}\nxllcorner 500000\nyllcorner 4000000\ncellsize 30\n${rows.join('\n')}\n`,
    );
    await gdal('gdal_translate', [
      '-q',
      '-ot',
      type,
      '-a_srs',
      'EPSG:32611',
      grid,
      join(folder, `${name}.tif`),
    ]);
    rmSync(grid);
  }
  const scenes = async (): Promise<FoundScene[]> => {
    const found: FoundScene[] = [];
    for await (const one of source.search(folder, ALL)) found.push(one);
    return found;
  };

  test('track, burst and time are in the name; layover, shadow, fill and NaN are missing', async () => {
    const [found, ...others] = await scenes();
    assert.equal(others.length, 0);
    assert.ok(found?.ok === true && isRadar(found.item));
    const { item } = found;
    assert.equal(item.pass, 'sentinel-1b_2020-07-02_47');
    assert.equal(item.radar.orbit, 47);
    assert.equal(item.timeMs, Date.UTC(2020, 6, 2, 13, 31, 42));
    const raster = await source.open(item.radar.polarisations.vh!.href);
    await raster.close();
    const { indices } = await readRadarPass(source, [item], ['vv', 'vh'], raster.grid);
    const none = -32_768;
    assert.deepEqual([...indices.keys()], ['vv_orbit_47', 'vh_orbit_47']);
    const vh = [...indices.get('vh_orbit_47')!];
    assert.deepEqual(vh.slice(0, 6), [none, none, none, none, -1000, -1000]);
    assert.equal(vh[35], none);
    assert.ok(vh.slice(6, 35).every((value) => value === -1000));
    assert.equal(indices.get('vv_orbit_47')![20], -699); // 10 log10 .2
  });

  test('a granule without its mask is left out by name, and of two versions the newer is read', async () => {
    await write(
      `${NEWER}_VH`,
      'Float32',
      Array.from({ length: SIDE * SIDE }, () => 0.1),
    );
    const [found] = await scenes();
    assert.ok(found?.ok === false);
    assert.equal(found.id, NEWER);
    assert.match(found.reason, /expected its file _mask\.tif/);
    await write(
      `${NEWER}_mask`,
      'Byte',
      Array.from({ length: SIDE * SIDE }, () => 0),
    );
    const again = await scenes();
    assert.deepEqual(
      again.map((one) => one.ok && one.item.id),
      [NEWER],
    );
  });
});
