import assert from 'node:assert/strict';
import { test } from 'node:test';
import { length, scaleBar } from './scale-bar.ts';

test('a scale bar is a round length of at most a third of the picture or a little more', () => {
  assert.deepEqual(scaleBar(319), { share: 100 / 319, text: '100 m' });
  assert.deepEqual(scaleBar(600), { share: 200 / 600, text: '200 m' });
  assert.deepEqual(scaleBar(5560), { share: 1000 / 5560, text: '1 km' });
  assert.deepEqual(scaleBar(150_000), { share: 1 / 3, text: '50 km' });
});

test('lengths are in metres, and from a kilometre on in kilometres', () => {
  assert.equal(length(9.99), '9.99 m');
  assert.equal(length(1250), '1.25 km');
});
