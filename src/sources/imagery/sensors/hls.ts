import type { Band } from '../../../raster/spectral-index.ts';
import { OLI_BANDS } from './landsat-8-9.ts';
import type { FileNaming, Sensor } from './sensor.ts';
import { MSI_BANDS } from './sentinel-2.ts';

/** @param kind S for scenes from Sentinel-2, L for Landsat */
function naming(kind: 'S' | 'L', bandOf: (layer: string) => Band | undefined): FileNaming {
  const pattern =
    String.raw`^(?<id>HLS\.${kind}30\.T(?<place>\d{2}[A-Z]{3})\.(?<taken>\d{7}T\d{6})\.v(?<major>\d)\.(?<minor>\d))` +
    String.raw`\.(?<layer>B\d[\dA]|Fmask)\.tiff?$`;
  return {
    file: new RegExp(pattern, 'i'),
    platform: () => `hls-${kind.toLowerCase()}30`,
    rank: ({ major, minor }) => `${major}${minor}`,
    band: ({ layer }) => {
      const name = layer!.toUpperCase();
      const band = bandOf(name);
      // The narrow near infrared band (B8A) matches Landsat's, so it is preferred to the broad one.
      const preference = name === 'B08' ? 1 : 0;
      return band && { band, reflectance: { scale: 1e-4, offset: 0 }, nodata: -9999, preference };
    },
  };
}

/** Harmonized Landsat and Sentinel-2, version 2.0 (NASA, product user guide). */
export const hls: Sensor = {
  name: 'HLS',
  quality: { Fmask: 'hls-fmask' },
  files: [
    naming('S', (layer) => MSI_BANDS[layer]),
    naming('L', (layer) => OLI_BANDS[Number(layer.slice(1))]),
  ],
  stac: {},
};
