import { sql, type Kysely, type Selectable } from 'kysely';
import type { StationStore, PointCollection, Station } from '../app/series/station-store.ts';
import { within } from '../app/series/time-series.ts';
import { collectionRows } from './collection-rows.ts';
import { boxText, parseBox, turnedBoxes } from './connection/bounds.ts';
import { prepare } from './connection/prepared.ts';
import { inTransaction } from './connection/transaction.ts';
import { listStations } from './lists/station-list.ts';
import type { CollectionsTable, Database } from './schema.ts';
import { joined } from './series-chunks.ts';
import { observationsOf, writeSeries } from './series-writer.ts';
import { stationDamage } from './station-check.ts';
import type { StationSeriesTable } from './tables/station-tables.ts';

/** Number of stations per query when a whole collection is checked. */
const STATIONS_AT_ONCE = 1000;

function collectionOf(row: Selectable<CollectionsTable>): PointCollection {
  return {
    id: row.id,
    environment: row.environment,
    accountId: row.account_id,
    name: row.name,
    metric: row.metric,
    unit: row.unit,
    bounds: parseBox(row.bounds),
    ...(row.derived_from !== null && { derivedFrom: row.derived_from }),
    ...(row.simulated && { simulated: true as const }),
  };
}

const POSITION = [sql<number>`position[0]`.as('lng'), sql<number>`position[1]`.as('lat')] as const;

/** Columns of a `Station`. */
const STATION_COLUMNS = ['id', 'key', ...POSITION] as const;

const COVERING = prepare<Selectable<CollectionsTable>>(
  'points over a box',
  `select id, environment, account_id, name, metric, unit, bounds, derived_from, simulated
  from collections
  where kind = 'points' and environment = $1 and (account_id is null or account_id = $2) and metric = $3
    and (bounds && $4::box or bounds && $5::box or bounds && $6::box)
  order by id`,
);

const STATIONS_WITHIN = prepare<Station>(
  'stations in a box',
  `select id, key, position[0] as lng, position[1] as lat
  from readable_stations
  where collection_id = $1 and (position <@ $2::box or position <@ $3::box or position <@ $4::box)
  order by key`,
);

const SERIES = prepare<Pick<Selectable<StationSeriesTable>, 'station_id' | 'times' | 'values'>>(
  'series of stations',
  `select station_id, times, "values"
  from station_series
  where station_id = any($1) and last_ms >= $2 and first_ms < $3
  order by first_ms`,
);

/**
 * Stores point collections, their stations, and the observations at the stations in the database.
 * Long function: one method per query of collections, stations and series.
 */
