import type { TimeSeries } from '../app/series/time-series.ts';

/** Observations in one row at most [1] (ours): 16 kB, what the arrival of one more makes the database write again. */
export const CHUNK_OBSERVATIONS = 1024;

/** Doubles as they are kept in a row: little-endian, as every machine that Node runs on has them. */
export function packed(doubles: Float64Array): Buffer {
  return Buffer.from(doubles.buffer, doubles.byteOffset, doubles.byteLength);
}

/** Reads doubles back. @throws RangeError when the bytes are no whole doubles */
export function unpacked(bytes: Buffer): Float64Array {
  // A row's bytes begin anywhere in their buffer, doubles at multiples of eight.
  const doubles = new Float64Array(bytes.length / 8);
  Buffer.from(doubles.buffer).set(bytes);
  return doubles;
}

/** Times as they are kept: where they are evenly spaced, the first and the step alone, which halves what is read. */
export function packedTimes(timesMs: Float64Array): Buffer {
  const [first, step] = [timesMs[0]!, timesMs[1]! - timesMs[0]!];
  const isEven = timesMs.length > 2 && timesMs.every((ms, i) => ms === first + i * step);
  return packed(isEven ? Float64Array.of(first, step) : timesMs);
}

/** Reads times back. @param count how many there are */
export function unpackedTimes(bytes: Buffer, count: number): Float64Array {
  const kept = unpacked(bytes);
  if (kept.length === count || kept.length !== 2) return kept;
  const [first, step] = [kept[0]!, kept[1]!];
  const timesMs = new Float64Array(count);
  for (let i = 0; i < count; i++) timesMs[i] = first + i * step;
  return timesMs;
}

/** All of some pieces, one after the other. */
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

/** Both together; at a time that both have, the later one's value holds. Counts what is new or other than before. */
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
 * Cuts observations into pieces that rows hold. At the end of a series rows are filled, since what comes next is later;
 * elsewhere they are of one size, since more may fall between.
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
