import { type SelectQueryBuilder, sql } from 'kysely';
import type { Page, PageRequest } from '../../app/page.ts';

/**
 * Makes a page from rows. The query asks for one row more than the page has, which shows whether there is a next
 * page.
 */
export function pageOf<T>(
  rows: readonly T[],
  { limit }: PageRequest,
  position: (item: T) => readonly string[],
): Page<T> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? position(last) : undefined };
}

/**
 * Reads one page of the rows of a query, newest first. Ids sort by their creation time. The operators are those of
 * `text_pattern_ops`, which only the indexes by owner have (migration 0017): the planner cannot take the primary key,
 * which would read newer rows of other owners first.
 */
export async function newestFirst<DB, TB extends keyof DB, Row extends { readonly id: string }, T>(
  query: SelectQueryBuilder<DB, TB, Row>,
  /** Column that contains the id, such as `api_keys.id`. */
  column: string,
  page: PageRequest,
  recordOf: (row: Row) => T,
): Promise<Page<T>> {
  const rows = (await newestOf(query, column, page).execute()) as readonly Row[];
  const { items, next } = pageOf(rows, page, (row) => [row.id]);
  return { items: items.map(recordOf), next };
}

/** The query of a page and one row more, newest first. */
export function newestOf<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  column: string,
  page: PageRequest,
): SelectQueryBuilder<DB, TB, Row> {
  const id = sql.ref(column);
  const [after] = page.after ?? [];
  return (after === undefined ? query : query.where(sql<boolean>`${id} ~<~ ${after}`))
    .orderBy(sql`${id} using ~>~`)
    .limit(page.limit + 1);
}
