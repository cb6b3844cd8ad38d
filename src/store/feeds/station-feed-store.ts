import { sql, type Kysely, type Selectable } from 'kysely';
import type { StationFeed, StationFeedStore } from '../../app/stations/schedule/station-feed-store.ts';
import type { ProviderName } from '../../app/stations/schedule/providers.ts';
import type { Database } from '../schema.ts';
import type { StationFeedsTable } from '../tables/station-feed-table.ts';
import { feedOf, feedRows, inMs } from './feed-rows.ts';

/** Station feeds in the database, in the table `station_feeds`. */
export function stationFeedStore(db: Kysely<Database>): StationFeedStore {
  const rows = feedRows<Selectable<StationFeedsTable>>(
    db,
    'station_feeds',
    sql<boolean>`feed.next_at <= now()`,
    sql<boolean>`not exists (
      select from accounts where accounts.id = feed.account_id and accounts.disabled_at is not null)`,
  );
  return {
    ...rows,
    create: ({ provider, base, metric, stations, ...feed }) =>
      rows.create(feed, { provider, base, metric, stations: JSON.stringify(stations) }),
    list: async () => (await rows.list()).map(stationsOf),
    async serving({ environment, accountId }) {
      const found = await db
        .selectFrom('station_feeds')
        .selectAll()
        .where('environment', '=', environment)
        .where((or) => or.or([or('account_id', 'is', null), or('account_id', '=', accountId)]))
        .orderBy('name')
        .execute();
      return found.map(stationsOf);
    },
    async find(environment, name) {
      const row = await rows.find(environment, name);
      return row && stationsOf(row);
    },
    async hold(holder, forMs, id) {
      const row = await rows.hold(holder, forMs, id);
      return row && stationsOf(row);
    },
    release: (id, holder, outcome) =>
      rows.release(
        id,
        holder,
        outcome === undefined
          ? {}
          : {
              asked_at: outcome.askedAt,
              problem: outcome.problem,
              stations: JSON.stringify(outcome.stations),
              next_at: inMs(outcome.againInMs),
            },
      ),
  };
}

function stationsOf(row: Selectable<StationFeedsTable>): StationFeed {
  return {
    ...feedOf(row),
    provider: row.provider as ProviderName,
    base: row.base,
    metric: row.metric,
    stations: row.stations,
    askedAt: row.asked_at,
    problem: row.problem,
  };
}
