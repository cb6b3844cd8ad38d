import { sql, type Kysely, type Selectable } from 'kysely';
import type { StationFeed, StationFeedStore } from '../../app/stations/schedule/station-feed-store.ts';
import type { ProviderName } from '../../app/stations/schedule/providers.ts';
import type { Database } from '../schema.ts';
import type { StationFeedsTable } from '../tables/station-feed-table.ts';

/**
 * Station feeds in the database, in the table `station_feeds`.
 * Long function: one method per query; the longest is the lease.
 */
export function stationFeedStore(db: Kysely<Database>): StationFeedStore {
  const until = (forMs: number) => sql<Date>`now() + ${forMs} * interval '1 millisecond'`;
  return {
    async create({ id, environment, accountId, name, provider, base, metric, stations, startsAt, everyMs }) {
      const made = await db
        .insertInto('station_feeds')
        .values({
          id,
          environment,
          account_id: accountId,
          name,
          provider,
          base,
          metric,
          stations: JSON.stringify(stations),
          starts_at: startsAt,
          every_s: Math.round(everyMs / 1000),
        })
        .onConflict((conflict) => conflict.columns(['environment', 'name']).doNothing())
        .returning('id')
        .execute();
      return made.length > 0;
    },
    async list() {
      const rows = await db.selectFrom('station_feeds').selectAll().orderBy('name').execute();
      return rows.map(feedOf);
    },
    async serving({ environment, accountId }) {
      const rows = await db
        .selectFrom('station_feeds')
        .selectAll()
        .where('environment', '=', environment)
        .where((or) => or.or([or('account_id', 'is', null), or('account_id', '=', accountId)]))
        .orderBy('name')
        .execute();
      return rows.map(feedOf);
    },
    async find(environment, name) {
      const row = await db
        .selectFrom('station_feeds')
        .selectAll()
        .where('environment', '=', environment)
        .where('name', '=', name)
        .executeTakeFirst();
      return row && feedOf(row);
    },
    async remove(id) {
      await db.deleteFrom('station_feeds').where('id', '=', id).execute();
    },
    async hold(holder, forMs, id) {
      const row = await db
        .updateTable('station_feeds')
        .set({ holder, held_until: until(forMs) })
        .where('id', '=', (from) =>
          from
            .selectFrom('station_feeds as feed')
            .leftJoin('accounts', 'accounts.id', 'feed.account_id')
            .select('feed.id')
            .where((or) => or.or([or('holder', 'is', null), or('held_until', '<', sql<Date>`now()`)]))
            .where('accounts.disabled_at', 'is', null)
            .$if(id === undefined, (query) => query.where('next_at', '<=', sql<Date>`now()`))
            .$if(id !== undefined, (query) => query.where('feed.id', '=', id!))
            .orderBy('next_at')
            .limit(1)
            .forUpdate('feed')
            .skipLocked(),
        )
        .returningAll()
        .executeTakeFirst();
      return row && feedOf(row);
    },
    async renew(id, holder, forMs) {
      const held = await db
        .updateTable('station_feeds')
        .set({ held_until: until(forMs) })
        .where('id', '=', id)
        .where('holder', '=', holder)
        .returning('id')
        .execute();
      return held.length > 0;
    },
    async release(id, holder, outcome) {
      await db
        .updateTable('station_feeds')
        .set({
          holder: null,
          held_until: null,
          ...(outcome !== undefined && {
            asked_at: outcome.askedAt,
            problem: outcome.problem,
            stations: JSON.stringify(outcome.stations),
            next_at: until(outcome.againInMs),
          }),
        })
        .where('id', '=', id)
        .where('holder', '=', holder)
        .execute();
    },
  };
}

function feedOf(row: Selectable<StationFeedsTable>): StationFeed {
  return {
    id: row.id,
    environment: row.environment,
    accountId: row.account_id,
    name: row.name,
    provider: row.provider as ProviderName,
    base: row.base,
    metric: row.metric,
    stations: row.stations,
    startsAt: row.starts_at,
    everyMs: row.every_s * 1000,
    nextAt: row.next_at,
    askedAt: row.asked_at,
    problem: row.problem,
  };
}
