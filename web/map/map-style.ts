import type { ExpressionSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl';
import { baseSource, groundLayers, nameLayers } from './base-layers.ts';
import type { Palette } from './palette.ts';

const NOTHING: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };

/** Returns all sources and layers of the map. The layers are in drawing order; the sources of data are empty at first. */
export function mapStyle(palette: Palette): StyleSpecification {
  const source = (tolerance: number) => ({ type: 'geojson' as const, data: NOTHING, tolerance });
  return {
    version: 8,
    sources: {
      base: baseSource(),
      graticule: source(0),
      // This simplification is too small to see. Without it, the library cannot draw an area with 10,000 corners.
      areas: source(0.1), // pixels
      changes: source(0),
      stations: source(0),
      draft: source(0),
      place: source(0),
    },
    layers: [
      ...groundLayers(palette),
      {
        id: 'graticule',
        type: 'line',
        source: 'graticule',
        paint: { 'line-color': palette.graticule, 'line-width': 0.6 },
      },
      ...dataLayers(palette),
      ...nameLayers(palette),
      ...draftLayers(palette),
    ],
  };
}

/** Returns the layers of areas, changes and stations. */
function dataLayers(palette: Palette): LayerSpecification[] {
  return [
    {
      id: 'areas',
      type: 'fill',
      source: 'areas',
      paint: { 'fill-color': palette.area, 'fill-opacity': selected(0.1, 0.04) },
    },
    {
      id: 'area-casings', // keeps the outlines visible on a scene
      type: 'line',
      source: 'areas',
      paint: { 'line-color': palette.halo, 'line-opacity': 0.7, 'line-width': selected(5, 3.5) },
    },
    {
      id: 'area-outlines',
      type: 'line',
      source: 'areas',
      paint: { 'line-color': palette.area, 'line-width': selected(2.5, 1.5) },
    },
    {
      id: 'changes',
      type: 'fill',
      source: 'changes',
      paint: { 'fill-color': changeColour(palette), 'fill-opacity': selected(0.1, 0.3) },
    },
    {
      id: 'change-casings',
      type: 'line',
      source: 'changes',
      paint: { 'line-color': palette.halo, 'line-opacity': 0.8, 'line-width': selected(5.5, 2.6) },
    },
    {
      id: 'change-outlines',
      type: 'line',
      source: 'changes',
      paint: { 'line-color': changeColour(palette), 'line-width': selected(3, 1.2) },
    },
    {
      // At a low zoom, a change is smaller than a pixel of the screen. The dot keeps the change visible.
      id: 'change-dots',
      type: 'circle',
      source: 'changes',
      maxzoom: 12,
      filter: ['==', ['geometry-type'], 'Point'],
      paint: { 'circle-color': changeColour(palette), 'circle-radius': selected(6, 4) },
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

function selected(yes: number, no: number): ExpressionSpecification {
  return ['case', ['boolean', ['get', 'selected'], false], yes, no];
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
