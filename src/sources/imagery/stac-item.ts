import { formatDay, parseMoment } from '../../base/time.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { SceneBand, SceneItem } from '../../app/imagery/scene-source.ts';
import { hiddenCharacter, NAME_RULE } from '../../contract/name-text.ts';
import { type Bbox, bboxOf } from '../../geo/bbox.ts';
import { parseGeometry } from '../../geo/geometry-syntax.ts';
import type { Band } from '../../raster/spectral-index.ts';
import { type Json, objectAt, shown, textAt } from './stac-json.ts';
import { assetHref, resolveHref } from './stac-link.ts';
import { isRadarItem, readRadar } from './stac-radar.ts';
import { LEVEL_1C_REASON } from './sensors/sentinel-2-level-1.ts';
import type { Sensor } from './sensors/sensor.ts';
import { SENSORS } from './sensors/sensors.ts';

/** Common names of each band in the EO extension, in order of preference. */
const BAND_NAMES: Readonly<Record<Band, readonly string[]>> = {
  blue: ['blue'],
  green: ['green'],
  red: ['red'],
  nir: ['nir', 'nir08'], // Sentinel-2's broad band, then its narrow one; Landsat has only one
  swir1: ['swir16', 'swir1'],
  swir2: ['swir22', 'swir2'],
};
/** Keys and roles of assets that are pictures of the scene, without measurements. */
const PICTURES = /^(visual|overview|thumbnail|preview|tci|rendered_preview)$/i;
const QUALITY_BANDS = SENSORS.flatMap(({ quality }) => Object.entries(quality));
const LAYER_PREFIXES = SENSORS.flatMap(({ stac }) => stac.layerPrefix ?? []);
const OFFSET_APPLIED = SENSORS.flatMap(({ stac }) => stac.offsetApplied ?? []);
/**
 * Properties with the number of the orbit, in order of preference: the property of the satellite extension comes
 * first.
 */
const ORBITS = ['sat:relative_orbit', ...SENSORS.flatMap(({ stac }) => stac.orbit ?? [])];
const ORBIT_NAMES = SENSORS.flatMap(({ stac }) => stac.orbitInName ?? []);

/**
 * Reads a STAC item of optical imagery, or of radar backscatter that is corrected for terrain, version 0.9 to 1.1.
 * @param base address or path of the item, for relative links
 * @throws InvalidInput naming the field, when the item is malformed, or has no usable bands or no quality band
 * @see https://github.com/radiantearth/stac-spec
 */
export function readStacItem(json: unknown, base: string): SceneItem {
  const item = objectAt(json, 'item');
  const id = textAt(item['id'], 'id');
  const hidden = hiddenCharacter(id);
  if (hidden !== undefined) throw new InvalidInput(`id: expected ${NAME_RULE}, got ${hidden}`);
  try {
    return itemOf(id, item, base);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(`${id}: ${error.message}`, { cause: error });
  }
}

function itemOf(id: string, item: Json, base: string): SceneItem {
  if (item['type'] !== 'Feature')
    throw new InvalidInput(`type: expected Feature, got ${shown(item['type'])}`);
  const properties = objectAt(item['properties'], 'properties');
  const bounds = footprint(item['geometry']);
  const timeMs = timeOf(properties);
  const assets = Object.entries(objectAt(item['assets'], 'assets'))
    .map(([key, asset]) => [key, objectAt(asset, `assets.${key}`)] as const)
    .toSorted(([, a], [, b]) => Number(isJp2(a)) - Number(isJp2(b)));
  const platform = [properties['platform'], properties['constellation'], item['collection'], id]
    .filter((name) => typeof name === 'string')
    .map((name) => SENSORS.find(({ stac }) => stac.ids?.pattern.test(name))?.stac.ids?.platform ?? name);
  const cloud = properties['eo:cloud_cover'];
  const about = {
    id,
    href: selfLink(item, base) ?? id,
    timeMs,
    bounds,
    cloudShare: typeof cloud === 'number' && cloud >= 0 && cloud <= 100 ? cloud / 100 : null,
    platform: sensorOf(platform)?.stac.product ?? platform[0] ?? '',
  };
  if (isRadarItem(id, properties)) {
    const names = [id, item['collection']].filter((name) => typeof name === 'string');
    const { radar, quality } = readRadar(id, names, properties, assets, base);
    const orbit = { 'sat:relative_orbit': radar!.orbit };
    return {
      ...about,
      pass: passOf(platform[0] ?? 'sentinel-1', timeMs, orbit),
      bands: {},
      radar: radar!,
      quality,
    };
  }
  const bands: Partial<Record<Band, SceneBand>> = {};
  for (const band of Object.keys(BAND_NAMES) as Band[]) {
    const found = bandAsset(band, assets, platform);
    if (found !== undefined) bands[band] = bandOf(found, { properties, platform, id }, base);
  }
  const narrow = narrowNirAsset(assets, platform);
  if (Object.keys(bands).length === 0)
    throw new InvalidInput(
      `assets: expected GeoTIFFs or JPEG 2000 files of green, red, near or short-wave infrared, got ${assets.map(([key]) => key).join(', ') || 'none'}`,
    );
  const orbit = orbitInName(properties);
  const pass = passOf(platform[0] ?? 'scene', timeMs, properties);
  return {
    ...about,
    pass: orbit === undefined ? pass : `${pass}_${orbit}`,
    ...(orbit !== undefined && { formerPass: pass }),
    bands,
    ...(narrow !== undefined && { narrowNir: bandOf(narrow, { properties, platform, id }, base) }),
    quality: qualityOf(id, assets, properties, base),
  };
}

