import { DAY_MS } from '../../../base/time.ts';
import { NO_CHANGE } from './labels.ts';
import type { LabelOutcome } from './label-outcome.ts';

const DELAY_SHARE = 0.02; // producer's accuracy that ends the initial delay, as in the Python package nrt-validate
const HORIZON_DAYS = 365; // minimum length of the curve in which its knee is sought (our choice)

/** Accuracies when only the changes detected within some days of their start count as found. */
export interface LagPoint {
  /** Days since the start of the label. */
  readonly days: number;
  /** F1 score: harmonic mean of user's and producer's accuracy [1]. */
  readonly f1: number;
  /** Producer's accuracy [1]. */
  readonly producers: number;
}

/** Accuracy as a function of the time since the change ("sigmoid accuracy"). Shares are weighted by area. */
export interface LagAccuracy {
  /** The curve: one point for each day on which it rises, ascending. Before the first point it is 0. */
  readonly points: readonly LagPoint[];
  /** First day on which the producer's accuracy exceeds 2 %. Null if it never does. */
  readonly initialDelayDays: number | null;
  /** The point at which the curve levels off: its knee. Null if no change was found. */
  readonly levelOff: LagPoint | null;
  /** F1 score without a limit on the lag [1]. Null if no label of a change has a start. */
  readonly f1: number | null;
}

/**
 * Computes accuracy as a function of the lag. At a lag of L days, a change counts as found if it stands at the end of
 * the record and was detected within L days of the start of its label. A detection before the start counts from day 0 on.
 * False changes count at every lag. Labels of a change without a start have no lag and are left out.
 *
 * The knee is the point of the curve that lies farthest above the straight line from day 0 to the end of the curve,
 * both axes scaled to 1 (Kneedle, Satopaa et al. 2011, doi:10.1109/ICDCSW.2011.20). The curve ends after a year, or
 * with a later last detection. It has steps, and Kneedle finds a knee at most of them: the highest one is returned.
 * @param areas mapped area of each class, including `none` [m2]: labels are weighted by the area that each stands for
 * @see doi:10.1016/j.rse.2022.113043 (Bullock et al. 2022)
 */
export function lagAccuracy(
  outcomes: readonly LabelOutcome[],
  areas: ReadonlyMap<string, number>,
): LagAccuracy {
  const counts = new Map<string, number>();
  for (const { mapped } of outcomes) counts.set(mapped, (counts.get(mapped) ?? 0) + 1);
  const detections: (readonly [days: number, weight: number])[] = [];
  let [changed, mappedAsChange] = [0, 0];
  for (const { label, mapped, lagMs } of outcomes) {
    if (label.label !== NO_CHANGE && label.fromMs === null) continue;
    const weight = areas.get(mapped)! / counts.get(mapped)!;
    if (label.label !== NO_CHANGE) changed += weight;
    if (mapped !== NO_CHANGE) mappedAsChange += weight;
    if (lagMs !== null && weight > 0) detections.push([Math.max(0, lagMs / DAY_MS), weight]);
  }
  const points: LagPoint[] = [];
  let found = 0;
  for (const [days, weight] of detections.toSorted(([a], [b]) => a - b)) {
    found += weight;
    if (points.at(-1)?.days === days) points.pop();
    points.push({ days, f1: (2 * found) / (changed + mappedAsChange), producers: found / changed });
  }
  return {
    points,
    initialDelayDays: points.find(({ producers }) => producers > DELAY_SHARE)?.days ?? null,
    levelOff: kneeOf(points),
    f1: points.at(-1)?.f1 ?? (changed > 0 ? 0 : null),
  };
}

/** F1 score when only the changes detected within `days` of their start count as found; null without labels. */
export function f1Within({ points, f1 }: LagAccuracy, days: number): number | null {
  if (f1 === null) return null;
  return points.findLast((point) => point.days <= days)?.f1 ?? 0;
}

function kneeOf(points: readonly LagPoint[]): LagPoint | null {
  const last = points.at(-1);
  if (last === undefined) return null;
  const end = Math.max(HORIZON_DAYS, last.days);
  const height = ({ days, f1 }: LagPoint): number => f1 / last.f1 - days / end;
  // A curve that nowhere rises above the straight line is still rising at its last point.
  return points.reduce((knee, point) => (height(point) > height(knee) ? point : knee), last);
}
