import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely';
import type { FeedStore, NewStationSeries, PointCollection, Station } from '../app/feed-store.ts';
import { newId } from '../app/ids.ts';
import { type Observed, within } from '../app/observed.ts';
import type { Owner } from '../app/stores.ts';
import { type Bbox, coverArcs, uniteBboxes } from '../geo/bbox.ts';
import { boxText, parseBox, turnedBoxes } from './bounds.ts';
import { pageOf } from './page.ts';
import { prepare } from './prepared.ts';
import type { CollectionsTable, Database } from './schema.ts';
import { cut, joined, merged, packed, packedTimes, unpacked, unpackedTimes } from './series-chunks.ts';
import { stationDamage } from './station-check.ts';
import type { StationSeriesTable } from './station-tables.ts';

/** Rows of one insert: PostgreSQL takes 65,535 parameters a statement. */
const ROWS_PER_INSERT = 1000;
/** Stations whose rows are read at once where all of a collection are. */
const STATIONS_AT_ONCE = 1000;

type Row = Selectable<StationSeriesTable>;

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
  };
}

const POSITION = [sql<number>`position[0]`.as('lng'), sql<number>`position[1]`.as('lat')] as const;

/** A station as a query of {@link STATION_COLUMNS} gives it. */
const STATION_COLUMNS = ['id', 'key', ...POSITION] as const;

