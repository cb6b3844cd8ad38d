import type { ChangeObject } from '../../../change/object/objects.ts';
import { NO_CHANGE, type BacktestLabel } from './labels.ts';

/** Minimum share of the pixels of a place that a change must cover to be compared with the label of the place [1]. */
export const LEAST_COVER = 0.5;

/** The properties of a found change that the backtest uses. */
export type ReplayedChange = Pick<
  ChangeObject,
  | 'type'
  | 'status'
  | 'pixels'
  | 'firstAnomalyMs'
  | 'detectedMs'
  | 'confirmedMs'
  | 'recoveredMs'
  | 'confidence'
>;

/** A change that was claimed within the window of a label and no longer stands at the end of the record. */
export interface WithdrawnClaim {
  /** Time at which it was confirmed [ms since the Unix epoch]. */
  readonly detectedMs: number;
  /** Time at which it was called recovered [ms since the Unix epoch]. Null for a reference method. */
  readonly recoveredMs: number | null;
}

/** A label and the result of the backtest for its place and window. */
export interface LabelOutcome {
  readonly label: BacktestLabel;
  /** Type of the change at the place that is confirmed and stands at the end of the record; `none` if there is none. */
  readonly mapped: string;
  /** Probability that a lasting change happened, as stated at the end of the record, in [0, 1]. */
  readonly probability: number;
  /**
   * Time from the start of the label's window to the detection of the change [ms]; negative if the detection came
   * first. Null if the label is `none`, no change stands, or the window has no start.
   */
  readonly lagMs: number | null;
  /** The same for the first anomaly of the change. Null for a reference method, too. */
  readonly firstAnomalyLagMs: number | null;
  /** The earliest claim that was withdrawn; null if a change stands or none was ever claimed. */
  readonly withdrawn: WithdrawnClaim | null;
  /** Whether a change stands at the place, but none that began within the window and the grace period. */
  readonly isOutsideWindow: boolean;
}

/** Reason why a labelled change was missed. */
export type MissReason = 'recovered' | 'suspected' | 'outside_window' | 'unclaimed';

/** Returns why the change of a label was missed; null if it was found, or if the label is `none`. */
export function missReason({
  label,
  mapped,
  withdrawn,
  probability,
  isOutsideWindow,
}: LabelOutcome): MissReason | null {
  if (label.label === NO_CHANGE || mapped !== NO_CHANGE) return null;
  if (withdrawn !== null) return 'recovered';
  if (probability > 0) return 'suspected';
  return isOutsideWindow ? 'outside_window' : 'unclaimed';
}

/** Counts of the labelled changes that were missed, by reason. */
export function missCounts(outcomes: readonly LabelOutcome[]): Readonly<Record<MissReason, number>> {
  const counts = { recovered: 0, suspected: 0, outside_window: 0, unclaimed: 0 };
  for (const outcome of outcomes) {
    const reason = missReason(outcome);
    if (reason !== null) counts[reason] += 1;
  }
  return counts;
}

/** Index of changes by pixel, without rejected changes. */
export class ChangeMap {
  readonly #byPixel = new Map<number, ReplayedChange[]>();

  constructor(changes: readonly ReplayedChange[]) {
    for (const change of changes) {
      if (change.status === 'rejected') continue;
      for (const pixel of change.pixels) {
        const there = this.#byPixel.get(pixel);
        if (there === undefined) this.#byPixel.set(pixel, [change]);
        else there.push(change);
      }
    }
  }

  /** Changes that cover at least half of the given pixels, the earliest first. */
  over(pixels: readonly number[]): ReplayedChange[] {
    const covered = new Map<ReplayedChange, number>();
    for (const pixel of pixels)
      for (const change of this.#byPixel.get(pixel) ?? [])
        covered.set(change, (covered.get(change) ?? 0) + 1);
    return [...covered]
      .filter(([, count]) => count >= LEAST_COVER * pixels.length)
      .map(([change]) => change)
      .toSorted((a, b) => a.firstAnomalyMs - b.firstAnomalyMs);
  }
}

/** Whether a change began within a window that is extended by `graceMs` on both sides. */
export function beganWithin(
  { firstAnomalyMs }: Pick<ReplayedChange, 'firstAnomalyMs'>,
  { fromMs, toMs }: Pick<BacktestLabel, 'fromMs' | 'toMs'>,
  graceMs: number,
): boolean {
  return (
    (fromMs === null || firstAnomalyMs >= fromMs - graceMs) &&
    (toMs === null || firstAnomalyMs < toMs + graceMs)
  );
}

/**
 * Compares a label with the changes found at its place. Only a change that is confirmed at the end of the record
 * counts as found. A change that was confirmed and then called recovered is withdrawn: its probability is 0.
 * @param pixels pixels of the place, at least one
 * @param graceMs maximum time before or after the window at which a matching change may begin [ms]
 */
export function labelOutcome(
  label: BacktestLabel,
  pixels: readonly number[],
  map: ChangeMap,
  graceMs: number,
): LabelOutcome {
  const there = map.over(pixels);
  const near = there.filter((change) => beganWithin(change, label, graceMs));
  const standing = near.filter(({ status }) => status === 'confirmed');
  const suspected = near.filter(({ status }) => status === 'suspected');
  const recovered = near.find(({ status }) => status === 'recovered');
  const claim = standing.find(({ type }) => type === label.label) ?? standing[0];
  const stated = claim === undefined ? suspected : [claim];
  const startMs = label.label === NO_CHANGE ? null : label.fromMs;
  const since = (ms: number | undefined): number | null =>
    ms === undefined || startMs === null ? null : ms - startMs;
  return {
    label,
    mapped: claim?.type ?? NO_CHANGE,
    probability: Math.max(0, ...stated.map(({ confidence }) => confidence)),
    lagMs: since(claim?.detectedMs),
    firstAnomalyLagMs: since(claim?.firstAnomalyMs),
    withdrawn:
      claim !== undefined || recovered === undefined
        ? null
        : { detectedMs: recovered.detectedMs, recoveredMs: recovered.recoveredMs },
    isOutsideWindow: claim === undefined && there.some(({ status }) => status === 'confirmed'),
  };
}
