import { closeSync, mkdtempSync, openSync, read, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ARRAYS, type ArrayKind, type SampleArray, type ShippedArray } from './wire.ts';

const readAsync = promisify(read);

/** Arrays of at least this size [bytes] go through the exchange file, which costs less than a message. */
const LEAST_BYTES = 1 << 15;
/** Maximum size of the exchange file [bytes]. */
const MOST_BYTES = 2 ** 33;

/**
 * Opens the file through which the process of the files hands over large arrays. It has no name, so that nothing
 * remains of it when both processes have ended. Its content rarely reaches the disk.
 */
export function openExchange(): number {
  const folder = mkdtempSync(join(tmpdir(), 'groundwatch-exchange-'));
  try {
    return openSync(join(folder, 'arrays'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export { closeSync as closeExchange };

/** The writing side of an exchange file. */
export class ExchangeWriter {
  readonly #file: number;
  readonly #waiting = new Set<number>();
  #end = 0;

  constructor(file: number) {
    this.#file = file;
  }

  /**
   * Moves the large arrays of a value into the file. What does not fit on the disk stays in the value.
   * @param id number of the answer, for {@link taken}
   * @returns the value without these arrays, and where they stand
   */
  ship(id: number, value: unknown): { readonly value: unknown; readonly arrays: readonly ShippedArray[] } {
    const arrays: ShippedArray[] = [];
    const rest = this.#without(value, [], arrays);
    if (arrays.length > 0) this.#waiting.add(id);
    return { value: rest, arrays };
  }

  /** Frees the room of an answer. The file is written from its start again when no answer is waiting. */
  taken(id: number): void {
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#end = 0;
  }

  #without(value: unknown, path: readonly (string | number)[], arrays: ShippedArray[]): unknown {
    if (ArrayBuffer.isView(value)) {
      const kind = value.constructor.name as ArrayKind;
      if (value.byteLength < LEAST_BYTES || !(kind in ARRAYS)) return value;
      const at = this.#write(value as SampleArray);
      if (at === undefined) return value;
      arrays.push({ path, kind, at, length: (value as SampleArray).length });
      return null;
    }
    if (Array.isArray(value) && value.length <= MOST_MEMBERS)
      return value.map((item: unknown, i) => this.#without(item, [...path, i], arrays));
    if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype) {
      const entries = Object.entries(value);
      if (entries.length <= MOST_MEMBERS && path.length < MOST_DEPTH)
        return Object.fromEntries(
          entries.map(([name, member]) => [name, this.#without(member, [...path, name], arrays)]),
        );
    }
    return value;
  }

  #write(array: SampleArray): number | undefined {
    const at = this.#end;
    if (at + array.byteLength > MOST_BYTES) return undefined;
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    try {
      for (let done = 0; done < bytes.length;)
        done += writeSync(this.#file, bytes, done, bytes.length - done, at + done);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return undefined;
      throw error;
    }
    // Aligned, so that no array begins within a page of another one.
    this.#end = Math.ceil((at + array.byteLength) / 4096) * 4096;
    return at;
  }
}

const MOST_MEMBERS = 256; // of an object or a list in which arrays are searched for
const MOST_DEPTH = 4;

/** Reads the arrays of an answer and puts them in their places. @returns the completed value */
export async function unship(
  file: number,
  value: unknown,
  arrays: readonly ShippedArray[],
): Promise<unknown> {
  let whole = value;
  for (const { path, kind, at, length } of arrays) {
    const array = new ARRAYS[kind](length);
    const bytes = new Uint8Array(array.buffer);
    for (let done = 0; done < bytes.length;) {
      const { bytesRead } = await readAsync(file, bytes, done, bytes.length - done, at + done);
      if (bytesRead === 0) throw new Error('the exchange file ended early');
      done += bytesRead;
    }
    if (path.length === 0) whole = array;
    else {
      let inside = whole as Record<string | number, unknown>;
      for (const name of path.slice(0, -1)) inside = inside[name] as Record<string | number, unknown>;
      inside[path.at(-1)!] = array;
    }
  }
  return whole;
}
