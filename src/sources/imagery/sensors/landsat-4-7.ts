import { LANDSAT_QUALITY, LANDSAT_STAC, landsatFiles } from './landsat.ts';
import type { Sensor } from './sensor.ts';

/** Thematic mappers of Landsat 4, 5 and 7, Collection 1 and 2. */
export const landsat4To7: Sensor = {
  name: 'Landsat 4 to 7',
  quality: LANDSAT_QUALITY,
  files: landsatFiles({
    satellites: '[1-7]',
    bands: { 1: 'blue', 2: 'green', 3: 'red', 4: 'nir', 5: 'swir1', 7: 'swir2' },
    top: (number) => ({
      number,
      missing:
        'expected its _MTL.txt in the same folder: scale and offset of level 1 of Landsat 4 to 7 differ by scene',
    }),
  }),
  stac: {
    ...LANDSAT_STAC,
    assets: {
      platform: /^landsat[-_][4-7]|^L[TE]0[4-7]_/i,
      bands: {
        green: /^(SR_)?B2$/,
        red: /^(SR_)?B3$/,
        nir: /^(SR_)?B4$/,
        swir1: /^(SR_)?B5$/,
        swir2: /^(SR_)?B7$/,
      },
    },
  },
};
