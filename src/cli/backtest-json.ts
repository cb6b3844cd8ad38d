import type { BacktestReport } from '../app/changes/backtest/backtest-collection.ts';
import type { ClassReport } from '../app/changes/backtest/accuracy-report.ts';
import {
  anyChange,
  compareMethods,
  historyCaution,
  methodRows,
  verdict,
  type MethodRow,
} from '../app/changes/backtest/method-comparison.ts';
import { missCounts } from '../app/changes/backtest/label-outcome.ts';
import { DAY_MS } from '../base/time.ts';

/** Returns the object that `groundwatch backtest --json` prints. */
export function backtestJson(report: BacktestReport): Readonly<Record<string, unknown>> {
  const { references } = report;
  const [monitor, ...others] = methodRows(report) as [MethodRow, ...MethodRow[]];
  const criteria = compareMethods([monitor, ...others]);
  return {
    collection: report.collection.name,
    metric: report.collection.metric,
    model_version: report.modelVersion,
    scenes: report.scenes,
    last_scene: report.endMs === null ? null : new Date(report.endMs).toISOString(),
    labels: report.labels,
    outside: report.outside,
    grace_days: report.graceDays,
    from: report.fromMs === null ? null : new Date(report.fromMs).toISOString(),
    overall_accuracy: report.overall,
    classes: report.classes.map(classJson),
    unlabelled: report.unlabelled,
    ...methodJson(monitor),
    missed: missCounts(report.outcomes),
    recovered: report.outcomes.flatMap(({ label, withdrawn }) =>
      withdrawn === null
        ? []
        : [
            {
              id: label.id,
              label: label.label,
              confirmed_at: new Date(withdrawn.detectedMs).toISOString(),
              recovered_at:
                withdrawn.recoveredMs === null ? null : new Date(withdrawn.recoveredMs).toISOString(),
            },
          ],
    ),
    references: references && {
      metric: references.metric,
      from: new Date(references.fromMs).toISOString(),
      history_scenes: references.historyScenes,
      history_days: references.historyMs / DAY_MS,
      methods: references.reports.map(({ method }, r) => ({
        key: method.key,
        name: method.name,
        definition: method.definition,
        ...classJson(anyChange(others[r]!)),
        ...methodJson(others[r]!),
      })),
    },
    comparison: references && {
      ...Object.fromEntries(criteria.map(({ key, best, words }) => [key, { best, words }])),
      summary: verdict(criteria),
      caution: historyCaution(references),
    },
  };
}

function classJson(each: ClassReport): Readonly<Record<string, unknown>> {
  return {
    label: each.label,
    mapped_area_m2: each.mappedAreaM2,
    mapped: each.mapped,
    labelled: each.labelled,
    right: each.right,
    users_accuracy: each.users,
    producers_accuracy: each.producers,
  };
}

function methodJson(row: MethodRow): Readonly<Record<string, unknown>> {
  const { brier, lag, calibration, lagAccuracy } = row;
  return {
    withdrawn: row.withdrawals,
    lag_days: {
      count: lag.count,
      mean: lag.meanDays,
      median: lag.medianDays,
      first_anomaly_median: lag.firstAnomalyMedianDays,
    },
    brier: {
      score: brier.score,
      miscalibration: brier.miscalibration,
      discrimination: brier.discrimination,
      uncertainty: brier.uncertainty,
    },
    calibration: {
      claims: calibration.claims,
      expected_error: calibration.expectedError,
      bins: calibration.bins,
    },
    accuracy_by_lag: {
      initial_delay_days: lagAccuracy.initialDelayDays,
      level_off_days: lagAccuracy.levelOff?.days ?? null,
      level_off_f1: lagAccuracy.levelOff?.f1 ?? null,
      f1: lagAccuracy.f1,
      points: lagAccuracy.points.map(({ days, f1, producers }) => ({
        days,
        f1,
        producers_accuracy: producers,
      })),
    },
  };
}
