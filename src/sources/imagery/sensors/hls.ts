import type { Band } from '../../../raster/spectral-index.ts';
import { OLI_BANDS } from './landsat-8-9.ts';
import type { FileNaming, Reflectance, Sensor } from './sensor.ts';
import { MSI_BANDS } from './sentinel-2.ts';

const REFLECTANCE: Reflectance = { scale: 1e-4, offset: 0 };
const QUALITY: Sensor['quality'] = { Fmask: 'hls-fmask' };

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
      return band && { band, reflectance: REFLECTANCE, nodata: -9999, preference };
    },
  };
}

/**
 * Harmonized Landsat and Sentinel-2, version 2.0: scenes from Sentinel-2 (NASA, product user guide). The names of assets
 * come first, because B08 has the common name `nir` although B8A is the band that matches Landsat's.
 */
export const hlsSentinel2: Sensor = {
  name: 'HLS from Sentinel-2',
  quality: QUALITY,
  files: [naming('S', (layer) => MSI_BANDS[layer])],
  stac: {
    product: 'hls-s30',
    assets: {
      platform: /^HLS(\.S|S|2-S)30/i,
      bands: { green: /^B03$/, red: /^B04$/, nir: /^B8A$/, swir1: /^B11$/, swir2: /^B12$/ },
      first: true,
    },
    reflectance: () => REFLECTANCE,
  },
};

/** Harmonized Landsat and Sentinel-2, version 2.0: scenes from Landsat 8 and 9 (NASA, product user guide). */
export const hlsLandsat: Sensor = {
  name: 'HLS from Landsat',
  quality: QUALITY,
  files: [naming('L', (layer) => OLI_BANDS[Number(layer.slice(1))])],
  stac: {
    product: 'hls-l30',
    assets: {
      platform: /^HLS(\.L|L|2-L)30/i,
      bands: { green: /^B03$/, red: /^B04$/, nir: /^B05$/, swir1: /^B06$/, swir2: /^B07$/ },
      first: true,
    },
    reflectance: () => REFLECTANCE,
  },
};
