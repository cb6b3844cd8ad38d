import type { Severity } from '../contract/anomalies.ts';
import { Climatology } from './climatology.ts';
import { acceptAcrossFeeds } from './false-discovery.ts';
import { severityOf } from './severity.ts';
import { studentTail } from './student-tail.ts';

/**
 * Tail probability from which an observation is back within bounds (ours): four times that of a start, so that an
 * anomaly does not flicker about its threshold.
 */
export const END_PROBABILITY = 0.2;

/** One feed: the observations of a metric over an AOI. */
export interface FeedSeries {
  /** Milliseconds since the Unix epoch, ascending. */
  readonly timesMs: Float64Array;
  /** Metric unit; NaN is a gap. */
  readonly values: Float64Array;
}

/** Each observation of a feed against what those before it led one to expect; NaN where it was not judged. */
export interface Judgement {
  /** Metric unit. */
  readonly expected: Float64Array;
  /** Standard deviation of an observation about `expected` [metric unit], uncertainty of the baseline included. */
  readonly scale: Float64Array;
  /** Two-sided, before false-discovery control. */
  readonly tailProbability: Float64Array;
}

/** A run of departures in one direction; indices are the feed's. */
export interface AnomalyEpisode {
  readonly startIndex: number;
  /** The most extreme of the observations that stand as anomalous. */
  readonly peakIndex: number;
  /** First observation back within bounds, or beyond them on the other side; null while it lasts. */
  readonly endIndex: number | null;
  /** At the peak, as are the following. */
  readonly severity: Severity;
  readonly tailProbability: number;
  /** Metric unit. */
  readonly value: number;
  /** Metric unit. */
  readonly expected: number;
  /** Value less expected [metric unit]. */
  readonly residual: number;
}

/**
 * Judges each observation from those before it alone, against a robust seasonal baseline. Nothing is judged before
 * 15 observations that span a year, in a season without history, or in a gap.
 * @throws RangeError when the arrays differ in length or times do not ascend
 */
export function judge(series: FeedSeries): Judgement {
  const { timesMs, values } = series;
  const n = timesMs.length;
  if (values.length !== n) throw new RangeError(`${n} times but ${values.length} values`);
  for (let i = 1; i < n; i++) {
    if (!(timesMs[i]! >= timesMs[i - 1]!))
      throw new RangeError(`times must ascend: observation ${i} does not`);
  }
  const expected = new Float64Array(n).fill(Number.NaN);
  const scale = new Float64Array(n).fill(Number.NaN);
  const tailProbability = new Float64Array(n).fill(Number.NaN);
  const climatology = new Climatology(timesMs, values);
  for (let i = 0; i < n; i++) {
    if (!Number.isFinite(values[i])) continue;
    if (climatology.predict(i)) {
      expected[i] = climatology.expected;
      scale[i] = climatology.scale;
      tailProbability[i] = studentTail(
        (values[i]! - climatology.expected) / climatology.scale,
        climatology.freedom,
      );
    }
    climatology.add(i);
  }
  return { expected, scale, tailProbability };
}

/**
 * Anomalies of one feed, in order of time. One starts at an observation that `accepted` lets stand and that has a
 * severity; it ends at the first that is back within bounds or departs the other way. A gap, or an observation that was
 * not judged, neither starts nor ends one.
 * @param accepted 1 where false-discovery control lets the observation stand, as long as the feed
 */
export function episodes(series: FeedSeries, judged: Judgement, accepted: Uint8Array): AnomalyEpisode[] {
  const found: AnomalyEpisode[] = [];
  const signed = (i: number) => (series.values[i]! - judged.expected[i]!) / judged.scale[i]!;
  let start = -1;
  let peak = -1;
  const close = (endIndex: number | null) => {
    if (start >= 0) found.push(episodeOf(series, judged, start, peak, endIndex));
    start = -1;
  };
  for (let i = 0; i < series.values.length; i++) {
    const p = judged.tailProbability[i]!;
    if (Number.isNaN(p)) continue;
    if (start >= 0 && (p >= END_PROBABILITY || signed(i) * signed(start) < 0)) close(i);
    if (accepted[i] !== 1 || severityOf(p) === undefined) continue;
    if (start < 0) {
      start = i;
      peak = i;
    } else if (isBeyond(p, signed(i), judged.tailProbability[peak]!, signed(peak))) peak = i;
  }
  close(null);
  return found;
}

/** A feed's judgement, what of it stands beside the AOI's other feeds, and the anomalies. */
export interface FeedAnomalies {
  readonly judged: Judgement;
  /** 1 where false-discovery control lets the observation stand. */
  readonly accepted: Uint8Array;
  readonly episodes: readonly AnomalyEpisode[];
}

/** Anomalies of all feeds of one AOI, under false-discovery control at each date; in the order of the feeds. */
export function detectAnomalies(feeds: readonly FeedSeries[]): FeedAnomalies[] {
  const judgements = feeds.map((feed) => judge(feed));
  const masks = acceptAcrossFeeds(
    feeds.map((feed, f) => ({
      timesMs: feed.timesMs,
      tailProbability: judgements[f]!.tailProbability,
    })),
  );
  return feeds.map((feed, f) => {
    const judged = judgements[f]!;
    const accepted = masks[f]!;
    return { judged, accepted, episodes: episodes(feed, judged, accepted) };
  });
}

/** Whether one departure is more extreme than another; where both probabilities underflow, by size. */
function isBeyond(p: number, z: number, otherP: number, otherZ: number): boolean {
  return p < otherP || (p === otherP && Math.abs(z) > Math.abs(otherZ));
}

function episodeOf(
  series: FeedSeries,
  judged: Judgement,
  startIndex: number,
  peakIndex: number,
  endIndex: number | null,
): AnomalyEpisode {
  const tailProbability = judged.tailProbability[peakIndex]!;
  const value = series.values[peakIndex]!;
  const expected = judged.expected[peakIndex]!;
  return {
    startIndex,
    peakIndex,
    endIndex,
    severity: severityOf(tailProbability)!,
    tailProbability,
    value,
    expected,
    residual: value - expected,
  };
}
