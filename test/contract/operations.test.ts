import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import type { OpenApiDocument } from '../../src/contract/openapi/document.ts';
import { readCsvRows } from '../../src/formats/csv/rows.ts';
import type { CallAnswer, CallOptions } from '../fixtures/http-caller.ts';
import { principal, testApp } from '../fixtures/test-app.ts';
import { type DeclaredOperation, DeclaredAnswers } from './declared-answers.ts';
import { credentialFor, OPERATION_CASES, type OperationCase, type Request } from './operation-cases.ts';
import { assertNoServerError, contractWorld, type World } from './world.ts';

/**
 * Makes calls that read the same resource, again when the answer to the first call differs afterwards: workers may change
 * a resource between two calls, such as the state of a delivery.
 */
async function atOneMoment(
  ...calls: readonly [Ask, Ask, Ask]
): Promise<readonly [CallAnswer, CallAnswer, CallAnswer]> {
  for (let tries = 0; ; tries++) {
    const answers = [await calls[0](), await calls[1](), await calls[2]()] as const;
    if (tries >= 20 || (await calls[0]()).text === answers[0].text) return answers;
  }
}
type Ask = () => Promise<CallAnswer>;

/** An item of a list, plain or as a feature. */
interface Item {
  readonly properties?: object;
  readonly geometry?: unknown;
}

/** A value of a Parquet file in the form of JSON. @param given the value that JSON has */
function comparable(value: unknown, given: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Date) {
    const text = value.toISOString();
    return String(given).includes('T') ? text : text.slice(0, 10);
  }
  return typeof value === 'string' && typeof given === 'object' ? JSON.parse(value) : value;
}

/** Operation that alone is tested, where a new one is tried; undefined: all. */
const ONLY = process.env['GROUNDWATCH_TEST_OPERATION'];
const isTested = (operationId: string): boolean => ONLY === undefined || operationId === ONLY;

/**
 * Whether only those answers are asked for that come from the database, where another server is tried. Refusals and
 * heads of answers come of the same statements, and of the service, which is the same on every server.
 */
const OF_DATABASE = process.env['GROUNDWATCH_TEST_DATABASE_URL'] !== undefined;
const skip = OF_DATABASE && 'SKIPPED: it is the same on every database server';

