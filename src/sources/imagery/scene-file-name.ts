import type { QualityName } from '../../raster/quality/encodings.ts';
import type { Band } from '../../raster/spectral-index.ts';
import { DAY_MS } from '../../base/time.ts';

/** One file of a downloaded scene, as its provider's naming tells it. */
export interface SceneFile {
  readonly scene: SceneName;
  readonly part: ScenePart;
}

/** The scene that a file belongs to. */
export interface SceneName {
  /** What its files share; the product's name where the file tells it. */
  readonly id: string;
  /** Scenes of one frame: one satellite, day and place. The one of highest `rank` is the best version. */
  readonly frame: string;
  readonly rank: string;
  /** The pass of the satellite, as `SceneItem.pass`. */
  readonly pass: string;
  /** Start of the day it was taken, or the moment where the name tells it. */
  readonly timeMs: number;
}

/** What a file holds. Scale and offset lead to reflectance; null: only the scene's metadata tell. */
export type ScenePart =
  | {
      readonly kind: 'band';
      readonly band: Band;
      /** Its provider's number. */
      readonly number: number;
      readonly scale: number | null;
      readonly offset: number | null;
      readonly nodata: number;
      /** Of several files of one band the one with the lowest is taken. */
      readonly preference: number;
    }
  | { readonly kind: 'quality'; readonly encoding: QualityName }
  | { readonly kind: 'metadata' };

/** Numbers of the bands on the operational land imager (Landsat 8, 9) and on the thematic mappers (4, 5, 7). */
const OLI: Readonly<Record<number, Band>> = { 3: 'green', 4: 'red', 5: 'nir', 6: 'swir1', 7: 'swir2' };
const TM: Readonly<Record<number, Band>> = { 2: 'green', 3: 'red', 4: 'nir', 5: 'swir1', 7: 'swir2' };
const SENTINEL: Readonly<Record<string, Band>> = {
  B03: 'green',
  B04: 'red',
  B08: 'nir',
  B8A: 'nir',
  B11: 'swir1',
  B12: 'swir2',
};
/** Collection 2 surface reflectance (USGS LSDS-1619). */
const LANDSAT_C2_SURFACE = { scale: 2.75e-5, offset: -0.2, nodata: 0 } as const;
/** Collection 1 surface reflectance, in scenes and as analysis ready data (USGS LSDS-1368, LSDS-1873). */
const LANDSAT_C1_SURFACE = { scale: 1e-4, offset: 0, nodata: -9999 } as const;
/** Top of the atmosphere, Landsat 8 and 9: the same in every scene (USGS LSDS-1574); the sun's height cancels in an index. */
const OLI_TOP = { scale: 2e-5, offset: -0.1, nodata: 0 } as const;
/** Top of the atmosphere, Landsat 4 to 7: each scene has its own, in its metadata. */
const TM_TOP = { scale: null, offset: null, nodata: 0 } as const;
/** Harmonized Landsat and Sentinel-2, version 2.0 (NASA, product user guide). */
const HLS = { scale: 1e-4, offset: 0, nodata: -9999 } as const;
/** Sentinel-2 level 2A; the offset from processing baseline 04.00 on (ESA, 25 January 2022). */
const SENTINEL_SCALE = 1e-4;
const SENTINEL_OFFSET = -0.1;
const SENTINEL_OFFSET_BASELINE = 400;
const TIERS = ['RT', 'T2', 'T1']; // Landsat, from worst to best

/**
 * Reads what the name of a file says, for Landsat scenes (Collection 1 and 2, level 1 and 2), Landsat analysis ready
 * data, Harmonized Landsat and Sentinel-2, and Sentinel-2 level 2A turned from JPEG 2000 to GeoTIFF under its own names.
 * @param path of the file; the names of its folders tell what its own leaves out
 * @returns undefined for a file of no known naming, or one that is not needed
 */
export function readSceneFileName(path: string): SceneFile | undefined {
  const folders = path.split(/[/\\]/);
  const name = folders.pop()!;
  return (
    landsatFile(name, folders.at(-1)) ??
    landsatTileFile(name) ??
    harmonizedFile(name) ??
    sentinelFile(name, folders)
  );
}

const LANDSAT =
  /^(L[COTEM])(0\d)_L([12])(?:TP|GT|GS|SP|SR)_(\d{3})(\d{3})_(\d{8})(?:_(\d{8})_(\d{2})_(T1|T2|RT))?/i;

