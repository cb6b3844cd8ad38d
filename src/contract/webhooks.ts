import { Type, type Static } from 'typebox';
import { EVENT_TYPES } from './events.ts';
import { Cursor, Limit, NextCursor, nullable, Timestamp, When } from './fields.ts';
import { operation } from './operation.ts';
import * as sample from './example-resources.ts';
import { EVENT_DAYS, SECRET_OVERLAP_S } from './limits.ts';

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'HTTPS address on port 443 or from 1024 up, without credentials, on a public address.',
});
const Events = Type.Array(Type.Enum(['*', ...EVENT_TYPES]), {
  minItems: 1,
  maxItems: EVENT_TYPES.length + 1,
  uniqueItems: true,
  description: 'Event types to deliver; `*` is all of them.',
});
const Status = Type.Enum(['active', 'disabled']);

export const NewWebhook = Type.Object(
  { id: Type.String(), secret: Type.String() },
  { title: 'WebhookSecret' },
);

export const Webhook = Type.Object(
  {
    id: Type.String(),
    url: Type.String(),
    events: Type.Array(Type.String()),
    status: Status,
    disabled_reason: nullable(Type.String()),
    created_at: Timestamp('When it was registered.'),
  },
  { title: 'Webhook' },
);
export type Webhook = Static<typeof Webhook>;

const DELIVERY_STATUSES = ['pending', 'succeeded', 'dead'] as const;
const DeliveryStatus = Type.Enum([...DELIVERY_STATUSES], {
  description: '`dead`: the schedule is spent, or the endpoint was disabled; it can be sent again.',
});

const LOGGED_ATTEMPT = {
  at: Timestamp('When it was made.'),
  status: nullable(Type.Integer({ description: 'HTTP status; null when there was none.' })),
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
        answer: Type.String({ description: 'First kilobyte of what the endpoint answered.' }),
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

export const registerWebhook = operation({
  id: 'registerWebhook',
  method: 'POST',
  path: '/v1/webhooks',
  tag,
  summary: 'Register an endpoint for real-time events',
  description: 'The signing secret is shown in this answer only.',
  scopes: ['webhooks:write'],
  recorded: true,
  creates: true,
  givesSecret: true,
  body: Type.Object({ url: Url, events: Events }, { title: 'NewWebhook', additionalProperties: false }),
  answers: [{ status: 201, description: 'Registered.', body: NewWebhook }],
  example: {
    body: { url: sample.webhook.url, events: sample.webhook.events },
    answer: { id: sample.WEBHOOK, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgh1g4nHE=' },
  },
});

export const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'GET',
  path: '/v1/webhooks',
  tag,
  summary: 'List webhook endpoints, newest first',
  scopes: ['webhooks:read'],
  query: Type.Object({ limit: Limit, cursor: Cursor }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The endpoints.',
      body: Type.Object({ webhooks: Type.Array(Webhook), next_cursor: NextCursor }, { title: 'Webhooks' }),
    },
  ],
  example: { answer: { webhooks: [sample.webhook] } },
});

export const getWebhook = operation({
  id: 'getWebhook',
  method: 'GET',
  path: '/v1/webhooks/{id}',
  tag,
  summary: 'One webhook endpoint',
  scopes: ['webhooks:read'],
  params: Id,
  answers: [{ status: 200, description: 'The endpoint.', body: Webhook }],
  example: { parameters: { id: sample.WEBHOOK }, answer: sample.webhook },
});

export const updateWebhook = operation({
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/v1/webhooks/{id}',
  tag,
  summary: 'Change a webhook endpoint, or enable it again',
  scopes: ['webhooks:write'],
  recorded: true,
  params: Id,
  body: Type.Object(
    { url: Type.Optional(Url), events: Type.Optional(Events), status: Type.Optional(Status) },
    { title: 'WebhookPatch', additionalProperties: false, minProperties: 1 },
  ),
  answers: [{ status: 200, description: 'The endpoint.', body: Webhook }],
  example: {
    parameters: { id: sample.WEBHOOK },
    body: { events: ['*'] },
    answer: { ...sample.webhook, events: ['*'] },
  },
});

export const deleteWebhook = operation({
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/v1/webhooks/{id}',
  tag,
  summary: 'Delete a webhook endpoint; what is not yet delivered to it is dropped',
  scopes: ['webhooks:write'],
  recorded: true,
  params: Id,
  answers: [{ status: 204, description: 'Deleted.' }],
  example: { parameters: { id: sample.WEBHOOK } },
});

export const testWebhook = operation({
  id: 'testWebhook',
  method: 'POST',
  path: '/v1/webhooks/{id}/test',
  tag,
  summary: 'Send a webhook.test event to an endpoint',
  scopes: ['webhooks:write'],
  recorded: true,
  params: Id,
  answers: [
    {
      status: 200,
      description: 'The event that was queued.',
      body: Type.Object({ event_id: Type.String() }, { title: 'QueuedEvent' }),
    },
  ],
  example: { parameters: { id: sample.WEBHOOK }, answer: { event_id: sample.EVENT } },
});

export const listDeliveries = operation({
  id: 'listDeliveries',
  method: 'GET',
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

export const rotateWebhookSecret = operation({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/v1/webhooks/{id}/rotate-secret',
  tag,
  summary: 'Give an endpoint a new signing secret',
  description:
    'The new secret is shown in this answer only. Until the overlap is over, deliveries are signed with the secrets before it as well. With an overlap of 0, for a secret that leaked, they stop signing at once. Four sign at once at most: a further rotation is refused until one of them has ended.',
  scopes: ['webhooks:write'],
  recorded: true,
  creates: true,
  givesSecret: true,
  params: Id,
  query: Type.Object(
    {
      overlap_seconds: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: SECRET_OVERLAP_S.most,
          default: SECRET_OVERLAP_S.default,
          description: 'How long the secrets before it go on signing [s].',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: [
    {
      status: 200,
      description: 'The new secret.',
      body: Type.Object(
        {
          id: Type.String(),
          secret: Type.String(),
          previous_secret_until: Timestamp('Until when the secret before it goes on signing.'),
        },
        { title: 'RotatedSecret' },
      ),
    },
  ],
  example: {
    parameters: { id: sample.WEBHOOK, overlap_seconds: 3600 },
    answer: {
      id: sample.WEBHOOK,
      secret: 'whsec_p1Jd1X1yTyOtB5z1rj2mV6o4vB1sZcTqkq8xw0yC3mE=',
      previous_secret_until: '2026-11-02T10:32:00.000Z',
    },
  },
});

/** In the order of the documentation. */
export const WEBHOOK_OPERATIONS = [
  registerWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  rotateWebhookSecret,
  listDeliveries,
  getDelivery,
  redeliver,
  redeliverFailed,
] as const;
