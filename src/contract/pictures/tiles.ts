import { Type, type Static } from 'typebox';
import { Timestamp } from '../fields.ts';
import { TILE_ZOOM } from '../limits.ts';
import { operation } from '../operation.ts';
import * as sample from '../example-resources.ts';
import { Legend } from './change-images.ts';

/** Zoom, column and row of a tile in the path of an operation. */
export const TILE_PARAMS = {
  z: Type.Integer({ minimum: 0, maximum: TILE_ZOOM, description: 'Zoom.' }),
  x: Type.Integer({
    minimum: 0,
    maximum: 2 ** TILE_ZOOM - 1,
    description: 'Column, from the west; there is none from 2^z on.',
  }),
  y: Type.Integer({
    minimum: 0,
    maximum: 2 ** TILE_ZOOM - 1,
    description: 'Row, from the north; there is none from 2^z on.',
  }),
} as const;

/** Properties of every TileJSON document. @see https://github.com/mapbox/tilejson-spec/tree/master/3.0.0 */
export const TILE_JSON = {
  tilejson: Type.Literal('3.0.0'),
  name: Type.String(),
  scheme: Type.Literal('xyz'),
  tiles: Type.Array(Type.String(), { description: 'Address of the tiles, at the host that was called.' }),
  minzoom: Type.Integer({ description: 'Tiles of a lower zoom are empty.' }),
  maxzoom: Type.Integer({ description: 'Tiles of a higher zoom show nothing more.' }),
  bounds: Type.Array(Type.Number(), {
    minItems: 4,
    maxItems: 4,
    description: 'West, south, east, north [degrees].',
  }),
} as const;

/** In which colours a scene is shown. */
export const COLOURS = ['metric', 'true'] as const;
export type Colours = (typeof COLOURS)[number];

/** Formats of the tiles of scenes. */
const TILE_FORMATS = ['png', 'webp'] as const;
export type TileFormat = (typeof TILE_FORMATS)[number];

const Format = Type.Optional(
  Type.Enum([...TILE_FORMATS], {
    description:
      'png, the default, has exactly the colours of the legend. webp takes a third of the bytes, an eighth in true colour, and changes colours slightly.',
  }),
);

/** Choice of colours in a query. */
const ColoursQuery = Type.Object(
  {
    colours: Type.Optional(
      Type.Enum([...COLOURS], {
        description:
          'metric, the default: the metric of the collection in the colours of the legend. true: what an eye would see, clouds included.',
      }),
    ),
  },
  { additionalProperties: false },
);

const TilesQuery = Type.Object({ ...ColoursQuery.properties, f: Format }, { additionalProperties: false });

export const SceneTiles = Type.Object(
  {
    ...TILE_JSON,
    scene: Type.Object({ id: Type.String(), datetime: Timestamp('When it was acquired.') }),
    collection: Type.Object({ id: Type.String(), name: Type.String(), metric: Type.String() }),
    legend: Type.Optional(Legend),
  },
  { title: 'SceneTiles' },
);
export type SceneTiles = Static<typeof SceneTiles>;

export const getSceneTiles = operation({
  id: 'getSceneTiles',
  method: 'GET',
  path: '/v1/tiles/scenes/{id}',
  tag: 'Pictures',
  summary: 'The tiles of a scene, as TileJSON',
  description:
    'With `f=webp` of tiles in that format. With `colours=true` of its picture in true colour, where the list of scenes says that it has one: 404 for a scene that has none.',
  scopes: ['changes:read'],
  params: Type.Object({ id: Type.String() }),
  query: TilesQuery,
  answers: [
    { status: 200, description: 'TileJSON 3.0.0, with the legend; true colour has none.', body: SceneTiles },
  ],
  example: {
    parameters: { id: sample.scene.id },
    answer: {
      tilejson: '3.0.0',
      name: 'ljubljana, ndvi, 2026-08-31',
      scheme: 'xyz',
      tiles: [`https://localhost:8443/v1/tiles/scenes/${sample.scene.id}/{z}/{x}/{y}`],
      minzoom: 0,
      maxzoom: 14,
      bounds: sample.collection.bounds,
      scene: { id: sample.scene.id, datetime: sample.scene.datetime },
      collection: { id: sample.COLLECTION, name: 'ljubljana', metric: 'ndvi' },
      legend: sample.legend,
    },
  },
});

export const getSceneTile = operation({
  id: 'getSceneTile',
  method: 'GET',
  path: '/v1/tiles/scenes/{id}/{z}/{x}/{y}',
  tag: 'Pictures',
  summary: 'One tile of a scene',
  description:
    'A PNG, or with `f=webp` a WebP, of 256 x 256 pixels in Web Mercator (EPSG:3857): the metric of the collection in the colours of the legend, or true colour. Transparent where the scene does not lie, was masked or has no value, and below `minzoom`.',
  scopes: ['changes:read'],
  params: Type.Object({ id: Type.String(), ...TILE_PARAMS }),
  query: TilesQuery,
  answers: [{ status: 200, description: 'The tile.', media: 'image/png', otherMedia: 'image/webp' }],
  example: { parameters: { id: sample.scene.id, z: 12, x: 2213, y: 1457 } },
});

/** The operations, in the order of the documentation. */
export const TILE_OPERATIONS = [getSceneTiles, getSceneTile] as const;
