import type { ChangeObject } from '../../../change/object/objects.ts';
import { NO_CHANGE, type BacktestLabel } from './labels.ts';

/** Least share of a place's pixels that a change must cover to be a claim about the place. */
export const LEAST_COVER = 0.5;

/** What the replay needs to know of a change that was found. */
export type ReplayedChange = Pick<
  ChangeObject,
  'type' | 'status' | 'pixels' | 'firstAnomalyMs' | 'detectedMs' | 'confirmedMs' | 'confidence'
>;

/** A label and what the replay said of its place in its window. */
export interface LabelOutcome {
  readonly label: BacktestLabel;
  /** Type of the confirmed change claimed there, or `none`. */
  readonly mapped: string;
  /** Stated probability that something changed: of the claim, or of a suspicion; 0 where nothing was said. */
  readonly probability: number;
  /** Time from the start of the label's window to the day of detection [ms]; null without a right claim or a start. */
  readonly lagMs: number | null;
}

/** Changes that cover each pixel; those that were rejected are no claim. */
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

  /** Changes that cover at least half of some pixels, the earliest first. */
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

/** Whether a change began in a window, with some days of grace on either side. */
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
 * Holds a label against what was found at its place.
 * @param pixels of the place, at least one
 * @param graceMs how far outside the window a change may begin that counts for it
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
