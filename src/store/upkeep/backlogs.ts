import { sql, type Kysely } from 'kysely';
import type { Database } from '../schema.ts';

/** Maximum number of collections, and of catalogues, in metrics by name. */
const MOST_NAMED = 1_000;

/** What waits in the database. */
export interface Backlogs {
  /** Number of deliveries that were not made yet. */
  readonly deliveries: number;
  /** Age of the oldest event without a number, which no reader sees yet [s]; 0 when there is none. */
  readonly eventLagS: number;
  /** Number of areas for which the last search of a followed catalogue failed. */
  readonly failedAreas: number;
}

export async function backlogs(db: Kysely<Database>): Promise<Backlogs> {
  const { rows } = await sql<Backlogs>`
    select (select count(*) from deliveries where status = 'pending') as deliveries,
      (select coalesce(greatest(0, extract(epoch from now() - min(created_at))), 0)::float8 from events
        where seq is null) as "eventLagS",
      (select count(*) from standing_feed_areas where problem is not null) as "failedAreas"`.execute(db);
  return rows[0]!;
}

/** How old the newest scene of a collection is. */
export interface Freshness {
  readonly id: string;
  readonly collection: string;
  readonly metric: string;
  readonly environment: string;
  readonly ageS: number;
}

/** Lists the collections of scenes that have one, of users only, at most {@link MOST_NAMED}. */
export async function freshness(db: Kysely<Database>): Promise<readonly Freshness[]> {
  const { rows } = await sql<Freshness>`
    select collections.id, name as collection, metric, environment,
      extract(epoch from now() - newest.observed_at)::float8 as "ageS"
    from collections cross join lateral (
      select observed_at from scenes where collection_id = collections.id order by observed_at desc limit 1
    ) newest
    where kind = 'raster' and not simulated order by collections.id limit ${MOST_NAMED}`.execute(db);
  return rows;
}

/** A followed catalogue whose last searches failed for some areas. */
export interface FailingCatalogue {
  readonly catalogue: string;
  readonly environment: string;
  readonly failedAreas: number;
}

/** Lists the followed catalogues with the number of areas for which the last search failed. */
export async function failingCatalogues(db: Kysely<Database>): Promise<readonly FailingCatalogue[]> {
  const { rows } = await sql<FailingCatalogue>`
    select name as catalogue, environment, count(problem) as "failedAreas"
    from standing_feeds left join standing_feed_areas on feed_id = standing_feeds.id
    group by name, environment order by name, environment limit ${MOST_NAMED}`.execute(db);
  return rows;
}
