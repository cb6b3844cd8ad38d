import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accuracyReport } from './accuracy-report.ts';
import { NO_CHANGE } from './labels.ts';
import { DAY_MS } from '../../../base/time.ts';
import { compareMethods, verdict, type MethodRow } from './method-comparison.ts';

/** A row over labels of equal weight: found changes with their lags, missed changes, false changes and the rest. */
function row(
  name: string,
  lagsDays: readonly number[],
  missed: number,
  wrong: number,
  right: number,
): MethodRow {
  const of = (label: string, mapped: string, lagDays: number | null = null) => ({
    label: {
      id: 'x',
      place: { kind: 'point' as const, position: [0, 0] as const },
      fromMs: 0,
      toMs: null,
      label,
    },
    mapped,
    probability: mapped === NO_CHANGE ? 0 : 1,
    lagMs: lagDays === null ? null : lagDays * DAY_MS,
    firstAnomalyLagMs: null,
    withdrawn: null,
    isOutsideWindow: false,
  });
  const times = (count: number, label: string, mapped: string) =>
    Array.from({ length: count }, () => of(label, mapped));
  const outcomes = [
    ...lagsDays.map((days) => of('burn', 'burn', days)),
    ...times(missed, 'burn', NO_CHANGE),
    ...times(wrong, NO_CHANGE, 'burn'),
    ...times(right, NO_CHANGE, NO_CHANGE),
  ];
  const areas = new Map([
    ['burn', lagsDays.length + wrong],
    [NO_CHANGE, missed + right],
  ]);
  return { key: name === 'Groundwatch' ? 'monitor' : name, name, ...accuracyReport(outcomes, areas) };
}

test('for each criterion the best methods are named, with the values of all', () => {
  const criteria = compareMethods([
    row('Groundwatch', [40, 60], 2, 0, 6),
    row('A', [20, 20, 20, 20], 0, 1, 5),
    row('B', [5], 3, 0, 6),
  ]);
  assert.deepEqual(
    criteria.map(({ words }) => words),
    [
      'User’s accuracy: best are Groundwatch 100.0 %, B 100.0 %; A 80.0 %.',
      'Producer’s accuracy: best is A 100.0 %; Groundwatch 50.0 %, B 25.0 %. The 95 % intervals of the best and of Groundwatch overlap.',
      'Median lag: best is A 20 days over 4 of 4; Groundwatch 50 days over 2 of 4; B found fewer than half.',
      'Brier score: best is A 0.100; Groundwatch 0.200, B 0.300.',
    ],
  );
  assert.deepEqual(
    criteria.map(({ best }) => best),
    [['monitor', 'B'], ['A'], ['A'], ['A']],
  );
  assert.equal(
    verdict(criteria),
    'A reference method is better than Groundwatch in 3 of 4: producer’s accuracy, median lag, Brier score.',
  );
});

test('a method that is best in everything is said to be; one that maps nothing has no user’s accuracy', () => {
  const criteria = compareMethods([row('Groundwatch', [10, 10], 0, 0, 8), row('A', [], 2, 0, 8)]);
  assert.equal(
    criteria[0]!.words,
    'User’s accuracy: best is Groundwatch 100.0 %; A mapped no change at a label.',
  );
  assert.equal(verdict(criteria), 'No reference method is better than Groundwatch in any of the 4.');
  const none = compareMethods([row('Groundwatch', [], 2, 0, 8), row('A', [], 2, 0, 8)]);
  assert.equal(none[0]!.words, 'User’s accuracy: Groundwatch, A mapped no change at a label.');
  assert.deepEqual(none[0]!.best, []);
});
