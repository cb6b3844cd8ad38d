import { readFile, stat } from 'node:fs/promises';
import { InvalidInput } from '../../base/errors.ts';
import { hasDecimalCommas } from './decimal.ts';
import { decodedText, isBinary } from './encoding.ts';
import { type CsvRow, readCsvRows, surplusOf } from './rows.ts';
import { type Separator, separatorIn } from './separator.ts';

/** Maximum size of a text that is read whole [bytes]: 256 MiB, two million lines of a usual table. */
const MOST_TEXT_BYTES = 2 ** 28;

/** First bytes of a ZIP archive, which a workbook of a spreadsheet is (APPNOTE.TXT 4.3.7). */
const ZIP_MAGIC = 'PK\u0003\u0004';
/** First bytes of a Parquet file. */
const PARQUET_MAGIC = 'PAR1';

/**
 * The whole text of a file, in UTF-8, UTF-16 or ISO 8859-1. A table in Parquet becomes comma-separated lines.
 * @throws InvalidInput when it cannot be read, is too large, or is no text
 */
export async function readText(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new InvalidInput(`${path} is not a file`);
    if (found.size > MOST_TEXT_BYTES)
      throw new InvalidInput(
        `${path} has ${found.size} bytes; expected at most ${MOST_TEXT_BYTES}: divide it`,
      );
    const bytes = await readFile(path);
    if (bytes.subarray(0, 4).toString('latin1') === PARQUET_MAGIC) return await parquetText(path);
    if (bytes.subarray(0, 4).toString('latin1') === ZIP_MAGIC)
      throw new InvalidInput(`${path} is no text but a workbook or an archive; save the sheet as CSV`);
    if (isBinary(bytes)) throw new InvalidInput(`${path} is not a text file`);
    return decodedText(bytes);
  } catch (error) {
    if (error instanceof InvalidInput) throw error;
    throw new InvalidInput(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** The lines of a table in Parquet. @throws InvalidInput as `parquetLines`, and when they are too long together */
async function parquetText(path: string): Promise<string> {
  const { parquetLines } = await import('../parquet/lines.ts');
  const parts: string[] = [];
  let length = 0;
  for await (const { texts } of parquetLines(path)) {
    const part = texts.join('\n');
    length += part.length + 1;
    if (length > MOST_TEXT_BYTES)
      throw new InvalidInput(`${path}: expected at most ${MOST_TEXT_BYTES} bytes as text: divide it`);
    parts.push(part);
  }
  return parts.join('\n');
}

/** The separator of a text: what its first line `sep=;` says, as spreadsheets write it, else that of its header. */
function separatorOf(text: string): { readonly separator: Separator; readonly isSaid: boolean } {
  const said = /^\uFEFF?sep=([,;\t])\r?\n/i.exec(text)?.[1] as Separator | undefined;
  const header = /[^\r\n]*\S[^\r\n]*/.exec(text)?.[0] ?? '';
  return { separator: said ?? separatorIn(header) ?? ',', isSaid: said !== undefined };
}

/**
 * All records of a text that is separated by commas, semicolons or tabs, as its header is.
 * @param name name of the file, for messages
 * @throws InvalidInput naming the line, also of a record with more fields than the header
 */
export function csvRowsOf(text: string, name: string): CsvRow[] {
  const rows = allRowsOf(text, name);
  const { separator } = separatorOf(text);
  for (const { line, fields } of rows) {
    const surplus = surplusOf(fields, rows[0]!.fields.length, separator);
    if (surplus !== undefined) throw new InvalidInput(`${name}, line ${line}: ${surplus}`);
  }
  return rows;
}

function allRowsOf(text: string, name: string): CsvRow[] {
  try {
    const { separator, isSaid } = separatorOf(text);
    return [...readCsvRows(text, separator)].slice(isSaid ? 1 : 0);
  } catch (error) {
    throw new InvalidInput(`${name}, ${(error as Error).message}`, { cause: error });
  }
}

/** A table with a header line, separated by commas, semicolons or tabs. A column may have one of several known names, in upper or lower case. */
export class CsvTable<What extends string> {
  /** Name of the file, for messages. */
  readonly name: string;
  readonly rows: readonly CsvRow[];
  /** Titles of the columns, as the file has them. */
  readonly titles: readonly string[];
  readonly #separator: Separator;
  readonly #header: readonly string[];
  readonly #names: Readonly<Record<What, readonly string[]>>;

  /**
   * @param names known names of each column, in lower case, the preferred one first
   * @param onSurplus `keep` leaves lines with more fields than the header to the caller, see `surplus`
   * @throws InvalidInput for a text that is not CSV, and for a line with more fields than the header, naming the line
   */
  constructor(
    text: string,
    name: string,
    names: Readonly<Record<What, readonly string[]>>,
    onSurplus: 'refuse' | 'keep' = 'refuse',
  ) {
    const [first, ...rows] = onSurplus === 'keep' ? allRowsOf(text, name) : csvRowsOf(text, name);
    this.name = name;
    this.rows = rows;
    this.titles = first?.fields.map((field) => field.trim()) ?? [];
    this.#separator = separatorOf(text).separator;
    this.#header = this.titles.map((title) => title.toLowerCase());
    this.#names = names;
  }

  has(column: string): boolean {
    return this.#header.includes(column);
  }

  /** Name of the file's column for this quantity; undefined when it has none. */
  find(what: What): string | undefined {
    return this.#names[what].find((column) => this.has(column));
  }

  /** Name of the file's column for this quantity. @throws InvalidInput when it has none, or that name stands twice */
  demand(what: What): string {
    const found = this.find(what);
    if (found !== undefined) {
      if (this.#header.indexOf(found) === this.#header.lastIndexOf(found)) return found;
      throw new InvalidInput(
        `${this.name}, line 1: the column ${this.title(found)} stands twice; expected once`,
      );
    }
    throw new InvalidInput(
      `${this.name}, line 1: no column of ${what}; expected one of ${this.#names[what].join(', ')}, got ${this.#header.join(', ')}`,
    );
  }

  /** Title of a column, as the file has it. */
  title(column: string): string {
    return this.titles[this.#header.indexOf(column)] ?? column;
  }

  /** Whether the numbers in these columns have decimal commas. */
  hasDecimalCommas(columns: readonly string[]): boolean {
    const cells = columns.flatMap((column) => this.rows.map((row) => this.text(row, column)));
    return hasDecimalCommas(cells, this.#separator);
  }

  /** Why a row does not fit below the header; undefined when it does. @see surplusOf */
  surplus({ fields }: CsvRow): string | undefined {
    return surplusOf(fields, this.titles.length, this.#separator);
  }

  /** The trimmed text of a row in a column; empty when there is no such column. */
  text({ fields }: CsvRow, column: string | undefined): string {
    return column === undefined ? '' : (fields[this.#header.indexOf(column)]?.trim() ?? '');
  }
}
