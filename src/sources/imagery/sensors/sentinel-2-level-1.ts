import type { WindowedRaster } from '../../../app/imagery/scene-source.ts';
import type { FileNaming, Sensor } from './sensor.ts';
import { BAND_ORDER, MSI_BANDS, reflectance } from './sentinel-2.ts';
import { readSentinel2Metadata } from './sentinel-2-metadata.ts';

/** Name of a product of level 1C, which is read only when it is asked for. */
export const LEVEL_1C_PRODUCT = /S2[A-D]_MSIL1C_\d{8}T\d{6}_N\d{4}_R\d{3}_T\d{2}[A-Z]{3}_\d{8}T\d{6}/i;
export const LEVEL_1C_REASON =
  'level 1C is reflectance at the top of the atmosphere, without the scene classification that tells cloud and shadow from ground; use level 2A of the same scene, or make it with Sen2Cor; ingest scenes --level-1c reads folders of it all the same';
/** The path of a mask of clouds and snow in a product of level 1C. */
export const CLASSIFICATION_FILE = /_MSIL1C_.*MSK_CLASSI_B00\.(?:tiff?|jp2)$/i;
/** Bands of the mask: opaque cloud, cirrus, snow and ice. */
const CLASSIFICATION_BANDS = 3;

const NAMING = {
  folder:
    /^(?<id>S2(?<satellite>[A-D])_MSIL1C_(?<taken>\d{8}T\d{6})_N(?<baseline>\d{4})_R(?<orbit>\d{3})_T(?<place>\d{2}[A-Z]{3})_(?<made>\d{8}T\d{6}))/i,
  // Its name differs from that of level 2A, so that the two are never the same pass.
  platform: ({ satellite }) => `sentinel-2${satellite!.toLowerCase()}-l1c`,
  rank: ({ baseline, made }) => `${baseline}${made}`,
} satisfies Partial<FileNaming>;

/**
 * Sentinel-2 level 1C from processing baseline 04.00 on, which has its cloud mask as a raster, in the product's folder.
 * Metrics of it are not those of the ground: haze and aerosols are in them.
 */
export const sentinel2Level1: Sensor = {
  name: 'Sentinel-2 level 1C',
  quality: { MSK_CLASSI_B00: 'sentinel-2-classification' },
  files: [
    {
      ...NAMING,
      file: /^T(?<place>\d{2}[A-Z]{3})_(?<taken>\d{8}T\d{6})_(?<layer>B\d[\dA])\.(?:tiff?|jp2)$/i,
      band: ({ layer, baseline }) => {
        const name = layer!.toUpperCase();
        const band = MSI_BANDS[name];
        if (band === undefined) return undefined;
        const number = BAND_ORDER.indexOf(name);
        const scaled = { band, number, reflectance: reflectance(Number(baseline) / 100), nodata: 0 };
        return name === 'B8A' ? { ...scaled, preference: 1, isNarrow: true } : { ...scaled, preference: 0 };
      },
    },
    { ...NAMING, file: /^(?<layer>MSK_CLASSI_B00)\.(?:tiff?|jp2)$/i, band: () => undefined },
    {
      ...NAMING,
      file: /^MTD_MSI(?<layer>L1C)\.xml$/i,
      band: () => undefined,
      metadata: { layer: 'L1C', read: readSentinel2Metadata },
    },
  ],
  stac: {},
};

/** The mask with one band: the codes of which its bands are the bits. */
export function classificationCodes(mask: WindowedRaster): WindowedRaster {
  const { grid, nodata, scale, offset } = mask;
  return {
    grid,
    nodata,
    scale,
    offset,
    read: async (_, window) => {
      const codes = await mask.read(0, window);
      for (let bit = 1; bit < CLASSIFICATION_BANDS; bit++) {
        const band = await mask.read(bit, window);
        for (let p = 0; p < codes.length; p++) codes[p]! += band[p]! * 2 ** bit;
      }
      return codes;
    },
    close: () => mask.close(),
  };
}
