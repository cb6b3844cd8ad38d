import { Type, type Static } from 'typebox';
import { EVENT_TYPES } from './events.ts';
import { Cursor, Limit, NextCursor, nullable, Timestamp } from './fields.ts';
import { operation } from './operation.ts';

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

export const Delivery = Type.Object(
  {
    id: Type.String(),
    event_id: Type.String(),
    event_type: Type.String(),
    status: Type.Enum(['pending', 'succeeded', 'dead']),
    attempts: Type.Integer(),
    created_at: Timestamp('When the event happened.'),
    next_attempt_at: nullable(Timestamp('When it will be tried again.')),
    last_attempt: nullable(
      Type.Object({
        at: Timestamp('When it was made.'),
        status: nullable(Type.Integer({ description: 'HTTP status; null when there was none.' })),
        duration_ms: Type.Integer(),
        error: nullable(Type.String()),
      }),
    ),
  },
  { title: 'Delivery' },
);

const Id = Type.Object({ id: Type.String() });
const tag = 'Webhooks';

export const registerWebhook = operation({
  id: 'registerWebhook',
  method: 'POST',
  path: '/v1/webhooks',
  tag,
  summary: 'Register an endpoint for real-time events',
  description: 'The signing secret is shown in this answer only.',
  scopes: ['webhooks:write'],
  creates: true,
  body: Type.Object({ url: Url, events: Events }, { title: 'NewWebhook', additionalProperties: false }),
  answers: [{ status: 201, description: 'Registered.', body: NewWebhook }],
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
});

export const updateWebhook = operation({
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/v1/webhooks/{id}',
  tag,
  summary: 'Change a webhook endpoint, or enable it again',
  scopes: ['webhooks:write'],
  params: Id,
  body: Type.Object(
    { url: Type.Optional(Url), events: Type.Optional(Events), status: Type.Optional(Status) },
    { title: 'WebhookPatch', additionalProperties: false, minProperties: 1 },
  ),
  answers: [{ status: 200, description: 'The endpoint.', body: Webhook }],
});

export const deleteWebhook = operation({
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/v1/webhooks/{id}',
  tag,
  summary: 'Delete a webhook endpoint; what is not yet delivered to it is dropped',
  scopes: ['webhooks:write'],
  params: Id,
  answers: [{ status: 204, description: 'Deleted.' }],
});

export const testWebhook = operation({
  id: 'testWebhook',
  method: 'POST',
  path: '/v1/webhooks/{id}/test',
  tag,
  summary: 'Send a webhook.test event to an endpoint',
  scopes: ['webhooks:write'],
  params: Id,
  answers: [
    {
      status: 200,
      description: 'The event that was queued.',
      body: Type.Object({ event_id: Type.String() }, { title: 'QueuedEvent' }),
    },
  ],
});

export const listDeliveries = operation({
  id: 'listDeliveries',
  method: 'GET',
  path: '/v1/webhooks/{id}/deliveries',
  tag,
  summary: 'List deliveries to an endpoint, newest first',
  scopes: ['webhooks:read'],
  params: Id,
  query: Type.Object({ limit: Limit, cursor: Cursor }, { additionalProperties: false }),
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
});
