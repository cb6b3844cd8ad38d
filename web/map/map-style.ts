import type {
  ExpressionSpecification,
  LayerSpecification,
  StyleSpecification,
  VectorSourceSpecification,
} from 'maplibre-gl';
import { areaNames, baseSource, groundLayers, nameLayers, reliefSource } from './base-layers.ts';
import type { BaseMap } from './base-map.ts';
import type { Palette } from './palette.ts';
import { TILE_PROTOCOL } from './raster-overlay.ts';

/** Id of the layer below which scenes are drawn. */
export const SCENES_END = 'scenes-end';

const NOTHING: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };

/**
 * Returns all sources and layers of the map. The layers are in drawing order; the sources of data are empty at first.
 * @param base what is drawn below the data; default: the base map of the console
 */
export function mapStyle(palette: Palette, base?: BaseMap): StyleSpecification {
  const source = (tolerance: number) => ({ type: 'geojson' as const, data: NOTHING, tolerance });
  return {
    version: 8,
    ...(base?.glyphs !== undefined && { glyphs: base.glyphs }),
    ...(base?.sprite !== undefined && { sprite: base.sprite }),
    sources: {
      ...(base === undefined ? { base: baseSource(), relief: reliefSource() } : base.sources),
      graticule: source(0),
      areas: tiles('areas'),
      changes: tiles('changes'),
      'area-names': source(0),
      // This simplification is too small to see. Without it, the library cannot draw an area with 10,000 corners.
      'chosen-areas': source(0.1), // pixels
      'chosen-changes': source(0),
      stations: source(0),
      draft: source(0),
      place: source(0),
    },
    layers: [
      ...(base === undefined ? groundLayers(palette) : base.below),
      // Scenes are inserted below this layer, which shows nothing, and other rasters above it.
      { id: SCENES_END, type: 'background', layout: { visibility: 'none' } },
      {
        id: 'graticule',
        type: 'line',
        source: 'graticule',
        paint: { 'line-color': palette.graticule, 'line-width': 0.6 },
      },
      ...dataLayers(palette),
      ...(base === undefined ? nameLayers(palette) : [areaNames(palette, base.fonts)]),
      ...draftLayers(palette),
    ],
  };
}

/** Highest zoom of the vector tiles; beyond it, they are drawn larger. The service makes no finer ones. */
const MAX_ZOOM = 14;

/** The source of the areas or changes of the account: vector tiles of the API. */
function tiles(kind: 'areas' | 'changes'): VectorSourceSpecification {
  return { type: 'vector', tiles: [`${TILE_PROTOCOL}://${kind}/{z}/{x}/{y}`], maxzoom: MAX_ZOOM };
}

/** Layers of the changes of the tiles, which are hidden where no changes are shown. */
export const CHANGE_LAYERS = ['changes', 'change-outlines', 'change-dots'] as const;

/** Returns the layers of areas, changes and stations. */
function dataLayers(palette: Palette): LayerSpecification[] {
  return [
    ...areaLayers(palette),
    {
      id: 'changes',
      type: 'fill',
      source: 'changes',
      'source-layer': 'changes',
      paint: { 'fill-color': changeColour(palette), 'fill-opacity': 0.3 },
    },
    {
      id: 'change-outlines',
      type: 'line',
      source: 'changes',
      'source-layer': 'changes',
      paint: { 'line-color': changeColour(palette), 'line-width': 1.4 },
    },
    {
      // A change that is smaller than a pixel of the screen is a dot, so that it stays visible.
      id: 'change-dots',
      type: 'circle',
      source: 'changes',
      'source-layer': 'changes_points',
      paint: {
        'circle-color': changeColour(palette),
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 2, 2.2, 10, 4],
        'circle-stroke-color': palette.halo,
        'circle-stroke-width': 0.6,
      },
    },
    {
      id: 'chosen-changes',
      type: 'fill',
      source: 'chosen-changes',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'fill-color': changeColour(palette), 'fill-opacity': 0.1 },
    },
    {
      id: 'chosen-change-casings', // keeps the outlines visible on a scene
      type: 'line',
      source: 'chosen-changes',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'line-color': palette.halo, 'line-opacity': 0.8, 'line-width': 5.5 },
    },
    {
      id: 'chosen-change-outlines',
      type: 'line',
      source: 'chosen-changes',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'line-color': changeColour(palette), 'line-width': 3 },
    },
    {
      id: 'chosen-change-dots',
      type: 'circle',
      source: 'chosen-changes',
      maxzoom: 12,
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-color': changeColour(palette),
        'circle-radius': 6,
        'circle-stroke-color': palette.halo,
        'circle-stroke-width': 1.5,
      },
    },
    {
      id: 'stations',
      type: 'circle',
      source: 'stations',
      paint: {
        'circle-color': palette.paper,
        'circle-radius': 3.5,
        'circle-stroke-color': palette.place,
        'circle-stroke-width': 2,
      },
    },
  ];
}

