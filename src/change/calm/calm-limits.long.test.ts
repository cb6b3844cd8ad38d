import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstScenes, randomStack, resume, type Stack } from '../../../test/oracles/resumed-passes.ts';
import { DAY_MS } from '../../base/time.ts';
import { PARAMETERS } from '../parameters.ts';
import { eventCount } from '../pixel/pixel-events.ts';
import { RunningStatistics } from '../pixel/running-statistics.ts';
import { StateReader } from '../state/state-reader.ts';
import { StateWriter } from '../state/state-writer.ts';
import { CalmStatistics } from './calm-statistics.ts';

const QUANTUM = 1e-4;

/**
 * Ends the series of each pixel before `since` on a line that falls, so that nobody knows yet whether its last value is
 * an observation, and continues it with two equal values, which show that it is. The fall differs from pixel to pixel.
 */
function fallingOnLines({ spec, metrics }: Stack, since: number): Stack {
  const times = spec.timesMs.length;
  const moved = Object.entries(metrics).map(([key, values]) => [key, values.slice()] as const);
  for (const [key, values] of moved) {
    const sense = key === 'mndwi' ? -0.3 : 1;
    for (let pixel = 0; pixel < spec.width * spec.height; pixel++) {
      const own = values.subarray(pixel * times, (pixel + 1) * times);
      const seen = [...own.subarray(0, since - 2).keys()].filter((t) => !Number.isNaN(own[t]!));
      const last = own[seen.at(-1) ?? 0]!;
      if (Number.isNaN(last)) continue;
      const step = Math.round((sense * (0.02 + (0.1 * (pixel % 40)) / 40)) / QUANTUM) * QUANTUM;
      [own[since - 2], own[since - 1]] = [last - step, last - 2 * step];
      own.fill(last - 2 * step, since);
    }
  }
  return { spec, metrics: Object.fromEntries(moved) };
}

test('a value before the state that only later values show to be an observation counts as a look', () => {
  let events = 0;
  for (const seed of [1, 2, 3]) {
    const still = randomStack(seed);
    const since = still.spec.timesMs.length - 4;
    const stack = fallingOnLines(firstScenes(still, since + 2), since);
    // The last value is on a line, or it has ended a line and waits for one more value.
    for (const at of [since, since + 1]) {
      const { left } = resume(firstScenes(stack, at), 0, undefined);
      const each = resume(stack, at, left);
      assert.deepEqual(resume(stack, at, left, false).own, each.own, `stack ${seed} from ${at - since}`);
      events += eventCount(each.own);
    }
  }
  assert.ok(events > 0, 'no pixel has an event');
});

test('a pixel is not calm once its CUSUM beside like pixels may be beyond the limit', () => {
  // Each look adds at most this to a CUSUM.
  const most = PARAMETERS.cusumClip - PARAMETERS.cusumSlack;
  for (const [sign, side] of [
    [-1, 'fall'],
    [1, 'rise'],
  ] as const) {
    const limit = side === 'fall' ? PARAMETERS.suspectCusum : PARAMETERS.risenCusum;
    const statistics = new RunningStatistics();
    statistics.clear();
    while (statistics.sums.values[side === 'fall' ? 0 : 1]! + most <= limit)
      statistics.sums.update(0, 2 * sign, 2 * sign, false, false);
    const writer = new StateWriter();
    statistics.save(writer);
    const calm = new CalmStatistics(false);
    calm.read(new StateReader(writer.written()));
    assert.ok(calm.isCalm, `${side}: the saved CUSUM is below the limit`);
    calm.add(0, 0, side === 'rise' ? PARAMETERS.clip : 0, side === 'fall' ? PARAMETERS.clip : 0, 0, 0, 0);
    assert.equal(calm[side].cusum > limit, true);
    assert.equal(calm.isCalm, false, `${side}: nothing else speaks of a departure`);
  }
});

test('a pixel is not calm once its sum of both sides may make a note, nor while a note is open', () => {
  const statistics = new RunningStatistics();
  statistics.clear();
  statistics.twoSided.clear();
  for (const z of [3, -3, 3, -3]) statistics.twoSided.update(1, z, 2 * z);
  /** Bounds after one look that may be 4 standard deviations above like pixels, so many days after the sum left 0. */
  const calmAfter = (days: number): boolean => {
    const writer = new StateWriter();
    statistics.save(writer);
    const calm = new CalmStatistics(true);
    calm.read(new StateReader(writer.written()));
    calm.span(Float64Array.of(0, 10 * DAY_MS, (10 + days) * DAY_MS), 2);
    if (days > 0) calm.add(0, 0, 4, 0, 0, 0, 0);
    return calm.isCalm;
  };
  assert.equal(calmAfter(0), true, 'the saved sum is at the limit');
  assert.equal(calmAfter(199), true, 'it cannot make a note before 200 days');
  assert.equal(calmAfter(200), false);
  for (const note of [statistics.twoSided.note, ...statistics.sums.notes]) {
    note.open(1, 0);
    assert.equal(calmAfter(0), false, 'a note is open');
    note.close();
  }
});

test('a pixel is not calm once three looks in a row may be as low as a fall that a clear season shows', () => {
  const low: number = PARAMETERS.seasonFloors;
  /** Bounds after looks that may be so far below like pixels, of a pixel whose latest looks were low or not. */
  const calmAfter = (floors: readonly number[], looks: number, may = low, areShowing = true): boolean => {
    const statistics = new RunningStatistics();
    statistics.clear();
    for (const its of floors) statistics.sums.update(0, its === 0 ? 0.5 : -1.2, -its, false, false);
    const writer = new StateWriter();
    statistics.save(writer);
    const calm = new CalmStatistics(areShowing);
    calm.read(new StateReader(writer.written()));
    for (let i = 0; i < looks; i++) calm.add(0, 0, 0, 0.1, may, 0, 0);
    return calm.isCalm;
  };
  assert.deepEqual([calmAfter([1, 1], 1), calmAfter([low], 0), calmAfter([low], 1)], [true, true, false]);
  assert.deepEqual([calmAfter([1], 1), calmAfter([1], 2), calmAfter([1], 2, low / 2)], [true, false, true]);
  const before = [low, 1, low, 1];
  assert.deepEqual(
    [calmAfter(before, 0), calmAfter(before, 1, low / 2), calmAfter(before, 1)],
    [true, true, false],
  );
  assert.equal(calmAfter([low], 1, low, false), true, 'one metric shows no fall');
});
