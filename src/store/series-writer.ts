import { sql, type Kysely, type Selectable } from 'kysely';
import type { NewStationSeries } from '../app/series/station-store.ts';
import { newId } from '../base/ids.ts';
import type { TimeSeries } from '../app/series/time-series.ts';
import { bboxOfPoints, uniteBboxes } from '../geo/bbox.ts';
import { boxText, parseBox } from './connection/bounds.ts';
import { ROWS_PER_INSERT } from './connection/insert-limit.ts';
import type { Database } from './schema.ts';
import { cut, joined, merged, packed, packedTimes, unpacked, unpackedTimes } from './series-chunks.ts';
import type { StationSeriesTable } from './tables/station-tables.ts';

type Row = Selectable<StationSeriesTable>;

/** Decodes the observations in a row. */
export function observationsOf({ times, values }: Pick<Row, 'times' | 'values'>): TimeSeries {
  return { timesMs: unpackedTimes(times, values.length / 8), values: unpacked(values) };
}

/**
 * Adds series to a point collection in the given transaction. Missing stations are created. An observation replaces an
 * existing one at the same time.
 * @returns the number of observations that are new or changed
 * @throws RangeError when the collection does not exist, times do not ascend, or a station is given twice
 */
export async function writeSeries(
  db: Kysely<Database>,
  collectionId: string,
  given: readonly NewStationSeries[],
): Promise<number> {
  const series = given.filter(({ timesMs }) => timesMs.length > 0);
  for (const { station, timesMs, values } of series) checkOrder(station.key, timesMs, values);
  // Locks the collection, so that no other writer changes the rows while they are merged.
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
  const bounds = uniteBboxes(parseBox(collection.bounds), bboxOfPoints(series.map(({ station }) => station)));
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

/** Creates missing stations. @returns all given stations by key */
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

/** Reads the rows of each station that overlap the new observations or come directly before them, in order of time. */
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
