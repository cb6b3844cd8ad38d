import { Type, type Static } from 'typebox';
import { columnsOf, Cursor, Limit, ListFormat, NameText, NextCursor, nullable, Timestamp } from './fields.ts';
import { operation } from './operation.ts';
import { SCOPES } from './scopes.ts';
import { ENVIRONMENTS } from './vocabulary.ts';
import * as sample from './example-resources.ts';
import { KEY_DAYS, KEY_OVERLAP_HOURS, KEY_WARNING_DAYS } from './limits.ts';

export const Scopes = Type.Array(Type.Enum([...SCOPES], { title: 'Scope' }), {
  minItems: 1,
  maxItems: SCOPES.length,
  uniqueItems: true,
  description: 'What it may do. Only scopes that the calling credential holds can be given.',
});
export const Name = NameText(100, 'What it is for; for people to read.');
export const Units = Type.Integer({
  minimum: 0,
  maximum: 999_999_999,
  description: 'Units a minute; 0 is unlimited. At most the limit of the calling credential.',
});

export const Key = Type.Object(
  {
    id: Type.String(),
    name: nullable(Type.String()),
    environment: Type.Enum([...ENVIRONMENTS]),
    scopes: Type.Array(Type.String()),
    limit: Type.Integer({ description: 'Units a minute; 0 is unlimited.' }),
    status: Type.Enum(['active', 'expiring', 'expired'], {
      description: `\`expiring\`: it ends within ${KEY_WARNING_DAYS} days.`,
    }),
    created_at: Timestamp('When it was made.'),
    expires_at: nullable(Timestamp('When it ends: by its age, or because it was replaced; null: never.')),
    last_used_at: nullable(Timestamp('When it was last used, to the minute.')),
    warning: nullable(Type.String({ description: 'What has to be done about it soon; null: nothing.' })),
  },
  { title: 'Key' },
);
export type Key = Static<typeof Key>;

const KeySecret = Type.Object(
  {
    id: Type.String(),
    key: Type.String({ description: 'The key itself, shown in this answer only.' }),
    scopes: Type.Array(Type.String()),
    limit: Type.Integer(),
    expires_at: nullable(Timestamp('When it ends; null: never.')),
  },
  { title: 'KeySecret' },
);

const KeySuccessor = Type.Object(
  {
    ...KeySecret.properties,
    replaces: Type.String({ description: 'The key that it replaces.' }),
    old_key_ends_at: Timestamp('Until when the replaced key works.'),
  },
  { title: 'KeySuccessor' },
);

const Id = Type.Object({ id: Type.String() });
const tag = 'Credentials';

export const createKey = operation({
  id: 'createKey',
  method: 'POST',
  path: '/v1/keys',
  tag,
  summary: 'Make an API key',
  description:
    'It belongs to the account and environment of the calling credential, which cannot give more than it holds: no scope that it has not, no higher limit, and, as a key, no longer lifetime.',
  scopes: ['keys:write'],
  recorded: true,
  creates: true,
  givesSecret: true,
  body: Type.Object(
    {
      name: Type.Optional(Name),
      scopes: Scopes,
      limit: Type.Optional(Units),
      expires_in_days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: KEY_DAYS.most,
          default: KEY_DAYS.default,
          description:
            'Days until it expires; at most the lifetime of the key that makes it, which is also what it gets when that is shorter and nothing is asked.',
        }),
      ),
    },
    { title: 'NewKey', additionalProperties: false },
  ),
  answers: [{ status: 201, description: 'Made.', body: KeySecret }],
  example: {
    body: { name: 'nightly portfolio run', scopes: ['risk:read'], expires_in_days: 90 },
    answer: sample.newKey,
  },
});

export const listKeys = operation({
  id: 'listKeys',
  method: 'GET',
  path: '/v1/keys',
  tag,
  summary: 'List API keys that are not revoked, newest first',
  scopes: ['keys:read'],
  query: Type.Object({ limit: Limit, cursor: Cursor, f: ListFormat }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The keys, never their secrets.',
      body: Type.Object({ keys: Type.Array(Key), next_cursor: NextCursor }, { title: 'Keys' }),
      table: columnsOf(Key),
    },
  ],
  example: { answer: { keys: [sample.key] } },
});

export const getKey = operation({
  id: 'getKey',
  method: 'GET',
  path: '/v1/keys/{id}',
  tag,
  summary: 'One API key',
  scopes: ['keys:read'],
  params: Id,
  answers: [{ status: 200, description: 'The key, never its secret.', body: Key }],
  example: { parameters: { id: sample.KEY }, answer: sample.key },
});

export const rotateKey = operation({
  id: 'rotateKey',
  method: 'POST',
  path: '/v1/keys/{id}/rotate',
  tag,
  summary: 'Replace an API key; the old one works on for a while',
  description:
    'The new key has the scopes, the limit and the lifetime of the old one. A key may replace itself, but none that holds more or lives longer.',
  scopes: ['keys:write'],
  recorded: true,
  creates: true,
  givesSecret: true,
  params: Id,
  query: Type.Object(
    {
      overlap_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: KEY_OVERLAP_HOURS.most,
          default: KEY_OVERLAP_HOURS.default,
          description: 'How long the old key still works.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  answers: [{ status: 201, description: 'Made.', body: KeySuccessor }],
  example: {
    parameters: { id: sample.KEY, overlap_hours: 24 },
    answer: { ...sample.newKey, replaces: sample.KEY, old_key_ends_at: '2026-11-20T08:00:00.000Z' },
  },
});

export const revokeKey = operation({
  id: 'revokeKey',
  method: 'DELETE',
  path: '/v1/keys/{id}',
  tag,
  summary: 'Revoke an API key, at once',
  scopes: ['keys:write'],
  recorded: true,
  params: Id,
  answers: [{ status: 204, description: 'Revoked.' }],
  example: { parameters: { id: sample.KEY } },
});

/** The operations, in the order of the documentation. */
export const KEY_OPERATIONS = [createKey, listKeys, getKey, rotateKey, revokeKey] as const;
