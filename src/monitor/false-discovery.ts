const DAY_MS = 86_400_000; // [ms]

/** Share of false ones tolerated among the anomalies reported at one date: the probability of a low severity (contract: anomalies). */
export const FALSE_DISCOVERY_RATE = 0.05;

/**
 * Marks the hypotheses rejected by the step-up procedure of Benjamini & Hochberg at rate `rate`.
 * NaN is a hypothesis that was not tested: never marked, never counted.
 * @returns 1 where rejected (an anomaly stands), else 0; in the order given
 * @see https://doi.org/10.1111/j.2517-6161.1995.tb02031.x equation 1
 */
export function falseDiscoveryControl(
  tailProbabilities: ArrayLike<number>,
  rate: number = FALSE_DISCOVERY_RATE,
): Uint8Array {
  const tested: number[] = [];
  for (let i = 0; i < tailProbabilities.length; i++) {
    const p = tailProbabilities[i]!;
    if (!Number.isNaN(p)) tested.push(p);
  }
  const limit = stepUp(tested, tested.length, rate);
  const rejected = new Uint8Array(tailProbabilities.length);
  for (let i = 0; i < rejected.length; i++) if (tailProbabilities[i]! <= limit) rejected[i] = 1;
  return rejected;
}

/** One feed as judged: times [ms since the epoch] and the tail probability of each observation, NaN where not judged. */
export interface JudgedFeed {
  readonly timesMs: Float64Array;
  readonly tailProbability: Float64Array;
}

/**
 * False-discovery control over the feeds of one AOI: every UTC day is a family of its own.
 * @returns for each feed a mask as long as it, 1 where the observation stands as anomalous
 */
export function acceptAcrossFeeds(
  feeds: readonly JudgedFeed[],
  rate: number = FALSE_DISCOVERY_RATE,
): Uint8Array[] {
  const masks = feeds.map((feed) => new Uint8Array(feed.timesMs.length));
  // Start and small probabilities of each day that has one that could stand; of the others nothing needs to be known.
  const families = new Map<number, number[]>();
  for (const { timesMs, tailProbability } of feeds) {
    for (let i = 0; i < timesMs.length; i++) {
      if (!(tailProbability[i]! <= rate)) continue;
      const day = Math.floor(timesMs[i]! / DAY_MS) * DAY_MS;
      const small = families.get(day);
      if (small === undefined) families.set(day, [tailProbability[i]!]);
      else small.push(tailProbability[i]!);
    }
  }
  const days = Float64Array.from(families.keys()).sort();
  const ofDay = Array.from(days, (day) => families.get(day)!);
  const tested = new Int32Array(days.length);
  for (const { timesMs, tailProbability } of feeds) {
    let d = 0;
    for (let i = 0; i < timesMs.length && d < days.length; i++) {
      const timeMs = timesMs[i]!;
      while (d < days.length && timeMs >= days[d]! + DAY_MS) d += 1;
      if (d < days.length && timeMs >= days[d]! && !Number.isNaN(tailProbability[i]!)) tested[d]! += 1;
    }
  }
  const limits = Float64Array.from(ofDay, (small, d) => stepUp(small, tested[d]!, rate));
  for (const [f, { timesMs, tailProbability }] of feeds.entries()) {
    const mask = masks[f]!;
    let d = 0;
    for (let i = 0; i < timesMs.length; i++) {
      if (!(tailProbability[i]! <= rate)) continue;
      while (timesMs[i]! >= days[d]! + DAY_MS) d += 1;
      if (tailProbability[i]! <= limits[d]!) mask[i] = 1;
    }
  }
  return masks;
}

/** The largest probability that the step-up procedure rejects among `tested`; -1 when none. `small` is sorted. */
function stepUp(small: number[], tested: number, rate: number): number {
  small.sort((a, b) => a - b);
  for (let rank = small.length; rank > 0; rank--)
    if (small[rank - 1]! <= (rank / tested) * rate) return small[rank - 1]!;
  return -1;
}
