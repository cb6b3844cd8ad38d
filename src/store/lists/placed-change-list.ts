import { sql, type Kysely } from 'kysely';
import type { DrawnChange, PlacedFilter } from '../../app/changes/change-store.ts';
import type { Owner } from '../../app/owner.ts';
import type { Page, PageRequest } from '../../app/page.ts';
import type { Picked, PickSize } from '../../app/picked.ts';
import { boundedPage, boundedPick, type BoundedList, placesOf } from '../connection/bounded-page.ts';
import { overlaps, turnedBoxes } from '../connection/bounds.ts';
import { wholeRows } from '../connection/page-weight.ts';
import type { Database } from '../schema.ts';
import { drawn } from './change-list.ts';

/** Lists the changes that are visible through any area of an owner, each once, the last recorded first. */
export function listPlacedChanges(
  db: Kysely<Database>,
  owner: Owner,
  filter: PlacedFilter,
  page: PageRequest,
): Promise<Page<DrawnChange>> {
  return boundedPage(
    db,
    {
      order: sql`found.id using ~>~`,
      ...placedChanges(owner, filter, page.after),
      ...drawn(owner, sql`link.id using ~>~`),
      position: ({ id }) => [id],
    },
    page,
  );
}

/** Picks the largest of these changes. */
export async function pickPlacedChanges(
  db: Kysely<Database>,
  owner: Owner,
  filter: PlacedFilter,
  size: PickSize,
): Promise<Picked<DrawnChange>> {
  const rank = sql`select area_m2 as size from changes sized where sized.id = found.id`;
  const { ids, total, isWhole } = await boundedPick(db, placedChanges(owner, filter, undefined), rank, size);
  const { complete, recordOf, heavy } = drawn(owner, sql`link.place`);
  const items = wholeRows((await complete(placesOf(ids)).execute(db)).rows, heavy!).map(recordOf);
  return { items, omitted: total - items.length, isWhole };
}

/** How the changes of a place are read. @param after position of the last change of the page before */
function placedChanges(
  { accountId, environment }: Owner,
  { status, bounds, firstDay, lastDay }: PlacedFilter,
  [after]: readonly (string | undefined)[] = [],
): Pick<BoundedList<unknown, unknown>, 'inOrder' | 'tests' | 'selected'> {
  const theirs = sql`account_id = ${accountId} and environment = ${environment}`;
  const isAsked = sql<boolean>`status = ${status}
    and detected_at between ${firstDay ?? '-infinity'}::date and ${lastDay ?? 'infinity'}::date`;
  const isLive = sql<boolean>`(select deleted_at is null from aois where aois.id = link.aoi_id)`;
  // Each change has a link to every area that shows it. The first to an area that is not deleted counts. With `min` the
  // planner would read the links of all changes in order of their areas.
  const isFirst = sql<boolean>`found.aoi_id = (
    select (array_agg(aoi_id order by aoi_id))[1] from aoi_changes link
    where change_id = found.id and ${theirs} and ${isLive})`;
  const liesThere =
    bounds === undefined
      ? sql<boolean>`true`
      : sql<boolean>`(select ${overlaps('placed.bounds', bounds)} from changes placed where placed.id = found.id)`;
  return {
    inOrder: (limit) => sql`
        select change_id as id, aoi_id, status, detected_at from aoi_changes
        where ${theirs} and ${after === undefined ? sql`true` : sql`change_id ~<~ ${after}`}
        order by change_id using ~>~ limit ${limit}`,
    tests: sql`${isAsked} and ${isFirst} and ${liesThere}`,
    ...(bounds !== undefined && {
      selected: {
        // Changes that no area of the owner shows are among them: the number of rows tells whether all were read.
        rows: (limit) =>
          sql.join(
            turnedBoxes(bounds).map(
              // The order by distance makes the index stop at the limit.
              (box) => sql`(select id from readable_changes as changes where bounds && ${box}::box
                order by bounds <-> center(${box}::box) limit ${limit})`,
            ),
            sql` union `,
          ),
        tests: sql`${after === undefined ? sql`true` : sql`found.id ~<~ ${after}`} and exists (
            select from aoi_changes link where change_id = found.id and ${theirs} and ${isAsked} and ${isLive})`,
      },
    }),
  };
}