/** Bounding box of a scene. Its outline is not validated, because only the box is used. @throws InvalidInput */
function footprint(geometry: unknown): Bbox {
  const parsed = parseGeometry(geometry);
  if ('message' in parsed) throw new InvalidInput(`geometry.${parsed.path}: ${parsed.message}`);
  return bboxOf({
    type: 'MultiPolygon',
    coordinates: parsed.polygons.map((rings) => rings.map((ring) => ring.map(([lng, lat]) => [lng, lat]))),
  });
}

/** @throws InvalidInput */
function timeOf(properties: Json): number {
  // An item over a time range has no `datetime`: its start is used.
  const text = properties['datetime'] ?? properties['start_datetime'];
  const moment = typeof text === 'string' ? parseMoment(text) : undefined;
  if (moment === undefined)
    throw new InvalidInput(`properties.datetime: expected an RFC 3339 time, got ${shown(text)}`);
  return moment.ms;
}

interface Found {
  readonly asset: Json;
  /** Index of the band in the file, from 0. */
  readonly band: number;
}

/**
 * Finds the asset of a band: by common name in order of preference, else by the sensor's own asset names; the other way
 * round for sensors whose own names come first.
 */
function bandAsset(
  band: Band,
  assets: readonly (readonly [key: string, asset: Json])[],
  platform: readonly string[],
): Found | undefined {
  const files = assets.filter(([key, asset]) => isMeasurement(key, asset));
  const names = sensorOf(platform)?.stac.assets;
  const [, own] = files.find(([key]) => names?.bands[band]?.test(key) === true) ?? [];
  if (own !== undefined && names?.first === true) return { asset: own, band: 0 };
  for (const name of BAND_NAMES[band]) {
    for (const [key, asset] of files) {
      const described = describedBands(asset);
      const at = described.findIndex((one) => (one['common_name'] ?? one['eo:common_name']) === name);
      if (at >= 0) return { asset, band: at };
      if (described.length <= 1 && key.toLowerCase() === name) return { asset, band: 0 };
    }
  }
  return own === undefined ? undefined : { asset: own, band: 0 };
}

/** The sensor of an item, by the names of its platform, constellation and collection, and its id. */
function sensorOf(platform: readonly string[]): Sensor | undefined {
  return SENSORS.find(({ stac }) => platform.some((name) => stac.assets?.platform.test(name)));
}

/** Finds the narrow near infrared band of a sensor that has a broad one too. */
function narrowNirAsset(
  assets: readonly (readonly [key: string, asset: Json])[],
  platform: readonly string[],
): Found | undefined {
  const own = sensorOf(platform)?.stac.narrowNir;
  if (own === undefined) return undefined;
  for (const [key, asset] of assets) {
    if (!isMeasurement(key, asset)) continue;
    const described = describedBands(asset);
    const band = described.findIndex((one) => (one['common_name'] ?? one['eo:common_name']) === 'nir08');
    if (band >= 0 || own.test(key)) return { asset, band: Math.max(0, band) };
  }
  return undefined;
}

function isMeasurement(key: string, asset: Json): boolean {
  const { roles, type, href } = asset;
  if (PICTURES.test(key) || (Array.isArray(roles) && roles.some((role) => PICTURES.test(String(role)))))
    return false;
  return typeof type === 'string'
    ? type.startsWith('image/tiff') || isJp2(asset)
    : /\.(tiff?|jp2)($|\?)/i.test(String(href));
}

/** Whether an asset is a JPEG 2000 file. Where there is a GeoTIFF of the same band, it is read instead. */
function isJp2({ type, href }: Json): boolean {
  return typeof type === 'string' ? /^image\/jp[2x]/.test(type) : /\.jp2($|\?)/i.test(String(href));
}

