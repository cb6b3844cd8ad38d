import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { DrawnAoi } from '../../app/areas/aoi-store.ts';
import type { Owner } from '../../app/owner.ts';
import type { Page, PageRequest } from '../../app/page.ts';
import type { Picked, PickSize } from '../../app/picked.ts';
import type { PlaceAndTime } from '../../app/place-and-time.ts';
import type { Bbox } from '../../geo/bbox.ts';
import { PAGE_BYTES } from '../../contract/limits.ts';
import { boundedPage, boundedPick, type BoundedList, placesOf } from '../connection/bounded-page.ts';
import { overlaps, turnedBoxes } from '../connection/bounds.ts';
import { wholeRows } from '../connection/page-weight.ts';
import type { Database } from '../schema.ts';

/** Length of a position with two coordinates at full precision [bytes]. */
const POSITION_BYTES = 42;

interface Row {
  readonly id: string;
  readonly name: string;
  /** Null when the page is full before this area. */
  readonly geometry: string | null;
  readonly areaM2: number;
  readonly createdAt: Date;
}

/** Lists areas with their geometries as text, newest first. A page ends before it is larger than `PAGE_BYTES`. */
export async function listAois(
  db: Kysely<Database>,
  owner: Owner,
  page: PageRequest,
): Promise<Page<DrawnAoi>> {
  const { rows } = await withGeometries(ownedInOrder(owner, page, page.limit + 1)).execute(db);
  const whole = wholeRows(rows, ({ geometry }) => geometry);
  const items = whole.slice(0, page.limit);
  return {
    items: items.map(drawnOf),
    next: items.length < rows.length ? [items.at(-1)!.id] : undefined,
  };
}

/** Lists the areas whose bounds overlap a box and that were created in a span of time, newest first. */
export function listPlacedAois(
  db: Kysely<Database>,
  owner: Owner,
  filter: PlaceAndTime,
  page: PageRequest,
): Promise<Page<DrawnAoi>> {
  return boundedPage<Row, DrawnAoi>(
    db,
    {
      order: sql`found.id using ~>~`,
      ...placedAois(owner, filter, page),
      complete: withGeometries,
      recordOf: drawnOf,
      heavy: ({ geometry }) => geometry,
      position: ({ id }) => [id],
    },
    page,
  );
}

/** Picks the largest of these areas. */
export async function pickPlacedAois(
  db: Kysely<Database>,
  owner: Owner,
  filter: PlaceAndTime,
  size: PickSize,
): Promise<Picked<DrawnAoi>> {
  const rank = sql`select area_m2 as size from aois sized where sized.id = found.id`;
  const { ids, total, isWhole } = await boundedPick(db, placedAois(owner, filter), rank, size);
  const { rows } = await withGeometries(placesOf(ids), sql`place`).execute(db);
  const items = wholeRows(rows, ({ geometry }) => geometry).map(drawnOf);
  return { items, omitted: total - items.length, isWhole };
}

function placedAois(
  owner: Owner,
  { bounds, fromMs, toMs }: PlaceAndTime,
  page: Pick<PageRequest, 'after'> = { after: undefined },
): Pick<BoundedList<unknown, unknown>, 'inOrder' | 'tests' | 'selected'> {
  const [from, to] = [fromMs, toMs].map((ms) => (ms === undefined ? undefined : new Date(ms)));
  const isCreated = sql<boolean>`
    found.created_at between ${from ?? '-infinity'}::timestamptz and ${to ?? 'infinity'}::timestamptz`;
  return {
    inOrder: (limit) => ownedInOrder(owner, page, limit),
    tests: sql`${isCreated} and ${bounds === undefined ? sql`true` : overlaps('found.bounds', bounds)}`,
    ...(bounds !== undefined && {
      selected: {
        rows: (limit) => areasIn(owner, bounds, sql`id, created_at`, limit),
        tests: sql`${isCreated} and ${page.after === undefined ? sql`true` : sql`found.id ~<~ ${page.after[0]}`}`,
      },
    }),
  };
}

/**
 * Areas of an owner whose bounds overlap a box, by the index of the bounds, in any order: as many as `limit` where there
 * are more.
 */
export function areasIn(
  { accountId, environment }: Owner,
  bounds: Bbox,
  columns: RawBuilder<unknown>,
  limit: number,
): RawBuilder<unknown> {
  // The order by distance makes the index stop at the limit.
  const parts = turnedBoxes(bounds).map(
    (box) => sql`(select ${columns} from readable_aois
      where bounds && ${box}::box and deleted_at is null
        and account_id = ${accountId} and environment = ${environment}
      order by bounds <-> center(${box}::box) limit ${limit})`,
  );
  return sql`select distinct on (id) * from (${sql.join(parts, sql` union all `)}) there`;
}

function ownedInOrder(
  { accountId, environment }: Owner,
  page: Pick<PageRequest, 'after'>,
  limit: number,
): RawBuilder<unknown> {
  const [after] = page.after ?? [];
  return sql`
    select id, bounds, created_at from aois
    where account_id = ${accountId} and environment = ${environment} and deleted_at is null
      and ${after === undefined ? sql`true` : sql`id ~<~ ${after}`}
    order by id using ~>~ limit ${limit}`;
}

/** Completes listed areas in an order of columns of `listed`. The last ones lack their geometry when they are large. */
function withGeometries(
  listed: RawBuilder<unknown>,
  order: RawBuilder<unknown> = sql`id using ~>~`,
): RawBuilder<Row> {
  return sql<Row>`
    select area.id, area.name, area.area_m2 as "areaM2", area.created_at as "createdAt",
      case when weighed.before < ${PAGE_BYTES} then replace(area.geometry::text, ' ', '') end as geometry
    from (
      select *, (sum(positions) over (order by ${order} rows unbounded preceding) - positions) * ${POSITION_BYTES}::int as before
      from (
        select listed.*, counted.positions
        from (${listed}) listed cross join lateral (select positions from aois where aois.id = listed.id limit 1) counted
      ) listed
    ) weighed cross join lateral (select * from aois where aois.id = weighed.id limit 1) area
    order by weighed.${order}`;
}

function drawnOf({ geometry, ...area }: Row): DrawnAoi {
  return { ...area, geometryText: geometry! };
}
