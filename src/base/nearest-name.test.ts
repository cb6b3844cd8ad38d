import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from './nearest-name.ts';

test('the most similar name is found, and none where more than a third of the letters differ', () => {
  const known = ['account', 'aoi', 'collection', 'environment'];
  for (const [name, nearest] of [
    ['acount', 'account'],
    ['colection', 'collection'],
    ['enviromnent', 'environment'],
    ['ao', 'aoi'],
    ['colour', undefined],
    ['xyz', undefined],
    ['', undefined],
  ] as const)
    assert.equal(nearestName(name, known), nearest, name);
});
