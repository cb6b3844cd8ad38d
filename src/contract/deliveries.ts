import { Type, type Static } from 'typebox';
import { columnsOf, Cursor, Limit, ListFormat, NextCursor, nullable, Timestamp, When } from './fields.ts';
import { operation } from './operation.ts';
import * as sample from './example-resources.ts';
import { EVENT_DAYS } from './limits.ts';

const DELIVERY_STATUSES = ['pending', 'succeeded', 'dead'] as const;
const DeliveryStatus = Type.Enum([...DELIVERY_STATUSES], {
  description: '`dead`: the schedule is spent, or the endpoint was disabled; it can be sent again.',
});

const LOGGED_ATTEMPT = {
  at: Timestamp('When it was made.'),
  status: nullable(
    Type.Integer({ description: 'HTTP status, or reply code of the mail server; null when there was none.' }),
  ),
  duration_ms: Type.Integer(),
  error: nullable(Type.String()),
};

export const Delivery = Type.Object(
  {
    id: Type.String(),
    event_id: Type.String(),
    event_type: Type.String(),
    status: DeliveryStatus,
    attempts: Type.Integer({ description: 'How often it was tried so far.' }),
    created_at: Timestamp('When the event happened.'),
    next_attempt_at: nullable(Timestamp('When it will be tried again.')),
    last_attempt: nullable(Type.Object(LOGGED_ATTEMPT)),
  },
  { title: 'Delivery' },
);
export type Delivery = Static<typeof Delivery>;

export const DeliveryDetail = Type.Object(
  {
    ...Delivery.properties,
    payload: Type.Object({}, { additionalProperties: true, description: 'The event as it is sent.' }),
    attempt_log: Type.Array(
      Type.Object({
        ...LOGGED_ATTEMPT,
        answer: Type.String({
          description: 'First kilobyte of what the endpoint or the mail server answered.',
        }),
      }),
      { description: 'Every attempt, the first made first.' },
    ),
  },
  { title: 'DeliveryDetail' },
);
export type DeliveryDetail = Static<typeof DeliveryDetail>;

const Id = Type.Object({ id: Type.String() });
const DeliveryId = Type.Object({
  id: Type.String(),
  delivery_id: Type.String({ description: 'Identifier of the delivery.' }),
});
const tag = 'Webhooks';

export const listDeliveries = operation({
  id: 'listDeliveries',
  method: 'GET',
  onReplica: true,
  path: '/v1/webhooks/{id}/deliveries',
  tag,
  summary: `List deliveries of the last ${EVENT_DAYS} days to an endpoint, newest first`,
  scopes: ['webhooks:read'],
  params: Id,
  query: Type.Object(
    {
      status: Type.Optional(
        Type.Enum([...DELIVERY_STATUSES], { description: 'Only those in this state; absent: all.' }),
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
      description: 'The deliveries.',
      body: Type.Object(
        { deliveries: Type.Array(Delivery), next_cursor: NextCursor },
        { title: 'Deliveries' },
      ),
      table: columnsOf(Delivery),
    },
  ],
  example: { parameters: { id: sample.WEBHOOK }, answer: { deliveries: [sample.delivery] } },
});

export const getDelivery = operation({
  id: 'getDelivery',
  method: 'GET',
  path: '/v1/webhooks/{id}/deliveries/{delivery_id}',
  tag,
  summary: 'One delivery, with what was sent and every attempt',
  scopes: ['webhooks:read'],
  params: DeliveryId,
  answers: [{ status: 200, description: 'The delivery.', body: DeliveryDetail }],
  example: {
    parameters: { id: sample.WEBHOOK, delivery_id: sample.DELIVERY },
    answer: {
      ...sample.delivery,
      payload: sample.changeDetected,
      attempt_log: [
        {
          at: '2026-09-01T02:10:00.120Z',
          status: 503,
          duration_ms: 31,
          error: 'answered 503',
          answer: 'restarting',
        },
        { at: '2026-09-01T02:10:05.300Z', status: 204, duration_ms: 85, error: null, answer: '' },
      ],
    },
  },
});

export const redeliver = operation({
  id: 'redeliver',
  method: 'POST',
  path: '/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver',
  tag,
  summary: 'Send one delivery again, whatever became of it',
  description: 'At once, and then by the whole schedule. The event keeps its identifier.',
  scopes: ['webhooks:write'],
  recorded: true,
  params: DeliveryId,
  answers: [{ status: 200, description: 'The delivery, which waits to be sent.', body: Delivery }],
  example: {
    parameters: { id: sample.WEBHOOK, delivery_id: sample.DELIVERY },
    answer: {
      ...sample.delivery,
      status: 'pending',
      next_attempt_at: '2026-09-02T08:00:00.000Z',
    },
  },
});

export const redeliverFailed = operation({
  id: 'redeliverFailed',
  method: 'POST',
  path: '/v1/webhooks/{id}/redeliver',
  tag,
  summary: 'Send all deliveries again that failed for good since a time',
  description: 'Those in state `dead` whose event happened at that time or later.',
  scopes: ['webhooks:write'],
  recorded: true,
  params: Id,
  body: Type.Object(
    { since: When('Of events from this time on.') },
    { title: 'RedeliverFailed', additionalProperties: false },
  ),
  answers: [
    {
      status: 200,
      description: 'How many wait to be sent.',
      body: Type.Object({ queued: Type.Integer({ minimum: 0 }) }, { title: 'QueuedDeliveries' }),
    },
  ],
  example: {
    parameters: { id: sample.WEBHOOK },
    body: { since: '2026-09-01T00:00:00Z' },
    answer: { queued: 214 },
  },
});

/** The operations, in the order of the documentation. */
export const DELIVERY_OPERATIONS = [listDeliveries, getDelivery, redeliver, redeliverFailed] as const;
