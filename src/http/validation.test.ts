import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InvalidInput } from '../base/errors.ts';
import { quoteValue, refuse, schemaChecker } from './validation.ts';

const SCHEMA = {
  type: 'object',
  required: ['lat', 'kind'],
  additionalProperties: false,
  properties: {
    lat: { type: 'number', minimum: -90, maximum: 90 },
    kind: { type: 'string', enum: ['a', 'b'] },
    name: { type: 'string', minLength: 1, maxLength: 5 },
    when: { type: 'string', format: 'moment' },
    list: { type: 'array', minItems: 1, maxItems: 2, uniqueItems: true, items: { type: 'integer' } },
  },
} as const;
const check = schemaChecker(SCHEMA, 'The body', 'field');
const messages = (value: unknown): string[] => check(value).map(({ message }) => message);

test('every problem names its field, what was expected and what was received', () => {
  assert.deepEqual(messages({ lat: 1, kind: 'a' }), []);
  assert.deepEqual(messages({ lat: 91, kind: 'c', name: '' }), [
    'lat: expected a number from -90 to 90, got 91',
    'kind: expected one of a, b; got "c"',
    'name: expected 1 to 5 characters, got 0',
  ]);
  assert.deepEqual(messages({ kind: 'a' }), ['lat: required, but missing']);
  assert.deepEqual(messages({ lat: '1', kind: 'a', list: [1, 1, 1] }), [
    'lat: expected a number, got "1"',
    'list: expected 1 to 2 items, got 3',
    'list: expected every item once, got 1 again',
  ]);
  assert.deepEqual(messages({ lat: 1, kind: 'a', x: 1 }), [
    'x: unknown field; expected only lat, kind, name, when, list',
  ]);
  assert.deepEqual(messages({ lat: 1, kind: 'a', when: '2025-02-30' }), [
    'when: expected an RFC 3339 timestamp or a day as YYYY-MM-DD, got "2025-02-30"',
  ]);
  assert.deepEqual(check([]), [{ param: '', message: 'The body: expected an object, got an array of 0' }]);
  assert.deepEqual(check({ lat: 1, kind: 'a', list: [1, 2.5] }), [
    { param: 'list[1]', message: 'list[1]: expected an integer, got 2.5' },
  ]);
  assert.deepEqual(messages({ lat: 1, kind: 'a', name: '\u{1f30d}'.repeat(6) }), [
    'name: expected 1 to 5 characters, got 6',
  ]);
  const query = schemaChecker(
    {
      type: 'object',
      properties: {
        limit: { type: 'integer', minimum: 1, maximum: 9 },
        explain: { type: 'boolean' },
        id: { type: 'string', minLength: 1 },
        least: { type: 'integer', minimum: 1 },
        f: { const: 'json' },
        digest: { enum: ['daily', null] },
      },
    },
    'The query',
    'parameter',
  );
  assert.deepEqual(
    query({ limit: 0, explain: 'yes', id: '', least: 0, f: 'html', digest: 'weekly' }).map(
      ({ message }) => message,
    ),
    [
      'limit: expected an integer from 1 to 9, got 0',
      'explain: expected true or false, got "yes"',
      'id: expected at least 1 character, got 0',
      'least: expected an integer of at least 1, got 0',
      'f: expected json, got "html"',
      'digest: expected one of daily, null; got "weekly"',
    ],
  );
});

test('up to a hundred problems are reported, but only the first in a body of many thousand values', () => {
  const list = schemaChecker({ type: 'array', items: { type: 'integer' } }, 'The body', 'field');
  assert.equal(list(Array.from({ length: 500 }, () => 'x')).length, 100);
  assert.deepEqual(
    list(Array.from({ length: 30_000 }, (_, i) => (i === 29_000 || i === 29_500 ? 'x' : i))).map(
      ({ param }) => param,
    ),
    ['[29000]'],
  );
});

test('the error reports the first problem and counts the others', () => {
  assert.doesNotThrow(() => refuse([]));
  assert.throws(
    () =>
      refuse([
        { param: 'a', message: 'a: wrong' },
        { param: 'b', message: 'b: wrong' },
      ]),
    (error) =>
      error instanceof InvalidInput &&
      error.message === 'a: wrong (and 1 more, see details)' &&
      error.param === 'a' &&
      error.details.length === 2,
  );
  // A problem that concerns the whole body has no field name.
  assert.throws(
    () => refuse([{ param: '', message: 'The body: expected an object' }]),
    (error) => error instanceof InvalidInput && error.param === undefined && error.details.length === 0,
  );
});

test('a value is quoted in one short line', () => {
  assert.equal(quoteValue(undefined), 'nothing');
  assert.equal(quoteValue(null), 'null');
  assert.equal(quoteValue([1, 2]), 'an array of 2');
  assert.equal(quoteValue({}), 'an object');
  assert.equal(quoteValue('a\nb'), '"a\\nb"');
  assert.equal(quoteValue(Infinity), 'Infinity');
  const long = quoteValue('😀'.repeat(100));
  assert.ok(long.length <= 60 && long.isWellFormed(), long);
});
