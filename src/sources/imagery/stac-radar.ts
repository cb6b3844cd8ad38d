import { InvalidInput } from '../../base/errors.ts';
import type { RadarScene, SceneBand, SceneItem } from '../../app/imagery/scene-source.ts';
import { type BackscatterUnit, MOST_ORBIT, POLARISATIONS } from '../../raster/backscatter.ts';
import { OPERA_RTC } from './sensors/sentinel-1-rtc.ts';
import { type Json, objectAt, shown } from './stac-json.ts';
import { assetHref } from './stac-link.ts';

type Assets = readonly (readonly [key: string, asset: Json])[];

/** Products whose samples are gamma-0, corrected for terrain, by id or collection, with the unit that their provider documents. */
const KNOWN_PRODUCTS: readonly (readonly [name: RegExp, unit: BackscatterUnit])[] = [
  [/^sentinel-1-rtc$|^S1[A-D]_.*_rtc$/i, 'power'], // Microsoft Planetary Computer
  [/^OPERA_L2_RTC-S1_/i, 'power'], // NASA JPL, OPERA RTC-S1 product specification
];
/** Product types of the SAR extension that are gamma-0, corrected for terrain. */
const RTC_TYPES = /^(RTC|NRB|GTC-RTC)$/i;

/** Whether an item is of a radar: it has properties of the SAR extension, or is of OPERA. */
export function isRadarItem(id: string, properties: Json): boolean {
  return OPERA_RTC.test(id) || Object.keys(properties).some((name) => name.startsWith('sar:'));
}

/**
 * Reads the radar part of a STAC item of Sentinel-1, corrected for terrain: `vv` and `vh`, the relative orbit and, where
 * there is one, the mask.
 * @param names id and collection of the item
 * @throws InvalidInput naming the field, for an item that is not corrected for terrain, or does not say its orbit or unit
 * @see https://github.com/stac-extensions/sar, https://github.com/stac-extensions/sat
 */
export function readRadar(
  id: string,
  names: readonly string[],
  properties: Json,
  assets: Assets,
  base: string,
): Pick<SceneItem, 'radar' | 'quality'> {
  const known = KNOWN_PRODUCTS.find(([pattern]) => names.some((name) => pattern.test(name)));
  const type = properties['sar:product_type'];
  if (known === undefined && !RTC_TYPES.test(String(type)))
    throw new InvalidInput(
      `properties.sar:product_type: expected backscatter that is corrected for terrain (RTC, NRB, or the collection sentinel-1-rtc or OPERA RTC-S1), got ${shown(type)}; slopes of other products pass for changes`,
    );
  const files = POLARISATIONS.flatMap((polarisation) => {
    const [key, asset] = assetOf(assets, polarisation) ?? [];
    return key === undefined ? [] : [{ polarisation, key, asset: asset! }];
  });
  const [first] = files;
  if (first === undefined)
    throw new InvalidInput(
      `assets: expected GeoTIFFs vv or vh, got ${assets.map(([key]) => key).join(', ') || 'none'}`,
    );
  const bands = files.map(
    ({ polarisation, asset }) => [polarisation, bandOf(asset, properties, base)] as const,
  );
  const radar: RadarScene = {
    orbit: orbitOf(id, properties),
    unit: known?.[1] ?? unitOf(first.key, first.asset),
    polarisations: Object.fromEntries(bands),
  };
  const [, mask] = assetOf(assets, 'mask') ?? [];
  const isOpera = names.some((name) => OPERA_RTC.test(name));
  return {
    radar,
    // Masks of other products have codes of their own.
    quality:
      mask !== undefined && isOpera
        ? { href: assetHref(mask, properties, base), encoding: 'opera-rtc-mask' }
        : null,
  };
}

/** Finds an asset by its key, or by the end of the name of its file, as in OPERA's items. */
function assetOf(assets: Assets, name: string): Assets[number] | undefined {
  const end = new RegExp(String.raw`_${name}\.tiff?($|\?)`, 'i');
  return (
    assets.find(([key]) => key.toLowerCase() === name) ??
    assets.find(([, { href }]) => end.test(String(href)))
  );
}

function bandOf(asset: Json, properties: Json, base: string): SceneBand {
  const raster = describedRaster(asset);
  const number = (value: unknown): number | null =>
    typeof value === 'number' && Number.isFinite(value) ? value : null;
  return {
    href: assetHref(asset, properties, base),
    band: 0,
    scale: number(raster['scale'] ?? raster['raster:scale']),
    offset: number(raster['offset'] ?? raster['raster:offset']),
    nodata: number(raster['nodata'] ?? asset['nodata']),
  };
}

function describedRaster(asset: Json): Json {
  const rasters = asset['raster:bands'] ?? asset['bands'];
  return Array.isArray(rasters) && rasters[0] !== undefined ? objectAt(rasters[0], 'raster:bands') : {};
}

/** @throws InvalidInput when the item does not say it */
function unitOf(key: string, asset: Json): BackscatterUnit {
  const unit = describedRaster(asset)['unit'] ?? asset['unit'];
  if (typeof unit === 'string' && /^(dB|decibels?)$/i.test(unit)) return 'dB';
  if (typeof unit === 'string' && /^(1|linear|power|linear power)$/i.test(unit)) return 'power';
  throw new InvalidInput(
    `assets.${key}.raster:bands.unit: expected dB or 1 (linear power), got ${shown(unit)}; the unit of backscatter is not guessed`,
  );
}

/** @throws InvalidInput when neither the properties nor the id say it */
function orbitOf(id: string, properties: Json): number {
  const given = properties['sat:relative_orbit'] ?? OPERA_RTC.exec(id)?.groups?.['orbit'];
  const orbit = typeof given === 'number' || typeof given === 'string' ? Number(given) : Number.NaN;
  if (Number.isInteger(orbit) && orbit >= 1 && orbit <= MOST_ORBIT) return orbit;
  throw new InvalidInput(
    `properties.sat:relative_orbit: expected 1 to ${MOST_ORBIT}, got ${shown(given)}; each orbit has its own baseline`,
  );
}
