import { Type, type Static } from 'typebox';
import { Cursor } from '../fields.ts';
import { STAC_ITEMS, whole } from '../limits.ts';
import { OgcLink } from '../ogc/links.ts';
import { apiDocument } from '../openapi/api-document.ts';
import { operation } from '../operation.ts';
import * as sample from '../example-resources.ts';

/** Version of the STAC specification that the documents at `/stac` are in. */
export const STAC_VERSION = '1.1.0';

/** What `/stac` conforms to. @see https://github.com/radiantearth/stac-api-spec/tree/v1.0.0 */
export const STAC_CONFORMANCE = [
  'https://api.stacspec.org/v1.0.0/core',
  'https://api.stacspec.org/v1.0.0/collections',
  'https://api.stacspec.org/v1.0.0/ogcapi-features',
  'https://api.stacspec.org/v1.0.0/item-search',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson',
] as const;

/** A link of a STAC document. A link of a search by POST has the method and the members that its body adds. */
export const StacLink = Type.Object(
  {
    ...OgcLink.properties,
    method: Type.Optional(Type.Enum(['GET', 'POST'])),
    body: Type.Optional(Type.Object({}, { additionalProperties: true })),
    merge: Type.Optional(Type.Boolean({ description: 'Whether `body` is added to the body sent before.' })),
  },
  { title: 'StacLink' },
);
export type StacLink = Static<typeof StacLink>;
export const StacLinks = Type.Array(StacLink);

const Version = Type.Literal(STAC_VERSION);
const NO_QUERY = Type.Object({}, { additionalProperties: false });

export const StacCatalog = Type.Object(
  {
    type: Type.Literal('Catalog'),
    stac_version: Version,
    id: Type.String(),
    title: Type.String(),
    description: Type.String(),
    conformsTo: Type.Array(Type.String()),
    links: StacLinks,
  },
  { title: 'StacCatalog' },
);

export const StacCollection = Type.Object(
  {
    type: Type.Literal('Collection'),
    stac_version: Version,
    stac_extensions: Type.Array(Type.String()),
    id: Type.String(),
    title: Type.String(),
    description: Type.String(),
    license: Type.String(),
    extent: Type.Object({
      spatial: Type.Object({ bbox: Type.Array(Type.Array(Type.Number(), { minItems: 4, maxItems: 4 })) }),
      temporal: Type.Object({
        interval: Type.Array(
          Type.Unsafe<(string | null)[]>({
            type: 'array',
            items: { type: ['string', 'null'], format: 'date-time' },
            minItems: 2,
            maxItems: 2,
          }),
        ),
      }),
    }),
    summaries: Type.Object({}, { additionalProperties: true }),
    item_assets: Type.Object({}, { additionalProperties: true }),
    links: StacLinks,
  },
  { title: 'StacCollection' },
);
export type StacCollection = Static<typeof StacCollection>;

const link = { href: 'https://localhost:8443/stac/search', rel: 'search', type: 'application/geo+json' };
const sampleCollection: StacCollection = {
  type: 'Collection',
  stac_version: STAC_VERSION,
  stac_extensions: [],
  id: sample.COLLECTION,
  title: 'ljubljana, ndvi',
  description: 'Scenes of ndvi in the collection ljubljana.',
  license: 'other',
  extent: {
    spatial: { bbox: [[14.46, 46.03, 14.5, 46.06]] },
    temporal: { interval: [[sample.collection.first_at, sample.collection.last_at]] },
  },
  summaries: {},
  item_assets: {},
  links: [{ href: `https://localhost:8443/stac/collections/${sample.COLLECTION}`, rel: 'self' }],
};

export const getStacLanding = operation({
  id: 'getStacLanding',
  method: 'GET',
  path: '/stac',
  tag: 'STAC',
  summary: 'Where a STAC client begins',
  description: 'Give this address to pystac-client, QGIS or another client of the STAC API, with a key.',
  scopes: [],
  query: NO_QUERY,
  answers: [{ status: 200, description: 'Links to all else.', body: StacCatalog }],
  example: {
    answer: {
      type: 'Catalog',
      stac_version: STAC_VERSION,
      id: 'groundwatch',
      title: 'Groundwatch',
      description: 'Scenes and changes.',
      conformsTo: [...STAC_CONFORMANCE],
      links: [link],
    },
  },
});

export const getStacConformance = operation({
  id: 'getStacConformance',
  method: 'GET',
  path: '/stac/conformance',
  tag: 'STAC',
  summary: 'The conformance classes that hold at /stac',
  scopes: [],
  query: NO_QUERY,
  answers: [
    {
      status: 200,
      description: 'The classes.',
      body: Type.Object({ conformsTo: Type.Array(Type.String()) }, { title: 'StacConformance' }),
    },
  ],
  example: { answer: { conformsTo: [...STAC_CONFORMANCE] } },
});

export const getStacApi = apiDocument({
  id: 'getStacApi',
  root: '/stac',
  tag: 'STAC',
  title: 'StacApiDocument',
  query: NO_QUERY,
});

export const listStacCollections = operation({
  id: 'listStacCollections',
  method: 'GET',
  path: '/stac/collections',
  tag: 'STAC',
  summary: 'The collections of images as STAC collections, newest first',
  description: 'Each holds the scenes of one metric on one grid, as `GET /v1/collections` lists them.',
  scopes: ['feeds:read'],
  query: Type.Object(
    {
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          default: STAC_ITEMS.default,
          description: `Most collections on a page; more than ${whole(STAC_ITEMS.most)} means ${whole(STAC_ITEMS.most)}.`,
        }),
      ),
      cursor: Cursor,
    },
    { additionalProperties: false },
  ),
  answers: [
    {
      status: 200,
      description: 'The collections, with a link to the next page where there is one.',
      body: Type.Object(
        { collections: Type.Array(StacCollection), links: StacLinks },
        { title: 'StacCollections' },
      ),
    },
  ],
  example: { answer: { collections: [sampleCollection], links: [link] } },
});

export const getStacCollection = operation({
  id: 'getStacCollection',
  method: 'GET',
  path: '/stac/collections/{id}',
  tag: 'STAC',
  summary: 'One of these collections',
  scopes: ['feeds:read'],
  params: Type.Object({ id: Type.String() }),
  query: NO_QUERY,
  answers: [{ status: 200, description: 'The collection.', body: StacCollection }],
  example: { parameters: { id: sample.COLLECTION }, answer: sampleCollection },
});

/** The operations, in the order of the documentation. */
export const STAC_LANDING_OPERATIONS = [
  getStacLanding,
  getStacConformance,
  getStacApi,
  listStacCollections,
  getStacCollection,
] as const;
