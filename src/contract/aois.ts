import { Type, type Static } from 'typebox';
import {
  columnsOf,
  Cursor,
  DrawnListFormat,
  featureOf,
  featuresOf,
  GeoJsonFormat,
  Geometry,
  Limit,
  NameText,
  NextCursor,
  Timestamp,
} from './fields.ts';
import { operation } from './operation.ts';
import * as sample from './example-resources.ts';
import {
  AREA_BATCH,
  AREA_KM2,
  AREA_VERTICES,
  AREAS_PER_UNIT,
  DELETED_AREA_DAYS,
  NAMED_FAULTS,
  PAGE_BYTES,
  VERTICES_PER_UNIT,
  whole,
} from './limits.ts';

const Name = NameText(200, 'For people; need not be unique.');

export const Aoi = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    geometry: Geometry,
    area_m2: Type.Number({ description: 'Geodesic area on WGS84.' }),
    created_at: Timestamp('When it was made.'),
  },
  { title: 'Aoi' },
);
export type Aoi = Static<typeof Aoi>;

export const AoiDetail = Type.Object(
  {
    ...Aoi.properties,
    imagery: Type.Array(
      Type.Object({
        collection: Type.String(),
        metric: Type.String({ description: 'A key of GET /v1/metrics.' }),
        scenes: Type.Integer({ minimum: 1 }),
        first_at: Timestamp('When its first scene was taken.'),
        last_at: Timestamp('When its last scene was taken.'),
        simulated: Type.Optional(
          Type.Literal(true, { description: 'Only in the sandbox: its scenes are made up.' }),
        ),
      }),
      {
        description:
          'The image series whose bounding box meets that of the area: changes are looked for in these alone. Without any, that no change is listed says nothing.',
      },
    ),
  },
  { title: 'AoiDetail' },
);
export type AoiDetail = Static<typeof AoiDetail>;

const Id = Type.Object({ id: Type.String() });

export const createAoi = operation({
  id: 'createAoi',
  method: 'POST',
  path: '/v1/aois',
  tag: 'Areas of interest',
  summary: 'Create an area of interest',
  description: `Polygon or MultiPolygon of up to ${whole(AREA_VERTICES)} vertices; the position that closes a ring is not counted again, and of at most ${whole(AREA_KM2)} km². A box of four corners up to 350 degrees wide that runs counter-clockwise is read as written. Any other edge of more than 180 degrees of longitude goes the short way across the antimeridian; where that leaves a narrow strip, so that the long way may be meant, it is 400. Heights are dropped, and the header \`X-Heights-Omitted\` says how many. Costs one unit more for every ${VERTICES_PER_UNIT} vertices. Changes already detected inside become visible at once.`,
  scopes: ['aois:write'],
  recorded: true,
  creates: true,
  body: Type.Object(
    {
      name: Name,
      geometry: Type.Unknown({
        description: 'GeoJSON Polygon or MultiPolygon (RFC 7946), WGS84, longitude first.',
      }),
    },
    { title: 'NewAoi', additionalProperties: false },
  ),
  answers: [{ status: 201, description: 'The area.', body: Aoi, headers: ['X-Heights-Omitted'] }],
  example: { body: { name: 'Ljubljana west', geometry: sample.geometry }, answer: sample.aoi },
});

const NewAoi = createAoi.body;

