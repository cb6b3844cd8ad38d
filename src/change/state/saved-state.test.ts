import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StateTape } from './state-tape.ts';

test('what is recorded is what is played, at the ends of each range too', () => {
  const naturals = [0, 1, 127, 128, 16_383, 16_384, 65_536, 2 ** 31 - 1];
  const wholes = [0, -1, 1, -64, 64, 12_345, -12_345, 2 ** 30 - 1, -(2 ** 30)];
  const tape = new StateTape();
  for (const value of naturals) tape.natural(value);
  for (const value of wholes) tape.whole(value);
  tape.scene(-1);
  tape.single(Math.fround(0.1));
  tape.half(0.5);
  tape.double(0.1);
  tape.flag(true);
  const played = new StateTape(tape.recorded());
  assert.deepEqual(
    naturals.map(() => played.natural(0)),
    naturals,
  );
  assert.deepEqual(
    wholes.map(() => played.whole(0)),
    wholes,
  );
  assert.deepEqual(
    [played.scene(0), played.single(0), played.half(0), played.double(0), played.flag(false)],
    [-1, Math.fround(0.1), 0.5, 0.1, true],
  );
  assert.throws(() => played.byte(0), { message: 'the recorded state ends before what it is to hold' });
});

test('a history is a bit for each scene, and a number of each that lies at its scene', () => {
  const numbers = new Float32Array(40).fill(9);
  [numbers[3], numbers[8], numbers[31]] = [0.25, -2, Number.NaN];
  const tape = new StateTape();
  tape.history(Int32Array.of(3, 8, 31), 3, numbers);
  assert.equal(tape.recorded().byteLength, 1 + 4 + 3 * 2);
  const [scenes, played] = [new Int32Array(40), new Float32Array(40)];
  assert.equal(new StateTape(tape.recorded()).history(scenes, 0, played), 3);
  assert.deepEqual([...scenes.subarray(0, 3)], [3, 8, 31]);
  assert.deepEqual([played[3], played[8], played[31]], [0.25, -2, Number.NaN]);
});

test('a record at rest is passed on as it is, and the next one is played', () => {
  const tape = new StateTape();
  for (const [value, isAtRest] of [
    [300, true],
    [5, false],
  ] as const) {
    tape.beginRecord();
    tape.natural(value);
    tape.endRecord(isAtRest);
  }
  const left = new StateTape(tape.recorded());
  const kept = new StateTape();
  assert.equal(left.isAtRest, true);
  left.passRecord(kept);
  assert.equal(left.isAtRest, false);
  left.beginRecord();
  assert.equal(left.natural(0), 5);
  assert.deepEqual(kept.recorded(), tape.recorded().slice(0, 6));
});
