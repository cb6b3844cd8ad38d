import { follow, followAll, type Finding, type SampleStack } from '../engine.ts';
import { DAY_MS } from '../../../src/base/time.ts';

/** A change that a method reports at a pixel, and that it still reports at the end of the record. */
export interface Detection {
  readonly pixel: number;
  /** Time from which the method says that the pixel is changed [ms since the Unix epoch]. */
  readonly onsetMs: number;
  /** Time at which the method said so: the scene of the confirmation [ms since the Unix epoch]. */
  readonly toldMs: number;
}

/** The change that a pixel really had. Times are in ms since the Unix epoch. */
export interface TrueChange {
  /** Time of the change, from which lags are counted. */
  readonly changedMs: number;
  /** Accepted range of the onset of a detection. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Earliest time at which it can have been told; what was told before is not of this change. */
  readonly knownMs: number;
}

/** Truth of one pixel: its change, `stable` if it had none, or `unknown` if it is not judged. */
export type PixelTruth = TrueChange | 'stable' | 'unknown';

/** Counts and lags of the detections of one method. */
export interface Score {
  /** Number of pixels that really changed, and of stable ones. */
  readonly changed: number;
  readonly stable: number;
  /** Changed pixels with a standing detection of the right date. */
  readonly found: number;
  /** Stable pixels with a standing detection. */
  readonly wrong: number;
  /** Changed pixels with standing detections of wrong dates only. */
  readonly misdated: number;
  /** Days from each true change to the time at which it was told; one for each found pixel, in no order. */
  readonly lagDays: readonly number[];
}

const BEFORE_MS = 60 * DAY_MS; // accepted error of an onset before the true date: as for the burn of landsat-ccdc-pixels
const AFTER_MS = 365 * DAY_MS; // an onset more than a year late is of something else

/** The true change of a pixel whose date is known to the day. */
export function changeAt(changedMs: number): TrueChange {
  return { changedMs, fromMs: changedMs - BEFORE_MS, toMs: changedMs + AFTER_MS, knownMs: changedMs };
}

/**
 * Scores the standing detections of a method: one is right if its onset is within the accepted range of the pixel's
 * change and it was told when the change could be known. The same rule holds for every method. A pixel counts once.
 */
export function scoreDetections(truths: readonly PixelTruth[], detections: readonly Detection[]): Score {
  const byPixel = Map.groupBy(detections, ({ pixel }) => pixel);
  let [changed, stable, found, wrong, misdated] = [0, 0, 0, 0, 0];
  const lagDays: number[] = [];
  for (const [pixel, truth] of truths.entries()) {
    if (truth === 'unknown') continue;
    const said = byPixel.get(pixel) ?? [];
    if (truth === 'stable') {
      stable++;
      if (said.length > 0) wrong++;
      continue;
    }
    changed++;
    const right = said.filter(
      ({ onsetMs, toldMs }) => onsetMs >= truth.fromMs && onsetMs <= truth.toMs && toldMs >= truth.knownMs,
    );
    if (right.length > 0) {
      found++;
      lagDays.push((Math.min(...right.map(({ toldMs }) => toldMs)) - truth.changedMs) / DAY_MS);
    } else if (said.length > 0) misdated++;
  }
  return { changed, stable, found, wrong, misdated, lagDays };
}

/** Sum of several scores. */
export function totalScore(scores: readonly Score[]): Score {
  const sum = (of: (score: Score) => number): number => scores.reduce((total, score) => total + of(score), 0);
  return {
    changed: sum(({ changed }) => changed),
    stable: sum(({ stable }) => stable),
    found: sum(({ found }) => found),
    wrong: sum(({ wrong }) => wrong),
    misdated: sum(({ misdated }) => misdated),
    lagDays: scores.flatMap((score) => score.lagDays),
  };
}

/** Producer's accuracy: share of the changed pixels that are found. */
export function producersAccuracy({ found, changed }: Score): number {
  return found / changed;
}

/** User's accuracy: share of the pixels with a standing detection that really changed then. */
export function usersAccuracy({ found, wrong, misdated }: Score): number {
  return found / (found + wrong + misdated);
}

/**
 * What of the monitor's findings stands at the end of the record: the claims that were confirmed and not taken back,
 * and whose pixel lies in a confirmed object that was not taken back, as only objects are published.
 */
export function standingDetections({ claims, objects }: Finding): Detection[] {
  const published = new Set(
    objects
      .filter(({ confirmedMs, recoveredMs }) => confirmedMs !== null && recoveredMs === null)
      .flatMap(({ pixels }) => [...pixels]),
  );
  return claims
    .filter(
      ({ pixel, confirmedMs, recoveredMs }) =>
        confirmedMs !== null && recoveredMs === null && published.has(pixel),
    )
    .map(({ pixel, firstAnomalyMs, confirmedMs }) => ({
      pixel,
      onsetMs: firstAnomalyMs,
      toldMs: confirmedMs!,
    }));
}

/** Name under which the evidence of all metrics of a stack is meant. */
export const TOGETHER = 'all indices together';

/** Follows one metric of a stack, or all of its metrics as joint evidence. */
export function followBy(stack: SampleStack, metric: string): Finding {
  return metric === TOGETHER ? followAll(stack) : follow(stack, metric);
}
