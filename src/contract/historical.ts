import { Type } from 'typebox';
import { columnsOf, Cursor, Lat, ListFormat, Lng, NextCursor, Peril, When } from './fields.ts';
import { operation } from './operation.ts';
import { SERIES_PAGE_POINTS } from './limits.ts';

export const SeriesPoint = Type.Object(
  { t: Type.String({ format: 'date', description: 'Day of the observation.' }), v: Type.Number() },
  { title: 'SeriesPoint' },
);

export const getHistorical = operation({
  id: 'getHistorical',
  method: 'GET',
  path: '/v1/historical',
  tag: 'Series',
  summary: 'Historical series of a metric at a location',
  description:
    'Ascending by time. Only real, unmasked observations: gaps stay gaps, and two observations of one day are two points. From what speaks for the place most closely: the pixel that holds it, or the nearest station within the reach of the metric. Costs one unit per 1,000 points.',
  scopes: ['historical:read'],
  query: Type.Object(
    {
      lat: Lat,
      lng: Lng,
      metric: Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'A key of GET /v1/metrics, such as ndvi.',
      }),
      from: Type.Optional(When('First moment. Default: all there is.')),
      to: Type.Optional(When('End, a day being included whole. Default: now.')),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: SERIES_PAGE_POINTS, default: SERIES_PAGE_POINTS }),
      ),
      cursor: Cursor,
      f: ListFormat,
    },
    { additionalProperties: false },
  ),
  answers: [
    {
      status: 200,
      description: 'The series.',
      body: Type.Object({ series: Type.Array(SeriesPoint), next_cursor: NextCursor }, { title: 'Series' }),
      table: columnsOf(SeriesPoint),
    },
  ],
  example: {
    parameters: { lat: 46.05, lng: 14.47, metric: 'ndvi', from: '2026-01-01', to: '2026-06-30' },
    answer: {
      series: [
        { t: '2026-03-14', v: 0.41 },
        { t: '2026-04-08', v: 0.57 },
      ],
    },
  },
});

export const Metric = Type.Object(
  {
    key: Type.String(),
    unit: Type.String(),
    range: Type.Array(Type.Number(), {
      description: 'Least and greatest value that makes sense; empty: unbounded.',
    }),
    period: Type.String({ description: 'How often it is observed.' }),
    source: Type.String(),
    perils: Type.Array(Peril, {
      description: 'Perils that its anomalies speak for, each on the side that indicates it.',
    }),
    derived_from: Type.Array(Type.String(), {
      description: 'Metrics that it is computed from when they are ingested; empty: only as it was observed.',
    }),
    reach_m: Type.Number({
      description: 'Distance in metres from a station up to which its values speak for a place.',
    }),
    collections: Type.Integer({ minimum: 0, description: 'How many collections of yours hold it.' }),
  },
  { title: 'Metric' },
);

export const listMetrics = operation({
  id: 'listMetrics',
  method: 'GET',
  path: '/v1/metrics',
  tag: 'Series',
  summary: 'Known metric keys with unit, range, period and source',
  scopes: [],
  query: Type.Object({}, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The metrics.',
      body: Type.Object({ metrics: Type.Array(Metric) }, { title: 'Metrics' }),
    },
  ],
  example: {
    answer: {
      metrics: [
        {
          key: 'ndvi',
          unit: '1',
          range: [-1, 1],
          period: 'per clear scene',
          source: 'satellite images',
          perils: ['wildfire'],
          derived_from: [],
          reach_m: 1000,
          collections: 1,
        },
      ],
    },
  },
});

/** The operations, in the order of the documentation. */
export const SERIES_OPERATIONS = [getHistorical, listMetrics] as const;
