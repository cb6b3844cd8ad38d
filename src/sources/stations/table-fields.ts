import { InvalidInput } from '../../base/errors.ts';
import { decimalNumber } from '../../formats/csv/decimal.ts';
import { surplusOf } from '../../formats/csv/rows.ts';
import type { PointsRequest } from '../../app/stations/points-reader.ts';
import type { StationRegister } from './station-register.ts';
import { splitFields } from './text-lines.ts';
import { type TimeColumns, TIMES_EXPECTED } from './time-column.ts';
import type { Zone } from './time-zone.ts';

/** Options for opening a table. */
export interface TableChoice {
  readonly name: string;
  readonly request: PointsRequest;
  readonly zone: Zone;
  /** Stations of the station table. */
  readonly known: StationRegister | undefined;
}

/** A table whose columns and separators are known. */
export interface Table extends TableChoice {
  readonly names: readonly string[];
  /** Fields of the first lines. */
  readonly sample: readonly (readonly string[])[];
  readonly separator: string | RegExp;
  readonly headerLines: number;
  /** Whether numbers have decimal commas. */
  readonly comma: boolean;
  /** Texts for a missing value, in lower case. */
  readonly nothing: ReadonlySet<string>;
}

export const lower = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());

/** Index of a column by its known names; -1 when it is missing. A remark in brackets is ignored: `Latitude (y)`. */
export function columnOf(names: readonly string[], known: readonly string[]): number {
  const titles = lower(names).map((name) => name.replace(/ \(\w*\)$/, ''));
  return known.map((name) => titles.indexOf(name)).find((index) => index >= 0) ?? -1;
}

/** Fields of a line. @throws InvalidInput for an open quote, and when a separated line has more fields than columns */
export function fieldsOf({ name, names, separator }: Table, text: string, line: number): readonly string[] {
  try {
    const fields = splitFields(text, separator);
    const surplus = typeof separator === 'string' && surplusOf(fields, names.length, separator);
    if (surplus) throw new RangeError(surplus);
    return fields;
  } catch (error) {
    throw new InvalidInput(`${name}, line ${line}: ${(error as Error).message}`, {
      param: 'file',
      cause: error,
    });
  }
}

export function timeAt({ name }: Table, time: TimeColumns, fields: readonly string[], line: number): number {
  const ms = time.read(fields);
  if (!Number.isNaN(ms)) return ms;
  throw new InvalidInput(
    `${name}, line ${line}, time: ${TIMES_EXPECTED} expected as in the lines before (${time.form}), got ${JSON.stringify(time.text(fields))}`,
    { param: 'file' },
  );
}

export function numberAt(
  table: Table,
  fields: readonly string[],
  column: number,
  line: number,
  title: string,
): number {
  const text = fields[column];
  if (text === undefined) {
    throw new InvalidInput(
      `${table.name}, line ${line}: ${table.names.length} columns expected as named, got ${fields.length}`,
      { param: 'file' },
    );
  }
  const trimmed = text.trim();
  const number = decimalNumber(trimmed, table.comma);
  if (number !== undefined) return number;
  if (table.nothing.has(trimmed.toLowerCase())) return Number.NaN;
  throw new InvalidInput(
    `${table.name}, line ${line}, column ${title}: a number expected, or nothing where nothing was observed; got ${JSON.stringify(trimmed)}`,
    { param: 'file' },
  );
}
