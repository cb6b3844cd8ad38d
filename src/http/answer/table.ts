import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Column, GEOMETRY_COLUMN } from '../../contract/fields.ts';
import { CSV_TYPE, csvText } from '../../formats/csv/csv-text.ts';
import { PARQUET_TYPE, parquetFile } from '../../formats/parquet/parquet-file.ts';
import { preferredType } from './accept.ts';

/** Media types of a list. */
const OFFER = ['application/json', 'text/csv', PARQUET_TYPE] as const;
/** Media types of a list of things with a geometry. */
const DRAWN_OFFER = ['application/json', 'application/geo+json', 'text/csv', PARQUET_TYPE] as const;

/** Formats of a list as a table. */
export type TableFormat = 'csv' | 'parquet';

declare module 'fastify' {
  interface FastifyRequest {
    /** The table that the caller asks for instead of JSON; null: none. */
    table: { readonly format: TableFormat; readonly columns: readonly Column[] } | null;
  }
}

/**
 * Returns the format of the table that the caller requests, by `f` or by the `Accept` header; undefined: none.
 * @param isDrawn whether the list is also offered as GeoJSON
 */
export function wantedTable(
  { headers: { accept } }: Pick<FastifyRequest, 'headers'>,
  f: unknown,
  isDrawn: boolean,
): TableFormat | undefined {
  if (f !== undefined) return f === 'csv' || f === 'parquet' ? f : undefined;
  const type = preferredType(accept, isDrawn ? DRAWN_OFFER : OFFER);
  return type === 'text/csv' ? 'csv' : type === PARQUET_TYPE ? 'parquet' : undefined;
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
