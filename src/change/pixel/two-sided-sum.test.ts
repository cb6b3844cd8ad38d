import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { StateReader } from '../state/state-reader.ts';
import { StateWriter } from '../state/state-writer.ts';
import { TwoSidedSum } from './departure-sums.ts';

/** A look every 20 days. */
const TIMES_MS = Float64Array.from({ length: 60 }, (_, t) => t * 20 * DAY_MS);

/** A sum after looks of given residuals [standard deviations], of which each is 2 noise floors. */
function sumOf(residuals: readonly number[]): TwoSidedSum {
  const sum = new TwoSidedSum();
  sum.clear();
  for (const [scene, z] of residuals.entries()) sum.update(scene, z, 2 * z);
  return sum;
}

const BOTH = [3, -3, 3, -3, 3, -3, 3, -3, 3, -3, 3];

test('a pixel is evident when the sum is above 6 for 200 days with two departures on each side', () => {
  const isEvident = (residuals: readonly number[]): boolean =>
    sumOf(residuals).isEvident(TIMES_MS, residuals.length - 1);
  assert.equal(isEvident(BOTH), true);
  assert.equal(isEvident(BOTH.slice(1)), false, '180 days');
  assert.equal(
    isEvident(BOTH.map(Math.abs)),
    false,
    'a departure on one side is left to the other statistics',
  );
  assert.equal(isEvident([...BOTH.slice(0, 1), ...BOTH.slice(1).map(Math.abs)]), false);
  assert.equal(isEvident([1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1]), false, 'noise');
});

test('the sum is 0 again after enough normal looks, and begins anew', () => {
  const sum = sumOf([3, -3, 0, 0, 3]);
  assert.deepEqual([sum.value, sum.began, ...sum.looks], [1.5, 4, 0, 1]);
});

test('a note is over when less than a sixth of the looks since then depart', () => {
  for (const [departed, isBack] of [
    [2, true],
    [3, false],
  ] as const) {
    const sum = sumOf(BOTH);
    sum.note.open(10, 0);
    for (let i = 0; i < 18; i++) sum.update(11 + i, 0, i < departed ? -3.2 : 3.1);
    assert.equal(sum.note.isBack(4), isBack, `${departed} of 18`);
  }
});

test('the saved state is that of a sum that goes on, in eight bytes without a note and one where the sum is 0', () => {
  const saved = (sum: TwoSidedSum): Uint8Array<ArrayBuffer> => {
    const writer = new StateWriter();
    sum.fields(writer);
    return writer.written();
  };
  const noted = sumOf(BOTH);
  noted.note.open(10, 0);
  noted.update(11, 0.1, 5);
  for (const sum of [sumOf([]), sumOf([3]), sumOf(BOTH), noted]) {
    const bytes = saved(sum);
    const loaded = new TwoSidedSum();
    loaded.note.open(3, 1);
    loaded.fields(new StateReader(bytes));
    assert.deepEqual(saved(loaded), bytes);
    assert.deepEqual([loaded.value, loaded.began, loaded.note.scene], [sum.value, sum.began, sum.note.scene]);
    if (!sum.note.isOpen) assert.ok(bytes.length <= (sum.value === 0 ? 1 : 8));
  }
});