/** Returns the layers of all areas, and of those that the page is about. */
function areaLayers(palette: Palette): LayerSpecification[] {
  const all = { source: 'areas', 'source-layer': 'areas' };
  return [
    {
      id: 'areas',
      type: 'fill',
      ...all,
      paint: { 'fill-color': palette.area, 'fill-opacity': 0.04 },
    },
    {
      id: 'area-casings', // keeps the outlines visible on a scene
      type: 'line',
      ...all,
      paint: { 'line-color': palette.halo, 'line-opacity': 0.7, 'line-width': 3.5 },
    },
    {
      id: 'area-outlines',
      type: 'line',
      ...all,
      paint: { 'line-color': palette.area, 'line-width': 1.5 },
    },
    {
      id: 'area-dots',
      type: 'circle',
      source: 'areas',
      'source-layer': 'areas_points',
      paint: {
        'circle-color': palette.area,
        'circle-radius': 3.5,
        'circle-stroke-color': palette.halo,
        'circle-stroke-width': 1,
      },
    },
    {
      id: 'chosen-areas',
      type: 'fill',
      source: 'chosen-areas',
      paint: { 'fill-color': palette.area, 'fill-opacity': 0.08 },
    },
    {
      id: 'chosen-area-casings',
      type: 'line',
      source: 'chosen-areas',
      paint: { 'line-color': palette.halo, 'line-opacity': 0.8, 'line-width': 5 },
    },
    {
      id: 'chosen-area-outlines',
      type: 'line',
      source: 'chosen-areas',
      paint: { 'line-color': palette.area, 'line-width': 2.5 },
    },
  ];
}

/** Returns the layers of the outline that is being drawn and of the chosen place. */
function draftLayers(palette: Palette): LayerSpecification[] {
  return [
    {
      id: 'draft',
      type: 'fill',
      source: 'draft',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'fill-color': palette.draft, 'fill-opacity': 0.15 },
    },
    {
      id: 'draft-outline',
      type: 'line',
      source: 'draft',
      filter: ['!=', ['geometry-type'], 'Point'],
      paint: { 'line-color': palette.draft, 'line-width': 2, 'line-dasharray': [2, 1.5] },
    },
    {
      id: 'draft-corners',
      type: 'circle',
      source: 'draft',
      filter: ['==', ['geometry-type'], 'Point'],
      paint: {
        'circle-color': palette.paper,
        'circle-radius': 4.5,
        'circle-stroke-color': palette.draft,
        'circle-stroke-width': 2,
      },
    },
    {
      id: 'place',
      type: 'circle',
      source: 'place',
      paint: {
        'circle-color': palette.place,
        'circle-radius': 6,
        'circle-stroke-color': palette.paper,
        'circle-stroke-width': 2,
      },
    },
  ];
}

function changeColour(palette: Palette): ExpressionSpecification {
  return [
    'match',
    ['get', 'type'],
    'vegetation_loss',
    palette.loss,
    'burn',
    palette.burn,
    'vegetation_gain',
    palette.gain,
    'conversion',
    palette.conversion,
    ['water_gain', 'water_loss'],
    palette.water,
    'built_up',
    palette.builtUp,
    ['ground_subsidence', 'ground_uplift'],
    palette.ground,
    palette.other,
  ];
}
