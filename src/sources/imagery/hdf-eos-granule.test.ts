import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { python, withoutPackages } from '../../../test/fixtures/python.ts';
import { readPass } from '../../app/imagery/read-scene.ts';
import type { SceneItem } from '../../app/imagery/scene-source.ts';
import { mapGrid } from '../../geo/grid.ts';
import { SceneFolder } from './scene-folder.ts';
import { StacSceneSource } from './stac-scene-source.ts';

const skip = await withoutPackages('h5py');
const source = new SceneFolder(new StacSceneSource(undefined as never));
const ALL = { bounds: undefined, fromMs: -Infinity, toMs: Infinity };

/** Writes granules as NASA's user guides describe them: a reflectance product, one of indices, and faulty ones. */
const PROGRAM = `
import sys, numpy as np, h5py
folder = sys.argv[1]
PIXEL, WEST, NORTH = 463.312716525, 0., 5559752.598333
def granule(name, title, fields, projection='HE5_GCTP_SNSOID', corners=((WEST, NORTH), (WEST + 3 * PIXEL, NORTH - 2 * PIXEL)), sphere=6371007.181, width=3):
    with h5py.File(f'{folder}/{name}.h5', 'w') as f:
        for field, (kind, values) in fields.items():
            f.create_dataset(f'HDFEOS/GRIDS/{title}/Data Fields/{field}', data=np.array(values, kind).reshape(2, 3), chunks=(1, 2), compression='gzip')
        (left, top), (right, bottom) = corners
        text = f'''GROUP=SwathStructure\\nEND_GROUP=SwathStructure\\nGROUP=GridStructure\\n\\tGROUP=GRID_1\\n\\t\\tGridName="{title}"\\n\\t\\tXDim={width}\\n\\t\\tYDim=2
\\t\\tUpperLeftPointMtrs=({left:.6f},{top:.6f})\\n\\t\\tLowerRightMtrs=({right:.6f},{bottom:.6f})\\n\\t\\tProjection={projection}
\\t\\tProjParams=({sphere},0,0,0,0,0,0,0,0,0,0,0,0)\\n\\t\\tSphereCode=-1\\n\\t\\tGridOrigin=HE5_HDFE_GD_UL\\n\\tEND_GROUP=GRID_1\\nEND_GROUP=GridStructure\\nEND\\n'''
        f.create_dataset('HDFEOS INFORMATION/StructMetadata.0', data=np.bytes_(text.ljust(32000, '\\0')))
red, nir = [400] * 5 + [-28672], [3600] * 5 + [-28672]
state = ('u2', [8, 9, 10, 12, 8 + 4096, 8])
one = {'SurfReflect_I1': ('i2', red), 'SurfReflect_I2': ('i2', nir), 'SurfReflect_State_500m': state}
granule('VNP09H1.A2020153.h18v04.002.2020170101112', 'VIIRS_Grid_500m_2D', one)
granule('VNP13A1.A2020161.h18v04.002.2020180101112', 'VIIRS_Grid_16Day_VI_500m', {
  '500 m 16 days red reflectance': ('i2', [400] * 5 + [-1000]), '500 m 16 days NIR reflectance': ('i2', [3600] * 5 + [-1000]), '500 m 16 days pixel reliability': ('i1', [0, 9, 6, 7, 8, 0])})
granule('VJ109H1.A2020153.h18v05.002.2020170101112', 'VIIRS_Grid_500m_2D', one, projection='HE5_GCTP_LAMAZ')
with h5py.File(f'{folder}/plain.h5', 'w') as f: f['a'] = 1
`;

test('granules of VIIRS in HDF-EOS5 are scenes, where GDAL has the tile', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-granules-'));
  try {
    await python(PROGRAM, [folder]);
    writeFileSync(join(folder, 'cut.h5'), Buffer.from('\x89HDF\r\n\x1a\n and no more', 'latin1'));
    const items: SceneItem[] = [];
    const refused = new Map<string, string>();
    for await (const found of source.search(folder, ALL))
      if (found.ok) items.push(found.item);
      else refused.set(found.id, found.reason);
    assert.deepEqual(
      items.map(({ platform, timeMs }) => [platform, new Date(timeMs).toISOString().slice(0, 10)]),
      [
        ['vnp09h1', '2020-06-01'],
        ['vnp13a1', '2020-06-09'],
      ],
    );
    const none = -32_768;
    for (const item of items) {
      const raster = await source.open(item.bands.red!.href);
      const { grid } = raster;
      // Corner of the tile h18v04: 50 degrees north on the meridian of Greenwich.
      const [lng, lat] = mapGrid(grid).toLngLat(0, 0);
      assert.ok(Math.hypot(lng, lat - 50) < 1e-7, `${lng}, ${lat}`);
      const whole = [...(await raster.read(0, { col: -1, row: 0, width: 5, height: 2 }))];
      const [gap, fill] = [Number.NaN, item.platform === 'vnp13a1' ? -1000 : -28_672];
      assert.deepEqual(whole, [gap, 400, 400, 400, gap, gap, 400, 400, fill, gap]);
      await raster.close();
      const { indices } = await readPass(source, [item], ['ndvi'], grid);
      assert.deepEqual([...indices.get('ndvi')!], [8000, none, none, none, none, none]);
    }
    assert.match(refused.get('plain.h5')!, /expected HDF-EOS5 with grids, found none/);
    assert.match(refused.get('cut.h5')!, /cut\.h5 cannot be read as HDF5/);
    assert.match(
      refused.get('VJ109H1.A2020153.h18v05.002.2020170101112.h5')!,
      /expected a sinusoidal or a geographic grid, got GCTP_LAMAZ; convert it with gdal_translate/,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
