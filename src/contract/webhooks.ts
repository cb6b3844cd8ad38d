import { Type, type Static } from 'typebox';
import { EVENT_TYPES, NAMED_ONLY } from './events.ts';
import { columnsOf, Cursor, Limit, ListFormat, NextCursor, nullable, Timestamp } from './fields.ts';
import { operation } from './operation.ts';
import * as sample from './example-resources.ts';
import { CONFIRM_HOURS, EMAIL_LENGTH, SECRET_OVERLAP_S } from './limits.ts';

const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'HTTPS address on port 443 or from 1024 up, without credentials, on a public address.',
});
const Events = Type.Array(Type.Enum(['*', ...EVENT_TYPES], { title: 'EventChoice' }), {
  minItems: 1,
  maxItems: EVENT_TYPES.length + 1,
  uniqueItems: true,
  description: `Event types to deliver; \`*\` is all of them but ${NAMED_ONLY.join(', ')}, which has to be named.`,
});
const Email = Type.String({
  minLength: 3,
  maxLength: EMAIL_LENGTH,
  description: `E-mail address that gets the events as mails, in place of \`url\`. It first gets a mail that asks its recipient to confirm it within ${CONFIRM_HOURS} hours. Until then it gets nothing else.`,
});
const Status = Type.Enum(['active', 'disabled']);

export const NewWebhook = Type.Object(
  { id: Type.String(), secret: Type.Optional(Type.String({ description: 'Absent for an e-mail address.' })) },
  { title: 'WebhookSecret' },
);

export const Webhook = Type.Object(
  {
    id: Type.String(),
    url: Type.String({ description: 'Of an e-mail address it is `mailto:` and the address.' }),
    email: Type.Optional(Type.String({ description: 'Absent for a webhook.' })),
    events: Type.Array(Type.String()),
    status: Type.Enum(['active', 'disabled', 'unconfirmed'], {
      description: '`unconfirmed`: an e-mail address whose recipient has not confirmed it.',
    }),
    disabled_reason: nullable(Type.String()),
    created_at: Timestamp('When it was registered.'),
  },
  { title: 'Webhook' },
);
export type Webhook = Static<typeof Webhook>;

const Id = Type.Object({ id: Type.String() });

const tag = 'Webhooks';

export const registerWebhook = operation({
  id: 'registerWebhook',
  method: 'POST',
  path: '/v1/webhooks',
  tag,
  summary: 'Register an endpoint for real-time events',
  description:
    'A webhook by its `url`, or an e-mail address by its `email`. The signing secret of a webhook is shown in this answer only. The answer for an address is the same whether or not it is known here.',
  scopes: ['webhooks:write'],
  recorded: true,
  creates: true,
  givesSecret: true,
  body: Type.Object(
    { url: Type.Optional(Url), email: Type.Optional(Email), events: Events },
    { title: 'NewWebhook', additionalProperties: false, description: 'Either `url` or `email` is required.' },
  ),
  answers: [{ status: 201, description: 'Registered.', body: NewWebhook }],
  example: {
    body: { url: sample.webhook.url, events: sample.webhook.events },
    answer: { id: sample.WEBHOOK, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfgh1g4nHE=' },
  },
});

export const listWebhooks = operation({
  id: 'listWebhooks',
  method: 'GET',
  onReplica: true,
  path: '/v1/webhooks',
  tag,
  summary: 'List webhook endpoints, newest first',
  scopes: ['webhooks:read'],
  query: Type.Object({ limit: Limit, cursor: Cursor, f: ListFormat }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The endpoints.',
      body: Type.Object({ webhooks: Type.Array(Webhook), next_cursor: NextCursor }, { title: 'Webhooks' }),
      table: columnsOf(Webhook),
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
  description:
    'To an e-mail address that is not confirmed, another mail that asks for it; the former link ends.',
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

/** The operations, in the order of the documentation. */
export const WEBHOOK_OPERATIONS = [
  registerWebhook,
  listWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  rotateWebhookSecret,
] as const;
