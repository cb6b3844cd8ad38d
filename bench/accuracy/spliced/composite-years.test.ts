import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompositeYears, valuesAt } from './composite-years.ts';
import { DAY_MS } from '../../../src/base/time.ts';

/** Starts of the composites of MOD13Q1: every 16 days from 1 January of each year. */
function starts(fromYear: number, toYear: number): number[] {
  return Array.from({ length: toYear - fromYear + 1 }, (_, y) =>
    Array.from({ length: 23 }, (_unused, i) => Date.UTC(fromYear + y, 0) + 16 * i * DAY_MS),
  ).flat();
}

test('a shift by whole years keeps the season, also where years begin in September', () => {
  const fromSeptember = starts(2007, 2010).slice(16); // from 2007-09-14 on
  const years = new CompositeYears(fromSeptember);
  assert.equal(years.years, 4);
  const first = years.shifted(0, 1);
  assert.equal(new Date(fromSeptember[first]!).toISOString().slice(0, 10), '2008-09-13'); // day 257 of a leap year
  const last = fromSeptember.length - 1; // 2010-12-19
  assert.equal(new Date(fromSeptember[years.shifted(last, 1)]!).toISOString().slice(0, 10), '2007-12-19');
});

test('a composite that the record lacks is no observation', () => {
  const complete = starts(2005, 2006);
  const years = new CompositeYears(complete.toSpliced(5, 1));
  const shifted = valuesAt(
    [...complete.keys()].toSpliced(5, 1).map((t) => t % 23),
    complete.length - 1,
    (t) => years.shifted(t, 1),
  );
  assert.deepEqual([...shifted.subarray(0, 6)], [0, 1, 2, 3, 4, 6]);
  assert.ok(Number.isNaN(shifted[22 + 5]!));
});
