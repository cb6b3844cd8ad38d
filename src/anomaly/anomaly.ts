import type { Severity } from '../contract/anomalies.ts';
import { acceptAcrossSeries } from './false-discovery.ts';
import { END_PROBABILITY, judge, type ObservedSeries, type Judgement } from './judgement.ts';
import { severityOf } from './severity.ts';

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
 * Anomalies of one feed, in order of time. One starts at an observation that `accepted` lets stand and that has a
 * severity; it ends at the first that is back within bounds or departs the other way. A gap, or an observation that was
 * not judged, neither starts nor ends one.
 * @param accepted 1 where false-discovery control lets the observation stand, as long as the feed
 */
export function episodes(series: ObservedSeries, judged: Judgement, accepted: Uint8Array): AnomalyEpisode[] {
  const found: AnomalyEpisode[] = [];
  const signed = (i: number) => judged.departure[i]!;
  let start = -1;
  let peak = -1;
  const close = (endIndex: number | null) => {
    if (start >= 0) found.push(episodeOf(series, judged, start, peak, endIndex));
    start = -1;
  };
  for (let i = 0; i < series.values.length; i++) {
    if (start < 0 && accepted[i] !== 1) continue; // most of them
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

/** A feed's judgement and its anomalies. */
export interface SeriesAnomalies {
  readonly judged: Judgement;
  readonly episodes: readonly AnomalyEpisode[];
}

/** Anomalies of all feeds of one AOI, under false-discovery control at each date; in the order of the feeds. */
export function detectAnomalies(feeds: readonly ObservedSeries[]): SeriesAnomalies[] {
  const judgements = feeds.map((feed) => judge(feed));
  const found = episodesAcross(feeds, judgements);
  return judgements.map((judged, f) => ({ judged, episodes: found[f]! }));
}

/** The anomalies of feeds that were judged, under false-discovery control at each date; in the order of the feeds. */
export function episodesAcross(
  feeds: readonly ObservedSeries[],
  judgements: readonly Judgement[],
): AnomalyEpisode[][] {
  const masks = acceptAcrossSeries(
    feeds.map(({ timesMs }, f) => ({ timesMs, tailProbability: judgements[f]!.tailProbability })),
  );
  return feeds.map((feed, f) => episodes(feed, judgements[f]!, masks[f]!));
}

/** Whether one departure is more extreme than another; where both probabilities underflow, by size. */
function isBeyond(p: number, z: number, otherP: number, otherZ: number): boolean {
  return p < otherP || (p === otherP && Math.abs(z) > Math.abs(otherZ));
}

function episodeOf(
  series: ObservedSeries,
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
