import { Type } from 'typebox';
import { Cursor, Geometry } from '../fields.ts';
import { PAGE_ITEMS, whole } from '../limits.ts';
import { operation } from '../operation.ts';
import * as sample from '../example-resources.ts';
import { OgcFormat, OgcLinks } from './links.ts';

const FEATURE = {
  type: Type.Literal('Feature'),
  id: Type.String(),
  geometry: Geometry,
  properties: Type.Object({}, { additionalProperties: true }),
};

export const OgcFeature = Type.Object({ ...FEATURE, links: OgcLinks }, { title: 'OgcFeature' });

export const OgcFeatures = Type.Object(
  {
    type: Type.Literal('FeatureCollection'),
    features: Type.Array(Type.Object(FEATURE)),
    numberReturned: Type.Integer({ minimum: 0 }),
    links: OgcLinks,
  },
  { title: 'OgcFeatures' },
);

/**
 * Parameters of a page of features. A greater limit than the greatest is no error: OGC 17-069r4, section 7.15.2.
 */
const ItemsQuery = Type.Object(
  {
    bbox: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Only features that meet a box: `west,south,east,north` in decimal degrees; heights are ignored. West is greater than east where the box crosses the antimeridian.',
      }),
    ),
    datetime: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'Only features of a time: an RFC 3339 timestamp or a day, or an interval `first/last`, where `..` leaves an end open. The time of changes and anomalies is `detected_at`, that of areas `created_at`, that of incidents `started_at`.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: PAGE_ITEMS,
        description: `Most features on a page; more than ${whole(PAGE_ITEMS)} means ${whole(PAGE_ITEMS)}. A page may have fewer although more follow: the link \`next\` tells.`,
      }),
    ),
    cursor: Cursor,
    f: OgcFormat,
  },
  { additionalProperties: false },
);
const ItemQuery = Type.Object({ f: OgcFormat }, { additionalProperties: false });

const ITEMS_ANSWERS = [
  {
    status: 200,
    description: 'A page of features, with a link to the next where there is one.',
    body: OgcFeatures,
    bodyType: 'application/geo+json',
  },
] as const;
const ITEM_ANSWERS = [
  { status: 200, description: 'The feature.', body: OgcFeature, bodyType: 'application/geo+json' },
] as const;
const Named = Type.Object({ id: Type.String() });

export const listOgcAreas = operation({
  id: 'listOgcAreas',
  method: 'GET',
  path: '/ogc/collections/areas/items',
  tag: 'OGC API',
  summary: 'Areas of interest as features, newest first',
  scopes: ['aois:read'],
  query: ItemsQuery,
  answers: ITEMS_ANSWERS,
  example: { parameters: { bbox: '14,45,15,47' } },
});

export const getOgcArea = operation({
  id: 'getOgcArea',
  method: 'GET',
  path: '/ogc/collections/areas/items/{id}',
  tag: 'OGC API',
  summary: 'One area of interest as a feature',
  scopes: ['aois:read'],
  params: Named,
  query: ItemQuery,
  answers: ITEM_ANSWERS,
  example: { parameters: { id: sample.AOI } },
});

export const listOgcChanges = operation({
  id: 'listOgcChanges',
  method: 'GET',
  path: '/ogc/collections/changes/items',
  tag: 'OGC API',
  summary: 'Confirmed changes inside all your areas as features, the last recorded first',
  scopes: ['changes:read'],
  query: ItemsQuery,
  answers: ITEMS_ANSWERS,
  example: { parameters: { bbox: '14,45,15,47', datetime: '2026-01-01/..' } },
});

export const getOgcChange = operation({
  id: 'getOgcChange',
  method: 'GET',
  path: '/ogc/collections/changes/items/{id}',
  tag: 'OGC API',
  summary: 'One change as a feature',
  description: 'Without its provenance, which `GET /v1/changes/{id}` gives.',
  scopes: ['changes:read'],
  params: Named,
  query: ItemQuery,
  answers: ITEM_ANSWERS,
  example: { parameters: { id: sample.CHANGE } },
});

export const listOgcAnomalies = operation({
  id: 'listOgcAnomalies',
  method: 'GET',
  path: '/ogc/collections/anomalies/items',
  tag: 'OGC API',
  summary: 'Anomalies of your subscriptions as features, newest first',
  description: 'The geometry is that of the area.',
  scopes: ['anomalies:read'],
  query: ItemsQuery,
  answers: ITEMS_ANSWERS,
  example: { parameters: { datetime: '2026-01-01/2026-06-30' } },
});

export const getOgcAnomaly = operation({
  id: 'getOgcAnomaly',
  method: 'GET',
  path: '/ogc/collections/anomalies/items/{id}',
  tag: 'OGC API',
  summary: 'One anomaly as a feature',
  description: 'Without its provenance, which `GET /v1/anomalies/{id}` gives.',
  scopes: ['anomalies:read'],
  params: Named,
  query: ItemQuery,
  answers: ITEM_ANSWERS,
  example: { parameters: { id: sample.ANOMALY } },
});

export const listOgcIncidents = operation({
  id: 'listOgcIncidents',
  method: 'GET',
  path: '/ogc/collections/incidents/items',
  tag: 'OGC API',
  summary: 'Incidents as features, those that began last first',
  description: 'The geometry is the box of the incident.',
  scopes: ['anomalies:read'],
  query: ItemsQuery,
  answers: ITEMS_ANSWERS,
  example: { parameters: { bbox: '14,45,15,47', datetime: '2026-01-01/..' } },
});

export const getOgcIncident = operation({
  id: 'getOgcIncident',
  method: 'GET',
  path: '/ogc/collections/incidents/items/{id}',
  tag: 'OGC API',
  summary: 'One incident as a feature',
  description: 'Without what it consists of, which `GET /v1/incidents/{id}` gives.',
  scopes: ['anomalies:read'],
  params: Named,
  query: ItemQuery,
  answers: ITEM_ANSWERS,
  example: { parameters: { id: sample.INCIDENT } },
});

/** The operations, in the order of the documentation. */
export const OGC_FEATURE_OPERATIONS = [
  listOgcAreas,
  getOgcArea,
  listOgcChanges,
  getOgcChange,
  listOgcAnomalies,
  getOgcAnomaly,
  listOgcIncidents,
  getOgcIncident,
] as const;
