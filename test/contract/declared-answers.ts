import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parseMoment } from '../../src/base/time.ts';
import type {
  OpenApiDocument,
  OperationObject,
  Reference,
  ResponseObject,
} from '../../src/contract/openapi/document.ts';
import type { CallAnswer } from '../fixtures/http-caller.ts';

/** Headers that a response may lack although the document declares them. */
const OCCASIONAL = new Set(['Link', 'Deprecation', 'Sunset', 'X-Heights-Omitted', 'X-Read-From']);

/** An operation as the OpenAPI document declares it. */
export interface DeclaredOperation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly declared: OperationObject;
}

/** Checks responses against an OpenAPI document, and records which declared responses occurred. */
export class DeclaredAnswers {
  readonly operations: readonly DeclaredOperation[];
  readonly #document: OpenApiDocument;
  readonly #ajv: Ajv2020;
  /** By schema of the document: compiling one takes as long as a call, since it reads all components. */
  readonly #validators = new WeakMap<object, ValidateFunction>();
  readonly #shown = new Set<string>();

  constructor(document: OpenApiDocument) {
    this.#document = document;
    this.operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, declared]) => ({
        method: method.toUpperCase() as DeclaredOperation['method'],
        path,
        declared,
      })),
    );
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    const isDay = (text: string): boolean => parseMoment(text)?.isDay === true;
    this.#ajv.addFormat('date', isDay);
    this.#ajv.addFormat('date-time', (text) => !isDay(text) && /T.*Z$/.test(text) && !!parseMoment(text));
    this.#ajv.addFormat('uri-reference', (text) => URL.canParse(text, 'https://any.invalid'));
  }

  /** Returns the declared responses that have not occurred yet, each as `operation status media-type`. */
  missing(): readonly string[] {
    return this.operations.flatMap(({ declared }) =>
      Object.entries(declared.responses)
        .flatMap(([status, response]) => {
          const media = Object.keys(this.#resolve(response).content ?? {});
          return (media.length > 0 ? media : ['-']).map(
            (type) => `${declared.operationId} ${status} ${type}`,
          );
        })
        .filter((name) => !this.#shown.has(name)),
    );
  }

  /** Asserts that a response has the expected status, and that its body, media type and headers are as declared. */
  judge({ declared }: DeclaredOperation, status: number, answer: CallAnswer): void {
    const where = `${declared.operationId} ${status}`;
    assert.equal(answer.status, status, `${where}: ${answer.text}`);
    const found = declared.responses[status];
    assert.ok(found, `${where} is not declared`);
    const response = this.#resolve(found);
    this.#judgeHeaders(where, response, answer);
    if (response.content === undefined) {
      assert.equal(answer.bytes.length, 0, `${where} has a body`);
      this.#shown.add(`${where} -`);
      return;
    }
    const type = answer.headers['content-type']?.split(';')[0] ?? '';
    const content = response.content[type];
    assert.ok(content, `${where}: ${type} is not declared`);
    if (type === 'text/event-stream' || type === 'text/csv') {
      this.#shown.add(`${where} ${type}`);
      return;
    }
    if (type === 'application/vnd.apache.parquet') {
      for (const part of [answer.bytes.subarray(0, 4), answer.bytes.subarray(-4)])
        assert.equal(part.toString('latin1'), 'PAR1', where);
      assert.match(answer.headers['etag'] ?? '', /^W\/"/, `${where} lacks an ETag`);
      this.#shown.add(`${where} ${type}`);
      return;
    }
    if (type === 'application/vnd.mapbox-vector-tile') {
      assert.equal(answer.bytes[0], 0x1a, `${where}: its first field is no layer`);
      assert.match(answer.headers['etag'] ?? '', /^W\/"/, `${where} lacks an ETag`);
      this.#shown.add(`${where} ${type}`);
      return;
    }
    if (type === 'image/png' || type === 'image/webp') {
      const [from, to, mark] = type === 'image/png' ? [1, 4, 'PNG'] : [8, 12, 'WEBP'];
      assert.equal(answer.bytes.subarray(from, to).toString('latin1'), mark, where);
      assert.match(answer.headers['etag'] ?? '', /^W\/"/, `${where} lacks an ETag`);
      this.#shown.add(`${where} ${type}`);
      return;
    }
    if (type === 'image/tiff') {
      assert.equal(answer.bytes.subarray(0, 4).toString('latin1'), 'II+\0', where);
      assert.equal(answer.headers['accept-ranges'], 'bytes', where);
      this.#shown.add(`${where} ${type}`);
      return;
    }
    const body = answer.json();
    this.#validate(where, content.schema, body);
    assert.equal('next_cursor' in body, 'link' in answer.headers, `${where}: Link and next_cursor`);
    this.#shown.add(`${where} ${type}`);
  }

  #judgeHeaders(where: string, response: ResponseObject, { headers }: CallAnswer): void {
    for (const name of Object.keys(response.headers ?? {})) {
      const value = headers[name.toLowerCase()];
      if (value === undefined && OCCASIONAL.has(name)) continue;
      assert.ok(value !== undefined && value !== '', `${where} lacks ${name}`);
      const { schema } = this.#document.components.headers[name]!;
      this.#validate(`${where} ${name}`, schema, schema.type === 'integer' ? Number(value) : value);
    }
  }

  #validate(where: string, schema: object, value: unknown): void {
    let validate = this.#validators.get(schema);
    if (validate === undefined) {
      validate = this.#ajv.compile({ ...schema, components: this.#document.components });
      this.#validators.set(schema, validate);
    }
    assert.ok(validate(value), `${where}: ${this.#ajv.errorsText(validate.errors)}`);
  }

  #resolve(response: ResponseObject | Reference): ResponseObject {
    if (!('$ref' in response)) return response;
    const found = this.#document.components.responses[response.$ref.split('/').at(-1)!];
    assert.ok(found, `${response.$ref} does not resolve`);
    return found;
  }
}
