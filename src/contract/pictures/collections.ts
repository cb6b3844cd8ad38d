import { Type, type Static } from 'typebox';
import { columnsOf, Cursor, Limit, ListFormat, NextCursor, nullable, Timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import * as sample from '../example-resources.ts';

export const CollectionItem = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: 'Collections of one name hold the metrics of the same scenes.' }),
    metric: Type.String({ description: 'A key of GET /v1/metrics.' }),
    unit: Type.String(),
    crs: Type.String({ description: 'Reference system of its grid, such as EPSG:32633.' }),
    width: Type.Integer({ description: 'Columns of its grid.' }),
    height: Type.Integer({ description: 'Rows of its grid.' }),
    pixel_area_m2: Type.Number({ description: 'Ground of one pixel in the middle of the grid.' }),
    bounds: Type.Array(Type.Number(), {
      minItems: 4,
      maxItems: 4,
      description: 'West, south, east, north [degrees]. East is beyond 180 across the antimeridian.',
    }),
    first_at: nullable(Timestamp('When its first scene was acquired; null: it has none.')),
    last_at: nullable(Timestamp('When its last scene was acquired; null: it has none.')),
    true_colour: Type.Boolean({
      description: 'Whether some of its scenes have a picture in true colour.',
    }),
    simulated: Type.Optional(
      Type.Literal(true, { description: 'Only in the sandbox: its scenes are made up.' }),
    ),
  },
  { title: 'Collection' },
);
export type CollectionItem = Static<typeof CollectionItem>;

export const SceneItem = Type.Object(
  {
    id: Type.String(),
    key: Type.String({ description: 'Its id in the provenance of changes.' }),
    href: Type.String({ description: 'What it was read from.' }),
    datetime: Timestamp('When it was acquired.'),
    clear_fraction: Type.Number({
      minimum: 0,
      maximum: 1,
      description: 'Share of its pixels that show something: neither masked nor missing.',
    }),
    sha256: Type.String({ description: 'SHA-256 of the samples read from the scene.' }),
    true_colour: Type.Boolean({
      description:
        'Whether it has a picture in true colour: its source had red, green and blue, and a release from 1.4.0 on read it.',
    }),
  },
  { title: 'Scene' },
);
export type SceneItem = Static<typeof SceneItem>;

export const listCollections = operation({
  id: 'listCollections',
  method: 'GET',
  onReplica: true,
  path: '/v1/collections',
  tag: 'Pictures',
  summary: 'List the collections of images, newest first',
  description:
    'Images of one metric on one grid. A stack or a folder of scenes of several metrics is one collection for each of them, all of the same name.',
  scopes: ['feeds:read'],
  query: Type.Object({ limit: Limit, cursor: Cursor, f: ListFormat }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The collections.',
      body: Type.Object(
        { collections: Type.Array(CollectionItem), next_cursor: NextCursor },
        { title: 'CollectionList' },
      ),
      table: columnsOf(CollectionItem),
    },
  ],
  example: { answer: { collections: [sample.collection] } },
});

export const listScenes = operation({
  id: 'listScenes',
  method: 'GET',
  onReplica: true,
  path: '/v1/collections/{id}/scenes',
  tag: 'Pictures',
  summary: 'List the scenes of a collection, newest first',
  scopes: ['feeds:read'],
  params: Type.Object({
    id: Type.String({
      description:
        'Id of the collection, or its name where it has one metric. Several metrics: 400 lists the ids.',
    }),
  }),
  query: Type.Object({ limit: Limit, cursor: Cursor, f: ListFormat }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The scenes.',
      body: Type.Object({ scenes: Type.Array(SceneItem), next_cursor: NextCursor }, { title: 'Scenes' }),
      table: columnsOf(SceneItem),
    },
  ],
  example: { parameters: { id: sample.COLLECTION }, answer: { scenes: [sample.scene] } },
});

/** The operations, in the order of the documentation. */
export const COLLECTION_OPERATIONS = [listCollections, listScenes] as const;
