import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nestsDeeper } from './json-depth.ts';

const deeper = (text: string, levels: number): boolean => nestsDeeper(Buffer.from(text), levels);

test('arrays and objects count as levels, those that are closed no longer', () => {
  assert.equal(deeper('[{"a":[1]}]', 3), false);
  assert.equal(deeper('[{"a":[1]}]', 2), true);
  assert.equal(deeper(`[${'[],'.repeat(1000)}{}]`, 2), false);
});

test('brackets in texts are no levels, after escapes neither', () => {
  assert.equal(deeper('{"[[[[":"\\"[[[[\\\\"}', 1), false);
  assert.equal(deeper('{"a\\\\":[[1]]}', 2), true);
});

test('a text that is cut, empty or not JSON ends', () => {
  for (const text of ['', '"', '"\\', '[[', ']]]', '{"a":"[[[[']) assert.equal(deeper(text, 2), false, text);
});
