import { Type, type Static } from 'typebox';
import {
  Box,
  columnsOf,
  Cursor,
  Lat,
  Limit,
  ListFormat,
  Lng,
  NextCursor,
  nullable,
  Timestamp,
} from './fields.ts';
import { operation } from './operation.ts';

export const Station = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: 'Its name in the collection.' }),
    lat: Lat,
    lng: Lng,
    collection: Type.String(),
    metric: Type.String({ description: 'A key of GET /v1/metrics.' }),
    unit: Type.String(),
    observations: Type.Integer({ minimum: 0, description: 'How many it has.' }),
    first_at: nullable(Timestamp('When its first observation was made; null: it has none.')),
    last_at: nullable(Timestamp('When its last observation was made; null: it has none.')),
    simulated: Type.Optional(
      Type.Literal(true, { description: 'Only in the sandbox: its observations are made up.' }),
    ),
  },
  { title: 'Station' },
);
export type Station = Static<typeof Station>;

export const listStations = operation({
  id: 'listStations',
  method: 'GET',
  onReplica: true,
  path: '/v1/stations',
  tag: 'Series',
  summary: 'List stations, newest first',
  description:
    'Places where something is measured: weather stations, river gauges, GNSS antennas, InSAR points. Each comes once for each metric that it measures, or that is computed from what it measures. `GET /v1/historical` at its position gives its series.',
  scopes: ['feeds:read'],
  query: Type.Object(
    {
      bbox: Type.Optional(Box('Only those within a box.')),
      metric: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description:
            'Only those of a metric: a key of GET /v1/metrics. `moisture` finds those of `ndmi` too, which is another name of it.',
        }),
      ),
      limit: Limit,
      cursor: Cursor,
      f: ListFormat,
    },
    { additionalProperties: false },
  ),
  answers: [
    {
      status: 200,
      description: 'The stations.',
      body: Type.Object({ stations: Type.Array(Station), next_cursor: NextCursor }, { title: 'Stations' }),
      table: columnsOf(Station),
    },
  ],
  example: {
    parameters: { bbox: '14.4,46,14.6,46.1', metric: 'river_flow' },
    answer: {
      stations: [
        {
          id: 'stn_01k9q3v8gze7q8w1n5s0t4b6ya',
          name: '5080',
          lat: 46.047,
          lng: 14.538,
          collection: 'slovenian-rivers',
          metric: 'river_flow',
          unit: 'm3/s',
          observations: 7305,
          first_at: '2006-01-01T00:00:00.000Z',
          last_at: '2025-12-31T00:00:00.000Z',
        },
      ],
    },
  },
});

/** The operations, in the order of the documentation. */
export const STATION_OPERATIONS = [listStations] as const;
