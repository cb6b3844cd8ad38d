import { writeFile } from 'node:fs/promises';
import { backtestCollection, type BacktestReport } from '../app/changes/backtest/backtest-collection.ts';
import { backtestPlot } from '../app/changes/backtest/backtest-plot.ts';
import { accountOption, COLLECTION_OF } from './account-option.ts';
import { backtestJson } from './backtest-json.ts';
import { backtestWords } from './backtest-report.ts';
import {
  ENVIRONMENT,
  environment,
  Failed,
  Misuse,
  moment,
  number,
  required,
  text,
  type Command,
} from './command.ts';
import { progressNotes } from './progress.ts';

const GRACE_DAYS = 60; // default of --grace; our target is to find an unmistakable break in this time

export const backtestCommand: Command = {
  name: 'backtest',
  summary:
    'Replay a collection as a stream, and compare the changes that stand at its end, and published methods, with labelled places',
  options: {
    collection: { value: 'NAME', meaning: 'collection that is replayed', required: true },
    labels: {
      value: 'L.csv',
      meaning:
        'id,lat,lng,from,to,label (a change type or none; dates may be empty) as CSV or Parquet, or GeoJSON or GeoParquet with these properties',
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
        'score the changes confirmed from this day on; the reference methods use everything before it as their history',
      fallback: 'all confirmed changes; for the references the start of the earliest label',
    },
    plot: { value: 'FILE.svg', meaning: 'draw reliability, detection and accuracy by lag into a file' },
    environment: ENVIRONMENT,
    account: COLLECTION_OF,
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
    if (report.references === null)
      context.note(
        'No label has a start date, so the end of the history of the reference methods is unknown: see --from.',
      );
    const plot = text(given, 'plot');
    if (plot !== undefined) await writePlot(plot, report);
    context.print(backtestJson(report), backtestWords(report));
  },
};

async function writePlot(path: string, report: BacktestReport): Promise<void> {
  try {
    await writeFile(path, backtestPlot(report));
  } catch (error) {
    throw new Failed(`--plot: ${path} could not be written: ${(error as Error).message}`);
  }
}