const COVERING = prepare<Selectable<CollectionsTable>>(
  'points over a box',
  `select id, environment, account_id, name, metric, unit, bounds, derived_from
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

const SERIES = prepare<Pick<Row, 'station_id' | 'times' | 'values'>>(
  'series of stations',
  `select station_id, times, "values"
  from station_series
  where station_id = any($1) and last_ms >= $2 and first_ms < $3
  order by first_ms`,
);

/** Whether a station lies in a box. That may reach beyond 180; positions do not. */
function liesIn(bounds: Bbox): RawBuilder<boolean> {
  return sql<boolean>`(${sql.join(
    turnedBoxes(bounds).map((box) => sql`position <@ ${box}::box`),
    sql` or `,
  )})`;
}

/** Collections of points, their stations and what was observed there, in the database. */
export function feedStore(db: Kysely<Database>): FeedStore {
  const feeds = () => db.selectFrom('collections').selectAll().where('kind', '=', 'points');
  const readable = (owner: Owner) =>
    feeds()
      .where('environment', '=', owner.environment)
      .where((eb) => eb.or([eb('account_id', 'is', null), eb('account_id', '=', owner.accountId)]));
  return {
    async create(collection) {
      await db
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
        })
        .execute();
    },
    async find(id) {
      const row = await feeds().where('id', '=', id).executeTakeFirst();
      return row && collectionOf(row);
    },
    async byName(environment, accountId, name) {
      const rows = await feeds()
        .where('environment', '=', environment)
        .where('account_id', accountId === null ? 'is' : '=', accountId)
        .where('name', '=', name)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(collectionOf);
    },
    async list() {
      const rows = await feeds()
        .orderBy('environment')
        .orderBy('account_id', (order) => order.nullsFirst())
        .orderBy('name')
        .orderBy('id')
        .execute();
      return rows.map(collectionOf);
    },
    async covering(owner, metric, bounds) {
      const { environment, accountId } = owner;
      const rows = await COVERING(db, [environment, accountId, metric, ...turnedBoxes(bounds)]);
      return rows.map(collectionOf);
    },
    async countByMetric(owner) {
      const rows = await readable(owner)
        .clearSelect()
        .select(['metric', sql<number>`count(*)::int`.as('count')])
        .groupBy('metric')
        .execute();
      return new Map(rows.map((row) => [row.metric, row.count]));
    },
    stations: (collectionId, bounds) => STATIONS_WITHIN(db, [collectionId, ...turnedBoxes(bounds)]),
    async stationsOf(owner, { bounds, metric }, page) {
      let query = db
        .selectFrom('readable_stations as stations')
        .innerJoin('collections', 'collections.id', 'stations.collection_id')
        .where('collections.environment', '=', owner.environment)
        .where((eb) =>
          eb.or([
            eb('collections.account_id', 'is', null),
            eb('collections.account_id', '=', owner.accountId),
          ]),
        );
      if (bounds !== undefined) query = query.where(liesIn(bounds));
      if (metric !== undefined) query = query.where('collections.metric', '=', metric);
      if (page.after) query = query.where('stations.id', '<', page.after[0]!);
      const rows = await query
        .select([
          'stations.id',
          'stations.key',
          ...POSITION,
          'stations.observations',
          'stations.first_ms as firstMs',
          'stations.last_ms as lastMs',
          'collections.name as collection',
          'collections.metric',
          'collections.unit',
        ])
        .orderBy('stations.id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return pageOf(rows, page, ({ id }) => [id]);
    },
    stationsNamed: (collectionId, keys) =>
      db
        .selectFrom('stations')
        .select(STATION_COLUMNS)
        .where('collection_id', '=', collectionId)
        .where('key', '=', sql<string>`any(${keys})`)
        .orderBy('key')
        .execute(),
    write: (collectionId, series) =>
      db.isTransaction
        ? write(db, collectionId, series)
        : db.transaction().execute((transaction) => write(transaction, collectionId, series)),
    async markUnderived(collectionId, keys) {
      await db
        .updateTable('stations')
        .set({ underived: sql`gen_random_uuid()` })
        .where('collection_id', '=', collectionId)
        .where('key', '=', sql<string>`any(${keys})`)
        .execute();
    },
    async underived(collectionId, limit) {
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
    async settle(collectionId, marks) {
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
      const rows = await feeds().where('silent_after', '<', at).orderBy('id').execute();
      return rows.map(collectionOf);
    },
    async expectUntil(collectionId, silentAfter) {
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
    async remove(collectionId) {
      await db.deleteFrom('collections').where('id', '=', collectionId).execute();
    },
  };
}

function observationsOf({ times, values }: Pick<Row, 'times' | 'values'>): Observed {
  return { timesMs: unpackedTimes(times, values.length / 8), values: unpacked(values) };
}

async function write(
  db: Kysely<Database>,
  collectionId: string,
  given: readonly NewStationSeries[],
): Promise<number> {
  const series = given.filter(({ timesMs }) => timesMs.length > 0);
  for (const { station, timesMs, values } of series) checkOrder(station.key, timesMs, values);
  // One writer of a collection at a time: what it merges with must not change meanwhile.
  const collection = await db
    .selectFrom('collections')
    .select('bounds')
    .where('id', '=', collectionId)
    .where('kind', '=', 'points')
    .forUpdate()
    .executeTakeFirst();
  if (collection === undefined) throw new RangeError(`there is no collection of points ${collectionId}`);
  if (series.length === 0) return 0;
  const ids = await stationIds(db, collectionId, series);
  const places = series.map(({ station }) => ids.get(station.key)!);
  const touched = await rowsTouched(db, places, series);
  const fresh: Row[] = [];
  const gone: Pick<Row, 'station_id' | 'first_ms'>[] = [];
  const counts: {
    readonly id: string;
    readonly added: number;
    readonly last: number;
    readonly first: number;
  }[] = [];
  let changed = 0;
  for (const [i, { timesMs, values }] of series.entries()) {
    const id = places[i]!.id;
    const old = touched.get(id) ?? [];
    const before = joined(old.map(observationsOf));
    const { all, changed: more } = merged(before, { timesMs, values });
    if (more === 0) continue;
    changed += more;
    const last = all.timesMs.at(-1)!;
    const kept = new Map(old.map((row) => [row.first_ms, row]));
    for (const piece of cut(all, last >= (places[i]!.last_ms ?? -Infinity))) {
      const row: Row = {
        station_id: id,
        first_ms: piece.timesMs[0]!,
        last_ms: piece.timesMs.at(-1)!,
        times: packedTimes(piece.timesMs),
        values: packed(piece.values),
      };
      const same = kept.get(row.first_ms);
      if (same?.times.equals(row.times) === true && same.values.equals(row.values)) kept.delete(row.first_ms);
      else fresh.push(row);
    }
    gone.push(...kept.values());
    counts.push({ id, added: all.timesMs.length - before.timesMs.length, first: all.timesMs[0]!, last });
  }
  await putRows(db, gone, fresh);
  await countStations(db, counts);
  const bounds = uniteBboxes(parseBox(collection.bounds), boxAround(series));
  await db
    .updateTable('collections')
    .set({ bounds: boxText(bounds) })
    .where('id', '=', collectionId)
    .execute();
  return changed;
}

function checkOrder(key: string, timesMs: Float64Array, values: Float64Array): void {
  if (timesMs.length !== values.length) throw new RangeError(`station ${key}: one value a time expected`);
  for (let i = 0; i < timesMs.length; i++) {
    if (!Number.isFinite(values[i]!) || !Number.isFinite(timesMs[i]!))
      throw new RangeError(`station ${key}: finite numbers expected, got ${values[i]} at ${timesMs[i]}`);
    if (i > 0 && !(timesMs[i]! > timesMs[i - 1]!))
      throw new RangeError(
        `station ${key}: ascending times expected, got ${timesMs[i]} after ${timesMs[i - 1]}`,
      );
  }
}

function boxAround(series: readonly NewStationSeries[]): Bbox {
  const lats = series.map(({ station }) => station.lat);
  const [west, east] = coverArcs(series.map(({ station: { lng } }) => [lng, lng]));
  return [west, lats.reduce((a, b) => Math.min(a, b)), east, lats.reduce((a, b) => Math.max(a, b))];
}

/** Makes the stations that are not there yet. Answers all of them by key. */
async function stationIds(
  db: Kysely<Database>,
  collectionId: string,
  series: readonly NewStationSeries[],
): Promise<ReadonlyMap<string, { readonly id: string; readonly last_ms: number | null }>> {
  const keys = series.map(({ station }) => station.key);
  if (new Set(keys).size < keys.length) throw new RangeError('one series a station expected');
  await sql`insert into stations (collection_id, id, key, position)
    select ${collectionId}, id, key, point(lng, lat)
    from unnest(${series.map(() => newId('station'))}::text[], ${keys}::text[],
      ${series.map(({ station }) => station.lng)}::float8[],
      ${series.map(({ station }) => station.lat)}::float8[]) as given (id, key, lng, lat)
    on conflict (collection_id, key) do nothing`.execute(db);
  const rows = await db
    .selectFrom('stations')
    .select(['id', 'key', 'last_ms'])
    .where('collection_id', '=', collectionId)
    .where('key', '=', sql<string>`any(${keys})`)
    .execute();
  return new Map(rows.map((row) => [row.key, row]));
}

/** Rows that the new observations fall into or follow, by station in the order of time. */
async function rowsTouched(
  db: Kysely<Database>,
  places: readonly { readonly id: string }[],
  series: readonly NewStationSeries[],
): Promise<ReadonlyMap<string, readonly Row[]>> {
  const { rows } = await sql<Row>`select held.* from
    unnest(${places.map(({ id }) => id)}::text[],
      ${series.map(({ timesMs }) => timesMs[0]!)}::float8[],
      ${series.map(({ timesMs }) => timesMs.at(-1)!)}::float8[]) as given (id, first_ms, last_ms)
    join station_series held on held.station_id = given.id and held.first_ms <= given.last_ms
      and held.first_ms >= coalesce((select max(before.first_ms) from station_series before
        where before.station_id = given.id and before.first_ms <= given.first_ms), given.first_ms)
    order by held.station_id, held.first_ms`.execute(db);
  return Map.groupBy(rows, (row) => row.station_id);
}

async function putRows(
  db: Kysely<Database>,
  gone: readonly Pick<Row, 'station_id' | 'first_ms'>[],
  fresh: readonly Row[],
): Promise<void> {
  if (gone.length > 0)
    await sql`delete from station_series using
      unnest(${gone.map((row) => row.station_id)}::text[], ${gone.map((row) => row.first_ms)}::float8[])
        as given (id, first_ms)
      where station_id = given.id and station_series.first_ms = given.first_ms`.execute(db);
  for (let from = 0; from < fresh.length; from += ROWS_PER_INSERT)
    await db
      .insertInto('station_series')
      .values(fresh.slice(from, from + ROWS_PER_INSERT))
      .execute();
}

async function countStations(
  db: Kysely<Database>,
  counts: readonly {
    readonly id: string;
    readonly added: number;
    readonly first: number;
    readonly last: number;
  }[],
): Promise<void> {
  if (counts.length === 0) return;
  await sql`update stations set observations = observations + given.added,
      first_ms = least(stations.first_ms, given.first_ms), last_ms = greatest(stations.last_ms, given.last_ms)
    from unnest(${counts.map(({ id }) => id)}::text[], ${counts.map(({ added }) => added)}::int[],
      ${counts.map(({ first }) => first)}::float8[], ${counts.map(({ last }) => last)}::float8[])
      as given (id, added, first_ms, last_ms)
    where stations.id = given.id`.execute(db);
}
