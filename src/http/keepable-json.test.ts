import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countValues, guardSchema, isKeepable, isKeepableText, whyNotKeepable } from './keepable-json.ts';

test('a text can be stored unless it contains NUL or a lone surrogate', () => {
  for (const text of ['', 'Ljubljana', '地震', '😀', '\u0001\n', '\uFFFD'])
    assert.equal(isKeepableText(text), true, text);
  for (const text of ['\0', 'a\0b', '\ud800', '\udc00\ud800', 'x\udfff'])
    assert.equal(isKeepableText(text), false, JSON.stringify(text));
});

test('a value can be stored when it nests at most sixteen levels', () => {
  const nested = (levels: number): unknown => {
    let value: unknown = 1;
    for (let i = 0; i < levels; i++) value = i % 2 === 0 ? [value] : { a: value };
    return value;
  };
  assert.equal(isKeepable(nested(16)), true);
  assert.equal(isKeepable(nested(17)), false);
  assert.equal(isKeepable(nested(1_000_000)), false);
  assert.equal(isKeepable({ a: [{ b: 'a\0' }] }), false);
});

test('only the fault that is there is named', () => {
  let deep: unknown = 'x';
  for (let i = 0; i < 40; i++) deep = [deep];
  assert.equal(whyNotKeepable(deep), 'at most 16 levels of arrays and objects, got more');
  assert.equal(whyNotKeepable([{ a: 'x\0' }]), 'text without NUL, got a NUL character');
  assert.equal(whyNotKeepable({ a: '\ud800' }), 'whole surrogate pairs, got half of one');
  assert.equal(whyNotKeepable([['fine']]), undefined);
});

test('containers are counted along with their values, up to the limit', () => {
  assert.equal(countValues(null, 10), 1);
  assert.equal(countValues({ a: [1, 2], b: {} }, 10), 5);
  assert.equal(
    countValues(
      Array.from({ length: 1000 }, () => 0),
      10,
    ),
    10,
  );
});

test('an object with more members than the limit is counted by their number, without reading them', () => {
  const trap = Object.defineProperty({}, 'trap', { enumerable: true, get: () => assert.fail('looked at') });
  const crowd = Object.assign(trap, Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`k${i}`, i])));
  assert.equal(countValues([crowd], 20), 20);
  assert.throws(() => countValues([crowd], 100), /looked at/);
});

test('free texts and unrestricted values are marked at any depth; other schemas are unchanged', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 3 },
      when: { type: 'string', format: 'date' },
      kind: { type: 'string', enum: ['a'] },
      any: { description: 'x' },
      list: { type: 'array', items: { type: 'object', properties: { note: { type: 'string' } } } },
    },
  };
  assert.deepEqual(guardSchema(schema), {
    type: 'object',
    properties: {
      name: { type: 'string', maxLength: 3, keepableText: true },
      when: { type: 'string', format: 'date' },
      kind: { type: 'string', enum: ['a'] },
      any: { description: 'x', keepable: true },
      list: {
        type: 'array',
        items: { type: 'object', properties: { note: { type: 'string', keepableText: true } } },
      },
    },
  });
});
