import type { Band } from '../../../raster/spectral-index.ts';
import { readLandsatMetadata } from './landsat-metadata.ts';
import type { SceneBandFile, FileNaming, Sensor, StacNames } from './sensor.ts';

/**
 * Quality bands of all Landsat products. If a STAC item has several of these bands, the first one in this list is
 * used.
 */
export const LANDSAT_QUALITY: Sensor['quality'] = {
  QA_PIXEL: 'landsat-c2',
  BQA: 'landsat-c1',
  pixel_qa: 'landsat-ard',
  PIXELQA: 'landsat-ard',
};

/** Scale, offset and nodata of Collection 2 surface reflectance (USGS LSDS-1619). */
const C2_SURFACE = { reflectance: { scale: 2.75e-5, offset: -0.2 }, nodata: 0 } as const;
/**
 * Scale, offset and nodata of Collection 1 surface reflectance, in scenes and as analysis ready data (USGS LSDS-1368,
 * LSDS-1873).
 */
const C1_SURFACE = { reflectance: { scale: 1e-4, offset: 0 }, nodata: -9999 } as const;
/** Level 2 of Collection 2 in an id, such as LC08_L2SP_047027_20201204_20210313_02_T1. */
const C2_LEVEL_2 = /_L2S[PR]_.*_02_(T1|T2|RT)/i;

export const LANDSAT_STAC: StacNames = {
  orbit: 'landsat:wrs_path',
  // Items of the USGS do not say scale and offset, and its files do not either.
  reflectance: (properties, id) => {
    const { 'landsat:correction': level, 'landsat:collection_number': collection } = properties;
    const isSurface = C2_LEVEL_2.test(id) || (/^L2S[PR]$/.test(String(level)) && collection === '02');
    return isSurface ? C2_SURFACE.reflectance : undefined;
  },
};

const TIERS = ['RT', 'T2', 'T1']; // quality tiers of Landsat scenes, from worst to best

/** The properties that differ between the instruments of Landsat. */
interface Instrument {
  /** Pattern for the numbers of the satellites, such as `[89]`. */
  readonly satellites: string;
  readonly bands: Readonly<Record<number, Band>>;
  /**
   * Returns the scale and offset of reflectance at the top of the atmosphere for the number of a band, or a reference
   * to the metadata file that contains them.
   */
  readonly top: (number: number) => SceneBandFile['reflectance'];
}

/** File names of scenes (level 1 and 2, Collection 1 and 2) and of the tiles of the analysis ready data. */
export function landsatFiles(instrument: Instrument): readonly FileNaming[] {
  return [sceneNaming(instrument), tileNaming(instrument)];
}

const platform: FileNaming['platform'] = ({ satellite }) => `landsat-${satellite}`;

function sceneNaming({ satellites, bands, top }: Instrument): FileNaming {
  const product =
    `^(?<id>L[COTEM]0(?<satellite>${satellites})_L(?<level>[12])(?:TP|GT|GS|SP|SR)` +
    String.raw`_(?<place>(?<orbit>\d{3})\d{3})_(?<taken>\d{8})(?:_(?<made>\d{8})_\d{2}_(?<tier>T1|T2|RT))?)`;
  return {
    file: new RegExp(String.raw`${product}_(?<layer>MTL\.txt$|\w+(?=\.tiff?$))`, 'i'),
    // Some repositories shorten the file names; the folder then has the full product name.
    folder: new RegExp(product, 'i'),
    platform,
    rank: ({ level, tier = '', made = '' }) => `${level}${TIERS.indexOf(tier.toUpperCase()) + 1}${made}`,
    band: ({ layer, level }) => {
      const [, c2, c1, raw] = /^(?:SR_B(\d)|sr_band(\d)|B(\d))$/i.exec(layer!) ?? [];
      const number = Number(c2 ?? c1 ?? raw);
      const band = bands[number];
      if (band === undefined || (level === '2' && raw !== undefined)) return undefined;
      if (raw !== undefined) return { band, reflectance: top(number), nodata: 0, preference: 1 };
      // A product of Collection 1 may contain both kinds of reflectance: surface reflectance is preferred.
      return { band, ...(c2 === undefined ? C1_SURFACE : C2_SURFACE), preference: 0 };
    },
    metadata: { layer: 'MTL.TXT', read: readLandsatMetadata },
  };
}

function tileNaming({ satellites, bands }: Instrument): FileNaming {
  const tile =
    `^(?<id>L[COTEM]0(?<satellite>${satellites})_` +
    String.raw`(?<place>(?:CU|AK|HI)_\d{6})_(?<taken>\d{8})_(?<made>\d{8})_(?:(?<first>C01_V\d{2})|02))`;
  return {
    file: new RegExp(String.raw`${tile}_(?<layer>SR_?B\d|PIXELQA|QA_PIXEL)\.tiff?$`, 'i'),
    platform,
    rank: ({ first, made }) => `${first === undefined ? 2 : 1}${made}`,
    band: ({ layer, first }) => {
      const band = bands[Number(layer!.slice(-1))];
      return band && { band, ...(first === undefined ? C2_SURFACE : C1_SURFACE), preference: 0 };
    },
  };
}
