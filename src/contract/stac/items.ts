import { NAME_PATTERN } from '../name-text.ts';
import { Type, type Static, type TSchema } from 'typebox';
import { Cursor } from '../fields.ts';
import { RASTER_CHANGES, RASTER_UNIT_BYTES, STAC_ITEMS, whole } from '../limits.ts';
import { operation } from '../operation.ts';
import * as sample from '../example-resources.ts';
import { STAC_VERSION, StacLinks } from './landing.ts';

/** Media type of a Cloud Optimized GeoTIFF. */
export const COG_TYPE = 'image/tiff; application=geotiff; profile=cloud-optimized';

const Open = Type.Object({}, { additionalProperties: true });
const ITEM = {
  type: Type.Literal('Feature'),
  stac_version: Type.Literal(STAC_VERSION),
  stac_extensions: Type.Array(Type.String()),
  id: Type.String(),
  collection: Type.String(),
  geometry: Type.Unsafe<object>({
    type: 'object',
    properties: { type: { enum: ['Polygon', 'MultiPolygon'] }, coordinates: { type: 'array', items: {} } },
    required: ['type', 'coordinates'],
  }),
  bbox: Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }),
  properties: Open,
  assets: Type.Unsafe<Readonly<Record<string, object>>>({
    type: 'object',
    additionalProperties: true,
    description:
      'Files of the scene. `values` has its samples; the others have the changes known on its day.',
  }),
  links: StacLinks,
};

export const StacItem = Type.Object(ITEM, { title: 'StacItem' });
export type StacItem = Static<typeof StacItem>;

export const StacItems = Type.Object(
  {
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(Type.Object(ITEM)),
    numberReturned: Type.Integer({ minimum: 0 }),
    links: StacLinks,
  },
  { title: 'StacItems' },
);

export type StacItems = Static<typeof StacItems>;

const limit = Type.Integer({
  minimum: 1,
  default: STAC_ITEMS.default,
  description: `Most items on a page; more than ${whole(STAC_ITEMS.most)} means ${whole(STAC_ITEMS.most)}.`,
});
const datetime = Type.String({
  minLength: 1,
  maxLength: 100,
  description:
    'Only scenes of a time: an RFC 3339 timestamp, or an interval `first/last`, where `..` leaves an end open.',
});
const bboxText = Type.String({
  minLength: 1,
  maxLength: 200,
  description:
    'Only scenes that meet a box: `west,south,east,north` in decimal degrees; heights are ignored. West is greater than east where the box crosses the antimeridian.',
});
/** Ids of the query, which are names of ours: without hidden characters. */
const idsText = (description: string) =>
  Type.String({ minLength: 1, maxLength: 8000, pattern: NAME_PATTERN, description });
const some = <T extends TSchema>(schema: T) => Type.Optional(schema);

const ITEMS_ANSWERS = [
  {
    status: 200,
    description: 'A page of items, newest first, with a link to the next where there is one.',
    body: StacItems,
    bodyType: 'application/geo+json',
  },
] as const;

export const listStacItems = operation({
  id: 'listStacItems',
  method: 'GET',
  path: '/stac/collections/{id}/items',
  tag: 'STAC',
  summary: 'The scenes of a collection as STAC items, newest first',
  scopes: ['feeds:read'],
  params: Type.Object({ id: Type.String() }),
  query: Type.Object(
    { bbox: some(bboxText), datetime: some(datetime), limit: some(limit), cursor: Cursor },
    { additionalProperties: false },
  ),
  answers: ITEMS_ANSWERS,
  example: { parameters: { id: sample.COLLECTION, datetime: '2026-01-01T00:00:00Z/..' } },
});

export const getStacItem = operation({
  id: 'getStacItem',
  method: 'GET',
  path: '/stac/collections/{collection_id}/items/{id}',
  tag: 'STAC',
  summary: 'One scene as a STAC item',
  scopes: ['feeds:read'],
  params: Type.Object({ collection_id: Type.String(), id: Type.String() }),
  query: Type.Object({}, { additionalProperties: false }),
  answers: [{ status: 200, description: 'The item.', body: StacItem, bodyType: 'application/geo+json' }],
  example: { parameters: { collection_id: sample.COLLECTION, id: sample.scene.id } },
});

