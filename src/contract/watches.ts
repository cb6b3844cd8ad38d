import { Type, type Static } from 'typebox';
import {
  columnsOf,
  Cursor,
  Lat,
  Limit,
  ListFormat,
  Lng,
  NextCursor,
  nullable,
  Peril,
  Timestamp,
} from './fields.ts';
import { operation } from './operation.ts';
import { RiskExplanation } from './risk.ts';
import * as sample from './example-resources.ts';
import { REARM_BELOW } from './limits.ts';

const Share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });
const Threshold = Share('A score that reaches it has crossed it.');

/** How the score of a watched area was computed. */
export const WatchedArea = Type.Object(
  {
    places: Type.Integer({
      minimum: 1,
      description: 'Places looked at, each in the middle of an equal share of the area.',
    }),
    places_without_data: Type.Integer({
      minimum: 0,
      description: 'Of them, those of which nothing is known; they count for nothing but the confidence.',
    }),
    share_above: nullable(
      Share('Share of the area with data that is at or above the threshold; null where there are no data.'),
    ),
    highest: nullable(
      Type.Object(
        { risk_score: Share('The highest score of a place with data.'), lat: Lat, lng: Lng },
        { description: 'Null where there are no data.' },
      ),
    ),
    share_scored: Share('The score is the highest that this share of the area with data reaches.'),
  },
  { title: 'WatchedArea' },
);

export const RiskWatch = Type.Object(
  {
    id: Type.String(),
    lat: Type.Optional(Lat),
    lng: Type.Optional(Lng),
    aoi_id: Type.Optional(Type.String({ description: 'The area watched; else `lat` and `lng` are there.' })),
    subscription_id: Type.Optional(
      Type.String({ description: 'The anomaly subscription that it belongs to, if any.' }),
    ),
    peril: Peril,
    threshold: Threshold,
    status: Type.Enum(['active', 'paused'], { description: 'Paused while its subscription is.' }),
    risk_score: Share('When it was last looked at.'),
    confidence: Share('0: nothing is known of the place, and the score is a prior that crosses nothing.'),
    above: Type.Boolean({
      description: `True from an upward crossing until the score is ${REARM_BELOW} below the threshold: only then can it cross again.`,
    }),
    model_version: Type.String(),
    scored_at: Timestamp('When the score was made.'),
    created_at: Timestamp('When it was made.'),
    explain: Type.Optional(RiskExplanation),
    area: Type.Optional(WatchedArea),
  },
  { title: 'RiskWatch' },
);
export type RiskWatch = Static<typeof RiskWatch>;

const Id = Type.Object({ id: Type.String() });

/** Either place of a new watch, without the other. */
const POINT_ONLY = Type.Unsafe({ required: ['lat', 'lng'], properties: { aoi_id: false } });
const AREA_ONLY = Type.Unsafe({ required: ['aoi_id'], properties: { lat: false, lng: false } });

export const createWatch = operation({
  id: 'createRiskWatch',
  method: 'POST',
  path: '/v1/risk/watches',
  tag: 'Risk',
  summary: 'Watch the risk of a point or an area',
  description:
    'Takes `lat` and `lng`, or `aoi_id`. The answer tells the score as it is now, and whether it is above the threshold already: that causes no event. ' +
    'From then on the score is looked at again whenever a layer or the model changes, and `risk.threshold_exceeded` is sent once for each upward crossing.',
  scopes: ['risk:read', 'webhooks:write'],
  recorded: true,
  creates: true,
  body: Type.Object(
    {
      lat: Type.Optional(Lat),
      lng: Type.Optional(Lng),
      aoi_id: Type.Optional(Type.String({ minLength: 1, description: 'Area of interest.' })),
      peril: Peril,
      threshold: Threshold,
    },
    { title: 'NewRiskWatch', additionalProperties: false, oneOf: [POINT_ONLY, AREA_ONLY] },
  ),
  answers: [{ status: 201, description: 'Watched.', body: RiskWatch }],
  example: {
    body: { lat: 52.37, lng: 4.89, peril: 'flood', threshold: 0.7 },
    answer: sample.watch,
  },
});

export const listWatches = operation({
  id: 'listRiskWatches',
  method: 'GET',
  onReplica: true,
  path: '/v1/risk/watches',
  tag: 'Risk',
  summary: 'List risk watches, newest first',
  description: 'Also those of anomaly subscriptions, which watch their area at 0.7 for each of their perils.',
  scopes: ['risk:read'],
  query: Type.Object({ limit: Limit, cursor: Cursor, f: ListFormat }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The watches.',
      body: Type.Object(
        { watches: Type.Array(RiskWatch), next_cursor: NextCursor },
        { title: 'RiskWatchList' },
      ),
      table: columnsOf(RiskWatch),
    },
  ],
  example: { answer: { watches: [sample.watch] } },
});

export const getWatch = operation({
  id: 'getRiskWatch',
  method: 'GET',
  path: '/v1/risk/watches/{id}',
  tag: 'Risk',
  summary: 'One risk watch',
  scopes: ['risk:read'],
  params: Id,
  query: Type.Object(
    {
      explain: Type.Optional(
        Type.Boolean({
          default: false,
          description: 'Adds `explain` (a point) or `area` (an area), from the layers as they are now.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: [{ status: 200, description: 'The watch.', body: RiskWatch }],
  example: { parameters: { id: sample.WATCH }, answer: sample.watch },
});

export const deleteWatch = operation({
  id: 'deleteRiskWatch',
  method: 'DELETE',
  path: '/v1/risk/watches/{id}',
  tag: 'Risk',
  summary: 'End a risk watch',
  description: 'Also one of an anomaly subscription, which goes on without it.',
  scopes: ['risk:read', 'webhooks:write'],
  recorded: true,
  params: Id,
  answers: [{ status: 204, description: 'Ended.' }],
  example: { parameters: { id: sample.WATCH } },
});

/** The operations, in the order of the documentation. */
export const WATCH_OPERATIONS = [createWatch, listWatches, getWatch, deleteWatch] as const;
