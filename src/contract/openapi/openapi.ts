import type { TSchema } from 'typebox';
import { DEPRECATIONS, type Deprecation } from '../deprecations.ts';
import { ErrorBody } from '../errors.ts';
import { EVENTS } from '../event-payloads.ts';
import { EVENT_TYPES } from '../events.ts';
import type {
  MediaTypeObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  Reference,
  ResponseObject,
} from './document.ts';
import { GUIDE, SCOPE_MEANINGS } from './guide.ts';
import { TAGS } from './tags.ts';
import { failureResponses, failuresOf, HEADERS, IDEMPOTENCY_KEY, IF_MATCH, success } from './responses.ts';
import { SchemaCollection } from './schemas.ts';
import type { Operation, OperationExample } from '../operation.ts';
import { OPERATIONS } from '../operations.ts';
import { ACCESS_TOKEN_S } from '../limits.ts';
import { INTERFACE_VERSION } from '../release-history.ts';
import { PEOPLE_SCOPES, type Scope, SCOPES } from '../scopes.ts';
import { ACCOUNT_HEADER, ENVIRONMENT_HEADER, SESSION_COOKIE } from '../people/session.ts';

export interface OpenApiOptions {
  /** Base address of the service. Default: `/`, for a document that the service itself serves. */
  readonly server?: string;
  /** Base address of the token endpoint. If absent, the endpoint is relative to the address of the document. */
  readonly authServer?: string;
  readonly operations?: readonly Operation[];
  readonly deprecations?: Readonly<Record<string, Deprecation>>;
}

/** Converts the parameters of a path or a query to OpenAPI, in the order of their schema. */
function parameters(
  place: 'path' | 'query',
  object: Operation['query'],
  schemas: SchemaCollection,
  example: OperationExample,
): ParameterObject[] {
  const required = new Set<string>((object?.required as readonly string[] | undefined) ?? []);
  const list: ParameterObject[] = [];
  for (const [name, member] of Object.entries((object?.properties ?? {}) as Record<string, TSchema>)) {
    const { description, ...schema } = schemas.place(member);
    const told = description ?? (place === 'path' ? 'Identifier of the resource.' : undefined);
    const value = example.parameters?.[name];
    list.push({
      name,
      in: place,
      ...(told === undefined ? {} : { description: told }),
      required: place === 'path' || required.has(name),
      schema,
      ...(value === undefined ? {} : { example: value }),
    });
  }
  return list;
}

function responses(
  declared: Operation,
  deprecated: boolean,
  schemas: SchemaCollection,
  example: OperationExample,
): Record<string, ResponseObject | Reference> {
  const answers = declared.answers.map((answer): [string, ResponseObject] => {
    const content: Record<string, MediaTypeObject> = {};
    if (answer.body)
      content[answer.bodyType ?? 'application/json'] = {
        schema: schemas.place(answer.body),
        ...(example.answer === undefined ? {} : { example: example.answer }),
      };
    if (answer.geojson) content['application/geo+json'] = { schema: schemas.place(answer.geojson) };
    for (const media of [answer.media, answer.otherMedia])
      if (media) content[media] = { schema: { type: 'string', format: 'binary' } };
    if (answer.table) {
      const names = answer.table.map(({ name }) => name).join(', ');
      const drawn = answer.table.some(({ kind }) => kind === 'geometry');
      content['text/csv'] = { schema: { type: 'string', description: `Columns: ${names}.` } };
      content['application/vnd.apache.parquet'] = {
        schema: {
          type: 'string',
          format: 'binary',
          description: drawn
            ? 'GeoParquet 1.1: the same columns, and `geometry` as well-known binary in place of `wkt`.'
            : 'The same columns.',
        },
      };
    }
    if (answer.eventStream) content['text/event-stream'] = { schema: { type: 'string' } };
    return [String(answer.status), success(declared, deprecated, answer, content)];
  });
  return { ...Object.fromEntries(answers), ...failuresOf(declared) };
}

