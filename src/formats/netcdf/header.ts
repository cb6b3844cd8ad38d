/** Number of bytes of a value, by type of the classic format. */
export const TYPE_BYTES = { byte: 1, char: 1, short: 2, int: 4, float: 4, double: 8 } as const;

/** Types of the classic format. */
export type NetcdfType = keyof typeof TYPE_BYTES;

/** Attributes of a variable or a file, by name. The value is a text or a list of numbers. */
export type NetcdfAttributes = ReadonlyMap<string, string | readonly number[]>;

/** A variable as the header states it. */
export interface HeaderVariable {
  readonly name: string;
  readonly type: NetcdfType;
  /** Positions of its dimensions in the list of the header. */
  readonly dimensions: readonly number[];
  readonly attributes: NetcdfAttributes;
  /** Byte of the file at which its values begin. */
  readonly offset: number;
}

/** The header of a file of the classic format. */
export interface NetcdfHeader {
  readonly dimensions: readonly { readonly name: string; readonly size: number }[];
  /** Position of the dimension that grows, along which records follow one another; undefined when there is none. */
  readonly recordDimension: number | undefined;
  readonly recordCount: number;
  /** Of the file as a whole. */
  readonly attributes: NetcdfAttributes;
  readonly variables: readonly HeaderVariable[];
}

/** What is wrong with a header. */
export class HeaderProblem extends Error {
  override readonly name = 'HeaderProblem';
  /** Whether the bytes end before the header does. */
  readonly isShort: boolean;
  constructor(message: string, isShort = false) {
    super(message);
    this.isShort = isShort;
  }
}

// Tags of the lists in a header.
const DIMENSIONS = 10;
const VARIABLES = 11;
const ATTRIBUTES = 12;
const TAG_NAMES: Readonly<Record<number, string>> = {
  [DIMENSIONS]: 'dimensions',
  [VARIABLES]: 'variables',
  [ATTRIBUTES]: 'attributes',
};
/** Types by their numbers in a header. */
const TYPES: readonly (NetcdfType | undefined)[] = [
  undefined,
  'byte',
  'char',
  'short',
  'int',
  'float',
  'double',
];
/** Fewest bytes of an entry of a list: the length of its name, and what follows it. */
const LEAST_BYTES: Readonly<Record<number, number>> = { [DIMENSIONS]: 8, [ATTRIBUTES]: 12, [VARIABLES]: 28 };
/** Maximum number of entries of a list; the netCDF library once allowed 8,192 variables. */
const MOST_ENTRIES = 1 << 16;
const MOST_VARIABLE_DIMENSIONS = 1024; // NC_MAX_VAR_DIMS of the netCDF library

/**
 * Parses a header. Every number of entries is compared with the bytes that the file has for them, so that no header
 * takes more time or memory than its own bytes justify.
 * @param bytes start of the file, with at least the whole header
 * @param size size of the whole file
 * @throws HeaderProblem when the header is malformed, or does not end within `bytes`
 * @see https://docs.unidata.ucar.edu/nug/current/file_format_specifications.html
 */
export function parseHeader(bytes: Buffer, size: number): NetcdfHeader {
  const reader = new HeaderReader(bytes, size);
  const version = reader.start();
  const recordCount = reader.count();
  const dimensions = reader.list(DIMENSIONS, () => ({ name: reader.text(), size: reader.count() }));
  const records = dimensions.flatMap(({ size: length }, i) => (length === 0 ? [i] : []));
  const recordDimension = records.at(-1);
  const attributes = reader.attributes();
  const variables = reader.list(VARIABLES, (): HeaderVariable => {
    const name = reader.text();
    const ids = reader.ids(dimensions.length, name);
    const own = reader.attributes();
    const type = reader.type(`the variable ${name}`);
    reader.count(); // number of bytes, which is wrong for large variables and follows from the dimensions
    return {
      name,
      type,
      dimensions: ids,
      attributes: own,
      offset: version === 1 ? reader.count() : reader.long(),
    };
  });
  return { dimensions, recordDimension, recordCount, attributes, variables };
}

/** Reads the parts of a header one after the other. All numbers are big-endian. */
class HeaderReader {
  readonly #bytes: Buffer;
  readonly #size: number;
  #at = 0;

