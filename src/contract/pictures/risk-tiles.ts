import { Type, type Static } from 'typebox';
import { Peril } from '../fields.ts';
import { TILE_UNITS } from '../limits.ts';
import { operation } from '../operation.ts';
import { Legend } from './change-images.ts';
import { TILE_JSON, TILE_PARAMS } from './tiles.ts';

export const RiskTiles = Type.Object(
  {
    ...TILE_JSON,
    peril: Peril,
    model_version: Type.String({ description: 'Version of the model of the peril.' }),
    legend: Legend,
  },
  { title: 'RiskTiles' },
);
export type RiskTiles = Static<typeof RiskTiles>;

export const getRiskTiles = operation({
  id: 'getRiskTiles',
  method: 'GET',
  path: '/v1/tiles/risk/{peril}',
  tag: 'Pictures',
  summary: 'The tiles of a risk map, as TileJSON',
  scopes: ['risk:read'],
  params: Type.Object({ peril: Peril }),
  answers: [{ status: 200, description: 'TileJSON 3.0.0, with the legend.', body: RiskTiles }],
  example: {
    parameters: { peril: 'flood' },
    answer: {
      tilejson: '3.0.0',
      name: 'Risk of flood',
      scheme: 'xyz',
      tiles: ['https://localhost:8443/v1/tiles/risk/flood/{z}/{x}/{y}'],
      minzoom: 0,
      maxzoom: 14,
      bounds: [-180, -85.05, 180, 85.05],
      peril: 'flood',
      model_version: 'flood-v1.0.0',
      legend: { ramp: 'risk', min: 0, max: 1, colours: ['#fbf3cf', '#ee9a4d', '#561144'] },
    },
  },
});

export const getRiskTile = operation({
  id: 'getRiskTile',
  method: 'GET',
  path: '/v1/tiles/risk/{peril}/{z}/{x}/{y}',
  tag: 'Pictures',
  summary: 'One tile of a risk map',
  description: `A PNG of 256 x 256 pixels in Web Mercator (EPSG:3857): the score is the colour, the confidence the opacity; transparent at confidence 0. The reference building is assessed at 33 x 33 places; pixels between them are interpolated. A tile that has to be computed costs ${TILE_UNITS} units.`,
  scopes: ['risk:read'],
  params: Type.Object({ peril: Peril, ...TILE_PARAMS }),
  answers: [{ status: 200, description: 'The tile.', media: 'image/png' }],
  example: { parameters: { peril: 'flood', z: 8, x: 131, y: 84 } },
});

/** The operations, in the order of the documentation. */
export const RISK_TILE_OPERATIONS = [getRiskTiles, getRiskTile] as const;
