import { Type, type Static } from 'typebox';
import {
  columnsOf,
  Cursor,
  DrawnListFormat,
  featureOf,
  featuresOf,
  GeoJsonFormat,
  GEOMETRIES,
  Lat,
  Limit,
  Lng,
  NextCursor,
  nullable,
  Peril,
  Timestamp,
  When,
} from './fields.ts';
import { operation } from './operation.ts';
import * as sample from './example-resources.ts';
import { SEVERITIES } from './vocabulary.ts';
import { SUBSCRIPTION_OPERATIONS } from './subscriptions.ts';

export type Severity = (typeof SEVERITIES)[number];

const Severity = Type.Enum([...SEVERITIES], {
  description: 'By the two-sided tail probability of the robust residual: .05, .01, .001, .0001.',
});

export const AnomalySummary = Type.Object(
  { id: Type.String(), severity: Severity },
  { title: 'AnomalySummary' },
);

export const Anomaly = Type.Object(
  {
    id: Type.String(),
    severity: Severity,
    status: Type.Enum(['active', 'ended']),
    peril: Peril,
    aoi_id: Type.String(),
    station: nullable(
      Type.Object(
        { name: Type.String(), lat: Lat, lng: Lng },
        { description: 'Where it was measured; null: the mean over the area of a grid.' },
      ),
    ),
    metric: Type.String(),
    value: Type.Number({ description: 'At the most extreme observation.' }),
    expected: Type.Number(),
    residual: Type.Number({ description: 'Value less expected.' }),
    started_at: Timestamp('First anomalous observation.'),
    detected_at: Timestamp('Most extreme observation so far.'),
    ended_at: nullable(Timestamp('First observation back within bounds.')),
    provenance: Type.Object({}, { additionalProperties: true }),
  },
  { title: 'Anomaly' },
);
export type Anomaly = Static<typeof Anomaly>;

export const listAnomalies = operation({
  id: 'listAnomalies',
  method: 'GET',
  onReplica: true,
  path: '/v1/anomalies',
  tag: 'Anomalies',
  summary: 'List anomalies across your subscribed feeds, newest first',
  scopes: ['anomalies:read'],
  query: Type.Object(
    {
      since: Type.Optional(When('Detected at or after.')),
      published_since: Type.Optional(
        When(
          'First visible to you at or after. Let polls overlap by a minute: what is being published when you ask shows a moment later.',
        ),
      ),
      limit: Limit,
      cursor: Cursor,
      f: DrawnListFormat,
    },
    { additionalProperties: false },
  ),
  answers: [
    {
      status: 200,
      description: 'The anomalies.',
      body: Type.Object(
        { anomalies: Type.Array(AnomalySummary), next_cursor: NextCursor },
        { title: 'Anomalies' },
      ),
      table: [...columnsOf(Anomaly, ['provenance']), GEOMETRIES],
      geojson: featuresOf(Type.Omit(Anomaly, ['provenance']), 'ListedAnomalyFeature'),
    },
  ],
  example: {
    parameters: { since: '2026-01-01' },
    answer: { anomalies: [{ id: sample.ANOMALY, severity: 'high' }] },
  },
});

export const getAnomaly = operation({
  id: 'getAnomaly',
  method: 'GET',
  path: '/v1/anomalies/{id}',
  tag: 'Anomalies',
  summary: 'One anomaly',
  scopes: ['anomalies:read'],
  params: Type.Object({ id: Type.String() }),
  query: Type.Object({ f: GeoJsonFormat }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The anomaly.',
      body: Anomaly,
      geojson: featureOf(Anomaly, 'AnomalyFeature'),
    },
  ],
  example: { parameters: { id: sample.ANOMALY }, answer: sample.anomaly },
});

/** The operations, in the order of the documentation. */
export const ANOMALY_OPERATIONS = [listAnomalies, ...SUBSCRIPTION_OPERATIONS, getAnomaly] as const;
