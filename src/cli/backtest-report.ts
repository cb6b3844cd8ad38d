import { NO_CHANGE } from '../app/changes/backtest/labels.ts';
import type { BacktestReport } from '../app/changes/backtest/backtest-collection.ts';
import type { ClassReport, Share } from '../app/changes/backtest/accuracy-report.ts';
import { f1Within } from '../app/changes/backtest/lag-accuracy.ts';
import {
  anyChange,
  comparisonWords,
  methodRows,
  MONITOR,
  type MethodRow,
} from '../app/changes/backtest/method-comparison.ts';
import { missCounts, type LabelOutcome } from '../app/changes/backtest/label-outcome.ts';
import { table } from './command.ts';

const LAGS_DAYS = [30, 60, 90, 180, 365]; // lags at which the F1 score is printed
const MAX_NAMED = 10; // number of labels that a line names

/** Returns the text that `groundwatch backtest` prints. */
export function backtestWords(report: BacktestReport): string {
  const { collection, endMs } = report;
  const rows = methodRows(report);
  const until = endMs === null ? '' : ` until ${dayOf(endMs)}`;
  return [
    `${collection.name} (${collection.metric}): ${report.scenes} scenes${until}, ${report.labels} labels, ${report.modelVersion}`,
    'A change counts as found only if it is confirmed and still stands at the end of the record.',
    '',
    classTable(report.classes),
    '',
    `Overall accuracy ${percent(report.overall)} (by area, with 95 % intervals)`,
    ...missWords(report.outcomes),
    ...withdrawnWords(report.outcomes),
    '',
    'Any change, whatever its type (accuracies by area, with 95 % intervals):',
    methodTable(rows),
    'WITHDRAWN: claims that no longer stand, at changed + at unchanged places; the first count as missed.',
    'BRIER: score of the stated probabilities. ECE: calibration error of those stated with a claim.',
    '',
    ...lagWords(rows),
    ...referenceWords(report),
    ...confidenceWords(rows[0]!),
  ].join('\n');
}

function classTable(classes: readonly ClassReport[]): string {
  return table(
    ['CLASS', 'MAPPED HA', 'MAPPED', 'LABELLED', 'RIGHT', "USER'S ACCURACY", "PRODUCER'S ACCURACY"],
    classes.map(({ label, mappedAreaM2, mapped, labelled, right, users, producers }) => [
      label,
      (mappedAreaM2 / 1e4).toFixed(1),
      String(mapped),
      String(labelled),
      String(right),
      percent(users),
      percent(producers),
    ]),
  );
}

function missWords(outcomes: readonly LabelOutcome[]): string[] {
  const { recovered, suspected, outside_window: outside, unclaimed } = missCounts(outcomes);
  const total = recovered + suspected + outside + unclaimed;
  if (total === 0) return [];
  return [
    `Missed ${labelCount(total)} of a change: ${recovered} confirmed, then recovered; ${suspected} only suspected; ${outside} with a change that began outside the window; ${unclaimed} without a claim`,
  ];
}

/** Lists the labels at which a change was confirmed and then called recovered, with both dates. */
function withdrawnWords(outcomes: readonly LabelOutcome[]): string[] {
  const line = (what: string, isMember: (outcome: LabelOutcome) => boolean): string[] => {
    const members = outcomes.flatMap((outcome) =>
      outcome.withdrawn === null || !isMember(outcome)
        ? []
        : [{ ...outcome.withdrawn, id: outcome.label.id }],
    );
    if (members.length === 0) return [];
    const named = members
      .slice(0, MAX_NAMED)
      .map(
        ({ id, detectedMs, recoveredMs }) =>
          `${id} (${[detectedMs, recoveredMs ?? []].flat().map(dayOf).join(', ')})`,
      );
    const more = members.length > MAX_NAMED ? `, and ${members.length - MAX_NAMED} more (see --json)` : '';
    return [`${what}, ${labelCount(members.length)}: ${named.join(', ')}${more}`];
  };
  return [
    ...line('Confirmed, then recovered, and so missed', ({ label }) => label.label !== NO_CHANGE),
    ...line('Confirmed, then recovered, where nothing changed', ({ label }) => label.label === NO_CHANGE),
  ];
}

