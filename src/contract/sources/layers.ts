import { Type, type Static } from 'typebox';
import { Day, nullable, Peril } from '../fields.ts';
import { operation } from '../operation.ts';

export const Layer = Type.Object(
  {
    layer: Type.String({ description: 'What the map shows, such as flood-depth.' }),
    version: Type.String(),
    unit: Type.String(),
    return_period_years: nullable(Type.Number({ description: 'Null: the map has none.' })),
    resolution_m: Type.Number({ description: 'Distance of its values on the ground [m].' }),
    date: Day('Date of its data.'),
    licence: Type.String(),
    source: Type.String(),
    perils: Type.Array(Peril, { description: 'Perils whose models read it.' }),
    coverage: Type.Array(Type.Number(), {
      minItems: 4,
      maxItems: 4,
      description: 'West, south, east, north of the box around it.',
    }),
  },
  { title: 'Layer' },
);
export type Layer = Static<typeof Layer>;

export const listLayers = operation({
  id: 'listLayers',
  method: 'GET',
  path: '/v1/layers',
  tag: 'Sources',
  summary: 'List the layers from which risk is assessed here, and where each lies',
  description:
    'Maps of hazard, terrain and ground that serve the environment: those that ship, and those that the operator installed. Where several of a layer lie, the finest that has a value answers; `explain` names it.',
  scopes: ['feeds:read'],
  answers: [
    {
      status: 200,
      description: 'The layers, in the order in which the models name them.',
      body: Type.Object({ layers: Type.Array(Layer) }, { title: 'Layers' }),
    },
  ],
  example: {
    answer: {
      layers: [
        {
          layer: 'flood-depth',
          version: 'jrc-2.1',
          unit: 'm',
          return_period_years: 100,
          resolution_m: 90,
          date: '2024-05-01',
          licence: 'CC BY 4.0',
          source: 'JRC global river flood hazard maps',
          perils: ['flood'],
          coverage: [10, 44, 16, 48],
        },
      ],
    },
  },
});

/** The operations, in the order of the documentation. */
export const LAYER_OPERATIONS = [listLayers] as const;
