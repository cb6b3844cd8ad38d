import type { Band } from '../../../raster/spectral-index.ts';
import type { FileNaming, Reflectance, Sensor } from './sensor.ts';

/** A gridded product of MODIS or VIIRS: its layers, as they are named in file names and STAC items. */
export interface TiledProduct {
  readonly name: string;
  /** Pattern for the short names, such as `M[OY]D09A1`. */
  readonly shortNames: string;
  /** Pattern for the ids of collections of other catalogues, such as `modis-09A1`. */
  readonly collections: RegExp;
  /** Layer of each band, without the size and period before it. */
  readonly bands: Readonly<Partial<Record<Band, string>>>;
  readonly quality: Sensor['quality'];
  /** Raw value of pixels without an observation. */
  readonly nodata: number;
}

/** Reflectance of all these products (their user guides). */
const REFLECTANCE: Reflectance = { scale: 1e-4, offset: 0 };
/** Size and period before the name of a layer, such as `250m_16_days_` or `_500_m_16_days_`. */
const PERIOD = String.raw`(?:_?\d+_?k?m_(?:16_days|monthly)_)?`;

/**
 * Makes the sensor of a gridded product. Its files are GeoTIFFs of one layer, as AppEEARS exports them
 * (`MOD09A1.061_sur_refl_b01_doy2020001000000_aid0001.tif`) or named after the granule with the layer behind it
 * (`MOD09A1.A2020001.h18v04.061.2020010123456_sur_refl_b01.tif`). A composite has the first day of its period.
 */
export function tiledProduct(product: TiledProduct): Sensor {
  const bands = Object.entries(product.bands) as readonly (readonly [Band, string])[];
  const layers = [...bands.map(([, layer]) => layer), ...Object.keys(product.quality)];
  const layer = `${PERIOD}(?<layer>${layers.join('|')})`;
  const shared = {
    platform: ({ product: short }) => short!.toLowerCase(),
    rank: ({ version, made = '' }) => `${version}${made}`,
    band: ({ layer: found }) => {
      const [band] = bands.find(([, name]) => name.toLowerCase() === found!.toLowerCase()) ?? [];
      return band && { band, reflectance: REFLECTANCE, nodata: product.nodata, preference: 0 };
    },
  } satisfies Partial<FileNaming>;
  return {
    name: product.name,
    quality: product.quality,
    files: [
      {
        ...shared,
        id: ({ id, taken, place }) => `${id}_doy${taken}_${place}`,
        file: new RegExp(
          String.raw`^(?<id>(?<product>${product.shortNames})\.(?<version>\d{3}))_${layer}_doy(?<taken>\d{7})(?:0{6})?_(?<place>aid\d+)\.tiff?$`,
          'i',
        ),
      },
      {
        ...shared,
        file: new RegExp(
          String.raw`^(?<id>(?<product>${product.shortNames})\.A(?<taken>\d{7})\.(?<place>h\d{2}v\d{2})\.(?<version>\d{3})\.(?<made>\d{13}))[._]${layer}\.(?:tiff?|h5)$`,
          'i',
        ),
      },
    ],
    stac: {
      assets: {
        platform: new RegExp(`^(${product.shortNames}[._]|${product.collections.source})`, 'i'),
        bands: Object.fromEntries(bands.map(([band, name]) => [band, new RegExp(`^${PERIOD}${name}$`, 'i')])),
        first: true,
      },
      reflectance: () => REFLECTANCE,
      layerPrefix: new RegExp(`^${PERIOD}`, 'i'),
    },
  };
}