function labelCount(count: number): string {
  return count === 1 ? '1 label' : `${count} labels`;
}

function methodTable(rows: readonly MethodRow[]): string {
  return table(
    ['METHOD', 'FOUND', 'FALSE', 'WITHDRAWN', "USER'S ACCURACY", "PRODUCER'S ACCURACY", 'BRIER', 'ECE'],
    rows.map((row) => {
      const { mapped, labelled, right, users, producers } = anyChange(row);
      return [
        row.name,
        `${right} of ${labelled}`,
        String(mapped - right),
        `${row.withdrawals.changed} + ${row.withdrawals.unchanged}`,
        percent(users),
        percent(producers),
        fixed(row.brier.score, 3),
        fixed(row.calibration.expectedError, 3),
      ];
    }),
  );
}

/** The comparison with the reference methods, and what they are. */
function referenceWords(report: BacktestReport): string[] {
  const { references } = report;
  if (references === null) return [];
  const { metric, historyScenes, fromMs } = references;
  return [
    '',
    ...comparisonWords(report),
    '',
    `Reference methods: each pixel of ${metric} alone; intercept and one harmonic, fitted to the ${historyScenes} scenes before ${dayOf(fromMs)}.`,
    'A change stands if the statistic is over its boundary at the last observation. Its probability is then 1, otherwise 0.',
    ...references.reports.map(({ method }) => `  ${method.name}: ${method.definition}`),
  ];
}

function lagWords(rows: readonly MethodRow[]): string[] {
  if (rows[0]!.datedChanges === 0) return ['No label of a change has a start, so there are no lags.'];
  return [
    'Days from the start of the label to the detection, and F1 when only changes detected within so many days count:',
    lagTable(rows),
  ];
}

function lagTable(rows: readonly MethodRow[]): string {
  return table(
    [
      'METHOD',
      'MEDIAN LAG',
      'FIRST ANOMALY',
      'INITIAL DELAY',
      'LEVEL-OFF',
      'F1 THERE',
      ...LAGS_DAYS.map((days) => `F1 ${days} D`),
      'F1',
    ],
    rows.map(({ name, lag, lagAccuracy }) => [
      name,
      fixed(lag.medianDays, 0),
      fixed(lag.firstAnomalyMedianDays, 0),
      fixed(lagAccuracy.initialDelayDays, 0),
      fixed(lagAccuracy.levelOff?.days ?? null, 0),
      fixed(lagAccuracy.levelOff?.f1 ?? null, 2),
      ...LAGS_DAYS.map((days) => fixed(f1Within(lagAccuracy, days), 2)),
      fixed(lagAccuracy.f1, 2),
    ]),
  );
}

function confidenceWords({ brier, calibration }: MethodRow): string[] {
  const { bins } = calibration;
  return [
    '',
    `Confidence of ${MONITOR}: Brier ${brier.score.toFixed(4)} = miscalibration ${brier.miscalibration.toFixed(4)} - discrimination ${brier.discrimination.toFixed(4)} + uncertainty ${brier.uncertainty.toFixed(4)}`,
    bins.length === 0
      ? 'No label has a claim, so calibration cannot be judged.'
      : table(
          ['STATED', 'LABELS WITH A CLAIM', 'MEAN STATED', 'CHANGED'],
          bins.map(({ from, to, count, stated, observed }) => [
            `${from.toFixed(1)} to ${to.toFixed(1)}`,
            String(count),
            stated.toFixed(3),
            observed.toFixed(3),
          ]),
        ),
  ];
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function fixed(value: number | null, places: number): string {
  return value === null ? '-' : value.toFixed(places);
}

function percent({ value, low, high }: Share): string {
  if (value === null || low === null || high === null) return '-';
  return `${(100 * value).toFixed(1)} % (${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)})`;
}
