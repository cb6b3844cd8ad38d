import { DAY_MS } from '../base/time.ts';

/**
 * Tolerated share of false anomalies among the anomalies reported on one UTC day. It equals the tail probability at
 * which a low severity begins (contract: anomalies).
 */
const FALSE_DISCOVERY_RATE = 0.05;

/** A judged series: times [ms since the epoch] and the tail probability of each observation, NaN where not judged. */
export interface JudgedSeries {
  readonly timesMs: Float64Array;
  readonly tailProbability: Float64Array;
}

/**
 * False-discovery control over the series of one AOI, by the step-up procedure of Benjamini & Hochberg. The
 * observations of each UTC day are one family. A probability of NaN means that the observation is not tested: it is
 * neither marked nor counted.
 * @returns for each series a mask of its length, 1 where the observation is accepted as anomalous
 * @see https://doi.org/10.1111/j.2517-6161.1995.tb02031.x equation 1
 */
export function acceptAcrossSeries(
  seriesList: readonly JudgedSeries[],
  rate: number = FALSE_DISCOVERY_RATE,
): Uint8Array[] {
  const [first, count] = daysOf(seriesList);
  const tested = new Int32Array(count);
  // Start of each day's probabilities in `small`. Probabilities above `rate` are never rejected and not stored.
  const starts = new Int32Array(count + 1);
  const places = seriesList.map((series) => countDays(series, first, rate, tested, starts));
  for (let day = 0; day < count; day++) starts[day + 1]! += starts[day]!;
  const small = new Float64Array(starts[count]!);
  const filled = starts.slice();
  for (const [f, { timesMs, tailProbability }] of seriesList.entries())
    for (const i of places[f]!)
      small[filled[Math.floor(timesMs[i]! / DAY_MS) - first]!++] = tailProbability[i]!;
  const limits = new Float64Array(count);
  for (let day = 0; day < count; day++)
    if (starts[day + 1]! > starts[day]!)
      limits[day] = stepUp(small.subarray(starts[day], starts[day + 1]), tested[day]!, rate);
  return seriesList.map(({ timesMs, tailProbability }, f) => {
    const mask = new Uint8Array(timesMs.length);
    for (const i of places[f]!)
      if (tailProbability[i]! <= limits[Math.floor(timesMs[i]! / DAY_MS) - first]!) mask[i] = 1;
    return mask;
  });
}

/**
 * For each day, adds the number of tests to the day's entry of `tested`, and the number of probabilities of at most
 * `rate` to the next day's entry of `starts`. Returns the indices of the observations with such a probability.
 */
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

/** Earliest day of all series, in days since the Unix epoch, and the number of days up to and including the latest. */
function daysOf(seriesList: readonly JudgedSeries[]): readonly [first: number, count: number] {
  let [first, last] = [Infinity, -Infinity];
  for (const { timesMs } of seriesList) {
    if (timesMs.length === 0) continue;
    first = Math.min(first, Math.floor(timesMs[0]! / DAY_MS));
    last = Math.max(last, Math.floor(timesMs.at(-1)! / DAY_MS));
  }
  return [first, Math.max(0, last - first + 1)];
}

/**
 * Largest probability in `small` whose hypothesis the step-up procedure rejects; -1 if it rejects none. Sorts
 * `small`.
 * @param tested number of hypotheses, including those with probabilities above `rate`
 */
function stepUp(small: Float64Array, tested: number, rate: number): number {
  sort(small);
  for (let rank = small.length; rank > 0; rank--)
    if (small[rank - 1]! <= (rank / tested) * rate) return small[rank - 1]!;
  return -1;
}

/** Sorts in place. Most days have few values, for which insertion sort is faster than the runtime's sort. */
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
