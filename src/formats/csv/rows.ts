import type { Separator } from './separator.ts';

/** One record of a CSV file. */
export interface CsvRow {
  /** Line on which the record begins, from 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** Maximum number of fields of a record. Tables of displacement have a column per date. */
const MOST_FIELDS = 1 << 16;

/**
 * Reads the records of a separated text. Quoted fields may contain separators, line breaks and doubled quotes. A byte
 * order mark, empty lines and lines of separators alone are skipped, as spreadsheets write them below a table; any line
 * ending is accepted.
 * @throws RangeError naming the line, when a quote is not closed or is inside an unquoted field, or a record has too
 * many fields
 * @see RFC 4180
 */
export function* readCsvRows(text: string, separator: Separator = ','): Generator<CsvRow> {
  const end = separator === ',' ? /[,\r\n]|$/ : separator === ';' ? /[;\r\n]|$/ : /[\t\r\n]|$/;
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  let line = 1;
  while (at < text.length) {
    const start = line;
    const fields: string[] = [];
    for (;;) {
      let field: string;
      if (text[at] === '"') {
        const closing = closingQuote(text, at, start);
        const raw = text.slice(at + 1, closing);
        line += raw.match(/\r\n|\r|\n/g)?.length ?? 0;
        field = raw.replaceAll('""', '"');
        at = closing + 1;
        if (at < text.length && !`${separator}\r\n`.includes(text[at]!)) {
          throw new RangeError(`line ${line}: text after a closing quote`);
        }
      } else {
        const stop = at + text.slice(at).search(end);
        field = text.slice(at, stop);
        if (field.includes('"'))
          throw new RangeError(`line ${line}: a quote within a field that is not quoted`);
        at = stop;
      }
      fields.push(field);
      if (fields.length > MOST_FIELDS) throw new RangeError(`line ${line}: more than ${MOST_FIELDS} fields`);
      if (text[at] !== separator) break;
      at++;
    }
    if (text.startsWith('\r\n', at)) at += 2;
    else at++;
    line++;
    if (fields.some((field) => field.trim() !== '')) yield { line: start, fields };
  }
}

function closingQuote(text: string, opening: number, line: number): number {
  let at = opening + 1;
  for (;;) {
    at = text.indexOf('"', at);
    if (at === -1) throw new RangeError(`line ${line}: a quote that is not closed`);
    if (text[at + 1] !== '"') return at;
    at += 2;
  }
}

/**
 * Why a record does not fit below its header: it has more fields that are not empty than there are columns. Such a
 * record has a separator in a field without quotes, so that its later fields stand in wrong columns. Undefined when it
 * fits; a record may have fewer fields.
 * @param columns number of columns in the header
 */
export function surplusOf(fields: readonly string[], columns: number, separator: string): string | undefined {
  if (fields.length <= columns || fields.slice(columns).every((field) => field.trim() === ''))
    return undefined;
  const written = separator === '\t' ? 'a tab' : separator === ';' ? 'a semicolon' : 'a comma';
  return `${columns} columns expected as named, got ${fields.length}; a field with ${written} in it needs quotes`;
}
