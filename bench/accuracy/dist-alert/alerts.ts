import { labelsOf } from './evaluation.ts';
import type { DistPixel } from './sample.ts';

/** Whether there is an alert at each judged observation of each pixel. */
export type Alerts = readonly (readonly boolean[])[];

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
