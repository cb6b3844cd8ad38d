import { Type, type Static } from 'typebox';
import { Day, nullable } from '../fields.ts';
import { TILE_UNITS } from '../limits.ts';
import { operation } from '../operation.ts';
import { Legend } from './change-images.ts';
import { TILE_JSON, TILE_PARAMS } from './tiles.ts';

const LayerName = Type.String({
  maxLength: 100,
  description: 'Name of a layer of GET /v1/layers, such as elevation.',
});
const ReturnPeriod = Type.Object(
  {
    return_period: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1_000_000,
        description:
          'Years, of a layer with maps of several return periods; the default is the one nearest to 100.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const LayerTiles = Type.Object(
  {
    ...TILE_JSON,
    layer: Type.String(),
    unit: Type.String(),
    return_period_years: nullable(Type.Number({ description: 'Null: the layer has none.' })),
    maps: Type.Array(
      Type.Object({
        version: Type.String(),
        resolution_m: Type.Number({ description: 'Distance of its values on the ground [m].' }),
        date: Day('Date of its data.'),
        licence: Type.String(),
        source: Type.String(),
      }),
      { description: 'The maps that are shown, the finest first. Where several lie, the finest is shown.' },
    ),
    legend: Legend,
  },
  { title: 'LayerTiles' },
);
export type LayerTiles = Static<typeof LayerTiles>;

export const getLayerTiles = operation({
  id: 'getLayerTiles',
  method: 'GET',
  path: '/v1/tiles/layers/{layer}',
  tag: 'Pictures',
  summary: 'The tiles of a layer from which risk is assessed, as TileJSON',
  description:
    'The range of the legend is that of most of its values, all over the layer. A layer of classes, such as land-cover, has no tiles: 404 says so.',
  scopes: ['feeds:read'],
  params: Type.Object({ layer: LayerName }),
  query: ReturnPeriod,
  answers: [{ status: 200, description: 'TileJSON 3.0.0, with the legend.', body: LayerTiles }],
  example: {
    parameters: { layer: 'elevation' },
    answer: {
      tilejson: '3.0.0',
      name: 'elevation',
      scheme: 'xyz',
      tiles: ['https://localhost:8443/v1/tiles/layers/elevation/{z}/{x}/{y}'],
      minzoom: 0,
      maxzoom: 5,
      bounds: [-180, -85.05, 180, 85.05],
      layer: 'elevation',
      unit: 'm',
      return_period_years: null,
      maps: [
        {
          version: 'etopo5-2026.1',
          resolution_m: 9277,
          date: '1988-01-01',
          licence: 'public domain',
          source: 'NOAA ETOPO5',
        },
      ],
      legend: { ramp: 'magnitude', min: -5500, max: 2300, colours: ['#2d1a4a', '#25858c', '#fbe94a'] },
    },
  },
});

export const getLayerTile = operation({
  id: 'getLayerTile',
  method: 'GET',
  path: '/v1/tiles/layers/{layer}/{z}/{x}/{y}',
  tag: 'Pictures',
  summary: 'One tile of a layer',
  description: `A PNG of 256 x 256 pixels in Web Mercator (EPSG:3857): the value at the centre of each pixel, in the colours of the legend. Transparent where no map has a value. A tile that has to be computed costs ${TILE_UNITS} units.`,
  scopes: ['feeds:read'],
  params: Type.Object({ layer: LayerName, ...TILE_PARAMS }),
  query: ReturnPeriod,
  answers: [{ status: 200, description: 'The tile.', media: 'image/png' }],
  example: { parameters: { layer: 'elevation', z: 4, x: 8, y: 5 } },
});

/** The operations, in the order of the documentation. */
export const LAYER_TILE_OPERATIONS = [getLayerTiles, getLayerTile] as const;