function landsatFile(name: string, folder: string | undefined): SceneFile | undefined {
  const own = LANDSAT.exec(name);
  if (own === null) return undefined;
  // Some repositories shorten the names of files, and leave the product's to the folder.
  const whole = folder?.startsWith(own[0]) === true ? (LANDSAT.exec(folder) ?? own) : own;
  const [id, , satellite, level, wrsPath, wrsRow, day, processed = '', , tier = ''] = whole;
  const timeMs = dayOf(day!);
  if (timeMs === undefined) return undefined;
  const platform = `landsat-${Number(satellite)}`;
  const part = landsatPart(name.slice(own[0].length + 1), Number(satellite), level === '2');
  return (
    part && {
      part,
      scene: {
        id,
        frame: `${platform}_${day}_${wrsPath}${wrsRow}`,
        rank: `${level}${TIERS.indexOf(tier.toUpperCase()) + 1}${processed}`,
        pass: passName(platform, timeMs, Number(wrsPath)),
        timeMs,
      },
    }
  );
}

function landsatPart(rest: string, satellite: number, isSurface: boolean): ScenePart | undefined {
  if (/^MTL\.txt$/i.test(rest)) return { kind: 'metadata' };
  if (/^BQA\.tiff?$/i.test(rest)) return { kind: 'quality', encoding: 'landsat-c1' };
  if (/^pixel_qa\.tiff?$/i.test(rest)) return { kind: 'quality', encoding: 'landsat-ard' };
  if (/^QA_PIXEL\.tiff?$/i.test(rest)) return { kind: 'quality', encoding: 'landsat-c2' };
  const [, c2, c1, top] = /^(?:SR_B(\d)|sr_band(\d)|B(\d))\.tiff?$/i.exec(rest) ?? [];
  const number = Number(c2 ?? c1 ?? top);
  const isOli = satellite >= 8;
  const band = (isOli ? OLI : TM)[number];
  if (band === undefined || (isSurface && top !== undefined)) return undefined;
  const numbers = c2 ? LANDSAT_C2_SURFACE : c1 ? LANDSAT_C1_SURFACE : isOli ? OLI_TOP : TM_TOP;
  // A product of Collection 1 holds both: what the atmosphere left is taken where it is there.
  return { kind: 'band', band, number, ...numbers, preference: top === undefined ? 0 : 1 };
}

const LANDSAT_TILE =
  /^(L[COTEM])(0\d)_(CU|AK|HI)_(\d{3})(\d{3})_(\d{8})_(\d{8})_(?:C01_V\d{2}|02)_(?:SR_?B(\d)|(PIXELQA)|(QA_PIXEL))\.tiff?$/i;

function landsatTileFile(name: string): SceneFile | undefined {
  const found = LANDSAT_TILE.exec(name);
  if (found === null) return undefined;
  const [, , satellite, region, across, down, day, processed, number, c1Quality, c2Quality] = found;
  const timeMs = dayOf(day!);
  const platform = `landsat-${Number(satellite)}`;
  const band = (Number(satellite) >= 8 ? OLI : TM)[Number(number)];
  const numbers = /_C01_/i.test(name) ? LANDSAT_C1_SURFACE : LANDSAT_C2_SURFACE;
  let part: ScenePart | undefined;
  if (c1Quality !== undefined) part = { kind: 'quality', encoding: 'landsat-ard' };
  else if (c2Quality !== undefined) part = { kind: 'quality', encoding: 'landsat-c2' };
  else if (band !== undefined)
    part = { kind: 'band', band, number: Number(number), ...numbers, preference: 0 };
  if (timeMs === undefined || part === undefined) return undefined;
  return {
    part,
    scene: {
      id: name.replace(/_(SR_?B\d|PIXELQA|QA_PIXEL)\.tiff?$/i, ''),
      frame: `${platform}_${day}_${region}${across}${down}`,
      rank: `${/_C01_/i.test(name) ? 1 : 2}${processed}`,
      pass: passName(platform, timeMs, undefined),
      timeMs,
    },
  };
}

const HARMONIZED =
  /^HLS\.([SL])30\.T(\d{2}[A-Z]{3})\.(\d{4})(\d{3})T(\d{2})(\d{2})(\d{2})\.v(\d)\.(\d)\.(B\d[\dA]|Fmask)\.tiff?$/i;

