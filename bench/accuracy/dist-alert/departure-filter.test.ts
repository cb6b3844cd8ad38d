import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DepartureFilter } from './departure-filter.ts';

const follow = (values: readonly number[]): number[] => {
  const filter = new DepartureFilter(5);
  return values.map((value) => filter.update(value));
};

test('the log-odds stay low without a loss, rise step by step in a lasting loss, and fall at its end', () => {
  const calm = follow([0, 0, 2, 0, 0, 1]);
  assert.ok(calm.every((odds) => odds < -4));
  const loss = follow([0, 0, ...Array.from({ length: 8 }, () => 20), ...Array.from({ length: 12 }, () => 0)]);
  for (let i = 2; i < 9; i++) assert.ok(loss[i + 1]! > loss[i]!);
  assert.ok(loss[9]! > 5);
  assert.ok(loss.at(-1)! < 0);
});

test('one high value alone is not enough, NaN changes nothing, and there is no look-ahead', () => {
  assert.ok(follow([0, 0, 60])[2]! < 0);
  assert.deepEqual(follow([0, 30, Number.NaN, Number.NaN]).slice(2), [
    follow([0, 30])[1],
    follow([0, 30])[1],
  ]);
  assert.deepEqual(follow([0, 30, 30, 0, 0]).slice(0, 3), follow([0, 30, 30]));
  assert.throws(() => new DepartureFilter(0), RangeError);
});
