import type { TimeSeries } from '../app/series/time-series.ts';

/** Maximum number of observations in a row (our choice): 16 kB. Adding an observation rewrites the whole row. */
const CHUNK_OBSERVATIONS = 1024;

/** Encodes doubles for a row. The bytes are little-endian, like on all platforms that Node supports. */
export function packed(doubles: Float64Array): Buffer {
  return Buffer.from(doubles.buffer, doubles.byteOffset, doubles.byteLength);
}

/** Decodes doubles. @throws RangeError when the length is not a multiple of 8 bytes */
export function unpacked(bytes: Buffer): Float64Array {
  // The bytes are copied, since a Float64Array must start at a multiple of eight, and `bytes` may start elsewhere.
  const doubles = new Float64Array(bytes.length / 8);
  Buffer.from(doubles.buffer).set(bytes);
  return doubles;
}

/** Encodes times for a row. For evenly spaced times, stores only the first time and the step, which halves the row. */
export function packedTimes(timesMs: Float64Array): Buffer {
  const [first, step] = [timesMs[0]!, timesMs[1]! - timesMs[0]!];
  const isEven = timesMs.length > 2 && timesMs.every((ms, i) => ms === first + i * step);
  return packed(isEven ? Float64Array.of(first, step) : timesMs);
}

/** Decodes times. @param count number of times */
export function unpackedTimes(bytes: Buffer, count: number): Float64Array {
  const kept = unpacked(bytes);
  if (kept.length === count || kept.length !== 2) return kept;
  const [first, step] = [kept[0]!, kept[1]!];
  const timesMs = new Float64Array(count);
  for (let i = 0; i < count; i++) timesMs[i] = first + i * step;
  return timesMs;
}

/** Concatenates pieces of a series. */
export function joined(pieces: readonly TimeSeries[]): TimeSeries {
  const count = pieces.reduce((sum, { timesMs }) => sum + timesMs.length, 0);
  const [timesMs, values] = [new Float64Array(count), new Float64Array(count)];
  let at = 0;
  for (const piece of pieces) {
    timesMs.set(piece.timesMs, at);
    values.set(piece.values, at);
    at += piece.timesMs.length;
  }
  return { timesMs, values };
}

/**
 * Merges two series. If both have a value for a time, the value of `later` is used.
 * @returns the merged series, and the number of observations in `later` that are new or changed
 */
export function merged(
  before: TimeSeries,
  later: TimeSeries,
): { readonly all: TimeSeries; readonly changed: number } {
  const [n, m] = [before.timesMs.length, later.timesMs.length];
  const [timesMs, values] = [new Float64Array(n + m), new Float64Array(n + m)];
  let [i, j, k, changed] = [0, 0, 0, 0];
  while (i < n || j < m) {
    const old = i < n ? before.timesMs[i]! : Infinity;
    const fresh = j < m ? later.timesMs[j]! : Infinity;
    timesMs[k] = Math.min(old, fresh);
    if (fresh > old) values[k++] = before.values[i++]!;
    else {
      if (fresh < old || before.values[i] !== later.values[j]) changed++;
      if (fresh === old) i++;
      values[k++] = later.values[j++]!;
    }
  }
  return { all: { timesMs: timesMs.subarray(0, k), values: values.subarray(0, k) }, changed };
}

/**
 * Splits observations into pieces, one per row.
 * @param isEnd whether the observations are the last of their series. If true, rows are filled completely, since new
 * observations usually come after the last one. If false, the rows get equal sizes, so that observations between the
 * existing ones can be added
 */
export function cut({ timesMs, values }: TimeSeries, isEnd: boolean): readonly TimeSeries[] {
  const count = timesMs.length;
  const rows = Math.ceil(count / CHUNK_OBSERVATIONS);
  const size = isEnd ? CHUNK_OBSERVATIONS : Math.ceil(count / Math.max(1, rows));
  return Array.from({ length: rows }, (_, r) => ({
    timesMs: timesMs.subarray(r * size, (r + 1) * size),
    values: values.subarray(r * size, (r + 1) * size),
  }));
}
