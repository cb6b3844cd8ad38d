import assert from 'node:assert/strict';
import { test } from 'node:test';
import { omittedIn, omittedText } from './omitted.ts';

test('the notes of tiles are added up', () => {
  assert.deepEqual(omittedIn([]), { features: 0, isMore: false });
  assert.deepEqual(omittedIn([{ features: 3000 }, { features: 12, more: true }]), {
    features: 3012,
    isMore: true,
  });
});

test('nothing is said when nothing is left out', () => {
  assert.equal(omittedText({ features: 0, isMore: false }), undefined);
  assert.match(omittedText({ features: 3012, isMore: true })!, /^More than 3,012 smaller changes/);
  assert.match(omittedText({ features: 0, isMore: true })!, /^Older smaller changes/);
});
