import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StateReader } from './state-reader.ts';
import { StateWriter } from './state-writer.ts';

test('a reader reads what was written, at both ends of each range, and fails where the bytes end', () => {
  const naturals = [0, 1, 127, 128, 16_383, 16_384, 65_536, 2 ** 31 - 1];
  const wholes = [0, -1, 1, -64, 64, 12_345, -12_345, 2 ** 30 - 1, -(2 ** 30)];
  const writer = new StateWriter();
  for (const value of naturals) writer.natural(value);
  for (const value of wholes) writer.whole(value);
  writer.scene(-1);
  writer.single(Math.fround(0.1));
  writer.half(0.5);
  writer.double(0.1);
  writer.flag(true);
  const reader = new StateReader(writer.written());
  assert.deepEqual(
    naturals.map(() => reader.natural()),
    naturals,
  );
  assert.deepEqual(
    wholes.map(() => reader.whole()),
    wholes,
  );
  assert.deepEqual(
    [reader.scene(), reader.single(), reader.half(), reader.double(), reader.flag()],
    [-1, Math.fround(0.1), 0.5, 0.1, true],
  );
  assert.throws(() => reader.byte(), { message: 'the saved state is shorter than its fields' });
});

test('a history takes a bit for each scene, and two bytes for the number of each, read back at its scene', () => {
  const numbers = new Float32Array(40).fill(9);
  [numbers[3], numbers[8], numbers[31]] = [0.25, -2, Number.NaN];
  const writer = new StateWriter();
  writer.history(Int32Array.of(3, 8, 31), 3, numbers);
  assert.equal(writer.written().byteLength, 1 + 4 + 3 * 2);
  const [scenes, read] = [new Int32Array(40), new Float32Array(40)];
  assert.equal(new StateReader(writer.written()).history(scenes, read), 3);
  assert.deepEqual([...scenes.subarray(0, 3)], [3, 8, 31]);
  assert.deepEqual([read[3], read[8], read[31]], [0.25, -2, Number.NaN]);
});

test('a record at rest can be copied unread, and the next one is read field by field', () => {
  const writer = new StateWriter();
  for (const [value, isAtRest] of [
    [300, true],
    [5, false],
  ] as const) {
    writer.beginRecord();
    writer.natural(value);
    writer.endRecord(isAtRest);
  }
  const left = new StateReader(writer.written());
  const kept = new StateWriter();
  assert.equal(left.isAtRest, true);
  kept.copyRecord(left.skipRecord());
  assert.equal(left.isAtRest, false);
  left.beginRecord();
  assert.equal(left.natural(), 5);
  assert.deepEqual(kept.written(), writer.written().slice(0, 6));
});