  constructor(bytes: Buffer, size: number) {
    this.#bytes = bytes;
    this.#size = size;
  }

  /** Moves on by some bytes. @returns the position of the first */
  #take(length: number): number {
    const from = this.#at;
    if (from + length > this.#size)
      throw new HeaderProblem(
        `its header refers to byte ${from + length}, the file has ${this.#size}; it is damaged or cut short`,
      );
    if (from + length > this.#bytes.length) throw new HeaderProblem('the header does not end', true);
    this.#at = from + length;
    return from;
  }

  #pad(): void {
    if (this.#at % 4 !== 0) this.#take(4 - (this.#at % 4));
  }

  /** Reads the first four bytes. @returns 1 for offsets of 32 bits, 2 for those of 64 bits */
  start(): number {
    const from = this.#take(4);
    const version = this.#bytes[from + 3]!;
    if (this.#bytes.toString('latin1', from, from + 3) !== 'CDF' || (version !== 1 && version !== 2))
      throw new HeaderProblem(`expected it to begin with CDF and 1 or 2, got version ${version}`);
    return version;
  }

  count(): number {
    return this.#bytes.readUInt32BE(this.#take(4));
  }

  long(): number {
    return Number(this.#bytes.readBigUInt64BE(this.#take(8)));
  }

  /** Reads a name or a text, with its length before it. */
  text(): string {
    const length = this.count();
    const from = this.#take(length);
    this.#pad();
    return this.#bytes.toString('utf8', from, from + length);
  }

  type(of: string): NetcdfType {
    const number = this.count();
    const type = TYPES[number];
    if (type === undefined) throw new HeaderProblem(`${of} has the type ${number}; expected 1 to 6`);
    return type;
  }

  /** Reads the dimensions of a variable. */
  ids(known: number, name: string): readonly number[] {
    const count = this.count();
    if (count > MOST_VARIABLE_DIMENSIONS)
      throw new HeaderProblem(
        `the variable ${name} has ${count} dimensions; expected at most ${MOST_VARIABLE_DIMENSIONS}`,
      );
    return Array.from({ length: count }, () => {
      const id = this.count();
      if (id >= known)
        throw new HeaderProblem(`the variable ${name} has the dimension ${id}; the file has ${known}`);
      return id;
    });
  }

  attributes(): NetcdfAttributes {
    return new Map(
      this.list(ATTRIBUTES, () => {
        const name = this.text();
        const type = this.type(`the attribute ${name}`);
        return [name, type === 'char' ? this.text().replace(/\0+$/u, '') : this.#numbers(type)] as const;
      }),
    );
  }

  #numbers(type: NetcdfType): readonly number[] {
    const count = this.count();
    const width = TYPE_BYTES[type];
    const from = this.#take(count * width);
    this.#pad();
    const bytes = this.#bytes;
    const read = {
      byte: (at: number) => bytes.readInt8(at),
      char: (at: number) => bytes.readUInt8(at),
      short: (at: number) => bytes.readInt16BE(at),
      int: (at: number) => bytes.readInt32BE(at),
      float: (at: number) => bytes.readFloatBE(at),
      double: (at: number) => bytes.readDoubleBE(at),
    }[type];
    return Array.from({ length: count }, (_, i) => read(from + i * width));
  }

  /** Reads a list with its tag and its length. An empty list may have the tag 0. */
  list<T>(tag: number, entry: () => T): readonly T[] {
    const found = this.count();
    const count = this.count();
    if (found !== tag && (found !== 0 || count !== 0))
      throw new HeaderProblem(`expected the list of ${TAG_NAMES[tag]} (tag ${tag}), got tag ${found}`);
    if (count > MOST_ENTRIES)
      throw new HeaderProblem(`it states ${count} ${TAG_NAMES[tag]}; expected at most ${MOST_ENTRIES}`);
    if (count * LEAST_BYTES[tag]! > this.#size - this.#at)
      throw new HeaderProblem(
        `it states ${count} ${TAG_NAMES[tag]}, and the rest of its ${this.#size} bytes cannot hold them; it is damaged or cut short`,
      );
    return Array.from({ length: count }, entry);
  }
}
