import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Column, GEOMETRY_COLUMN } from '../../contract/fields.ts';
import { CSV_TYPE, csvText } from '../../formats/csv/csv-text.ts';
import { PARQUET_TYPE, parquetFile } from '../../formats/parquet/parquet-file.ts';

/** Formats of a list as a table. */
export type TableFormat = 'csv' | 'parquet';

declare module 'fastify' {
  interface FastifyRequest {
    /** The table that the caller asks for instead of JSON; null: none. */
    table: { readonly format: TableFormat; readonly columns: readonly Column[] } | null;
  }
}

/** Returns the format of the table that the caller requests, by `f` or by the `Accept` header; undefined: none. */
export function wantedTable(
  { headers: { accept } }: Pick<FastifyRequest, 'headers'>,
  f: unknown,
): TableFormat | undefined {
  if (f !== undefined) return f === 'csv' || f === 'parquet' ? f : undefined;
  if (accept === undefined) return undefined;
  // Only when it is named first: a list with several types is of a program that reads JSON too.
  const [first, ...others] = accept.toLowerCase().split(',').map(rangeOf);
  const format = first!.type === 'text/csv' ? 'csv' : first!.type === PARQUET_TYPE ? 'parquet' : undefined;
  const isPreferred = first!.quality > 0 && others.every(({ quality }) => quality <= first!.quality);
  return isPreferred ? format : undefined;
}

/** A media type of an `Accept` header with its quality; one that is no number counts as 1. @see RFC 9110 section 12.5.1 */
function rangeOf(text: string): { readonly type: string; readonly quality: number } {
  const [type, ...parameters] = text.split(';').map((part) => part.trim());
  const said = Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1);
  return { type: type!, quality: Number.isNaN(said) ? 1 : said };
}

/**
 * Turns the JSON text of a list into the table that the caller asked for, and sets the content type. Returns anything
 * else unchanged.
 */
export function inAskedFormat<P>(
  { table }: Pick<FastifyRequest, 'table'>,
  reply: FastifyReply,
  payload: P | string,
): P | string | Buffer {
  if (table === null || reply.statusCode !== 200 || typeof payload !== 'string') return payload;
  const rows = rowsOf(JSON.parse(payload) as object);
  reply.type(table.format === 'csv' ? CSV_TYPE : PARQUET_TYPE);
  return table.format === 'csv' ? csvText(table.columns, rows) : parquetFile(table.columns, rows);
}

/** The items of a list: features with their geometry, or the members of its only array. */
function rowsOf(list: object): readonly Readonly<Record<string, unknown>>[] {
  if ('features' in list)
    return (list.features as readonly { geometry: object | null; properties: object }[]).map(
      ({ geometry, properties }) => ({ ...properties, [GEOMETRY_COLUMN]: geometry }),
    );
  return Object.values(list).find((value) => Array.isArray(value)) as readonly Record<string, unknown>[];
}
