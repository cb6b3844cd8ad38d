import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areasInWords } from './import-aois.ts';

test('one area is no areas', () => {
  assert.equal(areasInWords(1), '1 area');
  assert.equal(areasInWords(0), '0 areas');
  assert.equal(areasInWords(12, 'more '), '12 more areas');
});
