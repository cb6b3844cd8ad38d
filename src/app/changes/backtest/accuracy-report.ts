import { MapAccuracy } from '../../../numerics/accuracy/map-accuracy.ts';
import { interval95, type Estimate } from '../../../numerics/accuracy/ratio-estimator.ts';
import { scoreParts, type ScoreParts } from '../../../numerics/accuracy/score-decomposition.ts';
import { NO_CHANGE } from './labels.ts';
import type { LabelOutcome } from './label-outcome.ts';
import { lagAccuracy, type LagAccuracy } from './lag-accuracy.ts';
import { calibrationOf, type Calibration } from './reliability-bins.ts';
import { medianInPlace } from '../../../numerics/median.ts';
import { DAY_MS } from '../../../base/time.ts';

/** Name of the class of all changes, whatever their type. */
export const ANY_CHANGE = 'any change';

/** A share with its 95 % confidence interval [1]. All three values are null when there are no data. */
export interface Share {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

/** Accuracy for one type of change, for no change, or for any change. */
export interface ClassReport {
  readonly label: string;
  /** Area mapped as this class [m2]. */
  readonly mappedAreaM2: number;
  /** Number of labels whose place is mapped as this class. */
  readonly mapped: number;
  /** Number of labels of this class. */
  readonly labelled: number;
  /** Number of labels of this class whose place is mapped as this class. */
  readonly right: number;
  /** User's accuracy: share of the area mapped as this class that truly is of this class. */
  readonly users: Share;
  /** Producer's accuracy: share of the area truly of this class that is mapped as this class. */
  readonly producers: Share;
}

/**
 * Time from the start of a label to the detection of its change, over the changes that were found [days]. A detection
 * before the start counts as 0: no method can detect a change before it happens.
 */
export interface LagReport {
  readonly count: number;
  readonly meanDays: number | null;
  readonly medianDays: number | null;
  /** Median time from the start of the label to the first anomaly. Null for a reference method. */
  readonly firstAnomalyMedianDays: number | null;
}

/** Number of labels at which a change was claimed and then withdrawn. */
export interface Withdrawals {
  /** Among the labels of a change. They count as missed. */
  readonly changed: number;
  /** Among the labels `none`. They count as right. */
  readonly unchanged: number;
}

/** Accuracies of one method. A change counts only if it stands at the end of the record. Shares are weighted by area. */
export interface AccuracyReport {
  readonly classes: readonly ClassReport[];
  readonly overall: Share;
  readonly brier: ScoreParts;
  readonly calibration: Calibration;
  readonly lag: LagReport;
  readonly lagAccuracy: LagAccuracy;
  readonly withdrawals: Withdrawals;
  /** Lags of the detected changes, ascending [days]: the x values of the detection curve. */
  readonly lagsDays: readonly number[];
  /** Number of labels of a change whose window has a start. On the detection curve, this number is 100 %. */
  readonly datedChanges: number;
  /** Types that are mapped somewhere, but not at the place of any label: their accuracy is unknown. */
  readonly unlabelled: readonly string[];
}

/**
 * Computes the accuracies of a backtest. The labels must be a random sample within each mapped class.
 * @param areas mapped area of each class, including `none` [m2]
 * @see doi:10.1016/j.rse.2014.02.015 (Olofsson et al. 2014)
 */
export function accuracyReport(
  outcomes: readonly LabelOutcome[],
  areas: ReadonlyMap<string, number>,
): AccuracyReport {
  const units = outcomes.map(({ label, mapped }) => ({ stratum: mapped, mapped, reference: label.label }));
  const accuracy = new MapAccuracy(units, areas);
  const merged = (label: string): string => (label === NO_CHANGE ? NO_CHANGE : ANY_CHANGE);
  const binary = units.map(({ stratum, mapped, reference }) => ({
    stratum,
    mapped: merged(mapped),
    reference: merged(reference),
  }));
  const binaryAccuracy = new MapAccuracy(binary, areas);
  const total = [...areas.values()].reduce((sum, area) => sum + area, 0);
  const report = (label: string, of: typeof units, by: MapAccuracy, mappedAreaM2: number): ClassReport => {
    const { users, producers } = by.of(label);
    const isMapped = (unit: (typeof units)[number]): boolean => unit.mapped === label;
    return {
      label,
      mappedAreaM2,
      mapped: of.filter(isMapped).length,
      labelled: of.filter(({ reference }) => reference === label).length,
      right: of.filter((unit) => isMapped(unit) && unit.reference === label).length,
      users: shareOf(users),
      producers: shareOf(producers),
    };
  };
  const seen = new Set(units.flatMap(({ mapped, reference }) => [mapped, reference]));
  const types = [...seen].filter((label) => label !== NO_CHANGE).toSorted();
  const changedArea = total - (areas.get(NO_CHANGE) ?? 0);
  const lagsDays = daysOf(outcomes.map(({ lagMs }) => lagMs));
  const withdrawn = outcomes.filter((outcome) => outcome.withdrawn !== null);
  return {
    classes: [
      report(ANY_CHANGE, binary, binaryAccuracy, changedArea),
      ...types.map((label) => report(label, units, accuracy, areas.get(label) ?? 0)),
      report(NO_CHANGE, units, accuracy, areas.get(NO_CHANGE) ?? 0),
    ],
    overall: shareOf(accuracy.overall()),
    brier: scoreParts(
      outcomes.map(({ probability }) => probability),
      outcomes.map(({ label }) => (label.label === NO_CHANGE ? 0 : 1)),
    ),
    calibration: calibrationOf(outcomes),
    lag: {
      count: lagsDays.length,
      meanDays: lagsDays.length === 0 ? null : lagsDays.reduce((sum, lag) => sum + lag, 0) / lagsDays.length,
      medianDays: medianOf(lagsDays),
      firstAnomalyMedianDays: medianOf(daysOf(outcomes.map(({ firstAnomalyLagMs }) => firstAnomalyLagMs))),
    },
    lagAccuracy: lagAccuracy(outcomes, areas),
    withdrawals: {
      changed: withdrawn.filter(({ label }) => label.label !== NO_CHANGE).length,
      unchanged: withdrawn.filter(({ label }) => label.label === NO_CHANGE).length,
    },
    lagsDays,
    datedChanges: outcomes.filter(({ label }) => label.label !== NO_CHANGE && label.fromMs !== null).length,
    unlabelled: [...areas.keys()].filter(
      (label) => areas.get(label)! > 0 && !units.some(({ mapped }) => mapped === label),
    ),
  };
}

/** Returns the lags in days, ascending, without nulls; negative lags as 0. */
function daysOf(lagsMs: readonly (number | null)[]): number[] {
  return lagsMs.flatMap((ms) => (ms === null ? [] : [Math.max(0, ms / DAY_MS)])).toSorted((a, b) => a - b);
}

function medianOf(days: readonly number[]): number | null {
  return days.length === 0 ? null : medianInPlace(Float64Array.from(days), days.length);
}

function shareOf(estimate: Estimate): Share {
  if (Number.isNaN(estimate.value)) return { value: null, low: null, high: null };
  const [low, high] = interval95(estimate);
  return { value: estimate.value, low, high };
}