function operationObject(
  declared: Operation,
  deprecated: boolean,
  schemas: SchemaCollection,
): OperationObject {
  const { example } = declared;
  const list = [
    ...parameters('path', declared.params, schemas, example),
    ...parameters('query', declared.query, schemas, example),
    ...(declared.creates ? [{ $ref: `#/components/parameters/${IDEMPOTENCY_KEY.name}` }] : []),
    ...(declared.method === 'PATCH' || declared.method === 'DELETE'
      ? [{ $ref: `#/components/parameters/${IF_MATCH.name}` }]
      : []),
  ];
  return {
    tags: [declared.tag],
    summary: declared.summary,
    ...(declared.description === undefined ? {} : { description: declared.description }),
    operationId: declared.id,
    ...(deprecated ? { deprecated: true } : {}),
    security: isForPeople(declared)
      ? [{ session: declared.scopes }]
      : [{ bearer: declared.scopes }, { oauth2: declared.scopes }],
    ...(list.length > 0 ? { parameters: list } : {}),
    ...(declared.body
      ? {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: schemas.place(declared.body),
                ...(example.body === undefined ? {} : { example: example.body }),
              },
            },
          },
        }
      : {}),
    responses: responses(declared, deprecated, schemas, example),
  };
}

/** What each of some scopes allows. */
function meaningsOf(scopes: readonly Scope[]): Readonly<Record<string, string>> {
  return Object.fromEntries(scopes.map((scope) => [scope, SCOPE_MEANINGS[scope]]));
}

/** Whether only a signed-in person may call an operation, because no key or client can have its scopes. */
function isForPeople({ scopes }: Operation): boolean {
  return scopes.some((scope) => (PEOPLE_SCOPES as readonly string[]).includes(scope));
}

/**
 * What receivers are sent. Two things are for generators of clients: the tag is that of no operation, because they write
 * one file for each tag of either, and the parameter is no component, because Go's oapi-codegen does not look for it there.
 */
function webhooks(schemas: SchemaCollection): OpenApiDocument['webhooks'] {
  return Object.fromEntries(
    EVENT_TYPES.map((type) => [
      type,
      {
        post: {
          tags: ['Event bodies'],
          summary: EVENTS[type].meaning,
          operationId: `on:${type}`,
          security: [],
          parameters: [SIGNATURE],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: schemas.place(EVENTS[type].body),
                example: EVENTS[type].example,
              },
            },
          },
          responses: {
            '2XX': { description: 'Received. Anything else is tried again.' },
            '410': { description: 'Gone: the endpoint is disabled.' },
          },
        },
      },
    ]),
  );
}

const SIGNATURE: ParameterObject = {
  name: 'X-SERVICE-Signature',
  in: 'header',
  required: true,
  description: '`t=<unix time>,v1=<hex HMAC-SHA256 of "<t>.<raw body>">`; one `v1` for each live secret.',
  schema: { type: 'string' },
};

/**
 * The OpenAPI 3.1 document of the interface, generated from the same schemas that validate requests and serialise
 * answers. The same operations always give the same bytes.
 * @throws RangeError when two different schemas share a title, or two operations share a method and path
 */
export function openApiDocument(options: OpenApiOptions = {}): OpenApiDocument {
  const schemas = new SchemaCollection();
  const tokenUrl = `${options.authServer ?? ''}/oauth/token`;
  const errorBody = schemas.place(ErrorBody);
  const deprecations = options.deprecations ?? DEPRECATIONS;
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const declared of options.operations ?? OPERATIONS) {
    const item = (paths[declared.path] ??= {});
    const method = declared.method.toLowerCase();
    if (item[method]) throw new RangeError(`${declared.method} ${declared.path} is declared twice`);
    item[method] = operationObject(declared, declared.id in deprecations, schemas);
  }
  const hooks = webhooks(schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Groundwatch',
      version: INTERFACE_VERSION,
      summary: 'Geospatial risk and change monitoring',
      description: GUIDE,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.server ?? '/', description: 'This service.' }],
    security: [{ bearer: [] }, { oauth2: [] }],
    tags: TAGS,
    paths,
    webhooks: hooks,
    components: {
      schemas: schemas.components(),
      responses: failureResponses(errorBody),
      parameters: { [IDEMPOTENCY_KEY.name]: IDEMPOTENCY_KEY, [IF_MATCH.name]: IF_MATCH },
      headers: HEADERS,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key or an OAuth 2.0 access token. The scopes of each operation are all needed.',
          'x-scopes': meaningsOf(SCOPES),
        },
        oauth2: {
          type: 'oauth2',
          description: `A client trades its secret for an access token of ${ACCESS_TOKEN_S / 60} minutes, and then its refresh token for the next.`,
          flows: { clientCredentials: { tokenUrl, refreshUrl: tokenUrl, scopes: meaningsOf(SCOPES) } },
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: `The session of a person who signed in to the console. It works for every operation, from pages of the service only, and beside the headers \`${ACCOUNT_HEADER}\` and \`${ENVIRONMENT_HEADER}\`. Operations that name it here take nothing else.`,
          'x-scopes': meaningsOf(PEOPLE_SCOPES),
        },
      },
    },
  };
}
