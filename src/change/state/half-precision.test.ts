import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bitsOfHalf, fromHalfBits, half, halfBits, roundedToHalf } from './half-precision.ts';

// The tests compare with the half precision of the engine if it has one. IEEE 754 defines all bits except those of
// NaN.
const skip = Reflect.has(globalThis, 'Float16Array') ? false : 'this Node has no Float16Array';

test('every half is restored from its bits', { skip }, () => {
  const halves = new Float16Array(Uint16Array.from({ length: 65_536 }, (_, bits) => bits).buffer);
  for (let bits = 0; bits < 65_536; bits++) {
    assert.ok(Object.is(fromHalfBits(bits), halves[bits]), `bits ${bits}`);
    assert.ok(Object.is(roundedToHalf(halves[bits]!), halves[bits]), `bits ${bits}`);
    if (Number.isNaN(halves[bits]!)) continue;
    assert.equal(halfBits(halves[bits]!), bits);
    assert.equal(bitsOfHalf(halves[bits]!), bits);
  }
});

test('a number is rounded to the nearest half, and to the even one of two equally near', { skip }, () => {
  const edges = [
    0,
    -0,
    65_519.999,
    65_520,
    -65_520,
    1e300,
    -1e-300,
    2 ** -25,
    3 * 2 ** -25,
    2 ** -14,
    Infinity,
    NaN,
  ];
  const steps = Array.from({ length: 20_000 }, (_, i) => {
    const size = 2 ** (-26 + (i % 43)) * (1 + ((i * 7919) % 8192) / 8192);
    return i % 2 === 0 ? size : -size * (1 + Number.EPSILON);
  });
  for (const value of [...edges, ...edges.map((edge) => -edge), ...steps]) {
    const rounded = Math.f16round(value);
    assert.ok(Object.is(roundedToHalf(value), rounded), `${value}: not ${rounded}`);
    assert.ok(Object.is(half(value), rounded), `${value} by the engine`);
    assert.ok(Object.is(fromHalfBits(halfBits(value)), rounded), `${value} by its bits`);
    assert.equal(bitsOfHalf(rounded), halfBits(value), `${value} without the engine`);
  }
});
