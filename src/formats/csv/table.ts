import { readFile } from 'node:fs/promises';
import { InvalidInput } from '../../base/errors.ts';
import { type CsvRow, readCsvRows } from './rows.ts';

/** The whole text of a file. @throws InvalidInput when it cannot be read */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** All records of a comma-separated text. @param name the file's, in messages. @throws InvalidInput naming the line */
export function csvRowsOf(text: string, name: string): CsvRow[] {
  try {
    return [...readCsvRows(text)];
  } catch (error) {
    throw new InvalidInput(`${name}, ${(error as Error).message}`, { cause: error });
  }
}

/** A comma-separated table under a line of column names, each of which may go by several; case does not matter. */
export class CsvTable<What extends string> {
  /** The file's, in messages. */
  readonly name: string;
  readonly rows: readonly CsvRow[];
  readonly #header: readonly string[];
  readonly #names: Readonly<Record<What, readonly string[]>>;

  /**
   * @param names what a column goes by, in lower case, the likest first
   * @throws InvalidInput for a text that is no CSV, naming the line
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

  /** Name of the column that holds this; undefined where none does. */
  find(what: What): string | undefined {
    return this.#names[what].find((column) => this.has(column));
  }

  /** Name of the column that holds this. @throws InvalidInput where none does */
  demand(what: What): string {
    const found = this.find(what);
    if (found !== undefined) return found;
    throw new InvalidInput(
      `${this.name}, line 1: no column of ${what}; expected one of ${this.#names[what].join(', ')}, got ${this.#header.join(', ')}`,
    );
  }

  /** What a row holds in a column, trimmed; nothing where there is none such. */
  text({ fields }: CsvRow, column: string | undefined): string {
    return column === undefined ? '' : (fields[this.#header.indexOf(column)]?.trim() ?? '');
  }
}
