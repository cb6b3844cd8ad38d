import type { ChangeObject } from '../../../change/object/objects.ts';
import { NO_CHANGE, type BacktestLabel } from './labels.ts';

/** Minimum share of the pixels of a place that a change must cover to be compared with the label of the place [1]. */
export const LEAST_COVER = 0.5;

/** The properties of a found change that the backtest uses. */
export type ReplayedChange = Pick<
  ChangeObject,
  'type' | 'status' | 'pixels' | 'firstAnomalyMs' | 'detectedMs' | 'confirmedMs' | 'confidence'
>;

/** A label and the result of the backtest for its place and window. */
export interface LabelOutcome {
  readonly label: BacktestLabel;
  /** Type of the confirmed change found at the place; `none` if no change was found. */
  readonly mapped: string;
  /** Probability that something changed: confidence of the confirmed or suspected change; 0 when there is none. */
  readonly probability: number;
  /**
   * Time from the start of the label's window to the detection [ms]. Null if the label is `none`, no confirmed change
   * was found, or the window has no start.
   */
  readonly lagMs: number | null;
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
 * Compares a label with the changes found at its place.
 * @param pixels pixels of the place, at least one
 * @param graceMs maximum time before or after the window at which a matching change may begin [ms]
 */
export function labelOutcome(
  label: BacktestLabel,
  pixels: readonly number[],
  map: ChangeMap,
  graceMs: number,
): LabelOutcome {
  const near = map.over(pixels).filter((change) => beganWithin(change, label, graceMs));
  const claims = near.filter(({ confirmedMs }) => confirmedMs !== null);
  const claim = claims.find(({ type }) => type === label.label) ?? claims[0];
  const isRight = claim !== undefined && label.label !== NO_CHANGE;
  return {
    label,
    mapped: claim?.type ?? NO_CHANGE,
    probability: Math.max(0, ...(claim === undefined ? near : [claim]).map(({ confidence }) => confidence)),
    lagMs: isRight && label.fromMs !== null ? claim.detectedMs - label.fromMs : null,
  };
}
