import { Type } from 'typebox';
import { EVENTS, type WebhookEvent } from './event-payloads.ts';
import { EVENT_TYPES, NAMED_ONLY } from './events.ts';
import { columnsOf, Cursor, Limit, ListFormat, NextCursor } from './fields.ts';
import { operation } from './operation.ts';
import * as sample from './example-resources.ts';
import { EVENT_DAYS, OPEN_STREAMS, STREAM_HEARTBEAT_S } from './limits.ts';

const After = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 40,
    description: 'Identifier of the last event that you have: gives those that follow it.',
  }),
);
const OfType = Type.Optional(
  Type.Enum([...EVENT_TYPES], {
    description: `Only events of this type; absent: all but ${NAMED_ONLY.join(', ')}.`,
  }),
);
const Order = Type.Optional(
  Type.Enum(['asc', 'desc'], {
    description:
      '`asc`, or absent: oldest first. `desc`: newest first, without `after`; its pages lead back in time.',
  }),
);

/** Any event. Its `type` determines its payload. */
const AnyEvent = Type.Unsafe<WebhookEvent>({
  title: 'Event',
  description: 'An event, as it is delivered to webhooks.',
  type: 'object',
  anyOf: Object.values(EVENTS).map(({ body }) => body),
});

const tag = 'Events';

export const listEvents = operation({
  id: 'listEvents',
  method: 'GET',
  path: '/v1/events',
  tag,
  summary: `List events of the last ${EVENT_DAYS} days, oldest or newest first`,
  description:
    'The same events as webhooks get, in the order in which they were committed: one that is committed late is never placed before one you have seen. Keep the `id` of the last event and ask for what is `after` it, and you miss nothing.',
  scopes: ['webhooks:read'],
  query: Type.Object(
    { after: After, type: OfType, order: Order, limit: Limit, cursor: Cursor, f: ListFormat },
    { additionalProperties: false },
  ),
  answers: [
    {
      status: 200,
      description: 'The events.',
      body: Type.Object({ events: Type.Array(AnyEvent), next_cursor: NextCursor }, { title: 'Events' }),
      table: columnsOf(Object.values(EVENTS)[0]!.body),
    },
  ],
  example: { parameters: { after: sample.EVENT }, answer: { events: [sample.changeDetected] } },
});

export const getEvent = operation({
  id: 'getEvent',
  method: 'GET',
  path: '/v1/events/{id}',
  tag,
  summary: 'One event',
  scopes: ['webhooks:read'],
  params: Type.Object({ id: Type.String() }),
  answers: [{ status: 200, description: 'The event.', body: AnyEvent }],
  example: { parameters: { id: sample.EVENT }, answer: sample.changeDetected },
});

export const streamEvents = operation({
  id: 'streamEvents',
  method: 'GET',
  path: '/v1/events/stream',
  tag,
  summary: 'Events as they happen, as server-sent events',
  description: `Each message carries the event as \`data\`, its type as \`event\` and its identifier as \`id\`. After a break, send the last \`id\` in the header \`Last-Event-ID\` (a browser does by itself) or as \`after\`, and nothing is missed; without either the stream begins now. A comment line comes every ${STREAM_HEARTBEAT_S} seconds while nothing happens. The stream ends when the credential does. A credential has at most ${OPEN_STREAMS} open.`,
  scopes: ['webhooks:read'],
  query: Type.Object({ after: After, type: OfType }, { additionalProperties: false }),
  answers: [{ status: 200, description: 'The stream.', eventStream: true }],
  example: { parameters: { after: sample.EVENT } },
});

/** The operations, in the order of the documentation. */
export const EVENT_OPERATIONS = [listEvents, getEvent, streamEvents] as const;