export const createAois = operation({
  id: 'createAois',
  method: 'POST',
  path: '/v1/aois/batch',
  tag: 'Areas of interest',
  summary: 'Create several areas of interest at once',
  description: `All or none: 1 to ${whole(AREA_BATCH.areas)} areas, validated whole before any is created. One bad area makes it 400, with \`details\` naming all bad ones by index (the first ${NAMED_FAULTS}), whether members are missing or mistyped, or names and geometries are faulty. At most ${whole(AREA_BATCH.positions)} positions in all, in a body of at most ${AREA_BATCH.bytes / 1024 ** 2} MiB. Costs one unit more for every ${AREAS_PER_UNIT} areas and every ${VERTICES_PER_UNIT} positions. The answer has the areas in the order given, without their geometries.`,
  scopes: ['aois:write'],
  recorded: true,
  creates: true,
  bodyBytes: AREA_BATCH.bytes,
  body: Type.Object(
    { aois: Type.Array(NewAoi, { minItems: 1, maxItems: AREA_BATCH.areas }) },
    { title: 'NewAois', additionalProperties: false },
  ),
  answers: [
    {
      status: 201,
      description: 'The areas, in the order given.',
      headers: ['X-Heights-Omitted'],
      body: Type.Object(
        { aois: Type.Array(Type.Omit(Aoi, ['geometry'], { title: 'AoiSummary' })) },
        { title: 'CreatedAois' },
      ),
    },
  ],
  example: {
    body: { aois: [{ name: 'Ljubljana west', geometry: sample.geometry }] },
    answer: {
      aois: [
        {
          id: sample.aoi.id,
          name: sample.aoi.name,
          area_m2: sample.aoi.area_m2,
          created_at: sample.aoi.created_at,
        },
      ],
    },
  },
});

export const listAois = operation({
  id: 'listAois',
  method: 'GET',
  onReplica: true,
  path: '/v1/aois',
  tag: 'Areas of interest',
  summary: 'List areas of interest, newest first',
  description: `A page ends early, with its cursor, when its geometries are larger than ${PAGE_BYTES / 1024 ** 2} MiB.`,
  scopes: ['aois:read'],
  query: Type.Object({ limit: Limit, cursor: Cursor, f: DrawnListFormat }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The areas.',
      body: Type.Object({ aois: Type.Array(Aoi), next_cursor: NextCursor }, { title: 'Aois' }),
      table: columnsOf(Aoi),
      geojson: featuresOf(Aoi, 'AreaFeature'),
    },
  ],
  example: { answer: { aois: [sample.aoi] } },
});

export const getAoi = operation({
  id: 'getAoi',
  method: 'GET',
  path: '/v1/aois/{id}',
  tag: 'Areas of interest',
  summary: 'One area of interest, and which images cover it',
  scopes: ['aois:read'],
  params: Id,
  query: Type.Object({ f: GeoJsonFormat }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The area.',
      body: AoiDetail,
      geojson: featureOf(AoiDetail, 'AreaDetailFeature'),
    },
  ],
  example: {
    parameters: { id: sample.AOI },
    answer: {
      ...sample.aoi,
      imagery: [
        {
          collection: 'ljubljana',
          metric: 'ndvi',
          scenes: 212,
          first_at: '2022-01-04T10:01:21.000Z',
          last_at: '2026-10-30T10:01:19.000Z',
        },
      ],
    },
  },
});

export const renameAoi = operation({
  id: 'renameAoi',
  method: 'PATCH',
  path: '/v1/aois/{id}',
  tag: 'Areas of interest',
  summary: 'Rename an area of interest',
  scopes: ['aois:write'],
  recorded: true,
  params: Id,
  body: Type.Object({ name: Name }, { title: 'AoiPatch', additionalProperties: false }),
  answers: [{ status: 200, description: 'The area.', body: AoiDetail }],
  example: {
    parameters: { id: sample.AOI },
    body: { name: 'Ljubljana, west bank' },
    answer: { ...getAoi.example.answer, name: 'Ljubljana, west bank' },
  },
});

export const deleteAoi = operation({
  id: 'deleteAoi',
  method: 'DELETE',
  path: '/v1/aois/{id}',
  tag: 'Areas of interest',
  summary: 'Delete an area of interest',
  description: `Ends its subscriptions. Its changes stay readable by id for ${DELETED_AREA_DAYS} days.`,
  scopes: ['aois:write'],
  recorded: true,
  params: Id,
  answers: [{ status: 204, description: 'Deleted.' }],
  example: { parameters: { id: sample.AOI } },
});

/** The operations, in the order of the documentation. */
export const AOI_OPERATIONS = [createAoi, createAois, listAois, getAoi, renameAoi, deleteAoi] as const;
