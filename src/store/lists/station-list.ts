import { sql, type Kysely } from 'kysely';
import type { Owner } from '../../app/owner.ts';
import type { Page, PageRequest } from '../../app/page.ts';
import type { MeasuringStation, StationFilter } from '../../app/series/station-store.ts';
import { boundedPage } from '../connection/bounded-page.ts';
import { turnedBoxes } from '../connection/bounds.ts';
import type { Database } from '../schema.ts';

/** Lists stations of all collections that the owner may read, newest first. */
export function listStations(
  db: Kysely<Database>,
  owner: Owner,
  { bounds, metrics }: StationFilter,
  page: PageRequest,
): Promise<Page<MeasuringStation>> {
  const readable = sql`
    select id from collections
    where kind = 'points' and environment = ${owner.environment}
      and (account_id is null or account_id = ${owner.accountId})
      and ${metrics === undefined ? sql`true` : sql`metric = any(${metrics})`}`;
  const isAfter = page.after === undefined ? sql<boolean>`true` : sql<boolean>`id ~<~ ${page.after[0]}`;
  // A box may extend beyond 180 degrees; positions do not.
  const liesIn =
    bounds === undefined
      ? sql<boolean>`true`
      : sql<boolean>`(${sql.join(
          turnedBoxes(bounds).map((box) => sql`position <@ ${box}::box`),
          sql` or `,
        )})`;
  return boundedPage<MeasuringStation, MeasuringStation>(
    db,
    {
      order: sql`found.id using ~>~`,
      // The newest of each collection are merged. Without a box, no more than a page of each is needed.
      inOrder: (limit) => sql`
        select newest.* from (${readable}) as readable cross join lateral (
          select * from readable_stations as stations
          where stations.collection_id = readable.id and ${isAfter}
          order by stations.id using ~>~ limit ${bounds === undefined ? Math.min(limit, page.limit + 1) : limit}
        ) newest
        order by newest.id using ~>~ limit ${limit}`,
      tests: liesIn,
      ...(bounds !== undefined && {
        selected: {
          // A query per box, since an `or` of them reads all their stations before the limit. No station is in two.
          // The order by distance makes the index stop at the limit; without it, all stations of a box are read.
          rows: (limit) => sql`
            ${sql.join(
              turnedBoxes(bounds).map(
                (box) => sql`(select * from readable_stations as stations
                  where position <@ ${box}::box and collection_id = any(array(${readable}))
                  order by position <-> center(${box}::box) limit ${limit})`,
              ),
              sql` union all `,
            )} limit ${limit}`,
          tests: isAfter,
        },
      }),
      complete: (rows) => sql<MeasuringStation>`
        select stations.id, stations.key, position[0] as lng, position[1] as lat, stations.observations,
          stations.first_ms as "firstMs", stations.last_ms as "lastMs", collections.name as collection,
          collections.metric, collections.unit, collections.simulated
        from (${rows}) as stations join collections on collections.id = stations.collection_id
        order by stations.id using ~>~`,
      recordOf: (station) => station,
      position: ({ id }) => [id],
    },
    page,
  );
}
