import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '../../../base/time.ts';
import { NO_CHANGE } from './labels.ts';
import type { LabelOutcome } from './label-outcome.ts';
import { f1Within, lagAccuracy } from './lag-accuracy.ts';
import { calibrationOf } from './reliability-bins.ts';

/** An outcome for a label that starts at 0, or has no start. */
function outcome(
  label: string,
  mapped: string,
  {
    days = null,
    probability = 0,
    fromMs = 0,
  }: Partial<Record<'days' | 'fromMs', number | null>> & {
    readonly probability?: number;
  } = {},
): LabelOutcome {
  return {
    label: { id: 'x', place: { kind: 'point', position: [0, 0] }, fromMs, toMs: null, label },
    mapped,
    probability,
    lagMs: days === null ? null : days * DAY_MS,
    firstAnomalyLagMs: null,
    withdrawn: null,
    isOutsideWindow: false,
  };
}

const found = (days: number): LabelOutcome => outcome('burn', 'burn', { days });
const missed = outcome('burn', NO_CHANGE);
const isFalse = outcome(NO_CHANGE, 'burn');
const still = outcome(NO_CHANGE, NO_CHANGE, { fromMs: null });
const rounded = (
  points: readonly { readonly days: number; readonly f1: number; readonly producers: number }[],
) => points.map(({ days, f1, producers }) => [days, f1.toFixed(3), producers.toFixed(3)]);

test('F1 by lag and the initial delay equal nrt-validate 0.0.1a8 (TemporalEvaluator) on twelve labels', () => {
  // Late detections count as missed before they come, false changes at every lag.
  // Every label stands for the same area: six labels mapped as burn and six as none, with equal areas.
  const detected = [found(-5), found(10), found(10), found(30), found(300)];
  const outcomes = [...detected, isFalse, missed, missed, missed, still, still, still];
  const areas = new Map([
    ['burn', 100],
    [NO_CHANGE, 100],
  ]);
  const curve = lagAccuracy(outcomes, areas);
  // Eight labels of a change and six mapped changes: F1 = 2 found / (8 + 6), producer's accuracy = found / 8.
  assert.deepEqual(rounded(curve.points), [
    [0, '0.143', '0.125'],
    [10, '0.429', '0.375'],
    [30, '0.571', '0.500'],
    [300, '0.714', '0.625'],
  ]);
  assert.equal(curve.initialDelayDays, 0);
  // Above the straight line from 0 to a year: .2 - 0, .6 - .027, .8 - .082, 1 - .822.
  assert.equal(curve.levelOff!.days, 30);
  assert.equal(curve.f1!.toFixed(3), '0.714');
  assert.deepEqual(
    [9, 10, 299, 400].map((days) => f1Within(curve, days)!.toFixed(3)),
    ['0.143', '0.429', '0.571', '0.714'],
  );
});

test('F1 by lag is weighted by area, and the initial delay ends when 2 % of the changed area is found', () => {
  const areas = new Map([
    ['burn', 2],
    [NO_CHANGE, 98],
  ]);
  // Two labels stand for 1 m2 each, two for 49 m2 each: the changed area is 1 + 1 + 49.
  const curve = lagAccuracy([found(5), found(40), missed, still], areas);
  assert.deepEqual(rounded(curve.points), [
    [5, (2 / 53).toFixed(3), (1 / 51).toFixed(3)],
    [40, (4 / 53).toFixed(3), (2 / 51).toFixed(3)],
  ]);
  assert.equal(curve.initialDelayDays, 40);
});

test('without a found change the curve is empty and F1 is 0; without a dated change there is no F1', () => {
  const areas = new Map([
    ['burn', 1],
    [NO_CHANGE, 1],
  ]);
  assert.deepEqual(lagAccuracy([missed, still], areas), {
    points: [],
    initialDelayDays: null,
    levelOff: null,
    f1: 0,
  });
  const undated = lagAccuracy([outcome('burn', 'burn', { fromMs: null }), isFalse, still], areas);
  assert.deepEqual([undated.f1, f1Within(undated, 90)], [null, null]);
});

test('a curve that rises to the end, later than a year, levels off at its end', () => {
  const areas = new Map([['burn', 1]]);
  const curve = lagAccuracy([found(400), found(500)], areas);
  assert.equal(curve.levelOff!.days, 500);
});

test('calibration: bins of a tenth with counts; the expected error weights their distances by count', () => {
  const stated = (probability: number, label: string): LabelOutcome =>
    outcome(label, 'burn', { probability });
  const { bins, claims, expectedError } = calibrationOf([
    stated(0.9, 'burn'), // a bin includes its upper end
    stated(0.85, NO_CHANGE),
    stated(0.3, NO_CHANGE),
    stated(1, 'burn'),
    missed,
    still,
  ]);
  assert.deepEqual(
    bins.map(({ from, to, count, stated: mean, observed }) => [from, to, count, mean.toFixed(3), observed]),
    [
      [0.2, 0.3, 1, '0.300', 0],
      [0.8, 0.9, 2, '0.875', 0.5],
      [0.9, 1, 1, '1.000', 1],
    ],
  );
  assert.equal(claims, 4);
  assert.ok(Math.abs(expectedError! - (0.3 + 2 * 0.375 + 0) / 4) < 1e-12);
  assert.deepEqual(calibrationOf([missed]), { bins: [], claims: 0, expectedError: null });
});
