import type { Band } from '../../../raster/spectral-index.ts';
import { LANDSAT_QUALITY, LANDSAT_STAC, landsatFiles } from './landsat.ts';
import type { Sensor } from './sensor.ts';

/** Bands of the operational land imager by number. */
export const OLI_BANDS: Readonly<Record<number, Band>> = {
  2: 'blue',
  3: 'green',
  4: 'red',
  5: 'nir',
  6: 'swir1',
  7: 'swir2',
};

/** Operational land imager of Landsat 8 and 9, Collection 1 and 2. */
export const landsat8And9: Sensor = {
  name: 'Landsat 8 and 9',
  quality: LANDSAT_QUALITY,
  files: landsatFiles({
    satellites: '[89]',
    bands: OLI_BANDS,
    // Scale and offset are the same in every scene (USGS LSDS-1574). The sun elevation is not corrected for, because
    // it cancels in an index.
    top: () => ({ scale: 2e-5, offset: -0.1 }),
  }),
  stac: {
    ...LANDSAT_STAC,
    assets: {
      platform: /^landsat[-_][89]|^L[CO]0[89]_/i,
      bands: {
        blue: /^(SR_)?B2$/,
        green: /^(SR_)?B3$/,
        red: /^(SR_)?B4$/,
        nir: /^(SR_)?B5$/,
        swir1: /^(SR_)?B6$/,
        swir2: /^(SR_)?B7$/,
      },
    },
    ids: { pattern: /^LC0[89]_/, platform: 'landsat-8' },
  },
};
