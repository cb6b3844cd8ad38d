import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { Type } from 'typebox';
import { openApiDocument } from './openapi.ts';
import type { OperationObject, ParameterObject, ResponseObject } from './document.ts';
import type { Operation } from '../operation.ts';
import { OPERATIONS } from '../operations.ts';
import { PEOPLE_SCOPES, SCOPES } from '../scopes.ts';

const openapi = openApiDocument();

test('the document has the version of the interface, not that of the software', () => {
  assert.equal(openapi.info.version, '1.3.0');
});

const text = JSON.stringify(openapi);

const calls = Object.entries(openapi.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, declared]) => ({
    name: `${method.toUpperCase()} ${path}`,
    path,
    declared,
  })),
);
const named = (name: string): OperationObject => {
  const call = calls.find((found) => found.name === name);
  assert.ok(call, `${name} is missing`);
  return call.declared;
};
const own = (declared: OperationObject): ParameterObject[] =>
  (declared.parameters ?? []).filter((p): p is ParameterObject => 'name' in p);
const answer = (declared: OperationObject, status: number): ResponseObject => {
  const given = declared.responses[status];
  assert.ok(given && 'description' in given, `${declared.operationId} has no ${status}`);
  return given;
};
test('each format that `f` offers is declared as a media type of the answer, and no other', () => {
  const media: Readonly<Record<string, string>> = {
    geojson: 'application/geo+json',
    csv: 'text/csv',
    parquet: 'application/vnd.apache.parquet',
  };
  let offered = 0;
  for (const { name, path, declared } of calls) {
    if (!path.startsWith('/v1/')) continue;
    const formats = own(declared).find((p) => p.name === 'f')?.schema.enum ?? [];
    const types = Object.keys(answer(declared, Number(Object.keys(declared.responses)[0])).content ?? {});
    for (const [format, type] of Object.entries(media))
      assert.equal(types.includes(type), formats.includes(format), `${name}: ${type}`);
    offered += formats.length;
  }
  assert.ok(offered > 40, `${offered} formats`);
});

const bare = (given: Partial<Omit<Operation, 'method' | 'recorded'>>): Operation => ({
  id: 'x',
  method: 'GET',
  path: '/v1/x',
  tag: 'Risk',
  summary: 'x',
  scopes: [],
  answers: [],
  example: {},
  ...given,
});

test('the eight operations of the customer’s interface stand with their parameters and fields', () => {
  const required = (name: string) =>
    own(named(name))
      .filter((p) => p.required)
      .map((p) => p.name);
  assert.deepEqual(required('GET /v1/risk'), ['lat', 'lng', 'peril']);
  assert.deepEqual(required('GET /v1/changes'), ['aoi_id']);
  assert.deepEqual(required('GET /v1/changes/{id}'), ['id']);
  assert.deepEqual(required('GET /v1/anomalies'), []);
  assert.deepEqual(required('GET /v1/historical'), ['lat', 'lng', 'metric']);
  const { schemas } = openapi.components;
  assert.deepEqual(schemas['RiskBatch']?.required, ['locations']);
  assert.equal(schemas['RiskBatch']?.properties?.['locations']?.maxItems, 1000);
  assert.deepEqual(schemas['NewSubscription']?.required, ['aoi_id', 'perils']);
  // An e-mail address may stand in place of the url; test/contract/mail.test.ts checks that neither is refused.
  assert.deepEqual(schemas['NewWebhook']?.required, ['events']);
  assert.deepEqual(schemas['RiskAssessment']?.required, ['risk_score', 'confidence', 'model_version']);
  assert.deepEqual(schemas['SeriesPoint']?.required, ['t', 'v']);
  for (const name of ['POST /v1/anomalies/subscribe', 'POST /v1/webhooks'])
    assert.equal(answer(named(name), 201).headers?.['Location']?.$ref, '#/components/headers/Location');
});

test('every operation of the contract is in it once, under a unique id', () => {
  assert.deepEqual(
    calls.map(({ declared }) => declared.operationId).sort(),
    OPERATIONS.map(({ id }) => id).sort(),
  );
  assert.equal(new Set(calls.map(({ declared }) => declared.operationId)).size, OPERATIONS.length);
  assert.throws(
    () => openApiDocument({ operations: [bare({}), bare({ id: 'y' })] }),
    /GET \/v1\/x is declared twice/,
  );
});

