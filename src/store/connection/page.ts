import { type SelectQueryBuilder, sql } from 'kysely';
import type { Page, PageRequest } from '../../app/owner.ts';

/** Cuts the one row too many that was asked for, and says where the next page begins. */
export function pageOf<T>(
  rows: readonly T[],
  { limit }: PageRequest,
  position: (item: T) => readonly string[],
): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? position(last) : undefined };
}

/** A page of what a query's rows stand for, by their id, the newest first: ids sort as the times at which they were made. */
export async function newestFirst<DB, TB extends keyof DB, Row extends { readonly id: string }, T>(
  query: SelectQueryBuilder<DB, TB, Row>,
  /** Column of the id, such as `api_keys.id`. */
  column: string,
  page: PageRequest,
  recordOf: (row: Row) => T,
): Promise<Page<T>> {
  const id = sql.ref(column);
  const [after] = page.after ?? [];
  const rows = (await (after === undefined ? query : query.where(sql<boolean>`${id} < ${after}`))
    .orderBy(id, 'desc')
    .limit(page.limit + 1)
    .execute()) as readonly Row[];
  const { items, next } = pageOf(rows, page, (row) => [row.id]);
  return { items: items.map(recordOf), next };
}
