import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Page, PageRequest } from '../../app/page.ts';
import type { PickSize } from '../../app/picked.ts';
import type { Database } from '../schema.ts';
import { wholeRows } from './page-weight.ts';

/**
 * Maximum number of rows that a list reads to fill a page, whatever its filters: a page and a bit. Reading them takes 1
 * to 10 ms.
 */
export function rowsLookedAt(limit: number): number {
  return 1_000 + 4 * limit;
}

/** A list whose filters may select rows that are rare and far apart in the order of the list. */
export interface BoundedList<Row, T> {
  /** Columns of `found` in the order of the list, newest first, such as `found.detected_at desc, found.id desc`. */
  readonly order: RawBuilder<unknown>;
  /** Rows in the order of the list, from the position after which the page begins. Reads at most `limit` rows. */
  readonly inOrder: (limit: number) => RawBuilder<unknown>;
  /** Conditions on `found` that `inOrder` does not meet already. */
  readonly tests: RawBuilder<boolean>;
  /** Another way to the rows, for a filter that may select few of them. */
  readonly selected?: {
    /** Rows that the filter selects, by an index of the filter, in any order. Reads at most `limit` rows. */
    readonly rows: (limit: number) => RawBuilder<unknown>;
    /** Conditions on `found` that `rows` does not meet already. Also limits them to those after the position. */
    readonly tests: RawBuilder<boolean>;
  };
  /** Completes the query of the rows of a page: `select ... from (page) as page ...`, in the order of the page. */
  readonly complete: (page: RawBuilder<unknown>) => RawBuilder<Row>;
  readonly recordOf: (row: Row) => T;
  /** The large column of a row of the page, as text: see {@link wholeRows}. Absent: no row is large. */
  readonly heavy?: (row: Row) => string | null;
  /** The position of a row of `inOrder`, which has the columns of the order, and of a record. */
  readonly position: (row: Row) => readonly string[];
}

/**
 * Reads one page of a list. The work is bounded, whatever the filters and however many rows the list has:
 *
 * - If `selected` gives at most `rowsLookedAt` rows, these are tested and sorted.
 * - Otherwise rows are read in the order of the list until the page is full, at most `rowsLookedAt`. If more rows
 *   follow, the page ends early, with the position of the last row that was read.
 * - A page of large rows ends early too.
 *
 * No index makes this a page and a bit alone: a B-tree has rows in one order, and these filters (by publication, by box)
 * select on another one. Ordering by the filter would change the list.
 */
export async function boundedPage<Row, T>(
  db: Kysely<Database>,
  list: BoundedList<Row, T>,
  { limit }: PageRequest,
): Promise<Page<T>> {
  const { selected } = list;
  const most = rowsLookedAt(limit);
  const areFew = selected !== undefined && (await isAtMost(db, selected.rows, most));
  const [rows, tests] = areFew ? [selected.rows(most), selected.tests] : [list.inOrder(most), list.tests];
  const page = sql`
    select found.* from (${rows}) as found where ${tests} order by ${list.order} limit ${limit + 1}`;
  const found = (await list.complete(page).execute(db)).rows;
  const whole = list.heavy === undefined ? found : wholeRows(found, list.heavy);
  const items = whole.slice(0, limit).map(list.recordOf);
  if (whole.length < found.length && whole.length <= limit)
    return { items, next: list.position(whole.at(-1)!) };
  if (found.length > limit) return { items, next: list.position(found[limit - 1]!) };
  if (areFew) return { items, next: undefined };
  const { rows: rest } = await sql<Row>`
    select found.* from (${list.inOrder(most)}) as found offset ${most - 1}`.execute(db);
  return { items, next: rest[0] && list.position(rest[0]) };
}

async function isAtMost(
  db: Kysely<Database>,
  rows: (limit: number) => RawBuilder<unknown>,
  most: number,
): Promise<boolean> {
  const { rows: counted } = await sql<{ fits: boolean }>`
    select count(*) <= ${most} as fits from (${rows(most + 1)}) as found`.execute(db);
  return counted[0]!.fits;
}

/** The highest ranked rows of a list. */
export interface PickedIds {
  /** Ids in order of their rank. */
  readonly ids: readonly string[];
  /** Number of all rows that the filters select, of those that were looked at. */
  readonly total: number;
  /** Whether all rows of the list were looked at. */
  readonly isWhole: boolean;
}

/**
 * Picks the highest ranked rows that the filters select. If they are few, all are looked at, else those that come first
 * in the order of the list.
 * @param rank query of the rank of a row of `found`, in the column `size`
 * @param look number of rows that are looked at
 * @param most number of rows that are picked
 */
export async function boundedPick(
  db: Kysely<Database>,
  { inOrder, tests, selected }: Pick<BoundedList<unknown, unknown>, 'inOrder' | 'tests' | 'selected'>,
  rank: RawBuilder<unknown>,
  { look, most }: PickSize,
): Promise<PickedIds> {
  const areFew = selected !== undefined && (await isAtMost(db, selected.rows, look));
  const [rows, conditions] = areFew ? [selected.rows(look), selected.tests] : [inOrder(look), tests];
  const { rows: found } = await sql<{ id: string; total: number }>`
    select ranked.id, ranked.total from (
      select found.id, rank.size, (count(*) over ())::int as total
      from (${rows}) as found cross join lateral (${rank}) rank where ${conditions}
    ) ranked order by ranked.size desc, ranked.id desc limit ${most}`.execute(db);
  const { rows: rest } = areFew
    ? { rows: [] }
    : await sql`select from (${inOrder(look + 1)}) as found offset ${look}`.execute(db);
  return { ids: found.map(({ id }) => id), total: found[0]?.total ?? 0, isWhole: rest.length === 0 };
}

/** The rows of some ids as `id` and `place`, which counts from 1 in their order. */
export function placesOf(ids: readonly string[]): RawBuilder<unknown> {
  return sql`select id, place from unnest(${ids}::text[]) with ordinality as given (id, place)`;
}
