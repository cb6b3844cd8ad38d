import { DAY_MS } from '../base/time.ts';

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
  const tested = Float64Array.from(tailProbabilities).filter((p) => !Number.isNaN(p));
  const limit = stepUp(tested, tested.length, rate);
  const rejected = new Uint8Array(tailProbabilities.length);
  for (let i = 0; i < rejected.length; i++) if (tailProbabilities[i]! <= limit) rejected[i] = 1;
  return rejected;
}

/** One feed as judged: times [ms since the epoch] and the tail probability of each observation, NaN where not judged. */
export interface JudgedSeries {
  readonly timesMs: Float64Array;
  readonly tailProbability: Float64Array;
}

/**
 * False-discovery control over the feeds of one AOI: every UTC day is a family of its own.
 * @returns for each feed a mask as long as it, 1 where the observation stands as anomalous
 */
export function acceptAcrossSeries(
  feeds: readonly JudgedSeries[],
  rate: number = FALSE_DISCOVERY_RATE,
): Uint8Array[] {
  const [first, count] = daysOf(feeds);
  const tested = new Int32Array(count);
  // Where each day's small probabilities begin: of the others nothing needs to be known.
  const starts = new Int32Array(count + 1);
  const places = feeds.map((feed) => countDays(feed, first, rate, tested, starts));
  for (let day = 0; day < count; day++) starts[day + 1]! += starts[day]!;
  const small = new Float64Array(starts[count]!);
  const filled = starts.slice();
  for (const [f, { timesMs, tailProbability }] of feeds.entries())
    for (const i of places[f]!)
      small[filled[Math.floor(timesMs[i]! / DAY_MS) - first]!++] = tailProbability[i]!;
  const limits = new Float64Array(count);
  for (let day = 0; day < count; day++)
    if (starts[day + 1]! > starts[day]!)
      limits[day] = stepUp(small.subarray(starts[day], starts[day + 1]), tested[day]!, rate);
  return feeds.map(({ timesMs, tailProbability }, f) => {
    const mask = new Uint8Array(timesMs.length);
    for (const i of places[f]!)
      if (tailProbability[i]! <= limits[Math.floor(timesMs[i]! / DAY_MS) - first]!) mask[i] = 1;
    return mask;
  });
}

/** Counts the tests of each day, and the small ones a day later; answers where the feed has small ones. */
function countDays(
  { timesMs, tailProbability }: JudgedSeries,
  first: number,
  rate: number,
  tested: Int32Array,
  starts: Int32Array,
): number[] {
  const small: number[] = [];
  for (let i = 0; i < timesMs.length; i++) {
    const p = tailProbability[i]!;
    if (Number.isNaN(p)) continue;
    const day = Math.floor(timesMs[i]! / DAY_MS) - first;
    tested[day] = tested[day]! + 1;
    if (p > rate) continue;
    starts[day + 1] = starts[day + 1]! + 1;
    small.push(i);
  }
  return small;
}

/** The first day of all feeds, since the Unix epoch, and how many there are to the last. */
function daysOf(feeds: readonly JudgedSeries[]): readonly [first: number, count: number] {
  let [first, last] = [Infinity, -Infinity];
  for (const { timesMs } of feeds) {
    if (timesMs.length === 0) continue;
    first = Math.min(first, Math.floor(timesMs[0]! / DAY_MS));
    last = Math.max(last, Math.floor(timesMs.at(-1)! / DAY_MS));
  }
  return [first, Math.max(0, last - first + 1)];
}

/** The largest probability that the step-up procedure rejects among `tested`; -1 when none. `small` is sorted. */
function stepUp(small: Float64Array, tested: number, rate: number): number {
  sort(small);
  for (let rank = small.length; rank > 0; rank--)
    if (small[rank - 1]! <= (rank / tested) * rate) return small[rank - 1]!;
  return -1;
}

/** In place; most days have a few, for which this is quicker than what the runtime has. */
function sort(values: Float64Array): void {
  if (values.length > 32) values.sort();
  else
    for (let i = 1; i < values.length; i++) {
      const value = values[i]!;
      let k = i;
      for (; k > 0 && values[k - 1]! > value; k--) values[k] = values[k - 1]!;
      values[k] = value;
    }
}
