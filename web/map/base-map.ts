import type {
  LayerSpecification,
  SourceSpecification,
  StyleSpecification,
  SymbolLayerSpecification,
} from 'maplibre-gl';

/** What is drawn below the data: sources, layers below and above the data, and where their letters and signs are. */
export interface BaseMap {
  readonly sources: StyleSpecification['sources'];
  readonly below: readonly LayerSpecification[];
  readonly glyphs?: string;
  readonly sprite?: StyleSpecification['sprite'];
  /** Fonts that the glyphs have; undefined: those of the browser are used. */
  readonly fonts?: readonly string[] | undefined;
}

/** The setting of the service. */
type Setting =
  | { readonly kind: 'own' }
  | { readonly kind: 'tiles' | 'style'; readonly url: string; readonly attribution: string };

/** Prefix of the sources and layers of a style, so that none has the name of one of ours. */
const PREFIX = 'base/';
/** Side of a tile [px]: what servers of XYZ and WMTS tiles use unless they say otherwise. */
const TILE_PX = 256;
/** Highest zoom that is asked of a server of tiles; beyond it they are drawn larger. */
const MAX_ZOOM = 19;

/**
 * Loads the base map that the service is set to; undefined: that of the console.
 * @throws Error when a style cannot be loaded
 */
export async function loadBaseMap(): Promise<BaseMap | undefined> {
  const setting = (await (await fetch('./base-map')).json()) as Setting;
  if (setting.kind === 'own') return undefined;
  if (setting.kind === 'tiles') return baseOfTiles(setting.url, setting.attribution);
  const answer = await fetch(setting.url);
  if (!answer.ok) throw new Error(`the style of the base map answered ${answer.status}`);
  return baseOfStyle((await answer.json()) as StyleSpecification, setting.url, setting.attribution);
}

/** The base map of raster tiles. @param url with `{z}`, `{x}` and `{y}` */
export function baseOfTiles(url: string, attribution: string): BaseMap {
  return {
    sources: {
      [`${PREFIX}tiles`]: { type: 'raster', tiles: [url], tileSize: TILE_PX, maxzoom: MAX_ZOOM, attribution },
    },
    below: [{ id: `${PREFIX}tiles`, type: 'raster', source: `${PREFIX}tiles` }],
  };
}

/** The base map of a style, whose addresses may be relative to its own. */
export function baseOfStyle(style: StyleSpecification, url: string, attribution: string): BaseMap {
  const whole = (address: string): string =>
    decodeURI(new URL(address, url).href).replaceAll('%7B', '{').replaceAll('%7D', '}');
  const sourceOf = (source: SourceSpecification): SourceSpecification => {
    const resolved = { ...source } as Record<string, unknown>;
    if (typeof resolved['url'] === 'string') resolved['url'] = whole(resolved['url']);
    if (Array.isArray(resolved['tiles'])) resolved['tiles'] = (resolved['tiles'] as string[]).map(whole);
    if (typeof resolved['data'] === 'string') resolved['data'] = whole(resolved['data']);
    if (attribution !== '' && resolved['type'] !== 'geojson') resolved['attribution'] = attribution;
    return resolved as unknown as SourceSpecification;
  };
  const below = style.layers.map((layer): LayerSpecification =>
    'source' in layer
      ? { ...layer, id: PREFIX + layer.id, source: PREFIX + layer.source }
      : { ...layer, id: PREFIX + layer.id },
  );
  return {
    sources: Object.fromEntries(
      Object.entries(style.sources).map(([name, source]) => [PREFIX + name, sourceOf(source)]),
    ),
    below,
    ...(style.glyphs !== undefined && { glyphs: whole(style.glyphs) }),
    ...(typeof style.sprite === 'string' && { sprite: whole(style.sprite) }),
    fonts: style.glyphs === undefined ? undefined : fontsOf(style.layers),
  };
}

/** The fonts of the first layer that names some: those that the glyphs of the style are sure to have. */
function fontsOf(layers: readonly LayerSpecification[]): readonly string[] | undefined {
  for (const layer of layers) {
    const fonts = (layer as SymbolLayerSpecification).layout?.['text-font'];
    if (Array.isArray(fonts) && fonts.every((font) => typeof font === 'string')) return fonts as string[];
  }
  return undefined;
}
