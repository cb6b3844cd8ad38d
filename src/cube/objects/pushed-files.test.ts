import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wholePieces } from './pushed-files.ts';

/** Sizes of the pieces of a log after appends, and the bytes that were written. */
function grown(sizes: readonly number[]): { readonly pieces: readonly number[]; readonly written: number } {
  let [pieces, written]: [readonly number[], number] = [[], 0];
  for (const size of sizes) {
    const whole = wholePieces(
      pieces.map((each) => ({ size: each })),
      size,
    );
    const last = pieces.slice(whole).reduce((sum, each) => sum + each, size);
    pieces = [...pieces.slice(0, whole), last];
    written += last;
  }
  return { pieces, written };
}

test('eight pieces of one size become one, and eight of these become one', () => {
  assert.deepEqual(grown(Array.from({ length: 7 }, () => 10)).pieces, Array(7).fill(10));
  assert.deepEqual(grown(Array.from({ length: 9 }, () => 10)).pieces, [80, 10]);
  assert.deepEqual(grown(Array.from({ length: 64 }, () => 10)).pieces, [640]);
});

test('the scenes of a full log are in a few pieces, each written three times at most', () => {
  for (let count = 1; count <= 128; count++) {
    const sizes = Array.from({ length: count }, (_, i) => 40_000 + ((i * 7919) % 30_000));
    const { pieces, written } = grown(sizes);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    assert.ok(pieces.length <= 21, `${count} scenes in ${pieces.length}`);
    assert.ok(written <= 3 * total, `${count} scenes: ${written} of ${total} bytes`);
  }
});

test('pieces are not joined to more than one call can have, or with a much smaller one', () => {
  assert.deepEqual(grown(Array.from({ length: 16 }, () => 2_000_000)).pieces, Array(16).fill(2_000_000));
  assert.deepEqual(grown([...Array.from({ length: 7 }, () => 1000), 10]).pieces, [
    ...Array(7).fill(1000),
    10,
  ]);
});