/** Descriptions of an asset's bands: `eo:bands`, or `bands` from version 1.1 on. */
function describedBands(asset: Json): readonly Json[] {
  const described = asset['eo:bands'] ?? asset['bands'];
  return Array.isArray(described) ? described.map((one) => objectAt(one, 'bands')) : [];
}

/** What an item says about itself, besides its assets. */
interface About {
  readonly properties: Json;
  readonly platform: readonly string[];
  readonly id: string;
}

function bandOf({ asset, band }: Found, about: About, base: string): SceneBand {
  const rasters = asset['raster:bands'] ?? asset['bands'];
  const raster =
    Array.isArray(rasters) && rasters[band] !== undefined ? objectAt(rasters[band], 'bands') : {};
  const number = (...names: readonly string[]): number | null => {
    const value = names.map((name) => raster[name] ?? asset[name]).find((one) => one !== undefined);
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  };
  const declared = { scale: number('scale', 'raster:scale'), offset: number('offset', 'raster:offset') };
  return {
    href: assetHref(asset, about.properties, base),
    band,
    ...reflectanceOf(declared, about),
    nodata: number('nodata'),
  };
}

/** Scale and offset of a band: those that the item declares, else the defaults of its sensor. */
function reflectanceOf(
  { scale, offset }: Pick<SceneBand, 'scale' | 'offset'>,
  { properties, platform, id }: About,
): Pick<SceneBand, 'scale' | 'offset'> {
  const defaults = sensorOf(platform)?.stac.reflectance?.(properties, id);
  return {
    scale: scale ?? defaults?.scale ?? null,
    // Some catalogues have already added the offset to the pixels, but still declare it. A property of the item then
    // says so.
    offset: OFFSET_APPLIED.some((name) => properties[name] === true)
      ? 0
      : (offset ?? defaults?.offset ?? null),
  };
}

function qualityOf(
  id: string,
  assets: readonly (readonly [key: string, asset: Json])[],
  properties: Json,
  base: string,
): SceneItem['quality'] {
  if (LEVEL_1C.test(`${String(properties['processing:level'])} ${id}`))
    throw new InvalidInput(`assets: ${LEVEL_1C_REASON}`);
  for (const [name, encoding] of QUALITY_BANDS) {
    // Some catalogues add the resolution or the format: SCL_20m, scl-jp2.
    const isNamed = (key: string): boolean => quality(key).includes(name.toLowerCase());
    const [, asset] = assets.find(([key, one]) => isNamed(key) && isMeasurement(key, one)) ?? [];
    if (asset !== undefined) return { href: assetHref(asset, properties, base), encoding };
  }
  throw new InvalidInput(
    'assets: expected a quality band that tells cloud from ground (scl, qa_pixel or bqa, as a GeoTIFF or JPEG 2000); without one every cloud would pass for a change',
  );
}

/** The names under which a key of an asset is looked up among the quality bands, in lower case. */
function quality(key: string): readonly string[] {
  const plain = key.replaceAll('-', '_').toLowerCase();
  const layer = LAYER_PREFIXES.reduce((name, prefix) => name.replace(prefix, ''), plain);
  return [plain, plain.replace(/_(\d+m|jp2)$/, ''), layer];
}

const LEVEL_1C = /^L1C\b|MSIL1C/;

const MOST_PLATFORM = 100; // maximum length of the name of a satellite [characters]

/**
 * Identifies the pass of the satellite: scenes of the same satellite, day and orbit were taken in one pass, seconds
 * to minutes apart.
 */
function passOf(platform: string, timeMs: number, properties: Json): string {
  const day = formatDay(timeMs);
  const orbit = orbitOf(properties);
  return `${platform.slice(0, MOST_PLATFORM).toLowerCase()}_${day}${orbit === undefined ? '' : `_${orbit}`}`;
}

function orbitOf(properties: Json): number | undefined {
  const orbit = ORBITS.map((name) => properties[name]).find((value) => value !== undefined && value !== null);
  return typeof orbit === 'number' || typeof orbit === 'string' ? Number(orbit) : undefined;
}

/** The orbit in the name of the product, for an item that has it in no property. */
function orbitInName(properties: Json): number | undefined {
  if (orbitOf(properties) !== undefined) return undefined;
  const found = ORBIT_NAMES.map(({ property, pattern }) => pattern.exec(String(properties[property])));
  return found.flatMap((match) => (match === null ? [] : Number(match[1])))[0];
}

function selfLink(item: Json, base: string): string | undefined {
  const links = Array.isArray(item['links']) ? item['links'] : [];
  const own = links.find((link: unknown) => (link as Json | null)?.['rel'] === 'self') as Json | undefined;
  return typeof own?.['href'] === 'string' ? resolveHref(own['href'], base) : undefined;
}
