import { ANY_CHANGE, type AccuracyReport, type Share } from './accuracy-report.ts';
import type { BacktestReport } from './backtest-collection.ts';
import type { ReferenceReports } from './reference-method.ts';
import { DAY_MS } from '../../../base/time.ts';

/** Name of the change monitor in tables, plots and sentences. */
export const MONITOR = 'Groundwatch';
const MONITOR_KEY = 'monitor';
const YEAR_DAYS = 365; // a shorter history does not determine the yearly harmonic of the reference methods

/** The result of one method, under the name that it is reported by. */
export interface MethodRow extends AccuracyReport {
  /** `monitor`, or the key of a reference method. */
  readonly key: string;
  readonly name: string;
}

/** One criterion of the comparison. */
export interface Criterion {
  readonly key: 'users_accuracy' | 'producers_accuracy' | 'median_lag_days' | 'brier';
  readonly name: string;
  /** Keys of the best methods: several if they are equal, none if no method has a value. */
  readonly best: readonly string[];
  /** The comparison as one sentence. */
  readonly words: string;
}

/** The rows of a backtest: the monitor first, then the reference methods, if there are any. */
export function methodRows(report: BacktestReport): readonly MethodRow[] {
  const references = report.references?.reports ?? [];
  return [
    { ...report, key: MONITOR_KEY, name: MONITOR },
    ...references.map((each) => ({ ...each, key: each.method.key, name: each.method.name })),
  ];
}

/** Accuracies of a row for any change, whatever its type. */
export function anyChange({ classes }: AccuracyReport): AccuracyReport['classes'][number] {
  return classes.find(({ label }) => label === ANY_CHANGE)!;
}

/**
 * Says which method is best by user's accuracy, producer's accuracy, median lag and Brier score. A method without a
 * value in a criterion takes no part in it; lags are compared of methods that found at least half of the dated
 * changes. Values are compared as they are printed.
 * @param rows the monitor first
 */
export function compareMethods(rows: readonly MethodRow[]): readonly Criterion[] {
  return [
    shareCriterion('users_accuracy', 'user’s accuracy', rows, (row) => anyChange(row).users),
    shareCriterion('producers_accuracy', 'producer’s accuracy', rows, (row) => anyChange(row).producers),
    criterion('median_lag_days', 'median lag', rows, {
      // The median over a few easy changes says little about the lag of a method that misses most of them.
      valueOf: ({ lag, datedChanges }) => (2 * lag.count < datedChanges ? null : lag.medianDays),
      absent: rows[0]!.datedChanges === 0 ? 'have no change with a start' : 'found fewer than half',
      written: (days, { lag, datedChanges }) => `${daysWords(days)} over ${lag.count} of ${datedChanges}`,
      places: 0,
      isHigherBetter: false,
    }),
    criterion('brier', 'Brier score', rows, {
      valueOf: ({ brier }) => brier.score,
      absent: 'has none',
      written: (score) => score.toFixed(3),
      places: 3,
      isHigherBetter: false,
    }),
  ];
}

/** The comparison in sentences: each criterion, the result, and a caution if the history is short. */
export function comparisonWords(report: BacktestReport): readonly string[] {
  if (report.references === null) return [];
  const criteria = compareMethods(methodRows(report));
  return [
    ...criteria.map(({ words }) => words),
    verdict(criteria),
    ...[historyCaution(report.references) ?? []].flat(),
  ];
}

/** A sentence if the history of the reference methods is too short for a fair comparison; null if it is not. */
export function historyCaution({ historyMs, historyScenes }: ReferenceReports): string | null {
  if (historyMs >= YEAR_DAYS * DAY_MS) return null;
  return `The history of the reference methods has ${historyScenes} scenes in ${daysWords(historyMs / DAY_MS)}, less than a year: this comparison says little. A later --from lengthens it.`;
}

/** Says in one sentence in which criteria a reference method is better than the monitor. */
export function verdict(criteria: readonly Criterion[]): string {
  const lost = criteria.filter(({ best }) => best.length > 0 && !best.includes(MONITOR_KEY));
  if (lost.length === 0)
    return `No reference method is better than ${MONITOR} in any of the ${criteria.length}.`;
  return `A reference method is better than ${MONITOR} in ${lost.length} of ${criteria.length}: ${lost.map(({ name }) => name).join(', ')}.`;
}

/** Writes a number of days, without decimals. */
export function daysWords(days: number): string {
  const whole = days.toFixed(0);
  return whole === '1' ? '1 day' : `${whole} days`;
}

function shareCriterion(
  key: Criterion['key'],
  name: string,
  rows: readonly MethodRow[],
  shareOf: (row: MethodRow) => Share,
): Criterion {
  const found = criterion(key, name, rows, {
    valueOf: (row) => shareOf(row).value,
    absent: 'mapped no change at a label',
    written: (value) => `${(100 * value).toFixed(1)} %`,
    places: 3,
    isHigherBetter: true,
  });
  const monitor = shareOf(rows[0]!);
  if (monitor.high === null || found.best.length === 0 || found.best.includes(MONITOR_KEY)) return found;
  const best = rows.filter((row) => found.best.includes(row.key)).map(shareOf);
  const isClear = best.every(({ low }) => low! > monitor.high!);
  return {
    ...found,
    words: `${found.words} The 95 % intervals of the best and of ${MONITOR} ${isClear ? 'do not overlap' : 'overlap'}.`,
  };
}

interface Measure {
  readonly valueOf: (row: MethodRow) => number | null;
  /** What is said of methods without a value, after their names. */
  readonly absent: string;
  readonly written: (value: number, row: MethodRow) => string;
  /** Number of decimal places to which values are compared. */
  readonly places: number;
  readonly isHigherBetter: boolean;
}

function criterion(
  key: Criterion['key'],
  name: string,
  rows: readonly MethodRow[],
  { valueOf, absent, written, places, isHigherBetter }: Measure,
): Criterion {
  const values = rows.flatMap((row) => {
    const value = valueOf(row);
    return value === null ? [] : [{ row, value, rank: Number(value.toFixed(places)) }];
  });
  const title = name.replace(/^./u, (letter) => letter.toUpperCase());
  const ranks = values.map(({ rank }) => rank);
  const top = isHigherBetter ? Math.max(...ranks) : Math.min(...ranks);
  const best = values.filter(({ rank }) => rank === top);
  const others = values
    .filter(({ rank }) => rank !== top)
    .toSorted((a, b) => (isHigherBetter ? b.rank - a.rank : a.rank - b.rank));
  const without = rows.filter((row) => valueOf(row) === null).map((row) => row.name);
  const listed = (each: typeof values): string =>
    each.map(({ row, value }) => `${row.name} ${written(value, row)}`).join(', ');
  const parts = [
    ...(best.length === 0 ? [] : [`best ${best.length === 1 ? 'is' : 'are'} ${listed(best)}`]),
    ...(others.length === 0 ? [] : [listed(others)]),
    ...(without.length === 0 ? [] : [`${without.join(', ')} ${absent}`]),
  ];
  return {
    key,
    name,
    best: best.map(({ row }) => row.key),
    words: `${title}: ${parts.join('; ')}.`,
  };
}
