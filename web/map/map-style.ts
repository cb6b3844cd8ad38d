import type { ExpressionSpecification, StyleSpecification } from 'maplibre-gl';
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlasUrl from 'world-atlas/countries-110m.json?url';
import { flatLand } from './flat-rings.ts';
import type { Palette } from './palette.ts';

/** Land and borders of Natural Earth 1:110m, of this service itself: no map server is asked. */
export async function loadCountries(): Promise<GeoJSON.FeatureCollection> {
  const answer = await fetch(atlasUrl);
  const atlas = (await answer.json()) as Topology<{ countries: GeometryCollection }>;
  return flatLand(feature(atlas, atlas.objects.countries));
}

const NOTHING: GeoJSON.FeatureCollection = { type: 'FeatureCollection', features: [] };

/** Every source and layer of the map, in drawing order; the data come later. */
export function mapStyle(palette: Palette): StyleSpecification {
  const source = (tolerance: number) => ({ type: 'geojson' as const, data: NOTHING, tolerance });
  return {
    version: 8,
    sources: {
      countries: source(0.375), // pixels: the library's own default
      graticule: source(0),
      areas: source(0.1), // pixels, unseen; all of ten thousand corners are more than the library draws in one piece
      changes: source(0),
      stations: source(0),
      draft: source(0),
      place: source(0),
    },
    layers: [
      { id: 'sea', type: 'background', paint: { 'background-color': palette.sea } },
      { id: 'land', type: 'fill', source: 'countries', paint: { 'fill-color': palette.land } },
      {
        id: 'borders',
        type: 'line',
        source: 'countries',
        paint: { 'line-color': palette.border, 'line-width': 0.8 },
      },
      {
        id: 'graticule',
        type: 'line',
        source: 'graticule',
        paint: { 'line-color': palette.graticule, 'line-width': 0.6 },
      },
      {
        id: 'areas',
        type: 'fill',
        source: 'areas',
        paint: { 'fill-color': palette.area, 'fill-opacity': selected(0.1, 0.04) },
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
        paint: { 'fill-color': changeColour(palette), 'fill-opacity': selected(0.6, 0.35) },
      },
      {
        id: 'change-outlines',
        type: 'line',
        source: 'changes',
        paint: { 'line-color': changeColour(palette), 'line-width': selected(3, 1.2) },
      },
      {
        // Far out a change is smaller than a pixel; a dot keeps it in sight.
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
    ],
  };
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
    ['water_gain', 'water_loss'],
    palette.water,
    'built_up',
    palette.builtUp,
    ['ground_subsidence', 'ground_uplift'],
    palette.ground,
    palette.other,
  ];
}
