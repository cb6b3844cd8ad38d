import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uniform } from '../../../test/oracles/simulated-series.ts';
import { DepartureSizes } from './departure-sizes.ts';

/** Median of the sizes by a sort. */
function medianOf(departures: readonly number[], scenes: readonly number[]): number {
  const sizes = Float64Array.from(scenes, (t) => Math.abs(departures[t]!))
    .filter((size) => !Number.isNaN(size))
    .sort();
  const middle = sizes.length >> 1;
  if (sizes.length === 0) return Number.NaN;
  return sizes.length % 2 === 1 ? sizes[middle]! : (sizes[middle - 1]! + sizes[middle]!) / 2;
}

test('the median size of a history is that of its sorted departures, whether it grew or was loaded', () => {
  const next = uniform(17);
  const sizes = new DepartureSizes(120);
  const departures = Array.from({ length: 120 }, () =>
    next() < 0.2 ? Number.NaN : Math.fround(next() - 0.5),
  );
  for (const first of [0, 1, 5, 29, 30, 31, 60, 90]) {
    sizes.clear();
    const scenes = Array.from({ length: 120 }, (_, t) => t).filter(() => next() < 0.85);
    for (let until = first; until <= scenes.length; until += 1 + Math.floor(3 * next())) {
      const known = scenes.slice(0, until);
      assert.equal(
        sizes.median(departures, scenes, until),
        medianOf(departures, known),
        `${first}, ${until}`,
      );
      assert.equal(sizes.count, known.filter((t) => !Number.isNaN(departures[t]!)).length);
    }
  }
});
