import { bootstrapInterval } from '../bootstrap.ts';
import { Random } from '../../calibration/simulated-case.ts';
import { DRAWS, labelsOf, SEED, strataOf, type Forecasts } from './evaluation.ts';
import type { DistPixel } from './sample.ts';

/** Whether there is an alert at each judged observation of each pixel. */
export type Alerts = readonly (readonly boolean[])[];

/** Candidate thresholds of probabilities. */
export const THRESHOLDS: readonly number[] = Array.from({ length: 49 }, (_, i) => (i + 1) / 50);

/** Alerts where DIST-ALERT has one of the given statuses. */
export function statusAlerts(pixels: readonly DistPixel[], statuses: readonly number[]): Alerts {
  return pixels.map((pixel) =>
    pixel.statuses.slice(pixel.judgedFrom).map((status) => statuses.includes(status)),
  );
}

/** Alerts where the probability is at least the threshold. */
export function alertsAt(forecasts: Forecasts, threshold: number): Alerts {
  return forecasts.map((values) => Array.from(values, (value) => value >= threshold));
}

/** The threshold with the best F1 score by area. */
export function bestThreshold(
  pixels: readonly DistPixel[],
  areas: ReadonlyMap<string, number>,
  forecasts: Forecasts,
): number {
  const scores = THRESHOLDS.map((threshold) => {
    const { users, producers } = alertAccuracy(pixels, areas, alertsAt(forecasts, threshold));
    return (2 * users * producers) / (users + producers) || 0;
  });
  return THRESHOLDS[scores.indexOf(Math.max(...scores))]!;
}

/** Agreement of alerts with the labels, weighted by area, and the lag of the alerts. */
export interface AlertAccuracy {
  readonly users: number;
  readonly producers: number;
  /** Mean time from the first labelled loss day to the first correct alert [days], over pixels that have both. */
  readonly lagDays: number;
  /** Number of pixels with a loss; `detected`: number of these pixels with a correct alert. */
  readonly losses: number;
  readonly detected: number;
}

/**
 * User's and producer's accuracy of alerts, with the judged observations of each stratum weighted by its area.
 * @param times number of times that each pixel counts; absent: each pixel counts once
 */
export function alertAccuracy(
  pixels: readonly DistPixel[],
  areas: ReadonlyMap<string, number>,
  alerts: Alerts,
  times?: Uint32Array,
): AlertAccuracy {
  const sums = new Map<string, { right: number; alerted: number; lost: number; cases: number }>();
  for (const [p, pixel] of pixels.entries()) {
    const weight = times?.[p] ?? 1;
    const sum = sums.get(pixel.stratum) ?? { right: 0, alerted: 0, lost: 0, cases: 0 };
    for (const [i, label] of labelsOf(pixel).entries()) {
      const isAlert = alerts[p]![i]!;
      sum.cases += weight;
      if (isAlert) sum.alerted += weight;
      if (label === 1) sum.lost += weight;
      if (isAlert && label === 1) sum.right += weight;
    }
    sums.set(pixel.stratum, sum);
  }
  let [right, alerted, lost] = [0, 0, 0];
  for (const [stratum, sum] of sums) {
    if (sum.cases === 0) continue;
    const each = areas.get(stratum)! / sum.cases;
    right += each * sum.right;
    alerted += each * sum.alerted;
    lost += each * sum.lost;
  }
  let [losses, detected, lagSum] = [0, 0, 0];
  for (const [p, lag] of alertLags(pixels, alerts).entries()) {
    const weight = times?.[p] ?? 1;
    if (pixels[p]!.firstLossDay !== null) losses += weight;
    if (lag === null) continue;
    detected += weight;
    lagSum += weight * lag;
  }
  return {
    users: right / alerted,
    producers: right / lost,
    lagDays: lagSum / detected,
    losses,
    detected,
  };
}

/** Days from each pixel's first labelled loss day to its first correct alert; null without a loss or such an alert. */
export function alertLags(pixels: readonly DistPixel[], alerts: Alerts): (number | null)[] {
  return pixels.map((pixel, p) => {
    const { firstLossDay, judgedFrom, observations, labels } = pixel;
    if (firstLossDay === null) return null;
    const first = alerts[p]!.findIndex(
      (isAlert, i) =>
        isAlert && labels[judgedFrom + i] === 1 && observations[judgedFrom + i]!.day >= firstLossDay,
    );
    return first < 0 ? null : observations[judgedFrom + first]!.day - firstLossDay;
  });
}

/**
 * Text of the difference in accuracy of two sets of alerts, `ours` minus `theirs`, each with its 95 % interval by a
 * paired bootstrap over pixels within strata.
 */
export function accuracyDifference(
  pixels: readonly DistPixel[],
  areas: ReadonlyMap<string, number>,
  ours: Alerts,
  theirs: Alerts,
): string {
  return (
    [
      ['UA', 'users', 3],
      ['PA', 'producers', 3],
      ['lag', 'lagDays', 0],
    ] as const
  )
    .map(([name, which, digits]) => {
      const random = new Random(SEED);
      const { low, high } = bootstrapInterval(
        strataOf(pixels),
        (times) =>
          alertAccuracy(pixels, areas, ours, times)[which] -
          alertAccuracy(pixels, areas, theirs, times)[which],
        DRAWS,
        () => random.uniform(),
      );
      return `${name} ${low.toFixed(digits)} to ${high.toFixed(digits)}`;
    })
    .join(', ');
}
