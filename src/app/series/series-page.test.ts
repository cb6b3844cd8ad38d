import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageOfSeries, type SeriesPosition } from './series-page.ts';

const at = (...times: number[]) => ({
  timesMs: Float64Array.from(times),
  values: Float64Array.from(times.keys()),
});

test('pages of any size return every observation once, in order, even several of the same time', () => {
  const series = at(1, 2, 2, 2, 2, 5, 7, 7);
  for (let limit = 1; limit <= 9; limit++) {
    const seen: number[] = [];
    let after: SeriesPosition | undefined;
    do {
      const page = pageOfSeries(series, after, limit);
      assert.ok(page.points.values.length > 0 && page.points.values.length <= limit);
      seen.push(...page.points.values);
      after = page.end;
    } while (after !== undefined);
    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 6, 7], `pages of ${limit}`);
  }
});

test('observations that arrive late do not shift the pages', () => {
  const { end } = pageOfSeries(at(10, 20, 30), undefined, 2);
  assert.deepEqual(end, { timeMs: 20, given: 1 });
  assert.deepEqual([...pageOfSeries(at(5, 10, 15, 20, 30), end, 2).points.timesMs], [30]);
});

test('a position after the end, or with too large a count, returns the remaining observations', () => {
  assert.deepEqual(pageOfSeries(at(1, 2), { timeMs: 9, given: 1 }, 5), { points: at(), end: undefined });
  assert.deepEqual([...pageOfSeries(at(1, 2, 3), { timeMs: 2, given: 99 }, 5).points.timesMs], [3]);
});