function harmonizedFile(name: string): SceneFile | undefined {
  const found = HARMONIZED.exec(name);
  if (found === null) return undefined;
  const [, kind, tile, year, dayOfYear, hour, minute, second, major, minor, layer] = found;
  const timeMs = Date.UTC(Number(year), 0, Number(dayOfYear), Number(hour), Number(minute), Number(second));
  const platform = `hls-${kind!.toLowerCase()}30`;
  const scene = {
    id: name.replace(/\.[^.]+\.tiff?$/i, ''),
    frame: `${platform}_${timeMs}_${tile}`,
    rank: `${major}${minor}`,
    pass: passName(platform, timeMs, undefined),
    timeMs,
  };
  if (/^fmask$/i.test(layer!)) return { scene, part: { kind: 'quality', encoding: 'hls-fmask' } };
  const number = Number.parseInt(layer!.slice(1), 10);
  const isBroad = layer === 'B08'; // of Sentinel-2: the narrow band is the one that matches Landsat's
  const band = kind === 'S' ? SENTINEL[layer!] : OLI[number];
  if (band === undefined) return undefined;
  return { scene, part: { kind: 'band', band, number, ...HLS, preference: isBroad ? 1 : 0 } };
}

const SENTINEL_FILE = /^T(\d{2}[A-Z]{3})_(\d{8}T\d{6})_(B\d[\dA]|SCL)(?:_(\d0)m)?\.tiff?$/i;
const SENTINEL_PRODUCT = /^(S2[A-D])_MSIL2A_\d{8}T\d{6}_N(\d{4})_R(\d{3})_T\d{2}[A-Z]{3}_(\d{8}T\d{6})/i;

function sentinelFile(name: string, folders: readonly string[]): SceneFile | undefined {
  const found = SENTINEL_FILE.exec(name);
  const product = folders.map((folder) => SENTINEL_PRODUCT.exec(folder)).find((one) => one !== null);
  if (found === null || product === undefined) return undefined;
  const [, tile, taken, layer, metres = '10'] = found;
  const [id, satellite, baseline, orbit, made] = product;
  const timeMs = momentOf(taken!);
  if (timeMs === undefined) return undefined;
  const platform = `sentinel-2${satellite!.slice(2).toLowerCase()}`;
  const scene = {
    id,
    frame: `${platform}_${taken}_${tile}`,
    rank: `${baseline}${made}`,
    pass: passName(platform, timeMs, Number(orbit)),
    timeMs,
  };
  if (/^scl$/i.test(layer!)) return { scene, part: { kind: 'quality', encoding: 'sentinel-2-scl' } };
  const band = SENTINEL[layer!];
  if (band === undefined) return undefined;
  const offset = Number(baseline) >= SENTINEL_OFFSET_BASELINE ? SENTINEL_OFFSET : 0;
  const preference = Number(metres) + (layer === 'B8A' ? 1 : 0);
  const number = Number.parseInt(layer!.slice(1), 10);
  return {
    scene,
    part: { kind: 'band', band, number, scale: SENTINEL_SCALE, offset, nodata: 0, preference },
  };
}

function passName(platform: string, timeMs: number, orbit: number | undefined): string {
  const day = new Date(timeMs).toISOString().slice(0, 10);
  return `${platform}_${day}${orbit === undefined ? '' : `_${orbit}`}`;
}

/** Start of a day written `yyyymmdd` [ms since the Unix epoch, UTC]; undefined for what is none. */
function dayOf(text: string): number | undefined {
  const [year, month, day] = [text.slice(0, 4), text.slice(4, 6), text.slice(6, 8)].map(Number);
  const ms = Date.UTC(year!, month! - 1, day);
  return new Date(ms).toISOString().slice(0, 10).replaceAll('-', '') === text ? ms : undefined;
}

/** A moment written `yyyymmddThhmmss` [ms since the Unix epoch, UTC]. */
function momentOf(text: string): number | undefined {
  const day = dayOf(text.slice(0, 8));
  const [hour, minute, second] = [text.slice(9, 11), text.slice(11, 13), text.slice(13, 15)].map(Number);
  const ms = ((hour! * 60 + minute!) * 60 + second!) * 1000;
  return day === undefined || ms >= DAY_MS ? undefined : day + ms;
}
