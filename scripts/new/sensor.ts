import { create, insertBefore, replace } from './edit.ts';

/** Writes the skeleton of a sensor whose files have its name: CONTRIBUTING.md, "Add a sensor". */
export function newSensor(name: string): void {
  const variable = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  const prefix = name.replaceAll('-', '').toUpperCase();
  create(
    `src/sources/imagery/sensors/${name}.ts`,
    `import type { Band } from '../../../raster/spectral-index.ts';
import type { Sensor } from './sensor.ts';

const BANDS: Readonly<Record<string, Band>> = { B1: 'green', B2: 'red', B3: 'nir', B4: 'swir1', B5: 'swir2' };

/** Name the product and its specification here. Reflectance = raw * scale + offset; the quality band has Landsat's code. */
export const ${variable}: Sensor = {
  name: '${name}',
  quality: { QA: 'landsat-c2' },
  files: [
    {
      file: /^(?<id>${prefix}_(?<place>\\d{6})_(?<taken>\\d{8}))_(?<layer>B\\d|QA)\\.tiff?$/i,
      platform: () => '${name}',
      rank: () => '',
      band: ({ layer }) => {
        const band = BANDS[layer!.toUpperCase()];
        return band && { band, reflectance: { scale: 1e-4, offset: 0 }, nodata: 0, preference: 0 };
      },
    },
  ],
  stac: {},
};
`,
  );
  create(
    `src/sources/imagery/sensors/${name}.test.ts`,
    `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SENSORS } from './sensors.ts';
import { ${variable} } from './${name}.ts';

test('the sensor is listed, and the names of its files are understood', () => {
  assert.ok(SENSORS.includes(${variable}));
  const [naming] = ${variable}.files;
  const found = naming!.file.exec('${prefix}_044034_20260715_B3.TIF')?.groups;
  assert.ok(found);
  assert.equal(found['taken'], '20260715');
  assert.equal(naming!.band(found)?.band, 'nir');
});
`,
  );
  const list = 'src/sources/imagery/sensors/sensors.ts';
  insertBefore(list, /^import /, `import { ${variable} } from './${name}.ts';\n`, 'first');
  replace(list, /(SENSORS: readonly Sensor\[\] = \[[^\]]*?),?\s*\]/, `$1, ${variable}]`);
}
