import { parseMoment } from '../../base/time.ts';
import { InvalidInput } from '../../base/errors.ts';
import type { SceneBand, SceneItem } from '../../app/imagery/scene-source.ts';
import { type Bbox, bboxOf } from '../../geo/bbox.ts';
import { parseGeometry } from '../../geo/geometry-syntax.ts';
import type { QualityName } from '../../raster/quality/encodings.ts';
import type { Band } from '../../raster/spectral-index.ts';

type Json = Readonly<Record<string, unknown>>;

/** What each band is called: common names of the EO extension, then the names of Sentinel-2 and of Landsat 8 and 9. */
const BAND_NAMES: Readonly<Record<Band, readonly string[]>> = {
  green: ['green'],
  red: ['red'],
  nir: ['nir', 'nir08'], // Sentinel-2's broad band before its narrow one; Landsat has but one
  swir1: ['swir16', 'swir1'],
  swir2: ['swir22', 'swir2'],
};
const PLATFORM_BANDS: readonly (readonly [platform: RegExp, bands: Readonly<Record<Band, RegExp>>])[] = [
  [/^sentinel-2/i, { green: /^B0?3$/, red: /^B0?4$/, nir: /^B0?8$/, swir1: /^B11$/, swir2: /^B12$/ }],
  [
    /^landsat-[89]/i,
    { green: /^(SR_)?B3$/, red: /^(SR_)?B4$/, nir: /^(SR_)?B5$/, swir1: /^(SR_)?B6$/, swir2: /^(SR_)?B7$/ },
  ],
];
/** Assets that show the scene rather than hold its measurements. */
const PICTURES = /^(visual|overview|thumbnail|preview|tci|rendered_preview)$/i;
/** Quality bands by the names of their assets. */
const QUALITY_ASSETS: readonly (readonly [name: RegExp, encoding: QualityName])[] = [
  [/^scl$/i, 'sentinel-2-scl'],
  [/^(qa_pixel|qa-pixel)$/i, 'landsat-c2'],
  [/^bqa$/i, 'landsat-c1'],
  [/^pixel_qa$/i, 'landsat-ard'],
  [/^fmask$/i, 'hls-fmask'],
];
const REFLECTANCE_SCALE = 1e-4; // of Sentinel-2's integers (ESA, Level-2A product format)
const BASELINE_OFFSET = -0.1; // of Sentinel-2 from processing baseline 04.00 on (ESA, 25 January 2022)

/**
 * One STAC item of optical imagery, of version 0.9 to 1.1.
 * @param base address or path that relative links start from
 * @throws InvalidInput naming the field, when the item is malformed or lacks what the monitor needs
 * @see https://github.com/radiantearth/stac-spec
 */
export function readStacItem(json: unknown, base: string): SceneItem {
  const item = objectAt(json, 'item');
  const id = textAt(item['id'], 'id');
  try {
    return itemOf(id, item, base);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(`${id}: ${error.message}`, { cause: error });
  }
}

function itemOf(id: string, item: Json, base: string): SceneItem {
  if (item['type'] !== 'Feature')
    throw new InvalidInput(`type: expected Feature, got ${JSON.stringify(item['type'])}`);
  const properties = objectAt(item['properties'], 'properties');
  const bounds = footprint(item['geometry']);
  const timeMs = timeOf(properties);
  const assets = Object.entries(objectAt(item['assets'], 'assets')).map(
    ([key, asset]) => [key, objectAt(asset, `assets.${key}`)] as const,
  );
  const platform = [properties['platform'], properties['constellation'], item['collection'], id]
    .filter((name) => typeof name === 'string')
    .map((name) => name.replace(/^(S2[ABC]?_.*)$/, 'sentinel-2').replace(/^(LC0[89]_.*)$/, 'landsat-8'));
  const bands: Partial<Record<Band, SceneBand>> = {};
  for (const band of Object.keys(BAND_NAMES) as Band[]) {
    const found = bandAsset(band, assets, platform);
    if (found !== undefined) bands[band] = bandOf(found, properties, base);
  }
  if (Object.keys(bands).length === 0)
    throw new InvalidInput(
      `assets: expected GeoTIFFs of green, red, near or short-wave infrared, got ${assets.map(([key]) => key).join(', ') || 'none'}`,
    );
  const cloud = properties['eo:cloud_cover'];
  return {
    id,
    href: selfLink(item, base) ?? id,
    timeMs,
    bounds,
    cloudShare: typeof cloud === 'number' && cloud >= 0 && cloud <= 100 ? cloud / 100 : null,
    pass: passOf(platform[0] ?? 'scene', timeMs, properties),
    bands,
    quality: qualityOf(assets, base),
  };
}

/** Box around what a scene covers. Its outline need not be simple: a search only asks where it lies. @throws InvalidInput */
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
  // What was gathered over a time has no moment of its own: its start stands for it.
  const text = properties['datetime'] ?? properties['start_datetime'];
  const moment = typeof text === 'string' ? parseMoment(text) : undefined;
  if (moment === undefined)
    throw new InvalidInput(`properties.datetime: expected an RFC 3339 time, got ${JSON.stringify(text)}`);
  return moment.ms;
}

interface Found {
  readonly asset: Json;
  /** Position of the band among those of the file. */
  readonly band: number;
}

