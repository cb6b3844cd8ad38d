import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceText, withChoice } from './event-choice.ts';

test('"*" replaces the types that it includes, and is replaced by them, but stands beside change.suspected', () => {
  assert.deepEqual(withChoice(['change.detected', 'change.suspected'], '*', true), ['change.suspected', '*']);
  assert.deepEqual(withChoice(['*', 'change.suspected'], 'change.detected', true), [
    'change.suspected',
    'change.detected',
  ]);
  assert.deepEqual(withChoice(['*'], 'change.suspected', true), ['*', 'change.suspected']);
  assert.deepEqual(withChoice(['*', 'change.suspected'], 'change.suspected', false), ['*']);
  assert.deepEqual(withChoice(['*'], '*', false), []);
});

test('the text of "*" says which types it leaves out', () => {
  assert.equal(choiceText(['*']), 'every event but change.suspected');
  assert.equal(choiceText(['*', 'change.suspected']), 'every event');
  assert.equal(choiceText(['change.detected', 'anomaly.ended']), 'change.detected, anomaly.ended');
});
