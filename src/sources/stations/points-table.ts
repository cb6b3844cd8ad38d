import { InvalidInput } from '../../base/errors.ts';
import { hasDecimalCommas } from '../../formats/csv/decimal.ts';
import type { LineReader } from './line-reader.ts';
import { lower, type Table, type TableChoice } from './table-fields.ts';
import { datesWide, timesDown } from './table-layouts.ts';
import { separatorOf, splitFields } from './text-lines.ts';
import { timeColumns } from './time-column.ts';

/** Texts for a missing value, in lower case. */
const NOTHING = new Set(['', 'na', 'nan', 'n/a', 'null', 'none', '-', '--', '---', 'm', 'missing', '*', '.']);
/**
 * Texts for a missing value in files of USGS, in lower case. They include codes for the reason (USGS codes for
 * instantaneous values).
 */
const USGS_NOTHING = new Set([
  ...NOTHING,
  ...'ice bkw eqp ssn rat fld dis dry mnt pr tst ukn *** ---'.split(' '),
]);

/**
 * Opens a table with one observation per line, one column per station, or one column per date. The layout is
 * recognised from the first lines.
 * @param head first lines of the file
 * @throws InvalidInput naming what is missing
 */
export function openTable(head: readonly string[], choice: TableChoice): LineReader {
  const first = head.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  if (first < 0) throw new InvalidInput(`${choice.name} has no line of column names`, { param: 'file' });
  try {
    return tableBelow(head, first, choice);
  } catch (error) {
    const later = head.findIndex((_, at) => at !== first && namesColumns(head, at, choice));
    if (later < 0) throw error;
    return tableBelow(head, later, choice);
  }
}

/** Splits the header, which may be a comment, and the lines below it into fields. */
function partsBelow(head: readonly string[], at: number): Pick<Table, 'names' | 'sample' | 'separator'> {
  const titles = head[at]!.replace(/^#+\s*/, '');
  const separator = separatorOf(titles);
  const sample = head
    .slice(at + 1 + widthsBelow(head, at))
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line) => splitFields(line, separator));
  return { names: splitFields(titles, separator).map((column) => column.trim()), sample, separator };
}

/** Number of lines with column widths below the column names: files of USGS have one such line. */
function widthsBelow(head: readonly string[], at: number): 0 | 1 {
  return /^\d+[sdn](\t\d+[sdn])+$/.test(head[at + 1] ?? '') ? 1 : 0;
}

/** Whether a line is the header: it names a time column, and the next line has a time in that column. */
function namesColumns(head: readonly string[], at: number, choice: TableChoice): boolean {
  try {
    const { names, sample } = partsBelow(head, at);
    if (names.length < 2 || sample[0]?.length !== names.length) return false;
    const { timeColumn: column, dateOrder: order } = choice.request;
    const time = timeColumns(lower(names), sample.slice(0, 1), { column, order, zone: choice.zone });
    return !Number.isNaN(time.read(sample[0]));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Opens the table whose column names are in line `at`. @throws InvalidInput naming what is missing */
function tableBelow(head: readonly string[], at: number, choice: TableChoice): LineReader {
  const { name } = choice;
  const refuse = (message: string): never => {
    throw new InvalidInput(`${name}, line ${at + 1}: ${message}`, { param: 'file' });
  };
  try {
    const parts = partsBelow(head, at);
    if (parts.sample.length === 0) refuse('no observations below the column names');
    const widths = widthsBelow(head, at);
    const table: Table = {
      ...choice,
      ...parts,
      headerLines: at + 1 + widths,
      comma: hasDecimalCommas(parts.sample.flat(), parts.separator),
      nothing: widths === 0 ? NOTHING : USGS_NOTHING,
    };
    return datesWide(table) ?? timesDown(table);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refuse(error.message);
  }
}
