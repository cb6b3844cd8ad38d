import { writeFile } from 'node:fs/promises';
import { backtestCollection, type BacktestReport } from '../app/changes/backtest/backtest-collection.ts';
import { backtestPlot } from '../app/changes/backtest/backtest-plot.ts';
import type { ReferenceReport } from '../app/changes/backtest/reference-method.ts';
import type { ClassReport, LagReport, Share } from '../app/changes/backtest/accuracy-report.ts';
import { accountOption } from './account-option.ts';
import {
  ENVIRONMENT,
  environment,
  Failed,
  Misuse,
  moment,
  number,
  required,
  table,
  text,
  type Command,
} from './command.ts';
import { progressNotes } from './progress.ts';

const GRACE_DAYS = 60; // default of --grace; our target is to find an unmistakable break in this time

export const backtestCommand: Command = {
  name: 'backtest',
  summary: 'Replay a collection as a stream, and compare the detected changes with labelled places',
  options: {
    collection: { value: 'NAME', meaning: 'collection that is replayed', required: true },
    labels: {
      value: 'L.csv',
      meaning:
        'id,lat,lng,from,to,label (a change type or none; dates may be empty), or GeoJSON with these properties',
      required: true,
    },
    metric: { value: 'KEY', meaning: 'one of its metrics, alone', fallback: 'all of them, together' },
    grace: {
      value: 'DAYS',
      meaning: 'how many days outside a label’s window a change may start and still count for it',
      fallback: String(GRACE_DAYS),
    },
    from: {
      value: 'TIME',
      meaning:
        'score the changes confirmed from this day on; the reference method uses everything before it as its history',
      fallback: 'all confirmed changes; for the reference the start of the earliest label',
    },
    plot: { value: 'FILE.svg', meaning: 'draw reliability and detection into a file' },
    environment: ENVIRONMENT,
    account: { value: 'NAME', meaning: 'account that the collection is private to' },
  },
  async run(context, given) {
    const graceDays = number(given, 'grace') ?? GRACE_DAYS;
    if (graceDays < 0) throw new Misuse(`--grace: expected days from 0, got ${graceDays}`);
    const fromMs = moment(given, 'from') ?? null;
    const deps = await context.open();
    const report = await backtestCollection(
      deps,
      {
        collection: required(given, 'collection'),
        environment: environment(given),
        accountId: await accountOption(deps.storage, given),
        metric: text(given, 'metric'),
        labelsPath: required(given, 'labels'),
        graceDays,
        fromMs,
      },
      progressNotes(context, deps.clock)('pixels'),
    );
    if (report.outside.length > 0)
      context.note(
        `${report.outside.length} labels lie outside the grid: ${report.outside.slice(0, 10).join(', ')}`,
      );
    for (const label of report.unlabelled)
      context.note(`No label lies where ${label} is mapped: that part of the area is not assessed.`);
    if (report.reference === null)
      context.note('No label has a start date, so the end of the reference history is unknown: see --from.');
    const plot = text(given, 'plot');
    if (plot !== undefined) await writePlot(plot, report);
    context.print(wire(report), words(report));
  },
};

async function writePlot(path: string, report: BacktestReport): Promise<void> {
  try {
    await writeFile(path, backtestPlot(report));
  } catch (error) {
    throw new Failed(`--plot: ${path} could not be written: ${(error as Error).message}`);
  }
}

/** Returns the object that `--json` prints. */
function wire(report: BacktestReport): Readonly<Record<string, unknown>> {
  const { brier, reference } = report;
  return {
    collection: report.collection.name,
    metric: report.collection.metric,
    model_version: report.modelVersion,
    scenes: report.scenes,
    labels: report.labels,
    outside: report.outside,
    grace_days: report.graceDays,
    from: report.fromMs === null ? null : new Date(report.fromMs).toISOString(),
    overall_accuracy: report.overall,
    classes: report.classes.map(wireClass),
    unlabelled: report.unlabelled,
    brier: {
      score: brier.score,
      miscalibration: brier.miscalibration,
      discrimination: brier.discrimination,
      uncertainty: brier.uncertainty,
    },
    lag_days: wireLag(report.lag),
    reference: reference && {
      name: reference.name,
      metric: reference.metric,
      from: new Date(reference.fromMs).toISOString(),
      ...wireClass(reference.anyChange),
      lag_days: wireLag(reference.lag),
    },
  };
}

function wireClass(each: ClassReport): Readonly<Record<string, unknown>> {
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

function wireLag({ count, meanDays, medianDays }: LagReport): Readonly<Record<string, unknown>> {
  return { count, mean: meanDays, median: medianDays };
}

function words(report: BacktestReport): string {
  const { brier, lag, collection, reference } = report;
  const row = ({ label, mappedAreaM2, mapped, labelled, right, users, producers }: ClassReport): string[] => [
    label,
    (mappedAreaM2 / 1e4).toFixed(1),
    String(mapped),
    String(labelled),
    String(right),
    percent(users),
    percent(producers),
  ];
  const peer = reference === null ? [] : [row({ ...reference.anyChange, label: 'reference: any break' })];
  return [
    `${collection.name} (${collection.metric}): ${report.scenes} scenes, ${report.labels} labels, ${report.modelVersion}`,
    '',
    table(
      ['CLASS', 'MAPPED HA', 'MAPPED', 'LABELLED', 'RIGHT', "USER'S ACCURACY", "PRODUCER'S ACCURACY"],
      [...report.classes.map(row), ...peer],
    ),
    '',
    `Overall accuracy ${percent(report.overall)} (by area, with 95 % intervals)`,
    `Brier ${brier.score.toFixed(4)} = miscalibration ${brier.miscalibration.toFixed(4)} - discrimination ${brier.discrimination.toFixed(4)} + uncertainty ${brier.uncertainty.toFixed(4)}`,
    lag.meanDays === null || lag.medianDays === null
      ? 'Lag: no labelled change with a start was found'
      : `Lag from the start of the label: ${lagWords(lag)}, of ${lag.count} found among ${report.datedChanges}`,
    ...(reference === null ? [] : [referenceWords(reference)]),
  ].join('\n');
}

function referenceWords({ name, metric, fromMs, lag }: ReferenceReport): string {
  const days = lag.count === 0 ? '' : `; lag ${lagWords(lag)}, of ${lag.count} found`;
  return `Reference: ${name}, each pixel of ${metric} alone, history before ${new Date(fromMs).toISOString().slice(0, 10)}${days}`;
}

/** Formats a lag. The report must contain at least one detected change: without one the mean and median are null. */
function lagWords({ meanDays, medianDays }: LagReport): string {
  return `mean ${meanDays!.toFixed(1)} days, median ${medianDays!.toFixed(1)}`;
}

function percent({ value, low, high }: Share): string {
  if (value === null || low === null || high === null) return '-';
  return `${(100 * value).toFixed(1)} % (${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)})`;
}
