import { InvalidInput, NotFound, UpstreamUnavailable } from '../../base/errors.ts';
import { type ArrayFile, type ArrayVariable, rowLength } from './array-file.ts';

/** Maximum number of values that are read to take a part of each row (our choice): 128 MB. */
const MOST_VALUES = 1 << 24;

/** An array in a format of chunks. */
export interface StoredArray {
  readonly variable: ArrayVariable;
  /** Number of indices of the first dimension that are stored together. */
  readonly rowsPerChunk: number;
  /** Reads a box of values, one range for each dimension. */
  readonly read: (ranges: readonly (readonly [from: number, to: number])[]) => Promise<Float64Array>;
  readonly readTexts: () => Promise<readonly string[]>;
}

/** Where a variable is in its file. */
interface Place {
  readonly stored: StoredArray;
  /** Number of leading dimensions of length 1 that the variable does not have. */
  readonly cut: number;
}

/** Rows that were read together. */
interface KeptRows {
  readonly variable: ArrayVariable;
  readonly from: number;
  readonly to: number;
  readonly values: Float64Array;
}

/** A file of arrays that are stored in chunks: HDF5 or Zarr. */
export class ChunkedFile implements ArrayFile {
  readonly name: string;
  readonly form: string;
  readonly variables: readonly ArrayVariable[];
  readonly attributes: ArrayVariable['attributes'];
  readonly close: () => Promise<void>;
  readonly #places: Map<ArrayVariable, Place>;
  #kept: KeptRows | undefined;

  constructor(
    name: string,
    form: string,
    arrays: readonly StoredArray[],
    close: () => Promise<void>,
    attributes: ArrayVariable['attributes'] = new Map(),
  ) {
    this.attributes = attributes;
    this.name = name;
    this.form = form;
    this.variables = arrays.map(({ variable }) => variable);
    this.close = close;
    this.#places = new Map(arrays.map((stored) => [stored.variable, { stored, cut: 0 }]));
  }

  find(name: string): ArrayVariable | undefined {
    return this.variables.find((variable) => variable.name === name);
  }

  async read(
    variable: ArrayVariable,
    from: number,
    to: number,
    part: { readonly start: number; readonly count: number } = { start: 0, count: rowLength(variable) },
  ): Promise<Float64Array> {
    const width = rowLength(variable);
    if (part.count === width) return this.#rows(variable, from, to);
    if (part.count === 1) return this.#box(variable, [[from, to], ...cell(variable, part.start)]);
    const values = new Float64Array((to - from) * part.count);
    const together = Math.max(1, Math.floor(MOST_VALUES / width));
    for (let row = from; row < to; row += together) {
      const end = Math.min(to, row + together);
      const whole = await this.#rows(variable, row, end);
      for (let r = row; r < end; r++) {
        const start = (r - row) * width + part.start;
        values.set(whole.subarray(start, start + part.count), (r - from) * part.count);
      }
    }
    return values;
  }

  readRows(
    variable: ArrayVariable,
    image: readonly number[],
    from: number,
    to: number,
  ): Promise<Float64Array> {
    const width = variable.dimensions.at(-1)!.size;
    return this.#box(variable, [...image.map((at) => [at, at + 1] as const), [from, to], [0, width]]);
  }

  async readAll(variable: ArrayVariable, most: number): Promise<Float64Array> {
    this.#refuseMore(variable, most);
    return this.#box(
      variable,
      variable.dimensions.map(({ size }) => [0, size]),
    );
  }

  async readTexts(variable: ArrayVariable, most: number): Promise<readonly string[]> {
    this.#refuseMore(variable, most);
    return this.#guarded(variable, () => this.#places.get(variable)!.stored.readTexts());
  }

  trimmed(variable: ArrayVariable, isWanted: (dimension: string) => boolean): ArrayVariable {
    const first = variable.dimensions.findIndex(({ name, size }) => size !== 1 || isWanted(name));
    if (first <= 0) return variable;
    const trimmed = { ...variable, dimensions: variable.dimensions.slice(first) };
    const { stored, cut } = this.#places.get(variable)!;
    this.#places.set(trimmed, { stored, cut: cut + first });
    return trimmed;
  }

  /** Reads whole rows. Rows that are stored together are kept, because the next ones are usually wanted next. */
  async #rows(variable: ArrayVariable, from: number, to: number): Promise<Float64Array> {
    const width = rowLength(variable);
    const kept = this.#kept;
    if (kept?.variable === variable && from >= kept.from && to <= kept.to)
      return kept.values.slice((from - kept.from) * width, (to - kept.from) * width);
    const rows = variable.dimensions[0]?.size ?? 1;
    const { stored, cut } = this.#places.get(variable)!;
    const step = cut === 0 ? stored.rowsPerChunk : 1;
    const [first, last] = [Math.floor(from / step) * step, Math.min(rows, Math.ceil(to / step) * step)];
    const rest = variable.dimensions.slice(1).map(({ size }) => [0, size] as const);
    if ((last - first) * width > MOST_VALUES || (first === from && last === to))
      return this.#box(variable, variable.dimensions.length === 0 ? [] : [[from, to], ...rest]);
    const values = await this.#box(variable, [[first, last], ...rest]);
    this.#kept = { variable, from: first, to: last, values };
    return values.slice((from - first) * width, (to - first) * width);
  }

  async #box(
    variable: ArrayVariable,
    ranges: readonly (readonly [from: number, to: number])[],
  ): Promise<Float64Array> {
    const { stored, cut } = this.#places.get(variable)!;
    const count = ranges.reduce((product, [from, to]) => product * (to - from), 1);
    const values = await this.#guarded(variable, () =>
      stored.read([...Array.from({ length: cut }, () => [0, 1] as const), ...ranges]),
    );
    if (values.length === count) return values;
    throw new InvalidInput(`${this.name}: ${variable.name} gave ${values.length} values; expected ${count}`, {
      param: 'file',
    });
  }

  /** What a decoder throws means that the file is damaged, or packed in a way that is not known here. */
  async #guarded<T>(variable: ArrayVariable, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      const isTold = [InvalidInput, NotFound, UpstreamUnavailable].some((kind) => error instanceof kind);
      if (isTold) throw error;
      throw new InvalidInput(`${this.name}: ${variable.name} cannot be read: ${(error as Error).message}`, {
        param: 'file',
        cause: error,
      });
    }
  }

  #refuseMore(variable: ArrayVariable, most: number): void {
    const count = variable.dimensions.reduce((product, { size }) => product * size, 1);
    if (count > most)
      throw new InvalidInput(
        `${this.name}: ${variable.name} has ${count} values; expected at most ${most}: divide the file`,
        { param: 'file' },
      );
  }
}

/** The ranges of one value of a row. */
function cell({ dimensions }: ArrayVariable, index: number): readonly (readonly [number, number])[] {
  const ranges: (readonly [number, number])[] = [];
  let left = index;
  for (const { size } of dimensions.slice(1).toReversed()) {
    ranges.unshift([left % size, (left % size) + 1]);
    left = Math.floor(left / size);
  }
  return ranges;
}

/** Numbers of any typed array. */
export function numbers(values: ArrayLike<number | bigint>): Float64Array {
  return Float64Array.from(values as ArrayLike<number>, Number);
}
