import { Type, type Static } from 'typebox';
import { columnsOf, Cursor, Limit, ListFormat, NextCursor, nullable, Timestamp } from './fields.ts';
import { Name, Scopes, Units } from './keys.ts';
import { operation } from './operation.ts';
import { ENVIRONMENTS } from './vocabulary.ts';
import * as sample from './example-resources.ts';
import { ASSERTION_S, CLIENT_KEYS, KEY_OVERLAP_HOURS, RATE_LIMIT_UNITS } from './limits.ts';

const Jwks = Type.Object(
  {
    keys: Type.Array(Type.Object({}, { additionalProperties: true }), { minItems: 1, maxItems: CLIENT_KEYS }),
  },
  {
    title: 'JwkSet',
    additionalProperties: false,
    description: `Public keys (RFC 7517): EC P-256, Ed25519, or RSA of 2048 bits or more. Several need a \`kid\` each. A client with keys has no secret: it proves itself with \`client_assertion\`, a JWT of at most ${ASSERTION_S} s that one of its keys signed (\`private_key_jwt\`).`,
  },
);

export const Client = Type.Object(
  {
    client_id: Type.String(),
    name: nullable(Type.String()),
    environment: Type.Enum([...ENVIRONMENTS]),
    scopes: Type.Array(Type.String()),
    limit: Type.Integer({ description: 'Units a minute of all its tokens together; 0 is unlimited.' }),
    token_endpoint_auth_method: Type.Enum(['client_secret', 'private_key_jwt'], {
      description: 'How it proves itself when it asks for a token.',
    }),
    former_keys_until: nullable(
      Timestamp('Until when the keys before the present ones still prove it; null: they do not.'),
    ),
    created_at: Timestamp('When it was made.'),
    last_used_at: nullable(Timestamp('When it or a token of it was last used, to the minute.')),
  },
  { title: 'OAuthClient' },
);
export type Client = Static<typeof Client>;

const Id = Type.Object({ id: Type.String() });
const tag = 'Credentials';

export const createClient = operation({
  id: 'createClient',
  method: 'POST',
  path: '/v1/clients',
  tag,
  summary: 'Make an OAuth client',
  description: 'It belongs to the account and environment of the calling credential.',
  scopes: ['keys:write'],
  recorded: true,
  creates: true,
  givesSecret: true,
  body: Type.Object(
    {
      name: Type.Optional(Name),
      scopes: Scopes,
      limit: Type.Optional(Units),
      jwks: Type.Optional(Jwks),
    },
    { title: 'NewOAuthClient', additionalProperties: false },
  ),
  answers: [
    {
      status: 201,
      description: 'Made.',
      body: Type.Object(
        {
          client_id: Type.String(),
          client_secret: Type.Optional(
            Type.String({ description: 'Shown in this answer only. Absent when `jwks` was given.' }),
          ),
          scopes: Type.Array(Type.String()),
          limit: Type.Integer(),
        },
        { title: 'OAuthClientSecret' },
      ),
    },
  ],
  example: {
    body: { name: 'underwriting', scopes: ['risk:read', 'changes:read'] },
    answer: {
      client_id: sample.CLIENT,
      client_secret: 'gwcs_C2FVsBQIhrscChlQIMV-b5sSYspob7oDazfgh1g4nHE',
      scopes: ['risk:read', 'changes:read'],
      limit: RATE_LIMIT_UNITS,
    },
  },
});

export const listClients = operation({
  id: 'listClients',
  method: 'GET',
  path: '/v1/clients',
  tag,
  summary: 'List OAuth clients that are not revoked, newest first',
  scopes: ['keys:read'],
  query: Type.Object({ limit: Limit, cursor: Cursor, f: ListFormat }, { additionalProperties: false }),
  answers: [
    {
      status: 200,
      description: 'The clients, never their secrets.',
      body: Type.Object({ clients: Type.Array(Client), next_cursor: NextCursor }, { title: 'OAuthClients' }),
      table: columnsOf(Client),
    },
  ],
  example: { answer: { clients: [sample.client] } },
});

export const getClient = operation({
  id: 'getClient',
  method: 'GET',
  path: '/v1/clients/{id}',
  tag,
  summary: 'One OAuth client',
  scopes: ['keys:read'],
  params: Id,
  answers: [{ status: 200, description: 'The client, never its secret.', body: Client }],
  example: { parameters: { id: sample.CLIENT }, answer: sample.client },
});

export const replaceClientKeys = operation({
  id: 'replaceClientKeys',
  method: 'POST',
  path: '/v1/clients/{id}/keys',
  tag,
  summary: 'Replace the public keys of an OAuth client; the old ones work on for a while',
  description:
    'For clients that were made with `jwks`. Give `overlap_hours=0` if a private key leaked. Tokens that the client has already go on: revoke the client to end those too.',
  scopes: ['keys:write'],
  recorded: true,
  params: Id,
  query: Type.Object(
    {
      overlap_hours: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: KEY_OVERLAP_HOURS.most,
          default: KEY_OVERLAP_HOURS.default,
          description: 'How long assertions of the old keys are still accepted.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  body: Type.Object({ jwks: Jwks }, { title: 'OAuthClientKeys', additionalProperties: false }),
  answers: [{ status: 200, description: 'The client.', body: Client }],
  example: {
    parameters: { id: sample.CLIENT },
    body: { jwks: { keys: [sample.publicKey] } },
    answer: {
      ...sample.client,
      token_endpoint_auth_method: 'private_key_jwt',
      former_keys_until: '2026-09-02T08:00:00.000Z',
    },
  },
});

export const revokeClient = operation({
  id: 'revokeClient',
  method: 'DELETE',
  path: '/v1/clients/{id}',
  tag,
  summary: 'Revoke an OAuth client and all its tokens, at once',
  scopes: ['keys:write'],
  recorded: true,
  params: Id,
  answers: [{ status: 204, description: 'Revoked.' }],
  example: { parameters: { id: sample.CLIENT } },
});

/** The operations, in the order of the documentation. */
export const CLIENT_OPERATIONS = [
  createClient,
  listClients,
  getClient,
  replaceClientKeys,
  revokeClient,
] as const;
