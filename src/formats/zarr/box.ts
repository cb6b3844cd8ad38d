import { InvalidInput, NotFound, UpstreamUnavailable } from '../../base/errors.ts';

/** Errors that already name what they are about. */
const TOLD = [InvalidInput, NotFound, UpstreamUnavailable];

/** A decoded chunk: its values, and their distance along each dimension. */
interface Chunk {
  readonly data: unknown;
  readonly shape: readonly number[];
  readonly stride: readonly number[];
}

/**
 * Reads a box of an array from its chunks.
 * @param ranges range of each dimension
 * @throws RangeError that names the chunk, when it cannot be decoded or has another number of values than its shape
 */
export async function readBox(
  getChunk: (at: number[]) => Promise<Chunk>,
  shape: readonly number[],
  chunks: readonly number[],
  ranges: readonly (readonly [from: number, to: number])[],
): Promise<Float64Array> {
  const sizes = ranges.map(([from, to]) => to - from);
  const values = new Float64Array(product(sizes));
  if (values.length === 0) return values;
  const strides = sizes.map((_, i) => product(sizes.slice(i + 1)));
  const first = ranges.map(([from], i) => Math.floor(from / chunks[i]!));
  const last = ranges.map(([, to], i) => Math.ceil(Math.min(to, shape[i]!) / chunks[i]!) - 1);
  for (const at of positions(first, last)) {
    const chunk = await named(at, () => getChunk([...at]));
    const data = chunk.data as ArrayLike<number | bigint>;
    if (data.length !== product(chunks))
      throw new RangeError(`chunk ${at.join('.')} has ${data.length} values; expected ${product(chunks)}`);
    const from = ranges.map(([start], i) => Math.max(start, at[i]! * chunks[i]!));
    const to = ranges.map(([, end], i) => Math.min(end, (at[i]! + 1) * chunks[i]!));
    copy(chunk, data, { at, chunks, from, to }, { values, strides, ranges });
  }
  return values;
}

/** Reads a chunk. What a decoder throws names it; other errors name their file. */
async function named(at: readonly number[], read: () => Promise<Chunk>): Promise<Chunk> {
  try {
    return await read();
  } catch (error) {
    if (TOLD.some((kind) => error instanceof kind)) throw error;
    const { message } = error as Error;
    const [, codec] = /^Unknown codec: (?:numcodecs\.)?(\w+)/.exec(message) ?? [];
    if (codec !== undefined)
      throw new RangeError(
        `it is packed by ${codec}, which is not read; write it again with zstd, blosc, gzip or lz4`,
        { cause: error },
      );
    throw new RangeError(`chunk ${at.join('.')} is cut short or damaged: ${message}`, { cause: error });
  }
}

/** Copies the part of a chunk that is in the box, one run along the last dimension after the other. */
function copy(
  { stride }: Chunk,
  data: ArrayLike<number | bigint>,
  part: Readonly<Record<'at' | 'chunks' | 'from' | 'to', readonly number[]>>,
  box: {
    readonly values: Float64Array;
    readonly strides: readonly number[];
    readonly ranges: readonly (readonly [number, number])[];
  },
): void {
  const { at, chunks, from, to } = part;
  const rank = from.length;
  const run = rank === 0 ? 1 : to[rank - 1]! - from[rank - 1]!;
  const starts =
    rank === 0
      ? [[]]
      : positions(
          [...from.slice(0, -1), from[rank - 1]!],
          [...to.slice(0, -1).map((end) => end - 1), from[rank - 1]!],
        );
  for (const position of starts) {
    let [source, target] = [0, 0];
    for (let i = 0; i < rank; i++) {
      source += (position[i]! - at[i]! * chunks[i]!) * stride[i]!;
      target += (position[i]! - box.ranges[i]![0]) * box.strides[i]!;
    }
    const step = stride[rank - 1] ?? 1;
    for (let i = 0; i < run; i++) box.values[target + i] = Number(data[source + i * step]);
  }
}

/** All positions from the first to the last, both included; the last dimension varies fastest. */
function* positions(first: readonly number[], last: readonly number[]): Generator<readonly number[]> {
  const at = [...first];
  for (;;) {
    yield at;
    let i = at.length - 1;
    while (i >= 0 && at[i] === last[i]) at[i] = first[i--]!;
    if (i < 0) return;
    at[i]!++;
  }
}

function product(sizes: readonly number[]): number {
  return sizes.reduce((result, size) => result * size, 1);
}
