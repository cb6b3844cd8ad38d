import { Type, type Static } from 'typebox';
import { columnsOf, Cursor, Limit, ListFormat, NextCursor, nullable, Peril, Timestamp } from './fields.ts';
import { operation } from './operation.ts';
import { type Digest, DIGESTS, PERILS } from './vocabulary.ts';
import { PAST_DAYS } from './limits.ts';
import * as sample from './example-resources.ts';

export const SUBSCRIPTION_STATUSES = ['active', 'paused', 'cancelled'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export const SubscriptionReceipt = Type.Object(
  { subscription_id: Type.String(), status: Type.Enum([...SUBSCRIPTION_STATUSES]) },
  { title: 'SubscriptionReceipt' },
);

const Clock = (description: string) =>
  Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description });

const Quiet = nullable(
  Type.Object(
    {
      zone: Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Time zone of the IANA database, such as Europe/Ljubljana.',
      }),
      from: Clock('When they begin each day, HH:MM.'),
      to: Clock('When they end, HH:MM; on the next day if it is before `from`.'),
    },
    {
      additionalProperties: false,
      description:
        'Hours in which no event of its anomalies and their incidents is sent to webhooks. What happens then is sent at their end. The list and the stream of events show it at once. Null: none.',
    },
  ),
);

const DigestChoice = Type.Unsafe<Digest | null>({
  type: ['string', 'null'],
  enum: [...DIGESTS, null],
  description:
    'One event `incident.digest` at the start of each hour or day (UTC), or at the end of the quiet hours then, in place of the events of its anomalies and their incidents. Null: each event at once.',
});

const Past = Type.Boolean({
  description: `Whether events are also sent for what was past when it was found, such as the anomalies of a long history that end more than ${PAST_DAYS} days before its newest observation. False: they are only listed.`,
});

export const Subscription = Type.Object(
  {
    subscription_id: Type.String(),
    status: Type.Enum([...SUBSCRIPTION_STATUSES]),
    aoi_id: Type.String(),
    perils: Type.Array(Peril),
    quiet_hours: Quiet,
    digest: DigestChoice,
    past: Past,
    created_at: Timestamp('When it was made.'),
  },
  { title: 'Subscription' },
);
export type Subscription = Static<typeof Subscription>;

const Id = Type.Object({ id: Type.String() });

export const subscribe = operation({
  id: 'subscribeToAnomalies',
  method: 'POST',
  path: '/v1/anomalies/subscribe',
  tag: 'Anomalies',
  summary: 'Subscribe to anomaly alerts for an area and perils',
  description: 'The same area and perils again give the existing subscription, with status 200.',
  scopes: ['anomalies:write'],
  recorded: true,
  creates: true,
  body: Type.Object(
    {
      aoi_id: Type.String({ minLength: 1, description: 'Area of interest.' }),
      perils: Type.Array(Peril, { minItems: 1, maxItems: PERILS.length, uniqueItems: true }),
      past: Type.Optional(Past),
    },
    { title: 'NewSubscription', additionalProperties: false },
  ),
  answers: [
    { status: 201, description: 'Subscribed.', body: SubscriptionReceipt },
    { status: 200, description: 'The subscription that was already there.', body: SubscriptionReceipt },
  ],
  example: {
    body: { aoi_id: sample.AOI, perils: ['flood', 'wildfire'] },
    answer: { subscription_id: sample.SUBSCRIPTION, status: 'active' },
  },
});

export const listSubscriptions = operation({
  id: 'listSubscriptions',
  method: 'GET',
  onReplica: true,
  path: '/v1/anomalies/subscriptions',
  tag: 'Anomalies',
  summary: 'List anomaly subscriptions, newest first',
  scopes: ['anomalies:read'],
  query: Type.Object({ limit: Limit, cursor: Cursor, f: ListFormat }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The subscriptions.',
      body: Type.Object(
        { subscriptions: Type.Array(Subscription), next_cursor: NextCursor },
        { title: 'Subscriptions' },
      ),
      table: columnsOf(Subscription),
    },
  ],
  example: { answer: { subscriptions: [sample.subscription] } },
});

export const getSubscription = operation({
  id: 'getSubscription',
  method: 'GET',
  path: '/v1/anomalies/subscriptions/{id}',
  tag: 'Anomalies',
  summary: 'One anomaly subscription',
  scopes: ['anomalies:read'],
  params: Id,
  answers: [{ status: 200, description: 'The subscription.', body: Subscription }],
  example: { parameters: { id: sample.SUBSCRIPTION }, answer: sample.subscription },
});

export const updateSubscription = operation({
  id: 'updateSubscription',
  method: 'PATCH',
  path: '/v1/anomalies/subscriptions/{id}',
  tag: 'Anomalies',
  summary: 'Pause, resume or cancel an anomaly subscription, or set how its events are sent',
  scopes: ['anomalies:write'],
  recorded: true,
  params: Id,
  body: Type.Object(
    {
      status: Type.Optional(Type.Enum([...SUBSCRIPTION_STATUSES])),
      quiet_hours: Type.Optional(Quiet),
      digest: Type.Optional(DigestChoice),
      past: Type.Optional(Past),
    },
    { title: 'SubscriptionPatch', additionalProperties: false, minProperties: 1 },
  ),
  answers: [{ status: 200, description: 'The subscription.', body: Subscription }],
  example: {
    parameters: { id: sample.SUBSCRIPTION },
    body: { status: 'active', quiet_hours: sample.quietHours, digest: 'daily' },
    answer: { ...sample.subscription, quiet_hours: sample.quietHours, digest: 'daily' },
  },
});

export const cancelSubscription = operation({
  id: 'cancelSubscription',
  method: 'DELETE',
  path: '/v1/anomalies/subscriptions/{id}',
  tag: 'Anomalies',
  summary: 'Cancel an anomaly subscription',
  scopes: ['anomalies:write'],
  recorded: true,
  params: Id,
  answers: [{ status: 204, description: 'Cancelled.' }],
  example: { parameters: { id: sample.SUBSCRIPTION } },
});

/** The operations, in the order of the documentation. */
export const SUBSCRIPTION_OPERATIONS = [
  subscribe,
  listSubscriptions,
  getSubscription,
  updateSubscription,
  cancelSubscription,
] as const;