describe('every operation of the served OpenAPI document gives each answer that it declares, as it declares it', () => {
  let world: World;
  let answers: DeclaredAnswers;
  let cases: readonly (readonly [DeclaredOperation, OperationCase])[];

  before(async () => {
    world = await contractWorld();
    const document = await world.service.call('/openapi.json');
    answers = new DeclaredAnswers(document.json() as unknown as OpenApiDocument);
    const tested = answers.operations.filter(({ declared }) => isTested(declared.operationId));
    assert.ok(tested.length > 0, `no operation is called ${ONLY}`);
    cases = tested.map((operation) => {
      const found = OPERATION_CASES[operation.declared.operationId];
      assert.ok(found, `${operation.declared.operationId} has no case in operation-cases.ts`);
      return [operation, found] as const;
    });
  });
  after(() => {
    assertNoServerError(world);
    if (OF_DATABASE) return;
    const cannotFail = cases.flatMap(([{ declared }, { readsNothing }]) =>
      readsNothing ? [`${declared.operationId} 500 application/json`] : [],
    );
    const missing = answers.missing().filter((answer) => isTested(answer.slice(0, answer.indexOf(' '))));
    assert.deepEqual(missing, cannotFail, 'declared answers that no test has seen');
  });

  const call = (
    { method }: DeclaredOperation,
    { path, json }: Request,
    credential: Pick<CallOptions, 'key' | 'headers'>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<CallAnswer> =>
    world.service.call(path, {
      method,
      json,
      ...credential,
      headers: { ...credential.headers, ...headers },
    });
  const admitted = (one: OperationCase) => credentialFor(world, one);
  /** Returns a request that succeeds, from the case of an operation. */
  const valid = ({ success }: OperationCase): Promise<Request> | Request => Object.values(success)[0]!(world);
  /** The same, made once for all calls that are refused: those use nothing up. */
  const refused = new Map<OperationCase, Promise<Request> | Request>();
  const forRefusal = (one: OperationCase): Promise<Request> | Request => {
    if (!refused.has(one)) refused.set(one, valid(one));
    return refused.get(one)!;
  };
  const declares = ({ declared }: DeclaredOperation, status: number): boolean => status in declared.responses;

  test('there is no case of an operation that is gone', () => {
    const ids = new Set(answers.operations.map(({ declared }) => declared.operationId));
    assert.deepEqual(
      Object.keys(OPERATION_CASES).filter((id) => !ids.has(id)),
      [],
    );
  });

  test('success', async () => {
    for (const [operation, one] of cases) {
      for (const [status, request] of Object.entries(one.success)) {
        const answer = await call(operation, await request(world), admitted(one));
        answers.judge(operation, Number(status), answer);
      }
    }
  });

  test('success as GeoJSON, by media type and by parameter', async () => {
    for (const [operation, one] of cases) {
      const success = operation.declared.responses['200'];
      const media = success && 'content' in success ? Object.keys(success.content ?? {}) : [];
      if (!media.includes('application/geo+json') || !media.includes('application/json')) continue;
      const request = await valid(one);
      const accept = { accept: 'application/geo+json' };
      const answer = await call(operation, request, admitted(one), accept);
      answers.judge(operation, 200, answer);
      assert.match(answer.headers['vary'] ?? '', /\bAccept\b/);
      const path = `${request.path}${request.path.includes('?') ? '&' : '?'}f=geojson`;
      assert.equal((await call(operation, { path }, admitted(one))).text, answer.text);
    }
  });

  test('success as WebP, by parameter', { skip }, async () => {
    for (const [operation, one] of cases) {
      const success = operation.declared.responses['200'];
      const declared = success && 'content' in success ? success.content?.['image/webp'] : undefined;
      if (declared === undefined) continue;
      const { path } = await valid(one);
      const asked = `${path}${path.includes('?') ? '&' : '?'}f=webp`;
      answers.judge(operation, 200, await call(operation, { path: asked }, admitted(one)));
    }
  });

  test('success as CSV, by media type and by parameter: the declared columns, and a line for each item', async () => {
    let lists = 0;
    for (const [operation, one] of cases) {
      const success = operation.declared.responses['200'];
      const declared = success && 'content' in success ? success.content?.['text/csv'] : undefined;
      if (declared === undefined) continue;
      const request = await valid(one);
      const path = `${request.path}${request.path.includes('?') ? '&' : '?'}f=csv`;
      const [plain, answer, asked] = await atOneMoment(
        () => call(operation, request, admitted(one)),
        () => call(operation, request, admitted(one), { accept: 'text/csv' }),
        () => call(operation, { path }, admitted(one)),
      );
      const items = Object.values(plain.json()).find((value) => Array.isArray(value)) as readonly unknown[];
      answers.judge(operation, 200, answer);
      assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8; header=present');
      assert.match(answer.headers['vary'] ?? '', /\bAccept\b/);
      assert.equal(asked.text, answer.text);
      const [head, ...rows] = Array.from(readCsvRows(answer.text), ({ fields }) => fields);
      assert.equal(`Columns: ${head!.join(', ')}.`, (declared.schema as { description: string }).description);
      assert.equal(rows.length, items.length, operation.path);
      for (const row of rows) assert.equal(row.length, head!.length, operation.path);
      lists++;
    }
    assert.ok(lists >= 14 || ONLY !== undefined, `${lists} lists`);
  });

  test('success as Parquet, by media type and by parameter: the values of the table as JSON gives them', async () => {
    let lists = 0;
    for (const [operation, one] of cases) {
      const success = operation.declared.responses['200'];
      const media = success && 'content' in success ? Object.keys(success.content ?? {}) : [];
      if (!media.includes('text/csv')) continue;
      assert.ok(media.includes('application/vnd.apache.parquet'), operation.path);
      const request = await valid(one);
      const drawn = media.includes('application/geo+json');
      const asked = (f: string) => ({
        path: `${request.path}${request.path.includes('?') ? '&' : '?'}f=${f}`,
      });
      const [plain, answer, named] = await atOneMoment(
        () => call(operation, asked(drawn ? 'geojson' : 'json'), admitted(one)),
        () => call(operation, request, admitted(one), { accept: 'application/vnd.apache.parquet' }),
        () => call(operation, asked('parquet'), admitted(one)),
      );
      answers.judge(operation, 200, answer);
      assert.equal(answer.headers['content-type'], 'application/vnd.apache.parquet');
      assert.ok(named.bytes.equals(answer.bytes), operation.path);
      const items = Object.values(plain.json()).find((value) => Array.isArray(value)) as readonly Item[];
      const { buffer, byteOffset, byteLength } = answer.bytes;
      const file = (buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength);
      const rows = await parquetReadObjects({ file });
      assert.equal(rows.length, items.length, operation.path);
      const wanted = items.map((item) => (drawn ? { ...item.properties, geometry: item.geometry } : item));
      for (const [i, row] of rows.entries())
        for (const [name, value] of Object.entries(row)) {
          const given = (wanted[i] as Readonly<Record<string, unknown>>)[name];
          assert.deepEqual(comparable(value, given), given ?? null, `${operation.path} ${name}`);
        }
      lists++;
    }
    assert.ok(lists >= 14 || ONLY !== undefined, `${lists} lists`);
  });

  test('400: a parameter that it does not know', { skip }, async () => {
    for (const [operation, one] of cases) {
      const { path, ...request } = await forRefusal(one);
      const strange = `${path}${path.includes('?') ? '&' : '?'}nonsense=1`;
      const answer = await call(operation, { path: strange, ...request }, admitted(one));
      answers.judge(operation, 400, answer);
      assert.equal((answer.json()['error'] as { param?: string }).param, 'nonsense');
    }
  });

  test('401: no credential, and none that holds', { skip }, async () => {
    for (const [operation, one] of cases) {
      const request = await forRefusal(one);
      answers.judge(operation, 401, await call(operation, request, {}));
      answers.judge(operation, 401, await call(operation, request, { key: `${world.key}x` }));
    }
  });

  test('403: a credential without the scope', { skip }, async () => {
    for (const [operation, one] of cases) {
      if (!declares(operation, 403)) {
        const answer = await call(operation, await valid(one), { key: world.poorKey });
        assert.ok(answer.status < 400, `${operation.declared.operationId} needs no scope`);
        continue;
      }
      const answer = await call(operation, await forRefusal(one), { key: world.poorKey });
      answers.judge(operation, 403, answer);
      assert.match(answer.headers['www-authenticate'] ?? '', /^Bearer error="insufficient_scope"/);
    }
  });

  test('404: a resource that is not there', async () => {
    for (const [operation, one] of cases) {
      const { unknown } = one;
      assert.equal(unknown !== undefined, declares(operation, 404), operation.declared.operationId);
      if (unknown) answers.judge(operation, 404, await call(operation, unknown, admitted(one)));
    }
  });

  test('429: a budget that is spent', { skip }, async () => {
    // Spends the unit that was refilled during the previous tests, by a call that costs no more than one.
    await world.service.call('/v1/account', { key: world.tinyKey });
    for (const [operation, one] of cases) {
      const answer = await call(operation, await forRefusal(one), { key: world.tinyKey });
      answers.judge(operation, 429, answer);
      const wait = Number(answer.headers['retry-after']);
      assert.ok(wait >= 1 && wait <= 61, `wait of ${wait} s`);
    }
  });

  test('500: a part of the service that fails, and nothing of why in the answer', { skip }, async () => {
    await using fails = await testApp();
    await using failsInSandbox = await testApp({
      authenticator: { authenticate: () => principal({ environment: 'sandbox' }) },
    });
    for (const [operation, one] of cases) {
      const { path, json } = await forRefusal(one);
      const request = {
        method: operation.method,
        url: path,
        ...(json !== undefined && { payload: json as object }),
      };
      const answer = await (one.key === 'sandboxKey' ? failsInSandbox : fails).call(request);
      if (one.readsNothing) {
        assert.equal(answer.status, 200, operation.path);
        continue;
      }
      answers.judge(operation, 500, answer);
      assert.doesNotMatch(answer.text, /space left/);
    }
  });

  test('HEAD answers as GET does, without the body', { skip }, async () => {
    for (const [operation, one] of cases) {
      if (operation.method !== 'GET') continue;
      const { path } = await valid(one);
      const ask = (method: 'GET' | 'HEAD') => world.service.call(path, { method, ...admitted(one) });
      let [before, head, later] = [await ask('GET'), await ask('HEAD'), await ask('GET')];
      // Workers may change a resource between two calls, such as the state of a delivery. The calls are repeated until
      // two successive GET responses are equal.
      for (let tries = 0; tries < 20 && before.text !== later.text; tries++)
        [before, head, later] = [later, await ask('HEAD'), await ask('GET')];
      assert.equal(head.status, 200);
      assert.equal(head.bytes.length, 0);
      assert.deepEqual(
        ['etag', 'content-length', 'content-type', 'link'].map((name) => head.headers[name]),
        ['etag', 'content-length', 'content-type', 'link'].map((name) => later.headers[name]),
        operation.declared.operationId,
      );
    }
  });
});
