import { type Kysely, sql } from 'kysely';
import type { DrawnAoi } from '../../app/areas/aoi-store.ts';
import type { Owner } from '../../app/owner.ts';
import type { Page, PageRequest } from '../../app/page.ts';
import { PAGE_BYTES } from '../../contract/limits.ts';
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
  { accountId, environment }: Owner,
  page: PageRequest,
): Promise<Page<DrawnAoi>> {
  const [after] = page.after ?? [];
  const { rows } = await sql<Row>`
    select area.id, area.name, area.area_m2 as "areaM2", area.created_at as "createdAt",
      case when weighed.before < ${PAGE_BYTES} then replace(area.geometry::text, ' ', '') end as geometry
    from (
      select id, (sum(positions) over (order by id using ~>~ rows unbounded preceding) - positions) * ${POSITION_BYTES}::int as before
      from (
        select id, positions from aois
        where account_id = ${accountId} and environment = ${environment} and deleted_at is null
          and ${after === undefined ? sql`true` : sql`id ~<~ ${after}`}
        order by id using ~>~ limit ${page.limit + 1}
      ) listed
    ) weighed cross join lateral (select * from aois where aois.id = weighed.id limit 1) area
    order by weighed.id using ~>~`.execute(db);
  const whole = wholeRows(rows, ({ geometry }) => geometry);
  const items = whole.slice(0, page.limit);
  return {
    items: items.map(({ geometry, ...area }) => ({ ...area, geometryText: geometry! })),
    next: items.length < rows.length ? [items.at(-1)!.id] : undefined,
  };
}
