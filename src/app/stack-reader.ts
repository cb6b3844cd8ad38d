import type { MessagePort } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import type { MetricSeries, ReadSeries } from './find-changes.ts';

type Series = Float32Array | Float64Array;
type Bytes = Uint8Array<ArrayBuffer>;

/** Room that a part's checksum takes: a CRC-32. */
export const SEAL_BYTES = 4;

/** What a run reads and writes, by the thread that holds the cube. */
export interface StackFiles {
  readonly series: ReadSeries;
  /** Reads a part of the saved state that the run goes on from. */
  readonly saved: (part: string) => Promise<Bytes>;
  /** Writes a part of the state that the run leaves. */
  readonly keep: (part: string, bytes: Bytes) => Promise<void>;
}

/** What a thread asks of the one that holds the cube. */
type Asked =
  | { readonly kind: 'series'; readonly metric: number; readonly from: number; readonly to: number }
  | { readonly kind: 'saved'; readonly part: string }
  | { readonly kind: 'keep'; readonly part: string; readonly bytes: Bytes };

/** What it is answered: the series, the part, or nothing once it is kept. */
type Answer = Series | Bytes | null;

/** Answers what a `StackReader` at the other end of a port asks for; `failed` is told what could not be done. */
export function serveStack(port: MessagePort, files: StackFiles, failed: (error: unknown) => void): void {
  const answerTo = async (asked: Asked): Promise<Answer> => {
    if (asked.kind === 'series') return await files.series(asked.metric, asked.from, asked.to);
    if (asked.kind === 'saved') return await files.saved(asked.part);
    await files.keep(asked.part, asked.bytes);
    return null;
  };
  port.on('message', ({ id, asked }: { readonly id: number; readonly asked: Asked }) => {
    answerTo(asked)
      // Handed on rather than copied, unless it is shared.
      .then((answer) =>
        port.postMessage({ id, answer }, answer?.buffer instanceof ArrayBuffer ? [answer.buffer] : []),
      )
      .catch(failed);
  });
}

/** Reads a stack, and what an earlier run has left, from the thread that holds them; any number of calls may be under way. */
export class StackReader {
  readonly #port: MessagePort;
  readonly #series: readonly MetricSeries[];
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  /** Of each metric, what was given back. */
  readonly #spare: (Series | undefined)[] = [];
  #last = 0;

  constructor(port: MessagePort, series: readonly MetricSeries[]) {
    this.#port = port;
    this.#series = series;
    port.on('message', ({ id, answer }: { readonly id: number; readonly answer: Answer }) => {
      this.#waiting.get(id)!(answer);
      this.#waiting.delete(id);
    });
  }

  /**
   * Series of pixels `[from, to)` in the metric at a position, in its unit and over the scenes of the stack; not to be
   * written to.
   * @param since first scene that is asked for: what stands before it means nothing
   */
  async read(metric: number, from: number, to: number, since = 0): Promise<Series> {
    const values = (await this.#ask({ kind: 'series', metric, from, to })) as Series;
    const spare = this.#spare[metric];
    this.#spare[metric] = undefined;
    return overStack(values, this.#series[metric]!, since, spare);
  }

  /** A part of the saved state. @throws RangeError when it is not what was kept */
  async saved(part: string): Promise<Bytes> {
    const sealed = (await this.#ask({ kind: 'saved', part })) as Bytes;
    const end = sealed.byteLength - SEAL_BYTES;
    const bytes = sealed.subarray(0, Math.max(0, end));
    if (end < 0 || new DataView(sealed.buffer).getUint32(end, true) !== crc32(bytes))
      throw new RangeError(`the saved state is damaged: ${part} fails its checksum`);
    return bytes;
  }

  /** Keeps a part for a later run: all of a buffer, whose last `SEAL_BYTES` are room for a checksum. It is handed on. */
  async keep(part: string, bytes: Bytes): Promise<void> {
    const end = bytes.byteLength - SEAL_BYTES;
    new DataView(bytes.buffer).setUint32(end, crc32(bytes.subarray(0, end)), true);
    await this.#ask({ kind: 'keep', part, bytes }, [bytes.buffer]);
  }

  /** Takes series back that were read and are looked at no more: their memory serves the next ones, where it is this thread's. */
  giveBack(metric: number, values: Series): void {
    if (values.buffer instanceof ArrayBuffer) this.#spare[metric] = values;
  }

  async #ask(asked: Asked, transfer: readonly ArrayBuffer[] = []): Promise<Answer> {
    return await new Promise<Answer>((resolve) => {
      const id = ++this.#last;
      this.#waiting.set(id, resolve);
      this.#port.postMessage({ id, asked }, transfer);
    });
  }
}

/**
 * Raw values of a metric's own scenes as values of the stack's, NaN in scenes that it has not.
 * @param spare memory that may be used for them
 */
function overStack(
  values: Series,
  { scale, offset, sceneCount, at }: MetricSeries,
  since: number,
  spare: Series | undefined,
): Series {
  const isPlain = scale === 1 && offset === 0;
  const isWhole = at.length === sceneCount; // every scene of the stack is one of its own
  if (isPlain && isWhole) return values;
  const pixels = sceneCount === 0 ? 0 : values.length / sceneCount;
  const spread = roomFor(values, pixels * at.length, spare);
  if (isWhole && since === 0) {
    for (let i = 0; i < spread.length; i++) spread[i] = values[i]! * scale + offset;
    return spread;
  }
  for (let p = 0; p < pixels; p++) {
    for (let t = since; t < at.length; t++) {
      const raw = at[t]! < 0 ? Number.NaN : values[p * sceneCount + at[t]!]!;
      spread[p * at.length + t] = isPlain ? raw : raw * scale + offset;
    }
  }
  return spread;
}

/** Memory for so many values of a kind: fresh memory costs more than filling it. */
function roomFor(like: Series, length: number, spare: Series | undefined): Series {
  const isDouble = like instanceof Float64Array;
  if (spare?.length === length && spare instanceof Float64Array === isDouble) return spare;
  return isDouble ? new Float64Array(length) : new Float32Array(length);
}