/** The asset of a band: by common name in the order of preference, else by the platform's own names. */
function bandAsset(
  band: Band,
  assets: readonly (readonly [key: string, asset: Json])[],
  platform: readonly string[],
): Found | undefined {
  const files = assets.filter(([key, asset]) => isMeasurement(key, asset));
  for (const name of BAND_NAMES[band]) {
    for (const [key, asset] of files) {
      const described = describedBands(asset);
      const at = described.findIndex((one) => (one['common_name'] ?? one['eo:common_name']) === name);
      if (at >= 0) return { asset, band: at };
      if (described.length <= 1 && key.toLowerCase() === name) return { asset, band: 0 };
    }
  }
  const own = PLATFORM_BANDS.find(([names]) => platform.some((name) => names.test(name)))?.[1][band];
  const [, asset] = files.find(([key]) => own?.test(key) === true) ?? [];
  return asset === undefined ? undefined : { asset, band: 0 };
}

function isMeasurement(key: string, asset: Json): boolean {
  const { roles, type, href } = asset;
  if (PICTURES.test(key) || (Array.isArray(roles) && roles.some((role) => PICTURES.test(String(role)))))
    return false;
  return typeof type === 'string' ? type.startsWith('image/tiff') : /\.tiff?($|\?)/i.test(String(href));
}

/** What an asset says of its bands: `eo:bands`, or `bands` from version 1.1 on. */
function describedBands(asset: Json): readonly Json[] {
  const described = asset['eo:bands'] ?? asset['bands'];
  return Array.isArray(described) ? described.map((one) => objectAt(one, 'bands')) : [];
}

function bandOf({ asset, band }: Found, properties: Json, base: string): SceneBand {
  const rasters = asset['raster:bands'] ?? asset['bands'];
  const raster =
    Array.isArray(rasters) && rasters[band] !== undefined ? objectAt(rasters[band], 'bands') : {};
  const number = (...names: readonly string[]): number | null => {
    const value = names.map((name) => raster[name] ?? asset[name]).find((one) => one !== undefined);
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  };
  const isSentinel = /^sentinel-2/i.test(String(properties['constellation'] ?? properties['platform']));
  return {
    href: resolveHref(textAt(asset['href'], 'href'), base),
    band,
    scale: number('scale', 'raster:scale') ?? (isSentinel ? REFLECTANCE_SCALE : null),
    offset: offsetOf(number('offset', 'raster:offset'), isSentinel, properties),
    nodata: number('nodata'),
  };
}

/**
 * What is to be added to a band. Some catalogues took Sentinel-2's offset off the pixels and went on declaring it, and
 * say so in a property of their own.
 */
function offsetOf(declared: number | null, isSentinel: boolean, properties: Json): number | null {
  const isTakenOff = ['earthsearch:boa_offset_applied', 'sentinel:boa_offset_applied'].some(
    (name) => properties[name] === true,
  );
  if (isTakenOff) return 0;
  if (declared !== null || !isSentinel) return declared;
  const baseline = ['s2:processing_baseline', 'sentinel2:processing_baseline', 'processing:version']
    .map((name) => Number(properties[name]))
    .find((version) => !Number.isNaN(version));
  return baseline !== undefined && baseline >= 4 ? BASELINE_OFFSET : 0;
}

function qualityOf(
  assets: readonly (readonly [key: string, asset: Json])[],
  base: string,
): SceneItem['quality'] {
  for (const [name, encoding] of QUALITY_ASSETS) {
    const [, asset] = assets.find(([key, one]) => name.test(key) && isMeasurement(key, one)) ?? [];
    if (asset !== undefined) return { href: resolveHref(textAt(asset['href'], 'href'), base), encoding };
  }
  throw new InvalidInput(
    'assets: expected a quality band that tells cloud from ground (scl, qa_pixel or bqa, as a GeoTIFF); without one every cloud would pass for a change',
  );
}

/** Scenes of one satellite, day and orbit were taken in one pass, seconds to minutes apart. */
function passOf(platform: string, timeMs: number, properties: Json): string {
  const day = new Date(timeMs).toISOString().slice(0, 10);
  const orbit = properties['sat:relative_orbit'] ?? properties['landsat:wrs_path'];
  const isNamed = typeof orbit === 'number' || typeof orbit === 'string';
  return `${platform.toLowerCase()}_${day}${isNamed ? `_${Number(orbit)}` : ''}`;
}

function selfLink(item: Json, base: string): string | undefined {
  const links = Array.isArray(item['links']) ? item['links'] : [];
  const own = links.find((link: unknown) => (link as Json | null)?.['rel'] === 'self') as Json | undefined;
  return typeof own?.['href'] === 'string' ? resolveHref(own['href'], base) : undefined;
}

/** An address from where it is written. @throws InvalidInput for what is neither https nor a path */
export function resolveHref(href: string, base: string): string {
  if (/^https:\/\//i.test(href)) return href;
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(href)?.[1];
  if (scheme !== undefined)
    throw new InvalidInput(
      `href: expected https, got ${scheme}: ${href}. Use a catalogue that links its files by https`,
    );
  if (/^https:\/\//i.test(base)) return new URL(href, base).href;
  return href.startsWith('/') ? href : `${base.replace(/[^/]*$/, '')}${href}`;
}

function objectAt(value: unknown, field: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidInput(`${field}: expected an object, got ${JSON.stringify(value)?.slice(0, 100)}`);
  return value as Json;
}

function textAt(value: unknown, field: string): string {
  if (typeof value !== 'string' || value === '')
    throw new InvalidInput(`${field}: expected text, got ${JSON.stringify(value)?.slice(0, 100)}`);
  return value;
}