export function stationStore(db: Kysely<Database>): StationStore {
  const collections = collectionRows(db, 'points');
  return {
    async create(collection) {
      const made = await db
        .insertInto('collections')
        .values({
          kind: 'points',
          account_id: collection.accountId,
          environment: collection.environment,
          id: collection.id,
          name: collection.name,
          metric: collection.metric,
          unit: collection.unit,
          bounds: boxText(collection.bounds),
          derived_from: collection.derivedFrom ? [...collection.derivedFrom] : null,
          simulated: collection.simulated === true,
        })
        .onConflict((conflict) => conflict.constraint('collections_name').doNothing())
        .returning('id')
        .execute();
      return made.length > 0;
    },
    async find(id) {
      const row = await collections.find(id);
      return row && collectionOf(row);
    },
    async byName(environment, accountId, name) {
      const rows = await collections.byName(environment, accountId, name);
      return rows.map(collectionOf);
    },
    async list() {
      const rows = await collections.list();
      return rows.map(collectionOf);
    },
    async covering(owner, metric, bounds) {
      const { environment, accountId } = owner;
      const rows = await COVERING(db, [environment, accountId, metric, ...turnedBoxes(bounds)]);
      return rows.map(collectionOf);
    },
    countByMetric: collections.countByMetric,
    stations: (collectionId, bounds) => STATIONS_WITHIN(db, [collectionId, ...turnedBoxes(bounds)]),
    stationsOf: (owner, filter, page) => listStations(db, owner, filter, page),
    stationsNamed: (collectionId, keys) =>
      db
        .selectFrom('stations')
        .select(STATION_COLUMNS)
        .where('collection_id', '=', collectionId)
        .where('key', '=', sql<string>`any(${keys})`)
        .orderBy('key')
        .execute(),
    write: (collectionId, series) =>
      inTransaction(db, (transaction) => writeSeries(transaction, collectionId, series)),
    async markForDerivation(collectionId, keys) {
      await db
        .updateTable('stations')
        .set({ underived: sql`gen_random_uuid()` })
        .where('collection_id', '=', collectionId)
        .where('key', '=', sql<string>`any(${keys})`)
        .execute();
    },
    async derivationMarks(collectionId, limit) {
      const rows = await db
        .selectFrom('stations')
        .select(['key', 'underived'])
        .where('collection_id', '=', collectionId)
        .where('underived', 'is not', null)
        .orderBy('key')
        .limit(limit)
        .execute();
      return rows.map(({ key, underived }) => ({ key, mark: underived! }));
    },
    async removeMarks(collectionId, marks) {
      await sql`update stations set underived = null
        from unnest(${marks.map(({ key }) => key)}::text[], ${marks.map(({ mark }) => mark)}::uuid[]) as given (key, mark)
        where collection_id = ${collectionId} and stations.key = given.key and underived = given.mark`.execute(
        db,
      );
    },
    async read(_collectionId, stations, fromMs, toMs) {
      const rows = await SERIES(db, [stations.map(({ id }) => id), fromMs, toMs]);
      const byStation = Map.groupBy(rows, (row) => row.station_id);
      return stations.map((station) => ({
        station,
        ...within(joined((byStation.get(station.id) ?? []).map(observationsOf)), fromMs, toMs),
      }));
    },
    async contents(collectionIds) {
      let query = db
        .selectFrom('collections')
        .leftJoin('stations', 'stations.collection_id', 'collections.id')
        .select((eb) => [
          'collections.id',
          'collections.silent_after as silentAfter',
          sql<number>`count(stations.id)::int`.as('stations'),
          sql<number>`coalesce(sum(stations.observations), 0)::float8`.as('observations'),
          eb.fn.min('stations.first_ms').as('firstMs'),
          eb.fn.max('stations.last_ms').as('lastMs'),
        ])
        .where('kind', '=', 'points')
        .groupBy('collections.id');
      if (collectionIds !== undefined)
        query = query.where('collections.id', '=', sql<string>`any(${collectionIds})`);
      const rows = await query.execute();
      return new Map(rows.map(({ id, ...content }) => [id, content]));
    },
    async silent(at) {
      const rows = await db
        .selectFrom('collections')
        .selectAll()
        .where('kind', '=', 'points')
        .where('silent_after', '<', at)
        .orderBy('id')
        .execute();
      return rows.map(collectionOf);
    },
    async setSilentAfter(collectionId, silentAfter) {
      await db
        .updateTable('collections')
        .set({ silent_after: silentAfter })
        .where('id', '=', collectionId)
        .execute();
    },
    async check(collectionId) {
      const damage: string[] = [];
      for (let after = ''; ;) {
        const stations = await db
          .selectFrom('stations')
          .select(['id', 'key', 'observations'])
          .where('collection_id', '=', collectionId)
          .where('id', '>', after)
          .orderBy('id')
          .limit(STATIONS_AT_ONCE)
          .execute();
        if (stations.length === 0) return damage;
        for (const station of stations) {
          const rows = await db
            .selectFrom('station_series')
            .selectAll()
            .where('station_id', '=', station.id)
            .orderBy('first_ms')
            .execute();
          const found = stationDamage(rows, station.observations);
          if (found !== undefined) damage.push(`Station ${station.key}: ${found}`);
        }
        after = stations.at(-1)!.id;
      }
    },
    remove: collections.remove,
  };
}
