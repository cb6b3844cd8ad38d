import assert from 'node:assert/strict';
import { test } from 'node:test';
import { release } from './release.ts';

test('the memory of an array is free at once, and whoever uses the array then finds it empty', () => {
  const array = new Float32Array(2 ** 24);
  const part = array.subarray(0, 8);
  const { byteLength } = array;
  // Garbage of tests before may be collected at any time, so it can only become less by itself.
  const before = process.memoryUsage().arrayBuffers;
  assert.ok(before >= byteLength);
  release(array);
  assert.ok(before - process.memoryUsage().arrayBuffers >= byteLength);
  assert.deepEqual([array.length, part.length], [0, 0]);
  release(array); // twice is once
  release(new Float32Array(new SharedArrayBuffer(16))); // other threads may use it
});

test('an array that is a part of other memory stays, with the other parts', () => {
  const [one, other] = [Buffer.from('one'), Buffer.from('other')]; // both of the pool of Node
  assert.equal(one.buffer, other.buffer);
  release(one);
  assert.deepEqual([one.toString(), other.toString()], ['one', 'other']);
});
