import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpareArrays } from './spare-arrays.ts';

test('an array is used again where length and type fit, and the oldest is freed when there are too many', () => {
  const spare = new SpareArrays<Float32Array | Float64Array>(2);
  const [first, second, third] = [new Float32Array(3), new Float64Array(3), new Float32Array(4)];
  spare.keep(first);
  spare.keep(second);
  assert.equal(spare.take(3, Float64Array), second);
  assert.equal(spare.take(3, Float64Array), undefined);
  assert.equal(spare.take(4, Float32Array), undefined);
  spare.keep(second);
  spare.keep(third);
  assert.equal(first.length, 0); // freed
  assert.equal(spare.take(3, Float64Array), second);
  assert.equal(spare.take(4, Float32Array), third);
});

test('shared memory is not kept', () => {
  const spare = new SpareArrays<Int16Array>(2);
  spare.keep(new Int16Array(new SharedArrayBuffer(6)));
  assert.equal(spare.take(3, Int16Array), undefined);
});
