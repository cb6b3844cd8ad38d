import { EVENTS } from '../event-payloads.ts';
import { EVENT_TYPES } from '../events.ts';
import {
  ANSWER_UNIT_BYTES,
  BODY_UNIT_BYTES,
  ACCESS_TOKEN_S,
  AREA_KM2,
  AREA_VERTICES,
  BATCH_LOCATIONS,
  DELIVERY_TIMEOUT_S,
  IDEMPOTENCY_HOURS,
  KEY_DAYS,
  LOCATIONS_PER_UNIT,
  PAGE_ITEMS,
  POINTS_PER_UNIT,
  RATE_LIMIT_UNITS,
  ASSERTION_S,
  GRANT_DAYS,
  PROOF_AGE_S,
  REFRESH_GRACE_S,
  REFRESH_TOKEN_DAYS,
  SERIES_PAGE_POINTS,
  whole,
} from '../limits.ts';
import { RELEASES } from '../release-history.ts';
import { ROLE_MEANINGS, ROLE_SCOPES, ROLES } from '../people/roles.ts';
import { PEOPLE_SCOPES, SCOPES, type Scope } from '../scopes.ts';

/** What each scope allows. */
export const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  'risk:read': 'Assess locations, one by one and in batches.',
  'changes:read': 'List and read changes.',
  'anomalies:read': 'List and read anomalies and anomaly subscriptions.',
  'anomalies:write': 'Subscribe to anomalies; pause, resume and cancel subscriptions.',
  'historical:read': 'Read historical series.',
  'webhooks:read': 'List and read webhooks, their deliveries and events.',
  'webhooks:write': 'Register, change, test and delete webhooks.',
  'aois:read': 'List and read areas of interest.',
  'aois:write': 'Create, rename and delete areas of interest.',
  'feeds:read': 'Read feeds, their stations, and layers.',
  'feeds:write': 'Change feeds and layers.',
  'keys:read': 'List keys and OAuth clients.',
  'keys:write': 'Make, rotate and revoke keys and OAuth clients.',
  'audit:read': 'Read the audit log of the account.',
  'members:read': 'List and read the members of the account. People only.',
  'members:write': 'Invite, change and remove members of the account. People only.',
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const scopesText = (role: (typeof ROLES)[number]): string =>
  role === 'admin' ? 'all' : ROLE_SCOPES[role].map((scope) => `\`${scope}\``).join(', ');

/** The description of the whole interface, in CommonMark with tables: one `##` heading per section. */
export const GUIDE = `Groundwatch assesses geospatial risk and monitors change. Everything is HTTPS and JSON; plain HTTP is refused.

## Authentication

Send a credential with every request, in the \`Authorization\` header: \`Authorization: Bearer <API_KEY>\` or \`Authorization: Bearer <ACCESS_TOKEN>\`. A key belongs to one account and one environment (\`sandbox\`, \`staging\` or \`production\`) and sees nothing outside them. Rotate keys every ${KEY_DAYS.default} days, and at once when one may have leaked.

Access tokens are for OAuth 2.0 clients (client credentials). Ask for one with a form; without \`scope\` it holds all that the client does:

\`\`\`
curl -d grant_type=client_credentials -d client_id=<CLIENT_ID> -d client_secret=<CLIENT_SECRET> -d scope="risk:read changes:read" {auth_url}/oauth/token
\`\`\`

The answer is \`{"access_token", "token_type": "Bearer", "expires_in": ${ACCESS_TOKEN_S}, "scope", "refresh_token"}\`. HTTP Basic proves the client as well. A token ends after ${ACCESS_TOKEN_S / 60} minutes: send \`grant_type=refresh_token\` with \`refresh_token\` and \`client_id\` for the next. A refresh token lasts ${REFRESH_TOKEN_DAYS} days and works once: each answer brings another, and a second use of one ends them all. When the answer was lost, the same token gives the same successor for ${REFRESH_GRACE_S} s more. After ${GRANT_DAYS} days the client proves itself again. \`POST {auth_url}/oauth/revoke\` (RFC 7009) ends a token with all that came of it. Errors are those of RFC 6749; metadata (RFC 8414) is at \`/.well-known/oauth-authorization-server\`, the public keys at \`/.well-known/jwks.json\`.

A client that was made with \`jwks\` has no secret. It sends \`client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer\` and \`client_assertion\`, a JWT signed by one of its keys (RFC 7523, \`private_key_jwt\`): \`iss\` and \`sub\` are the client id, \`aud\` is the token endpoint or the issuer, \`exp\` at most ${ASSERTION_S} s ahead, \`jti\` new each time.

With a proof in the header \`DPoP\` (RFC 9449) of the token request, the tokens are bound to the key of the proof and \`token_type\` is \`DPoP\`. Each call then sends \`Authorization: DPoP <ACCESS_TOKEN>\` and a new proof; so does each refresh. A proof is at most ${PROOF_AGE_S} s old and works once.

A missing or invalid credential is a 401. A credential without the scope of the operation is a 403. What belongs to another account is a 404, as if it were not there.

${table(
  ['Scope', 'Allows'],
  [...SCOPES, ...PEOPLE_SCOPES].map((scope) => [`\`${scope}\``, SCOPE_MEANINGS[scope]]),
)}

