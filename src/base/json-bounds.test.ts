import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exceededBound, type JsonBounds } from './json-bounds.ts';

const NONE: JsonBounds = {
  levels: Infinity,
  containers: Infinity,
  fields: Infinity,
  names: Infinity,
  texts: Infinity,
  commas: Infinity,
};
const exceeded = (text: string, bounds: Partial<JsonBounds>): string | undefined =>
  exceededBound(Buffer.from(text), { ...NONE, ...bounds });

test('arrays and objects count as levels, those that are closed no longer', () => {
  assert.equal(exceeded('[{"a":[1]}]', { levels: 3 }), undefined);
  assert.equal(exceeded('[{"a":[1]}]', { levels: 2 }), 'levels');
  assert.equal(exceeded(`[${'[],'.repeat(1000)}{}]`, { levels: 2 }), undefined);
});

test('brackets, colons and commas in texts do not count, after escapes neither', () => {
  const none = { levels: 1, containers: 1, fields: 1, names: 1, texts: 2, commas: 0 };
  assert.equal(exceeded('{"[[[[:,":"\\"[[[[:,\\\\"}', none), undefined);
  assert.equal(exceeded('{"a\\\\":[[1]]}', { levels: 2 }), 'levels');
  assert.equal(exceeded('{"\\":":"\\\\"}', none), undefined);
});

test('arrays, objects, fields, texts and commas count in the whole text', () => {
  const text = '[{"a":1,"b":[]},{"a":[2,3]}]';
  assert.equal(exceeded(text, { containers: 5, fields: 3, names: 2, commas: 3 }), undefined);
  assert.equal(exceeded(text, { containers: 4 }), 'containers');
  assert.equal(exceeded(text, { fields: 2 }), 'fields');
  assert.equal(exceeded(text, { commas: 2 }), 'commas');
  assert.equal(exceeded('{"a":["b","\\"c"]}', { texts: 3 }), undefined);
  assert.equal(exceeded('{"a":["b","\\"c"]}', { texts: 2 }), 'texts');
});

test('names count once each', () => {
  const text = '[{"a":1,"b":2},{"b":3,"a":"c"},{"":0}]';
  assert.equal(exceeded(text, { names: 3 }), undefined);
  assert.equal(exceeded(text, { names: 2 }), 'names');
  // Two numbers of 16 bits that are drawn at random are the same once in 65,536 times.
  const many = `{${Array.from({ length: 3000 }, (_, i) => `"field_${i}":0`).join(',')}}`;
  assert.equal(exceeded(many, { names: 2800 }), 'names');
  assert.equal(exceeded(many, { names: 3000 }), undefined);
});

test('a text that is cut, empty or not JSON ends', () => {
  const bounds = { levels: 2, containers: 2, fields: 1, names: 1, texts: 2, commas: 1 };
  for (const text of ['', '"', '"\\', '[[', ']]]', '{"a":"[[[['])
    assert.equal(exceeded(text, bounds), undefined, text);
});
