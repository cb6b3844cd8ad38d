import { Type, type Static } from 'typebox';
import { TILE_FEATURES, TILE_ROWS, whole } from '../limits.ts';
import { operation } from '../operation.ts';
import { TILE_JSON, TILE_PARAMS } from './tiles.ts';

export const VectorTiles = Type.Object(
  {
    ...TILE_JSON,
    vector_layers: Type.Array(
      Type.Object({
        id: Type.String(),
        description: Type.String(),
        fields: Type.Record(Type.String(), Type.String(), {
          description: 'Type of each property: String, Number or Boolean.',
        }),
      }),
    ),
  },
  { title: 'VectorTiles' },
);
export type VectorTiles = Static<typeof VectorTiles>;

const TILES_ANSWERS = [
  { status: 200, description: 'TileJSON 3.0.0, with the layers.', body: VectorTiles },
] as const;
const TILE_ANSWERS = [
  {
    status: 200,
    description: 'The tile. Empty where nothing lies in it.',
    media: 'application/vnd.mapbox-vector-tile',
    headers: ['X-Features-Omitted'],
  },
] as const;
const TilePlace = Type.Object(TILE_PARAMS);

/** What the description of each tile says. */
const described = (first: string): string =>
  `A Mapbox Vector Tile 2.1 with the properties of the GeoJSON answer. What is too small to be drawn is a point in a layer of its own, so that it is seen. A tile has at most ${whole(TILE_FEATURES)} features and a megabyte of geometries, ${first}; if more than ${whole(TILE_ROWS)} lie in it, of the newest. \`X-Features-Omitted\` and a layer \`omitted\` say how many it leaves out, with \`+\` or \`more\` where older ones were not looked at.`;

/** An example of the tiles of a kind. */
const tilesOf = (kind: string, name: string): VectorTiles => ({
  tilejson: '3.0.0',
  name,
  scheme: 'xyz',
  tiles: [`https://localhost:8443/v1/tiles/${kind}/{z}/{x}/{y}`],
  minzoom: 0,
  maxzoom: 14,
  bounds: [-180, -85.051129, 180, 85.051129],
  vector_layers: [{ id: kind, description: `${name}, as polygons.`, fields: { id: 'String' } }],
});

export const getAreaTiles = operation({
  id: 'getAreaTiles',
  method: 'GET',
  path: '/v1/tiles/areas',
  tag: 'Pictures',
  summary: 'Vector tiles of your areas of interest, as TileJSON',
  scopes: ['aois:read'],
  answers: TILES_ANSWERS,
  example: { answer: tilesOf('areas', 'Areas of interest') },
});

export const getAreaTile = operation({
  id: 'getAreaTile',
  method: 'GET',
  path: '/v1/tiles/areas/{z}/{x}/{y}',
  tag: 'Pictures',
  summary: 'One vector tile of your areas of interest',
  description: described('the largest'),
  scopes: ['aois:read'],
  params: TilePlace,
  answers: TILE_ANSWERS,
  example: { parameters: { z: 8, x: 138, y: 91 } },
});

export const getChangeTiles = operation({
  id: 'getChangeTiles',
  method: 'GET',
  path: '/v1/tiles/changes',
  tag: 'Pictures',
  summary: 'Vector tiles of the confirmed changes in your areas, as TileJSON',
  scopes: ['changes:read'],
  answers: TILES_ANSWERS,
  example: { answer: tilesOf('changes', 'Changes') },
});

export const getChangeTile = operation({
  id: 'getChangeTile',
  method: 'GET',
  path: '/v1/tiles/changes/{z}/{x}/{y}',
  tag: 'Pictures',
  summary: 'One vector tile of the confirmed changes in your areas',
  description: described('the largest'),
  scopes: ['changes:read'],
  params: TilePlace,
  answers: TILE_ANSWERS,
  example: { parameters: { z: 8, x: 138, y: 91 } },
});

export const getAnomalyTiles = operation({
  id: 'getAnomalyTiles',
  method: 'GET',
  path: '/v1/tiles/anomalies',
  tag: 'Pictures',
  summary: 'Vector tiles of the anomalies of your subscriptions, as TileJSON',
  scopes: ['anomalies:read'],
  answers: TILES_ANSWERS,
  example: { answer: tilesOf('anomalies', 'Anomalies') },
});

export const getAnomalyTile = operation({
  id: 'getAnomalyTile',
  method: 'GET',
  path: '/v1/tiles/anomalies/{z}/{x}/{y}',
  tag: 'Pictures',
  summary: 'One vector tile of the anomalies of your subscriptions',
  description: `${described('the most severe')} The geometry is that of the area.`,
  scopes: ['anomalies:read'],
  params: TilePlace,
  answers: TILE_ANSWERS,
  example: { parameters: { z: 8, x: 138, y: 91 } },
});

/** The operations, in the order of the documentation. */
export const VECTOR_TILE_OPERATIONS = [
  getAreaTiles,
  getAreaTile,
  getChangeTiles,
  getChangeTile,
  getAnomalyTiles,
  getAnomalyTile,
] as const;
