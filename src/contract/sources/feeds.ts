import { Type, type Static } from 'typebox';
import { nullable, Timestamp } from '../fields.ts';
import { FEED_AREAS, whole } from '../limits.ts';
import { operation } from '../operation.ts';

export const Feed = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    url: Type.String({ description: 'Address of the STAC catalogue, without its query.' }),
    metrics: nullable(
      Type.Array(Type.String(), {
        description: 'Metrics that are computed. Null: all that the scenes have the bands for.',
      }),
    ),
    max_cloud: Type.Number({ description: 'Scenes with more clouds are left out [%].' }),
    from: Timestamp('Start of the history that each area gets.'),
    every_hours: Type.Number({ description: 'Interval between requests [hours].' }),
    asked_at: nullable(Timestamp('When the catalogue was asked last for an area of yours; null: never.')),
    next_at: Timestamp('When it is asked next.'),
    areas: Type.Integer({
      minimum: 0,
      description: `Your areas that it serves; at most ${whole(FEED_AREAS)}, the oldest, are counted.`,
    }),
    areas_served: Type.Integer({ minimum: 0, description: 'Those for which a request succeeded.' }),
    areas_failing: Type.Integer({ minimum: 0, description: 'Those whose last request failed.' }),
    taken_to: nullable(
      Timestamp('All scenes taken before this are ingested, for every area that was served; null: none was.'),
    ),
    problem: nullable(
      Type.String({ description: 'The last error; null when every last request succeeded.' }),
    ),
  },
  { title: 'Feed' },
);
export type Feed = Static<typeof Feed>;

export const StationFeed = Type.Object(
  {
    id: Type.String(),
    name: Type.String({ description: 'Name of the feed and of its collection.' }),
    provider: Type.String({ description: 'Who hands the series out, such as `usgs`.' }),
    metric: Type.String(),
    from: Timestamp('Start of the history.'),
    every_hours: Type.Number({ description: 'Interval between requests [hours].' }),
    asked_at: nullable(Timestamp('When the provider was asked last; null: never.')),
    next_at: Timestamp('When it is asked next.'),
    stations: Type.Integer({ minimum: 0, description: 'Number of stations.' }),
    stations_served: Type.Integer({
      minimum: 0,
      description: 'Those for which a request succeeded, now or before.',
    }),
    problem: nullable(
      Type.String({ description: 'The last error; null when every last request succeeded.' }),
    ),
  },
  { title: 'StationFeed' },
);
export type StationFeed = Static<typeof StationFeed>;

export const listFeeds = operation({
  id: 'listFeeds',
  method: 'GET',
  path: '/v1/feeds',
  tag: 'Sources',
  summary:
    'List the feeds: catalogues that are followed for your areas and stations that are followed, and how far they are',
  description:
    'The operator adds them (`groundwatch feeds add`, `groundwatch stations follow`). Numbers and times of catalogues are of your own areas only.',
  scopes: ['feeds:read'],
  answers: [
    {
      status: 200,
      description: 'The feeds, by name.',
      body: Type.Object({ feeds: Type.Array(Feed), stations: Type.Array(StationFeed) }, { title: 'Feeds' }),
    },
  ],
  example: {
    answer: {
      feeds: [
        {
          id: 'fd_01k9q3v8gze7q8w1n5s0t4b6yf',
          name: 'sentinel-2',
          url: 'https://earth-search.aws.element84.com/v1/collections/sentinel-2-l2a',
          metrics: null,
          max_cloud: 80,
          from: '2023-01-01T00:00:00.000Z',
          every_hours: 24,
          asked_at: '2026-08-31T06:00:00.000Z',
          next_at: '2026-09-01T06:00:00.000Z',
          areas: 12,
          areas_served: 12,
          areas_failing: 1,
          taken_to: '2026-08-30T10:01:19.000Z',
          problem: 'the catalogue answered 503',
        },
      ],
      stations: [
        {
          id: 'sf_01k9q3v8gze7q8w1n5s0t4b6yg',
          name: 'potomac',
          provider: 'usgs',
          metric: 'river_flow',
          from: '2023-01-01T00:00:00.000Z',
          every_hours: 6,
          asked_at: '2026-08-31T06:00:00.000Z',
          next_at: '2026-08-31T12:00:00.000Z',
          stations: 2,
          stations_served: 2,
          problem: null,
        },
      ],
    },
  },
});

/** The operations, in the order of the documentation. */
export const FEED_OPERATIONS = [listFeeds] as const;
