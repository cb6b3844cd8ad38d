import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accuracyReport } from '../app/changes/backtest/accuracy-report.ts';
import type { BacktestReport } from '../app/changes/backtest/backtest-collection.ts';
import { backtestPlot } from '../app/changes/backtest/backtest-plot.ts';
import { NO_CHANGE } from '../app/changes/backtest/labels.ts';
import type { LabelOutcome } from '../app/changes/backtest/label-outcome.ts';
import { REFERENCE_METHODS } from '../app/changes/backtest/reference-method.ts';
import { DAY_MS } from '../base/time.ts';
import { collectionRecord } from '../../test/fixtures/records.ts';
import { backtestJson } from './backtest-json.ts';
import { backtestWords } from './backtest-report.ts';

const FROM_MS = Date.UTC(2020, 0, 1);

function outcome(id: string, label: string, more: Partial<LabelOutcome> = {}): LabelOutcome {
  return {
    label: {
      id,
      place: { kind: 'point', position: [0, 0] },
      fromMs: label === NO_CHANGE ? null : FROM_MS,
      toMs: null,
      label,
    },
    mapped: NO_CHANGE,
    probability: 0,
    lagMs: null,
    firstAnomalyLagMs: null,
    withdrawn: null,
    isOutsideWindow: false,
    ...more,
  };
}

const detected = (mapped: string, days: number): Partial<LabelOutcome> => ({
  mapped,
  probability: 1,
  lagMs: days * DAY_MS,
});
const withdrawn = { detectedMs: Date.UTC(2020, 5, 1), recoveredMs: Date.UTC(2020, 11, 1) };

/** Four labels: the monitor finds one of two changes and takes the other back; a reference method finds both. */
function report(historyMs = 1000 * DAY_MS): BacktestReport {
  const outcomes = [
    outcome('a', 'burn', { ...detected('burn', 100), probability: 0.9, firstAnomalyLagMs: 8 * DAY_MS }),
    outcome('b', 'burn', { withdrawn }),
    outcome('c', NO_CHANGE),
    outcome('d', NO_CHANGE),
  ];
  const both = [
    outcome('a', 'burn', detected('any change', 16)),
    outcome('b', 'burn', detected('any change', 32)),
    outcome('c', NO_CHANGE),
    outcome('d', NO_CHANGE),
  ];
  const areas = (name: string, hectares: number) =>
    new Map([
      [name, hectares * 1e4],
      [NO_CHANGE, (40 - hectares) * 1e4],
    ]);
  return {
    ...accuracyReport(outcomes, areas('burn', 10)),
    collection: collectionRecord({ name: 'wood' }),
    scenes: 90,
    endMs: Date.UTC(2021, 0, 1),
    labels: 4,
    outside: [],
    graceDays: 60,
    modelVersion: 'change-v9',
    fromMs: null,
    outcomes,
    references: {
      fromMs: FROM_MS,
      historyScenes: 60,
      historyMs,
      metric: 'ndvi',
      reports: REFERENCE_METHODS.map((method) => ({
        method,
        ...accuracyReport(both, areas('any change', 20)),
      })),
    },
  };
}

test('the printed report names what was taken back, and says where a reference method is better', () => {
  const lines = backtestWords(report()).split('\n');
  const starting = (start: string): string => lines.find((line) => line.startsWith(start)) ?? '';
  assert.match(lines[0]!, /: 90 scenes until 2021-01-01, 4 labels, change-v9$/);
  assert.equal(
    starting('Missed'),
    'Missed 1 label of a change: 1 confirmed, then recovered; 0 only suspected; 0 with a change that began outside the window; 0 without a claim',
  );
  assert.equal(
    starting('Confirmed'),
    'Confirmed, then recovered, and so missed, 1 label: b (2020-06-01, 2020-12-01)',
  );
  // Of 30 ha mapped as unchanged a third has changed: 10 of 20 ha of change are found.
  assert.match(
    starting('Groundwatch'),
    /^Groundwatch +1 of 2 +0 +1 \+ 0 +100\.0 % .* 50\.0 % .* 0\.253 +0\.100$/,
  );
  const [, curve] = lines.filter((line) => line.startsWith('Groundwatch'));
  // F1 = 2 * 10 / (20 + 10) from day 100 on.
  assert.match(curve!, /^Groundwatch +100 +8 +100 +100 +0\.67 +0\.00 +0\.00 +0\.00 +0\.67 +0\.67 +0\.67$/);
  assert.equal(
    starting('Median lag'),
    'Median lag: best are BFAST Monitor 24 days over 2 of 2, EWMA 24 days over 2 of 2, CuSum 24 days over 2 of 2; Groundwatch 100 days over 1 of 2.',
  );
  assert.equal(
    starting('A reference'),
    'A reference method is better than Groundwatch in 3 of 4: producer’s accuracy, median lag, Brier score.',
  );
  assert.equal(starting('The history'), '');
  assert.match(lines.at(-1)!, /^0\.8 to 0\.9 +1 +0\.900 +1\.000$/);
});

test('a history of less than a year is pointed out', () => {
  assert.match(
    backtestWords(report(60 * DAY_MS)),
    /has 60 scenes in 60 days, less than a year: this comparison/,
  );
});

test('without a start of monitoring there is no comparison; without dated changes there are no lags', () => {
  const alone = backtestWords({ ...report(), references: null, datedChanges: 0 });
  assert.match(alone, /No label of a change has a start, so there are no lags\./);
  assert.doesNotMatch(alone, /BFAST|reference method/);
  const { references, comparison } = backtestJson({ ...report(), references: null });
  assert.deepEqual([references, comparison], [null, null]);
});

test('--json gives the fate of each claim that was withdrawn, and the best methods by criterion', () => {
  const json = backtestJson(report());
  assert.deepEqual(json['recovered'], [
    {
      id: 'b',
      label: 'burn',
      confirmed_at: '2020-06-01T00:00:00.000Z',
      recovered_at: '2020-12-01T00:00:00.000Z',
    },
  ]);
  assert.deepEqual(json['missed'], { recovered: 1, suspected: 0, outside_window: 0, unclaimed: 0 });
  const comparison = json['comparison'] as Record<string, { best: string[] }>;
  assert.deepEqual(comparison['users_accuracy']!.best, ['monitor', 'mosum', 'ewma', 'cusum']);
  assert.deepEqual(comparison['producers_accuracy']!.best, ['mosum', 'ewma', 'cusum']);
  const text = JSON.stringify(json);
  assert.doesNotMatch(text, /NaN|undefined/);
});

test('the plot has a curve and a legend for each method, and the sentences of the comparison below', () => {
  const svg = backtestPlot(report());
  for (const words of [
    'Groundwatch: 1 of 2, median 100 days',
    'EWMA: 2 of 2, median 24 days',
    'Groundwatch: F1 0.67, level after 100 days',
    'CuSum: F1 1.00, level after 32 days',
    'A reference method is better than Groundwatch in 3 of 4: producer’s accuracy, median lag, Brier score.',
  ])
    assert.ok(svg.includes(`>${words}</text>`), words);
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
  const alone = backtestPlot({ ...report(), references: null });
  assert.doesNotMatch(alone, /EWMA|A reference method/);
});
