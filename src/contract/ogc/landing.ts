import { Type, type Static } from 'typebox';
import { apiDocument } from '../openapi/api-document.ts';
import { operation } from '../operation.ts';
import { OgcFormat, OgcLink, OgcLinks } from './links.ts';

/** What `/ogc` conforms to. @see OGC 17-069r4 (Features, part 1), OGC 19-086r6 (EDR, part 1) */
export const OGC_CONFORMANCE = [
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/oas30',
  'http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/geojson',
  'http://www.opengis.net/spec/ogcapi-common-1/1.0/conf/core',
  'http://www.opengis.net/spec/ogcapi-common-2/1.0/conf/collections',
  'http://www.opengis.net/spec/ogcapi-edr-1/1.1/conf/core',
  'http://www.opengis.net/spec/ogcapi-edr-1/1.1/conf/collections',
  'http://www.opengis.net/spec/ogcapi-edr-1/1.1/conf/json',
  'http://www.opengis.net/spec/ogcapi-edr-1/1.1/conf/covjson',
  'http://www.opengis.net/spec/ogcapi-edr-1/1.1/conf/queries',
  'http://www.opengis.net/spec/ogcapi-edr-1/1.1/conf/oas30',
] as const;

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
    itemType: Type.Optional(
      Type.Literal('feature', { description: 'Absent for `series`, which has no items.' }),
    ),
    layerDataType: Type.Optional(
      Type.Literal('Coverage', {
        description: 'Only of `series`: tells clients of features to leave it out.',
      }),
    ),
    crs: Type.Array(Type.String()),
    output_formats: Type.Optional(Type.Array(Type.String())),
    data_queries: Type.Optional(
      Type.Object({
        position: Type.Object({
          link: Type.Object({
            href: Type.String(),
            rel: Type.Literal('data'),
            type: Type.String(),
            title: Type.String(),
            variables: Type.Object({
              title: Type.String(),
              query_type: Type.Literal('position'),
              output_formats: Type.Array(Type.String()),
              default_output_format: Type.String(),
              crs_details: Type.Array(Type.Object({ crs: Type.String(), wkt: Type.String() })),
            }),
          }),
        }),
      }),
    ),
    parameter_names: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Object({
          type: Type.Literal('Parameter'),
          id: Type.String(),
          description: Type.String(),
          unit: Type.Object({ symbol: Type.String() }),
          observedProperty: Type.Object({ id: Type.String(), label: Type.String() }),
        }),
        { description: 'What can be asked for: the metrics of which there is a collection.' },
      ),
    ),
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
  description: 'Give this address to QGIS, GDAL or another client of OGC API - Features or EDR, with a key.',
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

export const getOgcApi = apiDocument({
  id: 'getOgcApi',
  root: '/ogc',
  tag: 'OGC API',
  title: 'OgcApiDocument',
  query: NO_QUERY,
});

export const listOgcCollections = operation({
  id: 'listOgcCollections',
  method: 'GET',
  path: '/ogc/collections',
  tag: 'OGC API',
  summary: 'The collections that the credential may read',
  scopes: [],
  query: NO_QUERY,
  answers: [
    {
      status: 200,
      description: 'Those of areas, changes, anomalies, incidents and series whose scope the credential has.',
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
  params: Type.Object({
    id: Type.String({ description: 'areas, changes, anomalies, incidents or series.' }),
  }),
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