People sign in to the console with their OpenID provider, if one is set. What a member of an account may do is set by a role, in every environment of the account:

${table(
  ['Role', 'Allows', 'Scopes'],
  ROLES.map((role) => [`\`${role}\``, ROLE_MEANINGS[role], scopesText(role)]),
)}

## Errors

Every failure has one of six status and code pairs and the same body: \`{"error": {"code", "message", "param", "details", "request_id"}}\`. \`message\` says what was wrong, what was expected and what came; \`param\` names the field at fault, such as \`locations[17].lat\`; \`details\` lists every field at fault when there are several.

${table(
  ['Status', 'Code', 'Meaning'],
  [
    ['400', '`bad_request`', 'Malformed request or missing required parameter.'],
    ['401', '`unauthorized`', 'Missing or invalid API key.'],
    ['403', '`forbidden`', 'API key lacks scope for this resource.'],
    ['404', '`not_found`', 'Resource does not exist.'],
    ['429', '`rate_limited`', 'Rate limit exceeded; the `Retry-After` response header gives the wait.'],
    ['500', '`server_error`', 'Unexpected server error; retry with backoff.'],
  ],
)}

Unknown or repeated query parameters and unknown body fields are errors too: nothing you send is silently ignored.

## Values

- Positions are decimal degrees on WGS84. GeoJSON puts longitude first.
- Times are RFC 3339 timestamps, or \`YYYY-MM-DD\` for the start of that day in UTC. Without an offset they are UTC.
- Numbers and booleans in a JSON body are never read from strings.
- Identifiers are opaque: a type prefix such as \`chg_\` and 26 characters.
- Sets of values may grow. Ignore a change type, event type or field that you do not know.

## Lists

Newest first and stable while new items arrive: none is skipped or repeated. An answer holds up to \`limit\` items; when there are more it carries \`next_cursor\` and a \`Link\` header with \`rel="next"\`. Send the cursor back with the other parameters unchanged.

Areas, changes and anomalies are also GeoJSON: send \`Accept: application/geo+json\` or \`f=geojson\`.

Every list and series is also CSV (RFC 4180): send \`Accept: text/csv\` or \`f=csv\`. The first line names the columns. Geometry is well-known text in the column \`wkt\`, objects are JSON, an empty cell is null. A text that begins like a formula of a spreadsheet (\`=\`, \`+\`, \`-\`, \`@\`) has an apostrophe before it. The next page is in the \`Link\` header.

Every list and series is also an Apache Parquet file: send \`Accept: application/vnd.apache.parquet\` or \`f=parquet\`. Timestamps, dates, numbers and flags have their types; lists and objects are JSON text. Areas, changes and anomalies are GeoParquet 1.1.

The \`Accept\` header is read with its qualities (RFC 9110): the type of the highest \`q\` is sent, and of types with the same \`q\` the one that is named first. If it accepts nothing that is on offer, JSON is sent.

## Retries

- \`GET\` and \`DELETE\` are safe to repeat. So is \`POST /v1/risk/batch\`, which stores nothing.
- A \`POST\` that creates takes an \`Idempotency-Key\`: the same key and body within ${IDEMPOTENCY_HOURS} hours give the first answer again.
- After a 429 wait as long as \`Retry-After\` says; after a 500 back off exponentially, with some jitter.
- Answers of \`GET\` and \`PATCH\` carry an \`ETag\`; send that of a \`GET\` back in \`If-None-Match\` and an unchanged answer is a 304 without body. Send either in \`If-Match\` with a \`PATCH\` or \`DELETE\` of the same path, and nothing is done if the resource has changed since: the answer is a 400 \`bad_request\` whose \`param\` is \`If-Match\` (the interface has no 412). \`HEAD\` works wherever \`GET\` does.

## Limits

A call costs units from your key's budget, by default ${RATE_LIMIT_UNITS} a minute, and from that of your account, which all its keys and clients share. What a large body or answer costs more is taken after the work, so a budget may owe units; then calls are refused until it has earned them. Every answer tells what is left of the budget that has less.

${table(
  ['Limit', 'Value'],
  [
    ['Cost of a call', '1 unit'],
    ['Cost of a batch', `1 unit per ${LOCATIONS_PER_UNIT} locations`],
    ['Cost of a series', `1 unit per ${whole(POINTS_PER_UNIT)} points`],
    [
      'Large bodies and answers',
      `1 more unit for every ${BODY_UNIT_BYTES / 1024} KiB of the body, and for every ${ANSWER_UNIT_BYTES / 1024} KiB of the answer before compression, other than of a batch or a series`,
    ],
    ['Locations in a batch', `1 to ${whole(BATCH_LOCATIONS)}`],
    ['Items on a page of a list', whole(PAGE_ITEMS)],
    ['Points on a page of a series', whole(SERIES_PAGE_POINTS)],
    ['Vertices of an area', whole(AREA_VERTICES)],
    ['Size of an area', `${whole(AREA_KM2)} km²`],
    ['Life of an access token', `${ACCESS_TOKEN_S / 60} minutes`],
  ],
)}

${table(
  ['Header', 'Meaning'],
  [
    ['`X-RateLimit-Limit`', 'Units that fit into the budget.'],
    ['`X-RateLimit-Remaining`', 'Units left after this call.'],
    [
      '`X-RateLimit-Reset`',
      'Unix time when the budget is full again; on a 429, when the same call would pass.',
    ],
    ['`RateLimit`, `RateLimit-Policy`', 'The same, as the IETF header fields.'],
    ['`Retry-After`', 'On a 429: whole seconds to wait.'],
  ],
)}

## Events

Register an HTTPS address with \`POST /v1/webhooks\` and receive events as JSON. Answer any 2xx within ${DELIVERY_TIMEOUT_S} seconds. Each event is delivered at least once, always with the same \`id\`, in no promised order: drop ids that you have handled. A failed delivery is tried again over about 28 hours.

${table(
  ['Type', 'Sent when'],
  EVENT_TYPES.map((type) => [`\`${type}\``, EVENTS[type].meaning]),
)}

## Signatures

Each delivery carries \`X-SERVICE-Signature: t=<unix time>,v1=<hex>\`. To verify it:

1. Take the body as the bytes that arrived, before any JSON parser.
2. Compute HMAC-SHA256 over \`<t>.<body>\` with the secret from the registration, the whole string with its \`whsec_\` prefix, as the key.
3. Compare it in constant time with each \`v1\`: while a secret is being rotated there is one for each live secret.
4. Refuse a \`t\` that is more than five minutes away from your clock.

\`\`\`
import { verifySignature } from 'groundwatch-client';

const event = await verifySignature({
  payload: rawBody,
  header: request.headers['x-service-signature'],
  secret: process.env.WEBHOOK_SECRET,
});
\`\`\`

The same delivery also carries \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\`, so the public Standard Webhooks libraries verify it too.

## Versioning

The version is the prefix of the path. An operation that is to be withdrawn keeps working for at least 12 months and carries \`Deprecation\` (RFC 9745) and \`Sunset\` (RFC 8594) headers.

${table(
  ['Release', 'Changes'],
  RELEASES.map(({ release, changes }) => [release, changes.join(' ')]),
)}
`;
