import { ERROR_CODES, type ErrorStatus } from '../errors.ts';
import type {
  HeaderObject,
  MediaTypeObject,
  ParameterObject,
  Reference,
  ResponseObject,
  SchemaObject,
} from './document.ts';
import type { Answer, Operation } from '../operation.ts';
import { IDEMPOTENCY_HOURS, RATE_LIMIT_UNITS, SUSPECTED_OMITTED_MAX, TILE_ROWS } from '../limits.ts';

const text = { type: 'string' } as const;
const whole = { type: 'integer', minimum: 0 } as const;

/** Every header of an answer that the interface documents. */
export const HEADERS = {
  'X-Request-Id': { description: 'Names this call; quote it when you ask for help.', schema: text },
  'X-RateLimit-Limit': { description: 'Units that fit into the budget when it is full.', schema: whole },
  'X-RateLimit-Remaining': { description: 'Units left after this call.', schema: whole },
  'X-RateLimit-Reset': {
    description: 'Unix time [s] when the budget is full again; on a 429, when the same call would pass.',
    schema: whole,
  },
  RateLimit: { description: 'The same as a structured field (IETF RateLimit header fields).', schema: text },
  'RateLimit-Policy': { description: 'The policy behind `RateLimit`.', schema: text },
  'Retry-After': { description: 'Whole seconds to wait; never earlier than the reset.', schema: whole },
  'WWW-Authenticate': { description: '`Bearer`, with the error of RFC 6750 section 3.', schema: text },
  Location: { description: 'Address of what was made.', schema: { type: 'string', format: 'uri-reference' } },
  Link: { description: '`rel="next"`: the next page; present only when there is more.', schema: text },
  'X-Suspected-Omitted': {
    description: `Number of suspected changes that the list leaves out because no \`status\` was asked for, by the other filters and over all pages. ${SUSPECTED_OMITTED_MAX} means that many or more. Absent when \`status\` is given.`,
    schema: { ...whole, maximum: SUSPECTED_OMITTED_MAX },
  },
  'X-Heights-Omitted': {
    description: 'Number of positions whose height was dropped. Absent when none had one.',
    schema: { type: 'integer', minimum: 1 },
  },
  'X-Features-Omitted': {
    description: `How many features the tile leaves out. With \`+\`: of the newest ${TILE_ROWS} of the account; older ones were not looked at.`,
    schema: { type: 'string', pattern: '^\\d+\\+?$' },
  },
  'X-Read-From': {
    description:
      '`replica` where a replica of the database answered; it had everything that was stored before the call.',
    schema: { type: 'string', enum: ['replica'] },
  },
  Deprecation: { description: 'Since when the operation is deprecated (RFC 9745).', schema: text },
  Sunset: { description: 'When the operation will stop (RFC 8594).', schema: text },
} as const satisfies Readonly<Record<string, HeaderObject>>;

type HeaderName = keyof typeof HEADERS;
const COUNTED: readonly HeaderName[] = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
];

const headerRefs = (names: readonly HeaderName[]): Record<string, Reference> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Optional header of every operation that creates a resource. */
export const IDEMPOTENCY_KEY: ParameterObject = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `Any text of yours that is new for each thing you make. The same key and body within ${IDEMPOTENCY_HOURS} hours give the first answer again; the same key with another body is a 400. An answer that holds a secret is given again only to the credential that asked.`,
  schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
};

export const IF_MATCH: ParameterObject = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description:
    'The `ETag` of the resource as you read it by `GET`, as JSON or GeoJSON, or as `PATCH` answered it. When it has changed since, nothing is done and the answer is a 400 whose `param` is `If-Match`: read it again. `*` always matches.',
  schema: { type: 'string' },
};

/** The meaning of each failure, and the message in its example. */
const FAILURES: Readonly<Record<ErrorStatus, { name: string; meaning: string; message: string }>> = {
  400: {
    name: 'BadRequest',
    meaning: 'Malformed request or missing required parameter.',
    message: 'lat must be a number from -90 to 90, got 91',
  },
  401: {
    name: 'Unauthorized',
    meaning: 'Missing or invalid API key.',
    message: 'no credential was sent: expected Authorization: Bearer <API_KEY>',
  },
  403: {
    name: 'Forbidden',
    meaning: 'API key lacks scope for this resource.',
    message: 'this call needs the scope changes:read',
  },
  404: { name: 'NotFound', meaning: 'Resource does not exist.', message: 'no such resource' },
  429: {
    name: 'RateLimited',
    meaning: 'Rate limit exceeded; `Retry-After` gives the wait.',
    message: `the budget of ${RATE_LIMIT_UNITS} units a minute is spent`,
  },
  500: {
    name: 'ServerError',
    meaning: 'Unexpected server error; retry with backoff.',
    message: 'unexpected error',
  },
};

const STATUSES = Object.keys(FAILURES).map(Number) as ErrorStatus[];

/** Returns the responses for failures, which all operations share, by the name of their component. */
export function failureResponses(errorBody: SchemaObject): Record<string, ResponseObject> {
  return Object.fromEntries(
    STATUSES.map((status): [string, ResponseObject] => {
      const { name, meaning, message } = FAILURES[status];
      const extra: HeaderName[] =
        status === 401 ? ['WWW-Authenticate'] : status === 429 ? ['Retry-After'] : [];
      const example = {
        error: {
          code: ERROR_CODES[status],
          message,
          ...(status === 400 ? { param: 'lat' } : {}),
          request_id: 'req_01k9q3v8gze7q8w1n5s0t4b6ya',
        },
      };
      // Without a valid credential there is no rate limit to report.
      const counted = status !== 401;
      return [
        name,
        {
          description: meaning,
          headers: headerRefs([...(counted ? COUNTED : COUNTED.slice(0, 1)), ...extra]),
          content: { 'application/json': { schema: errorBody, example } },
        },
      ];
    }),
  );
}

/** Returns references to the failure responses of an operation, by status. */
export function failuresOf(declared: Operation): Record<string, Reference> {
  const body: { readonly properties?: Readonly<Record<string, unknown>> } = declared.body ?? {};
  const given = { ...declared.query?.properties, ...body.properties };
  const namesResource =
    declared.params !== undefined || Object.keys(given).some((name) => name.endsWith('_id'));
  return Object.fromEntries(
    STATUSES.filter((status) => status !== 403 || declared.scopes.length > 0)
      .filter((status) => status !== 404 || namesResource)
      .map((status) => [status, { $ref: `#/components/responses/${FAILURES[status].name}` }]),
  );
}

/** Returns the response of a successful operation. `content` is already in the form of the OpenAPI document. */
export function success(
  declared: Operation,
  deprecated: boolean,
  { status, description, headers = [] }: Answer,
  content: Readonly<Record<string, MediaTypeObject>>,
): ResponseObject {
  const names: HeaderName[] = [...COUNTED, ...headers];
  if (status === 201) names.push('Location');
  if (declared.query && 'cursor' in declared.query.properties) names.push('Link');
  if (declared.onReplica === true) names.push('X-Read-From');
  if (deprecated) names.push('Deprecation', 'Sunset');
  return {
    description,
    headers: headerRefs(names),
    ...(Object.keys(content).length > 0 ? { content } : {}),
  };
}
