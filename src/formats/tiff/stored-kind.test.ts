import assert from 'node:assert/strict';
import { test } from 'node:test';
import { widen } from './stored-kind.ts';

test('half-precision floats have the values that IEEE 754-2019 gives their bits', () => {
  const bits = [0x3c00, 0xc000, 0x7bff, 0x0400, 0x0001, 0x3555, 0x8000, 0x7c00, 0xfc00, 0x7e00];
  const values = widen(new Uint8Array(Uint16Array.from(bits).buffer), 'float16', bits.length);
  assert.deepEqual(
    [...values],
    [1, -2, 65504, 2 ** -14, 2 ** -24, 0.333251953125, -0, Infinity, -Infinity, NaN],
  );
});

test('signed and unsigned 64-bit integers are exact up to 2^53', () => {
  const bytes = (values: readonly bigint[]): Uint8Array => new Uint8Array(BigInt64Array.from(values).buffer);
  const signed = [0n, -1n, -9999n, 7432n, -(2n ** 53n), 2n ** 53n - 1n, -(2n ** 63n)];
  assert.deepEqual([...widen(bytes(signed), 'int64', 7)], signed.map(Number));
  assert.deepEqual([...widen(bytes([-1n, 5n]), 'uint64', 2)], [2 ** 64, 5]);
});

test('pixels of 1, 2 and 4 bits start at the highest bit, and rows at a whole byte (TIFF 6.0, section 3)', () => {
  assert.deepEqual([...widen(Uint8Array.of(0b1010_0000, 0b1100_0000), 'uint1', 3)], [1, 0, 1, 1, 1, 0]);
  assert.deepEqual([...widen(Uint8Array.of(0b11_10_01_00, 0b01_000000), 'uint2', 5)], [3, 2, 1, 0, 1]);
  assert.deepEqual([...widen(Uint8Array.of(0xf0, 0x70), 'uint4', 3)], [15, 0, 7]);
});

test('pixels of any other number of bits up to 15 follow on one another, across bytes', () => {
  for (const bits of [3, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15] as const) {
    const samples = [2 ** bits - 1, 0, 1, 2 ** (bits - 1), 5, 2, 7];
    // Two rows of seven samples; each row is filled up to a whole byte.
    const row = samples.map((sample) => sample.toString(2).padStart(bits, '0')).join('');
    const bytes = row.padEnd(8 * Math.ceil(row.length / 8), '0').match(/.{8}/g)!;
    const packed = Uint8Array.from([...bytes, ...bytes], (byte) => Number.parseInt(byte, 2));
    assert.deepEqual([...widen(packed, `uint${bits}`, 7)], [...samples, ...samples], `${bits} bits`);
  }
});
