import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turn } from './turn.ts';

test('turn distinguishes left, right and straight', () => {
  assert.equal(turn(0, 0, 1, 0, 1, 1), 1);
  assert.equal(turn(0, 0, 1, 0, 1, -1), -1);
  assert.equal(turn(0, 0, 1, 1, 2, 2), 0);
  assert.equal(turn(0, 0, 1, 1, 0, 0), 0);
});

/** Converts a double to an integer multiple of 2^-100; exact for the magnitudes used here. */
function exact(value: number): bigint {
  const high = Math.floor(value);
  let rest = value - high;
  let bits = BigInt(high);
  for (let i = 0; i < 100; i++) {
    rest *= 2;
    bits = (bits << 1n) | BigInt(Math.floor(rest));
    rest -= Math.floor(rest);
  }
  assert.equal(rest, 0);
  return bits;
}

test('turn equals integer arithmetic where floating-point arithmetic fails (Kettner et al. 2008, the classroom example)', () => {
  let undecided = 0;
  for (let i = 0; i < 32; i++) {
    for (let j = 0; j < 32; j++) {
      const ax = 0.5 + i * 2 ** -53;
      const ay = 0.5 + j * 2 ** -53;
      const [a, b] = [exact(ax), exact(ay)];
      const determinant = (exact(12) - a) * (exact(24) - b) - (exact(12) - b) * (exact(24) - a);
      const expected = determinant > 0n ? 1 : determinant < 0n ? -1 : 0;
      const naive = Math.sign((12 - ax) * (24 - ay) - (12 - ay) * (24 - ax));
      if (naive !== expected) undecided++;
      assert.equal(turn(ax, ay, 12, 12, 24, 24), expected, `${i} ${j}`);
    }
  }
  assert.ok(undecided > 0, 'the example must be one that plain arithmetic gets wrong');
});
