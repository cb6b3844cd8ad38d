import type {
  ExpressionSpecification,
  FilterSpecification,
  LayerSpecification,
  RasterSourceSpecification,
  VectorSourceSpecification,
} from 'maplibre-gl';
import type { Palette } from './palette.ts';

/**
 * Fonts. Without an address of glyphs in the style, the library draws the letters with the fonts of the browser: it reads
 * weight and slope from the name of a font, and sans-serif stands in for a font that is not there, as these are not.
 */
const REGULAR = ['system-ui'];
const BOLD = ['Bold'];
const ITALIC = ['Italic'];

/** Highest zoom of the tiles; beyond it, they are drawn larger. `scripts/derive-base-map.ts` makes them. */
const MAX_ZOOM = 6;

/** The source of the base map: tiles of this service, from Natural Earth and GeoNames. */
export function baseSource(): VectorSourceSpecification {
  return {
    type: 'vector',
    tiles: [`${new URL('base-map/', document.baseURI).href}{z}/{x}/{y}`],
    maxzoom: MAX_ZOOM,
    attribution: 'Natural Earth, GeoNames',
  };
}

/** Highest zoom of the tiles of the relief, whose heights lie 9 km apart. */
const RELIEF_ZOOM = 4;
/** Zoom at which the relief has faded: drawn larger, it would pretend to more than it knows. */
const FLAT_ZOOM = 6;

/** The source of the relief: tiles of this service, from ETOPO5. They are not loaded beyond `FLAT_ZOOM`. */
export function reliefSource(): RasterSourceSpecification {
  return {
    type: 'raster',
    tiles: [`${new URL('base-map/', document.baseURI).href}relief/{z}/{x}/{y}`],
    tileSize: 512,
    maxzoom: RELIEF_ZOOM,
    attribution: 'NOAA ETOPO5',
  };
}

/** Layers of sea, land, rivers and borders, below the data. */
export function groundLayers(palette: Palette): LayerSpecification[] {
  return [
    { id: 'sea', type: 'background', paint: { 'background-color': palette.sea } },
    {
      id: 'land',
      type: 'fill',
      source: 'base',
      'source-layer': 'land',
      paint: { 'fill-color': palette.land, 'fill-outline-color': palette.coast },
    },
    {
      id: 'relief',
      type: 'raster',
      source: 'relief',
      // The first view of an account without areas shows the world, and shall stay small.
      minzoom: 2,
      maxzoom: FLAT_ZOOM,
      paint: {
        'raster-opacity': ['interpolate', ['linear'], ['zoom'], RELIEF_ZOOM, palette.relief, FLAT_ZOOM, 0],
        'raster-fade-duration': 0,
      },
    },
    {
      id: 'rivers',
      type: 'line',
      source: 'base',
      'source-layer': 'rivers',
      filter: upTo('rank', [2, 2, 3, 4, 4, 6, 5, 8, 6, 11]),
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: {
        'line-color': palette.river,
        'line-width': widening(0.5, 1, 2.6, 5),
      },
    },
    {
      id: 'regions',
      type: 'line',
      source: 'base',
      'source-layer': 'regions',
      minzoom: 4,
      paint: {
        'line-color': palette.region,
        'line-width': widening(0.5, 0.8, 1.2, 1.6),
        'line-dasharray': [3, 2],
      },
    },
    {
      id: 'borders',
      type: 'line',
      source: 'base',
      'source-layer': 'borders',
      layout: { 'line-join': 'round' },
      paint: { 'line-color': palette.border, 'line-width': widening(0.6, 1, 1.8, 2.4) },
    },
  ];
}