test('every reference resolves', () => {
  const found = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!);
  assert.ok(found.length > 100);
  for (const ref of new Set(found)) {
    const target = ref
      .replace(/^#\//, '')
      .split('/')
      .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], openapi);
    assert.ok(target, ref);
  }
});

test('the parameters in a path and those declared are the same', () => {
  for (const { name, path, declared } of calls)
    assert.deepEqual(
      own(declared)
        .filter((p) => p.in === 'path')
        .map((p) => p.name),
      [...path.matchAll(/\{([^}]+)\}/g)].map(([, parameter]) => parameter),
      name,
    );
});

test('it is plain JSON, the same each time, with nothing of the schema library in it', () => {
  assert.equal(JSON.stringify(openApiDocument()), text);
  assert.deepEqual(JSON.parse(text), openapi);
  assert.doesNotMatch(text, /"~/);
});

test('failures are declared where they can happen: 403 with scopes, 404 where a resource is named', () => {
  const statuses = (name: string) => Object.keys(named(name).responses).join(' ');
  assert.equal(statuses('GET /v1/risk'), '200 400 401 403 429 500');
  assert.equal(statuses('GET /v1/models'), '200 400 401 429 500');
  assert.equal(statuses('GET /v1/changes'), '200 400 401 403 404 429 500');
  assert.equal(statuses('DELETE /v1/aois/{id}'), '204 400 401 403 404 429 500');
  assert.equal(statuses('POST /v1/anomalies/subscribe'), '200 201 400 401 403 404 429 500');
  const { responses } = openapi.components;
  assert.ok(responses['RateLimited']?.headers?.['Retry-After']);
  assert.ok(responses['Unauthorized']?.headers?.['WWW-Authenticate']);
});

test('scopes fill the security of each operation, and each is described', () => {
  const either = (...scopes: string[]) => [{ bearer: scopes }, { oauth2: scopes }];
  assert.deepEqual(named('GET /v1/changes').security, either('changes:read'));
  assert.deepEqual(named('GET /v1/metrics').security, either());
  assert.deepEqual(named('POST /v1/members').security, [{ session: ['members:write'] }]);
  assert.deepEqual(Object.keys(openapi.components.securitySchemes.session['x-scopes']), [...PEOPLE_SCOPES]);
  const { bearer, oauth2 } = openapi.components.securitySchemes;
  assert.deepEqual(Object.keys(bearer['x-scopes']), [...SCOPES]);
  const { clientCredentials } = oauth2.flows;
  assert.deepEqual(Object.keys(clientCredentials.scopes), [...SCOPES]);
  assert.equal(clientCredentials.tokenUrl, '/oauth/token', 'of the address that the document came from');
  const elsewhere = openApiDocument({ authServer: 'https://auth.example.com' });
  assert.equal(
    elsewhere.components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl,
    'https://auth.example.com/oauth/token',
  );
});

test('Idempotency-Key is taken by what creates and by nothing else', () => {
  const taking = calls
    .filter(({ declared }) => JSON.stringify(declared.parameters ?? []).includes('Idempotency-Key'))
    .map(({ name }) => name);
  for (const name of ['POST /v1/aois', 'POST /v1/anomalies/subscribe', 'POST /v1/webhooks'])
    assert.ok(taking.includes(name), name);
  assert.deepEqual(
    taking.toSorted(),
    OPERATIONS.filter(({ creates }) => creates)
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  );
});

test('every tag is described, and every described tag is used', () => {
  assert.deepEqual(
    [...new Set(calls.flatMap(({ declared }) => declared.tags))].sort(),
    openapi.tags.map(({ name }) => name).sort(),
  );
});

test('a deprecated operation says so and announces the two headers', () => {
  const deprecations = { assessRisk: { since: 1, sunset: 2, link: 'https://example.com/' } };
  const document = openApiDocument({ deprecations });
  const old = document.paths['/v1/risk']!.get!;
  assert.equal(old.deprecated, true);
  assert.ok(answer(old, 200).headers?.['Sunset']);
  assert.ok(answer(old, 200).headers?.['Deprecation']);
  assert.equal(document.paths['/v1/models']!.get!.deprecated, undefined);
});

test('every example passes its schema, and every call has one for all it needs', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  const check = (where: string, schema: object, value: unknown) => {
    const valid = ajv.compile({ ...schema, components: openapi.components });
    assert.ok(valid(value), `${where}: ${ajv.errorsText(valid.errors)}`);
  };
  for (const { name, declared } of calls) {
    for (const p of own(declared)) {
      if (p.required) assert.notEqual(p.example, undefined, `${name} ${p.name}`);
      if (p.example !== undefined) check(`${name} ${p.name}`, p.schema, p.example);
    }
    const body = declared.requestBody?.content['application/json'];
    if (body) check(`${name} body`, body.schema, body.example);
    for (const given of Object.values(declared.responses)) {
      const content = 'content' in given ? given.content?.['application/json'] : undefined;
      if (content) check(`${name} answer`, content.schema, content.example);
    }
  }
  for (const [type, { post }] of Object.entries(openapi.webhooks)) {
    const body = post.requestBody!.content['application/json']!;
    check(type, body.schema, body.example);
  }
  for (const [name, { content }] of Object.entries(openapi.components.responses))
    check(name, content!['application/json']!.schema, content!['application/json']!.example);
});

