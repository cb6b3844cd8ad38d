import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resolutionText } from './resolution-text.ts';

test('cells of 10 m and more are told in whole metres', () => {
  assert.equal(resolutionText(20.1), '20 m');
  assert.equal(resolutionText(9277), '9277 m');
  assert.equal(resolutionText(10), '10 m');
  assert.equal(resolutionText(2.5), '2.5 m');
});
