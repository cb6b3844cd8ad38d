import { sql, type Kysely, type Selectable } from 'kysely';
import type { FollowedCatalogue, CatalogueStore } from '../../app/catalogues/catalogue-store.ts';
import type { SceneMetric } from '../../raster/backscatter.ts';
import { aoiOf } from '../aoi-store.ts';
import type { Database } from '../schema.ts';
import type { CataloguesTable } from '../tables/catalogue-tables.ts';

/** Whether the catalogue in the row `catalogue` serves an area for which it has never been searched. */
const HAS_NEW_AREA = sql<boolean>`exists (
  select from aois join accounts on accounts.id = aois.account_id
  where aois.environment = catalogue.environment and aois.deleted_at is null and accounts.disabled_at is null
    and (catalogue.account_id is null or catalogue.account_id = aois.account_id)
    and not exists (
      select from standing_feed_areas as followed where followed.feed_id = catalogue.id and followed.aoi_id = aois.id
    )
)`;

/**
 * Followed catalogues in the database, in the tables `standing_feeds` and `standing_feed_areas`.
 * Long function: one method per query; the longest are the lease and the list of areas.
 */
export function catalogueStore(db: Kysely<Database>): CatalogueStore {
  const until = (forMs: number) => sql<Date>`now() + ${forMs} * interval '1 millisecond'`;
  return {
    async create({ id, environment, accountId, name, url, startsAt, everyMs, ...catalogue }) {
      const { metrics, maxCloudShare, isTrueColour } = catalogue;
      const made = await db
        .insertInto('standing_feeds')
        .values({
          id,
          environment,
          account_id: accountId,
          name,
          url,
          metrics: metrics === null ? null : [...metrics],
          max_cloud_share: maxCloudShare,
          true_colour: isTrueColour,
          starts_at: startsAt,
          every_s: Math.round(everyMs / 1000),
        })
        .onConflict((conflict) => conflict.columns(['environment', 'name']).doNothing())
        .returning('id')
        .execute();
      return made.length > 0;
    },
    async list() {
      const rows = await db.selectFrom('standing_feeds').selectAll().orderBy('name').execute();
      return rows.map(catalogueOf);
    },
    async states({ accountId, environment }, mostAreas) {
      const { rows } = await sql<
        Selectable<CataloguesTable> & {
          readonly areas: number;
          readonly areas_served: number;
          readonly areas_failing: number;
          readonly taken_to: Date | null;
          readonly asked_at: Date | null;
          readonly problem: string | null;
        }
      >`
        with own as (
          select id from aois
          where account_id = ${accountId} and environment = ${environment} and deleted_at is null
          order by id limit ${mostAreas}
        )
        select feed.*,
          (select count(*)::int from own) as areas,
          count(followed.taken_to)::int as areas_served,
          count(followed.problem)::int as areas_failing,
          min(followed.taken_to) as taken_to,
          max(followed.asked_at) as asked_at,
          (array_agg(followed.problem order by followed.asked_at desc)
            filter (where followed.problem is not null))[1] as problem
        from standing_feeds as feed
        left join (own join standing_feed_areas as followed on followed.aoi_id = own.id)
          on followed.feed_id = feed.id
        where feed.environment = ${environment} and (feed.account_id is null or feed.account_id = ${accountId})
        group by feed.id
        order by feed.name`.execute(db);
      return rows.map((row) => {
        const { accountId: _none, environment: _same, ...catalogue } = catalogueOf(row);
        return {
          ...catalogue,
          areas: row.areas,
          areasServed: row.areas_served,
          areasFailing: row.areas_failing,
          takenTo: row.taken_to,
          askedAt: row.asked_at,
          problem: row.problem,
        };
      });
    },
    async find(environment, name) {
      const row = await db
        .selectFrom('standing_feeds')
        .selectAll()
        .where('environment', '=', environment)
        .where('name', '=', name)
        .executeTakeFirst();
      return row && catalogueOf(row);
    },
    async remove(id) {
      await db.deleteFrom('standing_feeds').where('id', '=', id).execute();
    },
    async hold(holder, forMs, id) {
      const row = await db
        .updateTable('standing_feeds')
        .set({ holder, held_until: until(forMs) })
        .where('id', '=', (from) =>
          from
            .selectFrom('standing_feeds as catalogue')
            .select('catalogue.id')
            .where((or) => or.or([or('holder', 'is', null), or('held_until', '<', sql<Date>`now()`)]))
            .where((or) =>
              id !== undefined
                ? or('catalogue.id', '=', id)
                : or.or([or('next_at', '<=', sql<Date>`now()`), HAS_NEW_AREA]),
            )
            .orderBy('next_at')
            .limit(1)
            .forUpdate()
            .skipLocked(),
        )
        .returningAll()
        .returning(sql<boolean>`next_at <= now()`.as('is_due'))
        .executeTakeFirst();
      return row && { catalogue: catalogueOf(row), isDue: row.is_due };
    },
    async renew(id, holder, forMs) {
      const held = await db
        .updateTable('standing_feeds')
        .set({ held_until: until(forMs) })
        .where('id', '=', id)
        .where('holder', '=', holder)
        .returning('id')
        .execute();
      return held.length > 0;
    },
    async release(id, holder, againInMs) {
      await db
        .updateTable('standing_feeds')
        .set({
          holder: null,
          held_until: null,
          ...(againInMs !== null && {
            next_at: sql<Date>`case when next_at <= now() then ${until(againInMs)} else least(next_at, ${until(againInMs)}) end`,
          }),
        })
        .where('id', '=', id)
        .where('holder', '=', holder)
        .execute();
    },
    async areas({ id, environment, accountId }) {
      let query = db
        .selectFrom('aois')
        .innerJoin('accounts', 'accounts.id', 'aois.account_id')
        .leftJoin('standing_feed_areas as followed', (join) =>
          join.onRef('followed.aoi_id', '=', 'aois.id').on('followed.feed_id', '=', id),
        )
        .selectAll('aois')
        .select(['followed.taken_to', 'followed.asked_at', 'followed.problem'])
        .where('aois.environment', '=', environment)
        .where('aois.deleted_at', 'is', null)
        .where('accounts.disabled_at', 'is', null);
      if (accountId !== null) query = query.where('aois.account_id', '=', accountId);
      const rows = await query.orderBy('aois.id').execute();
      return rows.map((row) => ({
        aoi: aoiOf(row),
        takenTo: row.taken_to,
        askedAt: row.asked_at,
        problem: row.problem,
      }));
    },
    async note(catalogueId, { aoiId, takenTo, askedAt, problem }) {
      // Inserts no row when the catalogue was removed during the search.
      await sql`
        insert into standing_feed_areas (feed_id, aoi_id, taken_to, asked_at, problem)
        select id, ${aoiId}, ${takenTo}::timestamptz, ${askedAt ?? new Date()}::timestamptz, ${problem}
        from standing_feeds where id = ${catalogueId} for key share
        on conflict (feed_id, aoi_id) do update
        set taken_to = excluded.taken_to, asked_at = excluded.asked_at, problem = excluded.problem`.execute(
        db,
      );
    },
  };
}

function catalogueOf(row: Selectable<CataloguesTable>): FollowedCatalogue {
  return {
    id: row.id,
    environment: row.environment,
    accountId: row.account_id,
    name: row.name,
    url: row.url,
    metrics: row.metrics as readonly SceneMetric[] | null,
    maxCloudShare: row.max_cloud_share,
    isTrueColour: row.true_colour,
    startsAt: row.starts_at,
    everyMs: row.every_s * 1000,
    nextAt: row.next_at,
  };
}
