import type { Column } from '../../contract/fields.ts';

/** Media type of CSV. The registered parameter `header` says that the first line has the names of the columns: RFC 4180 section 3. */
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
/** Starts of a text that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
/** Characters that need quotes: RFC 4180 section 2. */
const SPECIAL = /[",\r\n]/;

/**
 * Writes rows as CSV (RFC 4180) with a header line. Null and missing values are empty, objects are JSON, geometries
 * are well-known text. A text that begins like a formula gets an apostrophe before it.
 */
export function csvText(
  columns: readonly Column[],
  rows: Iterable<Readonly<Record<string, unknown>>>,
): string {
  let text = `${columns.map(({ name }) => name).join(',')}\r\n`;
  for (const row of rows)
    text += `${columns.map((column) => cellOf(row[column.name], column)).join(',')}\r\n`;
  return text;
}

function cellOf(value: unknown, { kind }: Column): string {
  return kind === 'geometry' && value ? cell(wellKnownText(value as GeoJsonGeometry)) : cell(value);
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const plain = typeof value === 'string' ? value : JSON.stringify(value);
  const text = FORMULA.test(plain) ? `'${plain}` : plain;
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface GeoJsonGeometry {
  readonly type: string;
  readonly coordinates: unknown;
}

/** A geometry as well-known text (OGC 06-103r4), longitude first. Heights are left out. */
export function wellKnownText({ type, coordinates }: GeoJsonGeometry): string {
  return type === 'Point'
    ? `POINT (${position(coordinates)})`
    : `${type.toUpperCase()} ${nested(coordinates as readonly unknown[])}`;
}

function nested(coordinates: readonly unknown[]): string {
  const isLine = typeof (coordinates[0] as readonly unknown[] | undefined)?.[0] === 'number';
  return `(${coordinates.map((part) => (isLine ? position(part) : nested(part as readonly unknown[]))).join(',')})`;
}

const position = (coordinates: unknown): string =>
  `${(coordinates as readonly number[])[0]} ${(coordinates as readonly number[])[1]}`;
