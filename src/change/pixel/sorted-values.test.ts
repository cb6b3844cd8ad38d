import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import { SortedValues } from './sorted-values.ts';

test('the median is that of the sorted list, for numbers added in any order and with ties', () => {
  const next = uniform(3);
  const values = new SortedValues(50);
  assert.ok(Number.isNaN(values.median));
  const list: number[] = [];
  for (let n = 1; n <= 50; n++) {
    const value = Math.round(20 * next()) - 10;
    values.add(value);
    list.push(value);
    const sorted = list.toSorted((a, b) => a - b);
    assert.equal(values.median, (sorted[(n - 1) >> 1]! + sorted[n >> 1]!) / 2, `of ${n}`);
  }
  values.clear();
  values.add(7);
  assert.deepEqual([values.count, values.median], [1, 7]);
});

test('the deviation is the median distance from the median, for numbers with ties', () => {
  const next = uniform(4);
  for (let n = 1; n <= 60; n++) {
    const values = new SortedValues(n);
    const list = Array.from({ length: n }, () => (n % 2 === 0 ? next() : Math.round(6 * next())));
    for (const value of list) values.add(value);
    const { median } = values;
    const distances = list.map((value) => Math.abs(value - median)).toSorted((a, b) => a - b);
    const expected = (distances[(n - 1) >> 1]! + distances[n >> 1]!) / 2;
    assert.equal(values.deviationFrom(median), expected, `of ${n}`);
  }
  assert.ok(Number.isNaN(new SortedValues(1).deviationFrom(0)));
});
