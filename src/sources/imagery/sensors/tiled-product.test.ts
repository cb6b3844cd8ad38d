import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gdal, withoutGdal } from '../../../../test/fixtures/gdal.ts';
import { readPass } from '../../../app/imagery/read-scene.ts';
import type { SceneItem } from '../../../app/imagery/scene-source.ts';
import { SceneFolder } from '../scene-folder.ts';
import { StacSceneSource } from '../stac-scene-source.ts';

const SINUSOIDAL = '+proj=sinu +lon_0=0 +x_0=0 +y_0=0 +R=6371007.181 +units=m +no_defs';
const PIXEL = 463.312716525; // m: 2400 pixels on 10 degrees
/** Corner of the tile h18v04 [m]. */
const [WEST, NORTH] = [0, 5_559_752.598333];
const source = new SceneFolder(new StacSceneSource(undefined as never));
const ALL = { bounds: undefined, fromMs: -Infinity, toMs: Infinity };

/** Writes a 3 x 2 GeoTIFF on the sinusoidal grid with GDAL. */
async function writeLayer(
  folder: string,
  name: string,
  type: string,
  values: readonly number[],
): Promise<void> {
  const grid = join(folder, `${name}.asc`);
  writeFileSync(
    grid,
    `ncols 3\nnrows 2\nxllcorner ${WEST}\nyllcorner ${NORTH - 2 * PIXEL}\ncellsize ${PIXEL}\n${values.slice(0, 3).join(' ')}\n${values.slice(3).join(' ')}\n`,
  );
  await gdal('gdal_translate', ['-q', '-ot', type, '-a_srs', SINUSOIDAL, grid, join(folder, `${name}.tif`)]);
  rmSync(grid);
}

for (const { product, layers, hidden } of [
  {
    product: 'MOD09A1.A2020153.h18v04.061.2020170101112',
    // Clear land; cloudy; mixed; shadow; snow; fill of the reflectance. 8 is land.
    layers: {
      sur_refl_b01: [400, 400, 400, 400, 400, -28_672],
      sur_refl_b02: [3600, 3600, 3600, 3600, 3600, -28_672],
      sur_refl_state_500m: [8, 9, 10, 12, 8 + 4096, 8],
    },
    hidden: 'MODIS state',
  },
  {
    product: 'VNP13A1.A2020153.h18v04.002.2020170101112',
    layers: {
      '500_m_16_days_red_reflectance': [400, 400, 400, 400, 400, -1000],
      '500_m_16_days_NIR_reflectance': [3600, 3600, 3600, 3600, 3600, -1000],
      '500_m_16_days_pixel_reliability': [0, 9, 6, 7, 8, 0],
    },
    hidden: 'VIIRS reliability',
  },
])
  test(
    `${product.slice(0, 7)} in GeoTIFFs of GDAL: only the clear pixel has a value (${hidden})`,
    {
      skip: withoutGdal,
    },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'groundwatch-sinusoidal-'));
      try {
        for (const [layer, values] of Object.entries(layers))
          await writeLayer(
            folder,
            `${product}_${layer}`,
            /state/.test(layer) ? 'UInt16' : /reliability/.test(layer) ? 'Byte' : 'Int16',
            values,
          );
        const items: SceneItem[] = [];
        for await (const found of source.search(folder, ALL)) {
          assert.ok(found.ok, JSON.stringify(found));
          items.push(found.item);
        }
        const [scene] = items;
        assert.equal(items.length, 1);
        const raster = await source.open(scene!.bands.red!.href);
        await raster.close();
        const { indices, snow } = await readPass(source, items, ['ndvi'], raster.grid);
        const none = -32_768;
        assert.deepEqual([...indices.get('ndvi')!], [8000, none, none, none, none, none]);
        const marks = new Int16Array(6);
        snow.mark(marks, 1);
        assert.deepEqual([...marks], [0, 0, 0, 0, 1, 0]);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );
