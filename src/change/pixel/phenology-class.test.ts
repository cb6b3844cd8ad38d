import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../base/time.ts';
import { rankOf } from '../scene/like-pixels.ts';
import { greenScenes, PhenologyClass } from './phenology-class.ts';
import { StateReader } from '../state/state-reader.ts';
import { StateWriter } from '../state/state-writer.ts';

/** Quartiles of the values of the grid in each season of two years: winter, spring, summer, autumn. */
const SEASONS = [
  [0.1, 0.2, 0.3],
  [0.4, 0.5, 0.6],
  [0.6, 0.7, 0.8],
  [0.2, 0.3, 0.4],
];
const YEARS = [...SEASONS, ...SEASONS];
const timesMs = Float64Array.from(YEARS, (_, t) => Date.UTC(2020, 0, 1) + t * 91 * DAY_MS);
const edges = Float64Array.from(YEARS.flat());

test('a scene is green when the median of the grid is above the middle of its range so far', () => {
  assert.deepEqual([...greenScenes(timesMs, edges)], [0, 1, 1, 0, 0, 1, 1, 0]);
  const unseen = edges.slice();
  unseen.fill(Number.NaN, 3, 6);
  assert.deepEqual([...greenScenes(timesMs, unseen)], [0, 0, 1, 0, 0, 1, 1, 0]);
});

test('a wood and a meadow that are equally green in summer get two classes, which are saved and loaded', () => {
  const isGreen = greenScenes(timesMs, edges);
  const follow = (values: readonly number[]): PhenologyClass => {
    const followed = new PhenologyClass(isGreen);
    for (const [t, value] of values.entries()) followed.add(t, rankOf(edges, t, value));
    return followed;
  };
  const wood = follow([0.5, 0.55, 0.75, 0.5]);
  const meadow = follow([0.15, 0.55, 0.75, 0.25]);
  assert.equal(wood.value, 4 * 2 + 3);
  assert.equal(meadow.value, 4 * 2 + 1);
  assert.equal(follow([0.5]).value, -1, 'no green scene yet');
  const writer = new StateWriter();
  meadow.save(writer);
  const taken = new PhenologyClass(isGreen);
  taken.load(new StateReader(writer.written()));
  assert.equal(taken.value, meadow.value);
  taken.clear();
  assert.equal(taken.value, -1);
});
