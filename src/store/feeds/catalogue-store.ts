import { sql, type Kysely, type Selectable } from 'kysely';
import type { FollowedCatalogue, CatalogueStore } from '../../app/catalogues/catalogue-store.ts';
import type { SceneMetric } from '../../raster/backscatter.ts';
import { aoiOf } from '../aoi-store.ts';
import type { Database } from '../schema.ts';
import type { CataloguesTable } from '../tables/catalogue-tables.ts';
import { feedOf, feedRows, inMs } from './feed-rows.ts';

/** Whether the catalogue in the row `feed` serves an area for which it has never been searched. */
const HAS_NEW_AREA = sql<boolean>`exists (
  select from aois join accounts on accounts.id = aois.account_id
  where aois.environment = feed.environment and aois.deleted_at is null and accounts.disabled_at is null
    and (feed.account_id is null or feed.account_id = aois.account_id)
    and not exists (
      select from standing_feed_areas as followed where followed.feed_id = feed.id and followed.aoi_id = aois.id
        and followed.account_id = aois.account_id
    )
)`;

/**
 * Followed catalogues in the database, in the tables `standing_feeds` and `standing_feed_areas`.
 * Long function: one method per query; the longest are the states and the list of areas.
 */
export function catalogueStore(db: Kysely<Database>): CatalogueStore {
  const rows = feedRows<Selectable<CataloguesTable>>(
    db,
    'standing_feeds',
    sql<boolean>`(feed.next_at <= now() or ${HAS_NEW_AREA})`,
  );
  return {
    ...rows,
    create: ({ url, metrics, maxCloudShare, isTrueColour, ...feed }) =>
      rows.create(feed, {
        url,
        metrics: metrics === null ? null : [...metrics],
        max_cloud_share: maxCloudShare,
        true_colour: isTrueColour,
      }),
    list: async () => (await rows.list()).map(catalogueOf),
    async states({ accountId, environment }, mostAreas) {
      const { rows: states } = await sql<
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
        left join (own join standing_feed_areas as followed
            on followed.aoi_id = own.id and followed.account_id = ${accountId})
          on followed.feed_id = feed.id
        where feed.environment = ${environment} and (feed.account_id is null or feed.account_id = ${accountId})
        group by feed.id
        order by feed.name`.execute(db);
      return states.map((row) => {
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
      const row = await rows.find(environment, name);
      return row && catalogueOf(row);
    },
    async hold(holder, forMs, id) {
      const row = await rows.hold(holder, forMs, id);
      return row && { ...catalogueOf(row), isDue: row.is_due };
    },
    release(id, holder, outcome) {
      if (outcome === undefined) return rows.release(id, holder, {});
      const next = inMs(outcome.againInMs);
      // A catalogue that was searched for new areas only keeps an earlier turn.
      return rows.release(id, holder, {
        next_at: sql`case when next_at <= now() then ${next} else least(next_at, ${next}) end`,
      });
    },
    async areas({ id, environment, accountId }) {
      let query = db
        .selectFrom('aois')
        .innerJoin('accounts', 'accounts.id', 'aois.account_id')
        .leftJoin('standing_feed_areas as followed', (join) =>
          join
            .onRef('followed.aoi_id', '=', 'aois.id')
            .onRef('followed.account_id', '=', 'aois.account_id')
            .on('followed.feed_id', '=', id),
        )
        .selectAll('aois')
        .select(['followed.taken_to', 'followed.asked_at', 'followed.problem'])
        .where('aois.environment', '=', environment)
        .where('aois.deleted_at', 'is', null)
        .where('accounts.disabled_at', 'is', null);
      if (accountId !== null) query = query.where('aois.account_id', '=', accountId);
      return (await query.orderBy('aois.id').execute()).map((row) => ({
        aoi: aoiOf(row),
        takenTo: row.taken_to,
        askedAt: row.asked_at,
        problem: row.problem,
      }));
    },
    async note(catalogueId, { aoiId, takenTo, askedAt, problem }) {
      // Inserts no row when the catalogue or the area was removed during the search.
      await sql`
        insert into standing_feed_areas (feed_id, aoi_id, account_id, taken_to, asked_at, problem)
        select feed.id, aois.id, aois.account_id, ${takenTo}::timestamptz, ${askedAt ?? new Date()}::timestamptz,
          ${problem}
        from standing_feeds as feed, aois where feed.id = ${catalogueId} and aois.id = ${aoiId} for key share
        on conflict (feed_id, aoi_id, account_id) do update
        set taken_to = excluded.taken_to, asked_at = excluded.asked_at, problem = excluded.problem`.execute(
        db,
      );
    },
  };
}

function catalogueOf(row: Selectable<CataloguesTable>): FollowedCatalogue {
  return {
    ...feedOf(row),
    url: row.url,
    metrics: row.metrics as readonly SceneMetric[] | null,
    maxCloudShare: row.max_cloud_share,
    isTrueColour: row.true_colour,
  };
}
