import { Type, type Static } from 'typebox';
import { operation } from '../operation.ts';
import { OgcFormat, OgcLink, OgcLinks } from './links.ts';

/** What `/ogc` conforms to. @see OGC 17-069r4 (Features, part 1) */
export const OGC_CONFORMANCE = [
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson',
] as const;

/** Media type of an OpenAPI 3.0 document in JSON. */
export const OPENAPI_TYPE = 'application/vnd.oai.openapi+json';

const NO_QUERY = Type.Object({ f: OgcFormat }, { additionalProperties: false });

export const OgcLanding = Type.Object(
  { title: Type.String(), description: Type.String(), links: OgcLinks },
  { title: 'OgcLanding' },
);

export const OgcCollection = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    description: Type.String(),
    extent: Type.Object({
      spatial: Type.Object({
        bbox: Type.Array(Type.Array(Type.Number(), { minItems: 4, maxItems: 4 })),
        crs: Type.String(),
      }),
    }),
    itemType: Type.Literal('feature'),
    crs: Type.Array(Type.String()),
    links: OgcLinks,
  },
  { title: 'OgcCollection' },
);
export type OgcCollection = Static<typeof OgcCollection>;

const link = { href: 'https://localhost:8443/ogc/conformance', rel: 'conformance', type: 'application/json' };
const itemsOf = (id: string): OgcLink => ({
  href: `https://localhost:8443/ogc/collections/${id}/items`,
  rel: 'items',
  type: 'application/geo+json',
});
const sampleCollection: OgcCollection = {
  id: 'changes',
  title: 'Changes',
  description: 'Confirmed changes inside your areas of interest.',
  extent: {
    spatial: { bbox: [[-180, -90, 180, 90]], crs: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84' },
  },
  itemType: 'feature',
  crs: ['http://www.opengis.net/def/crs/OGC/1.3/CRS84'],
  links: [itemsOf('changes')],
};

export const getOgcLanding = operation({
  id: 'getOgcLanding',
  method: 'GET',
  path: '/ogc',
  tag: 'OGC API',
  summary: 'Where an OGC client begins',
  description: 'Give this address to QGIS, GDAL or another client of OGC API - Features, with a key.',
  scopes: [],
  query: NO_QUERY,
  answers: [{ status: 200, description: 'Links to all else.', body: OgcLanding }],
  example: { answer: { title: 'Groundwatch', description: 'Areas, changes and anomalies.', links: [link] } },
});

export const getOgcConformance = operation({
  id: 'getOgcConformance',
  method: 'GET',
  path: '/ogc/conformance',
  tag: 'OGC API',
  summary: 'The conformance classes that hold at /ogc',
  scopes: [],
  query: NO_QUERY,
  answers: [
    {
      status: 200,
      description: 'The classes.',
      body: Type.Object({ conformsTo: Type.Array(Type.String()) }, { title: 'OgcConformance' }),
    },
  ],
  example: { answer: { conformsTo: [...OGC_CONFORMANCE] } },
});

export const getOgcApi = operation({
  id: 'getOgcApi',
  method: 'GET',
  path: '/ogc/api',
  tag: 'OGC API',
  summary: 'The operations at /ogc as an OpenAPI 3.0 document',
  description: 'The document of the whole interface is `/openapi.json`, in OpenAPI 3.1.',
  scopes: [],
  query: NO_QUERY,
  answers: [
    {
      status: 200,
      description: 'The document.',
      body: Type.Object(
        { openapi: Type.String(), info: Type.Object({}, { additionalProperties: true }) },
        { title: 'OgcApi', additionalProperties: true },
      ),
      bodyType: OPENAPI_TYPE,
    },
  ],
  example: { answer: { openapi: '3.0.3', info: { title: 'Groundwatch', version: '1.3.0' } } },
});

export const listOgcCollections = operation({
  id: 'listOgcCollections',
  method: 'GET',
  path: '/ogc/collections',
  tag: 'OGC API',
  summary: 'The feature collections that the credential may read',
  scopes: [],
  query: NO_QUERY,
  answers: [
    {
      status: 200,
      description: 'Those of areas, changes and anomalies whose scope the credential has.',
      body: Type.Object(
        { collections: Type.Array(OgcCollection), links: OgcLinks },
        { title: 'OgcCollections' },
      ),
    },
  ],
  example: { answer: { collections: [sampleCollection], links: [link] } },
});

export const getOgcCollection = operation({
  id: 'getOgcCollection',
  method: 'GET',
  path: '/ogc/collections/{id}',
  tag: 'OGC API',
  summary: 'One of these collections',
  scopes: [],
  params: Type.Object({ id: Type.String({ description: 'areas, changes or anomalies.' }) }),
  query: NO_QUERY,
  answers: [{ status: 200, description: 'The collection.', body: OgcCollection }],
  example: { parameters: { id: 'changes' }, answer: sampleCollection },
});

/** The operations, in the order of the documentation. */
export const OGC_LANDING_OPERATIONS = [
  getOgcLanding,
  getOgcConformance,
  getOgcApi,
  listOgcCollections,
  getOgcCollection,
] as const;
