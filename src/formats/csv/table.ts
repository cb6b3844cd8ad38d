import { readFile, stat } from 'node:fs/promises';
import { InvalidInput } from '../../base/errors.ts';
import { type CsvRow, readCsvRows } from './rows.ts';

/** Maximum size of a text that is read whole [bytes]: 256 MiB, two million lines of a usual table. */
const MOST_TEXT_BYTES = 2 ** 28;

/** The whole text of a file. @throws InvalidInput when it cannot be read, is too large, or is no plain file */
export async function readText(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new InvalidInput(`${path} is not a file`);
    if (found.size > MOST_TEXT_BYTES)
      throw new InvalidInput(
        `${path} has ${found.size} bytes; expected at most ${MOST_TEXT_BYTES}: divide it`,
      );
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * All records of a comma-separated text.
 * @param name name of the file, for messages
 * @throws InvalidInput naming the line
 */
export function csvRowsOf(text: string, name: string): CsvRow[] {
  try {
    return [...readCsvRows(text)];
  } catch (error) {
    throw new InvalidInput(`${name}, ${(error as Error).message}`, { cause: error });
  }
}

/** A comma-separated table with a header line. A column may have one of several known names, in upper or lower case. */
export class CsvTable<What extends string> {
  /** Name of the file, for messages. */
  readonly name: string;
  readonly rows: readonly CsvRow[];
  readonly #header: readonly string[];
  readonly #names: Readonly<Record<What, readonly string[]>>;

  /**
   * @param names known names of each column, in lower case, the preferred one first
   * @throws InvalidInput for a text that is not CSV, naming the line
   */
  constructor(text: string, name: string, names: Readonly<Record<What, readonly string[]>>) {
    const [first, ...rows] = csvRowsOf(text, name);
    this.name = name;
    this.rows = rows;
    this.#header = first?.fields.map((field) => field.trim().toLowerCase()) ?? [];
    this.#names = names;
  }

  has(column: string): boolean {
    return this.#header.includes(column);
  }

  /** Name of the file's column for this quantity; undefined when it has none. */
  find(what: What): string | undefined {
    return this.#names[what].find((column) => this.has(column));
  }

  /** Name of the file's column for this quantity. @throws InvalidInput when it has none */
  demand(what: What): string {
    const found = this.find(what);
    if (found !== undefined) return found;
    throw new InvalidInput(
      `${this.name}, line 1: no column of ${what}; expected one of ${this.#names[what].join(', ')}, got ${this.#header.join(', ')}`,
    );
  }

  /** The trimmed text of a row in a column; empty when there is no such column. */
  text({ fields }: CsvRow, column: string | undefined): string {
    return column === undefined ? '' : (fields[this.#header.indexOf(column)]?.trim() ?? '');
  }
}
