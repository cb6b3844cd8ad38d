import type { Band } from '../../../raster/spectral-index.ts';
import type { Reflectance, Sensor } from './sensor.ts';

/** Bands of the multispectral instrument. B8A is the narrow near infrared band. */
export const MSI_BANDS: Readonly<Record<string, Band>> = {
  B03: 'green',
  B04: 'red',
  B08: 'nir',
  B8A: 'nir',
  B11: 'swir1',
  B12: 'swir2',
};
const SCALE = 1e-4; // scale of reflectance in level 2A (ESA, Level-2A product format)
const OFFSET = -0.1; // offset of reflectance in level 2A from OFFSET_BASELINE on (ESA, 25 January 2022)
const OFFSET_BASELINE = 4; // first processing baseline with an offset: 04.00

/** @param baseline version of ESA's processor, such as 5.1; undefined if it is not known */
function reflectance(baseline: number | undefined): Reflectance {
  return { scale: SCALE, offset: baseline !== undefined && baseline >= OFFSET_BASELINE ? OFFSET : 0 };
}

/** Sentinel-2 level 2A. Downloaded scenes are JPEG 2000 and must be converted to GeoTIFF, with their names kept. */
export const sentinel2: Sensor = {
  name: 'Sentinel-2',
  quality: { SCL: 'sentinel-2-scl' },
  files: [
    {
      file: /^T(?<place>\d{2}[A-Z]{3})_(?<taken>\d{8}T\d{6})_(?<layer>B\d[\dA]|SCL)(?:_(?<metres>\d0)m)?\.tiff?$/i,
      folder:
        /^(?<id>S2(?<satellite>[A-D])_MSIL2A_\d{8}T\d{6}_N(?<baseline>\d{4})_R(?<orbit>\d{3})_T\d{2}[A-Z]{3}_(?<made>\d{8}T\d{6}))/i,
      platform: ({ satellite }) => `sentinel-2${satellite!.toLowerCase()}`,
      rank: ({ baseline, made }) => `${baseline}${made}`,
      band: ({ layer, metres = '10', baseline }) => {
        const name = layer!.toUpperCase();
        const band = MSI_BANDS[name];
        if (band === undefined) return undefined;
        const preference = Number(metres) + (name === 'B8A' ? 1 : 0);
        return { band, reflectance: reflectance(Number(baseline) / 100), nodata: 0, preference };
      },
    },
  ],
  stac: {
    assets: {
      platform: /^sentinel-2/i,
      bands: { green: /^B0?3$/, red: /^B0?4$/, nir: /^B0?8$/, swir1: /^B11$/, swir2: /^B12$/ },
    },
    ids: { pattern: /^S2[ABC]?_/, platform: 'sentinel-2' },
    reflectance: (properties) =>
      reflectance(
        ['s2:processing_baseline', 'sentinel2:processing_baseline', 'processing:version']
          .map((name) => Number(properties[name]))
          .find((version) => !Number.isNaN(version)),
      ),
    offsetApplied: ['earthsearch:boa_offset_applied', 'sentinel:boa_offset_applied'],
  },
};
