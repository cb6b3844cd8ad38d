import { Type, type Static } from 'typebox';
import { operation } from '../operation.ts';

/** Media type of CoverageJSON. @see OGC 21-069r2 */
export const COVERAGE_TYPE = 'application/prs.coverage+json';

const Numbers = Type.Array(Type.Number());

export const OgcSeries = Type.Object(
  {
    type: Type.Literal('CoverageCollection'),
    domainType: Type.Literal('PointSeries'),
    parameters: Type.Record(
      Type.String(),
      Type.Object({
        type: Type.Literal('Parameter'),
        description: Type.Object({ en: Type.String() }),
        unit: Type.Object({ symbol: Type.String() }),
        observedProperty: Type.Object({ label: Type.Object({ en: Type.String() }) }),
      }),
    ),
    referencing: Type.Array(
      Type.Object({
        coordinates: Type.Array(Type.String()),
        system: Type.Object({
          type: Type.String(),
          id: Type.Optional(Type.String()),
          calendar: Type.Optional(Type.String()),
        }),
      }),
    ),
    coverages: Type.Array(
      Type.Object({
        type: Type.Literal('Coverage'),
        domain: Type.Object({
          type: Type.Literal('Domain'),
          axes: Type.Object({
            x: Type.Object({ values: Numbers }),
            y: Type.Object({ values: Numbers }),
            t: Type.Object({ values: Type.Array(Type.String({ format: 'date-time' })) }),
          }),
        }),
        ranges: Type.Record(
          Type.String(),
          Type.Object({
            type: Type.Literal('NdArray'),
            dataType: Type.Literal('float'),
            axisNames: Type.Array(Type.String()),
            shape: Type.Array(Type.Integer()),
            values: Numbers,
          }),
        ),
      }),
    ),
  },
  { title: 'OgcSeries' },
);
export type OgcSeries = Static<typeof OgcSeries>;

export const getOgcPosition = operation({
  id: 'getOgcPosition',
  method: 'GET',
  path: '/ogc/collections/series/position',
  tag: 'OGC API',
  summary: 'Series at a position, as CoverageJSON',
  description:
    'The position query of OGC API - Environmental Data Retrieval: what `GET /v1/historical` answers, a coverage for each metric of which there is an observation. Costs one unit per 1,000 observations; more than 10,000 are a 400.',
  scopes: ['historical:read'],
  query: Type.Object(
    {
      coords: Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Position in well-known text: `POINT(longitude latitude)`.',
      }),
      'parameter-name': Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 1000,
          description:
            'Keys of GET /v1/metrics, separated by commas. Absent: all of which there is a collection.',
        }),
      ),
      datetime: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description:
            'An RFC 3339 timestamp or a day, or an interval `first/last`, where `..` leaves an end open.',
        }),
      ),
      crs: Type.Optional(
        Type.Enum(['CRS84', 'OGC:CRS84', 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'], {
          description: 'Reference system of `coords` and of the answer: there is one.',
        }),
      ),
      f: Type.Optional(
        Type.Enum(['CoverageJSON', 'json'], { description: 'There is one format: CoverageJSON.' }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: [
    {
      status: 200,
      description: 'A collection of coverages of the domain type PointSeries.',
      body: OgcSeries,
      bodyType: COVERAGE_TYPE,
    },
  ],
  example: {
    parameters: {
      coords: 'POINT(14.47 46.05)',
      'parameter-name': 'ndvi',
      datetime: '2026-01-01/2026-06-30',
    },
  },
});
