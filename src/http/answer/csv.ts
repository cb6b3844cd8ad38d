import type { FastifyReply, FastifyRequest } from 'fastify';
import { GEOMETRY_COLUMN } from '../../contract/fields.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Columns of the answer when the caller asks for CSV; null otherwise. */
    csv: readonly string[] | null;
  }
}

/** The registered parameter `header` says that the first line has the names of the columns: RFC 4180 section 3. */
const CSV_TYPE = 'text/csv; charset=utf-8; header=present';
/** Starts of a text that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
/** Characters that need quotes: RFC 4180 section 2. */
const SPECIAL = /[",\r\n]/;

/** Returns whether the caller requests CSV, by `f` or by the `Accept` header. */
export function wantsCsv(request: FastifyRequest, f: unknown): boolean {
  if (f !== undefined) return f === 'csv';
  const { accept } = request.headers;
  if (accept === undefined) return false;
  // Only when it is named first: a list with several types is of a program that reads JSON too.
  return /^\s*text\/csv\s*(?:;|,|$)/i.test(accept);
}

/**
 * Turns the JSON text of a list into CSV where the caller asked for it, and sets the content type. Returns anything
 * else unchanged.
 */
export function inAskedFormat<P>(
  { csv }: Pick<FastifyRequest, 'csv'>,
  reply: FastifyReply,
  payload: P | string,
): P | string {
  if (csv === null || reply.statusCode !== 200 || typeof payload !== 'string') return payload;
  reply.type(CSV_TYPE);
  return csvText(csv, rowsOf(JSON.parse(payload) as object));
}

/**
 * Writes rows as CSV (RFC 4180) with a header line. Null and missing values are empty, objects are JSON, geometries
 * are well-known text. A text that begins like a formula gets an apostrophe before it.
 */
export function csvText(
  columns: readonly string[],
  rows: Iterable<Readonly<Record<string, unknown>>>,
): string {
  let text = `${columns.join(',')}\r\n`;
  for (const row of rows) text += `${columns.map((column) => cell(row[column])).join(',')}\r\n`;
  return text;
}

/** The items of a list: features with their geometry, or the members of its only array. */
function rowsOf(list: object): readonly Readonly<Record<string, unknown>>[] {
  if ('features' in list)
    return (list.features as readonly { geometry: GeoJsonGeometry | null; properties: object }[]).map(
      ({ geometry, properties }) => ({
        ...properties,
        [GEOMETRY_COLUMN]: geometry === null ? null : wellKnownText(geometry),
      }),
    );
  return Object.values(list).find((value) => Array.isArray(value)) as readonly Record<string, unknown>[];
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