// What openapi-generator (Java) and oapi-codegen (Go) cannot read, or turn into code that does not compile.
test('generators of clients can read the document', () => {
  const visit = (at: string, node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, format, const: value, enum: names, uniqueItems, items } = node as Record<string, unknown>;
    if (type === 'boolean') assert.equal(value, undefined, `${at} is a constant that is no text`);
    // Go reads a number of no format as one of four bytes, and a place would move by up to a metre.
    if ([type].flat().includes('number')) assert.equal(format, 'double', `${at} is not exact`);
    if (Array.isArray(type))
      assert.ok(type.filter((name) => name !== 'null').length < 2, `${at} has types ${type.join()}`);
    // Java makes a set of another type of them than its methods take, where the choice has no name.
    if (uniqueItems === true) assert.ok('$ref' in (items as object), `${at} are choices without a name`);
    if (typeof value === 'string' || names !== undefined) assert.ok(type, `${at} has no type`);
    for (const [key, member] of Object.entries(node))
      if (!['example', 'examples', 'info', 'not', 'x-scopes'].includes(key)) visit(`${at}/${key}`, member);
  };
  visit('', openapi.components.schemas);
  for (const { name, declared } of calls) {
    visit(name, declared);
    for (const { schema, name: parameter } of own(declared))
      assert.ok(!('anyOf' in schema || 'oneOf' in schema), `${name} ${parameter} is a choice without a name`);
  }
  const tags = new Set<string>(openapi.tags.map(({ name }) => name));
  for (const [type, { post }] of Object.entries(openapi.webhooks)) {
    assert.ok(!post.tags.some((tag) => tags.has(tag)), `${type} would overwrite the operations of its tag`);
    for (const parameter of post.parameters ?? []) assert.ok(!('$ref' in parameter), type);
  }
  for (const title of ['Arrays', 'Collections', 'HashMap', 'List', 'Map', 'Objects', 'Set'])
    assert.ok(!(title in openapi.components.schemas), `${title} is a class of Java that clients import`);
  for (const tag of tags) {
    const file = `${tag.replaceAll(' ', '')}Api`.toLowerCase();
    for (const title of Object.keys(openapi.components.schemas)) assert.notEqual(title.toLowerCase(), file);
  }
});

test('two different schemas of one title are refused', () => {
  const answering = (id: string, member: ReturnType<typeof Type.Object>): Operation =>
    bare({ id, path: `/v1/${id}`, answers: [{ status: 200, description: 'x', body: member }] });
  const one = Type.Object({ a: Type.String() }, { title: 'Same' });
  const other = Type.Object({ b: Type.String() }, { title: 'Same' });
  assert.throws(
    () => openApiDocument({ operations: [answering('a', one), answering('b', other)] }),
    /two different schemas are titled "Same"/,
  );
  const twice = openApiDocument({ operations: [answering('a', one), answering('b', one)] });
  assert.equal(twice.components.schemas['Same']?.type, 'object');
});

test('a public validator of the OpenAPI 3.1 schema accepts it', async (t) => {
  const validator = '@seriousme/openapi-schema-validator';
  const library = (await import(validator).catch(() => undefined)) as
    | { Validator: new () => { version: string; validate(d: unknown): Promise<{ valid: boolean }> } }
    | undefined;
  if (!library) {
    t.skip(`${validator} is not installed`);
    return;
  }
  const judge = new library.Validator();
  assert.deepEqual(await judge.validate(JSON.parse(text)), { valid: true });
  assert.equal(judge.version, '3.1');
});