export const searchStac = operation({
  id: 'searchStac',
  method: 'GET',
  path: '/stac/search',
  tag: 'STAC',
  summary: 'Search the scenes of all collections, newest first',
  scopes: ['feeds:read'],
  query: Type.Object(
    {
      bbox: some(bboxText),
      intersects: some(
        Type.String({
          minLength: 1,
          maxLength: 8000,
          description: 'Only scenes that meet a GeoJSON geometry; not together with `bbox`.',
        }),
      ),
      datetime: some(datetime),
      ids: some(idsText('Ids of scenes, separated by commas.')),
      collections: some(idsText('Ids of collections, separated by commas.')),
      limit: some(limit),
      cursor: Cursor,
    },
    { additionalProperties: false },
  ),
  answers: ITEMS_ANSWERS,
  example: { parameters: { bbox: '14,45,15,47', datetime: '2026-01-01T00:00:00Z/..', limit: 10 } },
});

const ids = (description: string) =>
  Type.Array(Type.String({ maxLength: 100, pattern: NAME_PATTERN }), { maxItems: 1000, description });

export const postStacSearch = operation({
  id: 'postStacSearch',
  method: 'POST',
  path: '/stac/search',
  tag: 'STAC',
  summary: 'The same search with a body',
  scopes: ['feeds:read'],
  recorded: false,
  body: Type.Object(
    {
      bbox: some(
        Type.Array(Type.Number(), {
          minItems: 4,
          maxItems: 6,
          description:
            'Only scenes that meet a box: west, south, east, north [degrees], or six numbers with heights.',
        }),
      ),
      intersects: some(
        Type.Unsafe<object>({
          type: 'object',
          description: 'Only scenes that meet a GeoJSON geometry; not together with `bbox`.',
        }),
      ),
      datetime: some(datetime),
      ids: some(ids('Ids of scenes.')),
      collections: some(ids('Ids of collections.')),
      limit: some(limit),
      cursor: Cursor,
    },
    { additionalProperties: false },
  ),
  answers: ITEMS_ANSWERS,
  example: {
    body: {
      intersects: { type: 'Point', coordinates: [14.48, 46.05] },
      datetime: '2026-01-01T00:00:00Z/..',
      limit: 10,
    },
  },
});

const RASTER_DESCRIPTION = `A Cloud Optimized GeoTIFF that is made while it is read: blocks of 256 x 256 pixels without compression, and overviews. With the header \`Range\` the answer is that part, with the status 206; GDAL reads it by \`/vsicurl/\`. Each ${whole(RASTER_UNIT_BYTES)} bytes cost one more unit.`;

export const getStacValues = operation({
  id: 'getStacValues',
  method: 'GET',
  path: '/stac/collections/{collection_id}/items/{id}/values.tif',
  tag: 'STAC',
  summary: 'The samples of a scene as a Cloud Optimized GeoTIFF',
  description: RASTER_DESCRIPTION,
  scopes: ['changes:read'],
  params: Type.Object({ collection_id: Type.String(), id: Type.String() }),
  answers: [{ status: 200, description: 'The file.', media: 'image/tiff' }],
  example: { parameters: { collection_id: sample.COLLECTION, id: sample.scene.id } },
});

export const getStacChanges = operation({
  id: 'getStacChanges',
  method: 'GET',
  path: '/stac/collections/{collection_id}/items/{id}/changes/{file}',
  tag: 'STAC',
  summary: 'The changes of a collection on the day of a scene as a Cloud Optimized GeoTIFF',
  description: `Those that were confirmed by that day, had not recovered, and are visible through your areas. Where they overlap, the one that began last counts. A block shows at most ${whole(RASTER_CHANGES)} changes, the largest. ${RASTER_DESCRIPTION}`,
  scopes: ['changes:read'],
  params: Type.Object({
    collection_id: Type.String(),
    id: Type.String(),
    file: Type.String({
      description: '`first-anomaly.tif` [days since 1970-01-01], `confidence.tif` or `magnitude.tif`.',
    }),
  }),
  answers: [{ status: 200, description: 'The file.', media: 'image/tiff' }],
  example: {
    parameters: { collection_id: sample.COLLECTION, id: sample.scene.id, file: 'confidence.tif' },
  },
});

/** The operations, in the order of the documentation. */
export const STAC_ITEM_OPERATIONS = [
  listStacItems,
  getStacItem,
  searchStac,
  postStacSearch,
  getStacValues,
  getStacChanges,
] as const;
