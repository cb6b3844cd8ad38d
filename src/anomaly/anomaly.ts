import type { Severity } from '../contract/anomalies.ts';
import { acceptAcrossSeries } from './false-discovery.ts';
import { END_PROBABILITY, type ObservedSeries, type Judgement } from './judgement.ts';
import { severityOf } from './severity.ts';

/** A run of departures in one direction. The indices are positions in the series. */
export interface AnomalyEpisode {
  readonly startIndex: number;
  /** Index of the most extreme observation among those accepted as anomalous. */
  readonly peakIndex: number;
  /**
   * Index of the observation that ends the anomaly: the first one that is back within the bounds or departs in the
   * other direction. Null while the anomaly lasts.
   */
  readonly endIndex: number | null;
  /** Severity at the peak. The fields below also describe the observation at the peak. */
  readonly severity: Severity;
  readonly tailProbability: number;
  /** Observed value [metric unit]. */
  readonly value: number;
  /** Expected value [metric unit]. */
  readonly expected: number;
  /** Value minus expected value [metric unit]. */
  readonly residual: number;
}

/**
 * Anomalies of one series, in order of time. An anomaly starts at an observation that is accepted and has a severity.
 * It ends at the first observation that is back within bounds or departs in the other direction. A gap, or an
 * observation that was not judged, neither starts nor ends an anomaly.
 * @param accepted one entry per observation: 1 where false-discovery control accepts it as anomalous
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
    if (start < 0 && accepted[i] !== 1) continue; // fast path for most observations
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

/**
 * Finds the anomalies of all series of one AOI from their judgements, with false-discovery control per UTC day.
 * Returns one list per series, in the same order.
 */
export function episodesAcross(
  seriesList: readonly ObservedSeries[],
  judgements: readonly Judgement[],
): AnomalyEpisode[][] {
  const masks = acceptAcrossSeries(
    seriesList.map(({ timesMs }, f) => ({ timesMs, tailProbability: judgements[f]!.tailProbability })),
  );
  return seriesList.map((series, f) => episodes(series, judgements[f]!, masks[f]!));
}

/**
 * Whether a departure is more extreme than another one: its probability is smaller or, if the probabilities are equal
 * (both 0), its size is larger.
 */
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