/** Layers of names, above the data. They keep clear of each other. */
export function nameLayers(palette: Palette): LayerSpecification[] {
  const halo = { 'text-halo-color': palette.halo, 'text-halo-width': 1.4 };
  return [
    areaNames(palette),
    {
      id: 'river-names',
      type: 'symbol',
      source: 'base',
      'source-layer': 'rivers',
      minzoom: 5,
      layout: {
        'symbol-placement': 'line',
        'text-field': ['get', 'name'],
        'text-font': ITALIC,
        'text-size': 11,
        'symbol-spacing': 400,
        'symbol-sort-key': ['get', 'rank'],
      },
      paint: { 'text-color': palette.water, ...halo },
    },
    {
      id: 'towns',
      type: 'symbol',
      source: 'base',
      'source-layer': 'places',
      minzoom: 2,
      filter: upTo('class', [2, 0, 3, 1, 4, 2, 5, 4, 6, 5, 7, 6, 8, 7, 9, 9]),
      layout: {
        'text-field': ['get', 'name'],
        'text-font': REGULAR,
        'text-size': [
          'interpolate',
          ['linear'],
          ['zoom'],
          3,
          ['-', 12, ['*', 0.3, ['get', 'class']]],
          10,
          ['-', 16, ['*', 0.5, ['get', 'class']]],
        ],
        'text-variable-anchor': ['bottom', 'top', 'left', 'right'],
        'text-radial-offset': 0.35,
        'text-padding': 4,
        'symbol-sort-key': ['get', 'class'],
        'icon-image': 'town',
        'icon-size': ['case', ['has', 'capital'], 1.3, 1],
      },
      paint: { 'text-color': palette.town, ...halo },
    },
    {
      id: 'countries',
      type: 'symbol',
      source: 'base',
      'source-layer': 'countries',
      maxzoom: 7,
      layout: {
        'text-field': ['get', 'name'],
        'text-font': BOLD,
        'text-size': ['interpolate', ['linear'], ['zoom'], 1, 10, 6, 15],
        'text-letter-spacing': 0.08,
        'text-max-width': 7,
        'text-transform': 'uppercase',
        'symbol-sort-key': ['get', 'rank'],
      },
      paint: { 'text-color': palette.country, ...halo },
    },
  ];
}

/** The layer of the names of areas. */
export function areaNames(palette: Palette, fonts: readonly string[] = BOLD): LayerSpecification {
  return {
    id: 'area-names',
    type: 'symbol',
    source: 'area-names',
    minzoom: 6,
    layout: {
      'text-field': ['get', 'name'],
      'text-font': [...fonts],
      'text-size': 12,
      'text-anchor': 'bottom-left',
      'text-offset': [0, -0.2],
      'text-max-width': 30,
    },
    paint: { 'text-color': palette.area, 'text-halo-color': palette.halo, 'text-halo-width': 1.4 },
  };
}

/** A dot before the name of a town, as pixels of the map: 8 px on a side, drawn at twice that. */
export function townDot(palette: Palette): {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
} {
  const side = 14;
  const data = new Uint8Array(side * side * 4);
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const distance = Math.hypot(x + 0.5 - side / 2, y + 0.5 - side / 2);
      const colour = distance < 3.6 ? palette.town : palette.halo;
      data.set(
        [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)),
        4 * (y * side + x),
      );
      data[4 * (y * side + x) + 3] = Math.round(255 * Math.min(1, Math.max(0, side / 2 - distance)));
    }
  return { width: side, height: side, data };
}

/** Features of which a number is at most a limit that rises with the zoom: `[zoom, limit, zoom, limit, ...]`. */
function upTo(property: string, [first, limit, ...steps]: readonly number[]): FilterSpecification {
  return [
    'all',
    ['>=', ['zoom'], first!],
    ['<=', ['get', property], ['step', ['zoom'], limit!, ...steps]],
  ] as never;
}

/** A width [px] at zooms 2, 6, 10 and 14. */
function widening(...[at2, at6, at10, at14]: readonly number[]): ExpressionSpecification {
  return ['interpolate', ['linear'], ['zoom'], 2, at2!, 6, at6!, 10, at10!, 14, at14!];
}
