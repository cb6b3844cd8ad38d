import type { Band } from '../../../raster/spectral-index.ts';
import type { FileNaming, Reflectance, Sensor } from './sensor.ts';
import { readSentinel2Metadata } from './sentinel-2-metadata.ts';

/** Bands of the multispectral instrument. B8A is the narrow near infrared band. */
export const MSI_BANDS: Readonly<Record<string, Band>> = {
  B02: 'blue',
  B03: 'green',
  B04: 'red',
  B08: 'nir',
  B8A: 'nir',
  B11: 'swir1',
  B12: 'swir2',
};
/** Names of the bands in the order of their numbers in the metadata. */
export const BAND_ORDER = [
  'B01',
  'B02',
  'B03',
  'B04',
  'B05',
  'B06',
  'B07',
  'B08',
  'B8A',
  'B09',
  'B10',
  'B11',
  'B12',
];
const SCALE = 1e-4; // scale of reflectance in level 2A (ESA, Level-2A product format)
const OFFSET = -0.1; // offset of reflectance in level 2A from OFFSET_BASELINE on (ESA, 25 January 2022)
const OFFSET_BASELINE = 4; // first processing baseline with an offset: 04.00

/**
 * Scale and offset of reflectance, of both levels.
 * @param baseline version of ESA's processor, such as 5.1; undefined if it is not known
 */
export function reflectance(baseline: number | undefined): Reflectance {
  return { scale: SCALE, offset: baseline !== undefined && baseline >= OFFSET_BASELINE ? OFFSET : 0 };
}

/** The folder of a product of level 2A, with or without `.SAFE` or `.zip` at its end. */
const PRODUCT =
  /^(?<id>S2(?<satellite>[A-D])_MSIL2A_(?<taken>\d{8}T\d{6})_N(?<baseline>\d{4})_R(?<orbit>\d{3})_T(?<place>\d{2}[A-Z]{3})_(?<made>\d{8}T\d{6}))/i;

const PRODUCT_NAMING = {
  folder: PRODUCT,
  platform: ({ satellite }) => `sentinel-2${satellite!.toLowerCase()}`,
  rank: ({ baseline, made }) => `${baseline}${made}`,
} satisfies Partial<FileNaming>;

/** Sentinel-2 level 2A, as JPEG 2000 in the product's folder, or as GeoTIFF under the same names. */
export const sentinel2: Sensor = {
  name: 'Sentinel-2',
  quality: { SCL: 'sentinel-2-scl' },
  files: [
    {
      ...PRODUCT_NAMING,
      // Products of 2017 and 2018 have L2A_ before the names of their files.
      file: /^(?:L2A_)?T(?<place>\d{2}[A-Z]{3})_(?<taken>\d{8}T\d{6})_(?<layer>B\d[\dA]|SCL)(?:_(?<metres>\d0)m)?\.(?:tiff?|jp2)$/i,
      band: ({ layer, metres = '10', baseline }) => {
        const name = layer!.toUpperCase();
        const band = MSI_BANDS[name];
        if (band === undefined) return undefined;
        const preference = Number(metres) + (name === 'B8A' ? 1 : 0);
        const number = BAND_ORDER.indexOf(name);
        const scaled = {
          band,
          number,
          reflectance: reflectance(Number(baseline) / 100),
          nodata: 0,
          preference,
        };
        return name === 'B8A' ? { ...scaled, isNarrow: true } : scaled;
      },
    },
    {
      ...PRODUCT_NAMING,
      file: /^MTD_MSI(?<layer>L2A)\.xml$/i,
      band: () => undefined,
      metadata: { layer: 'L2A', read: readSentinel2Metadata },
    },
  ],
  stac: {
    assets: {
      platform: /^sentinel-2/i,
      bands: {
        blue: /^B0?2$/,
        green: /^B0?3$/,
        red: /^B0?4$/,
        nir: /^B0?8$/,
        swir1: /^B11$/,
        swir2: /^B12$/,
      },
    },
    narrowNir: /^(B8A|nir08)([-_]|$)/i,
    // Items of Earth Search have the number of the orbit nowhere else.
    orbitInName: { property: 's2:product_uri', pattern: /^S2[A-D]_MSIL2A_.*_R(\d{3})_T/ },
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
