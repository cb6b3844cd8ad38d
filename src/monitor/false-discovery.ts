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
  tested.sort((a, b) => a - b);
  let limit = -1;
  for (let rank = tested.length; rank > 0; rank--) {
    const p = tested[rank - 1]!;
    if (p <= (rank / tested.length) * rate) {
      limit = p;
      break;
    }
  }
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
  const families = new Map<number, { feed: number; index: number; p: number }[]>();
  for (const [f, feed] of feeds.entries()) {
    for (let i = 0; i < feed.timesMs.length; i++) {
      const p = feed.tailProbability[i]!;
      if (Number.isNaN(p)) continue;
      const day = Math.floor(feed.timesMs[i]! / DAY_MS);
      const family = families.get(day);
      if (family === undefined) families.set(day, [{ feed: f, index: i, p }]);
      else family.push({ feed: f, index: i, p });
    }
  }
  for (const family of families.values()) {
    const rejected = falseDiscoveryControl(
      family.map((member) => member.p),
      rate,
    );
    for (const [k, member] of family.entries()) masks[member.feed]![member.index] = rejected[k]!;
  }
  return masks;
}
