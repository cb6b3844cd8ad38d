import { sql, type Kysely, type RawBuilder, type Selectable } from 'kysely';
import type { AnomalyFilter, AnomalyListItem } from '../../app/anomalies/anomaly-store.ts';
import type { Owner } from '../../app/owner.ts';
import type { Page, PageRequest } from '../../app/page.ts';
import type { Picked, PickSize } from '../../app/picked.ts';
import type { Severity } from '../../contract/anomalies.ts';
import { SEVERITIES } from '../../contract/vocabulary.ts';
import type { Peril } from '../../contract/fields.ts';
import { boundedPage, boundedPick, type BoundedList, placesOf } from '../connection/bounded-page.ts';
import { overlaps } from '../connection/bounds.ts';
import type { AnomaliesTable, Database } from '../schema.ts';
import { areasIn } from './aoi-list.ts';

/** Columns of an anomaly without its provenance. */
export const ANOMALY_COLUMNS = [
  'anomalies.id',
  'anomalies.account_id',
  'anomalies.environment',
  'anomalies.aoi_id',
  'anomalies.collection_id',
  'anomalies.station_id',
  'anomalies.metric',
  'anomalies.peril',
  'anomalies.severity',
  'anomalies.value',
  'anomalies.expected',
  'anomalies.residual',
  'anomalies.started_at',
  'anomalies.detected_at',
  'anomalies.ended_at',
  'anomalies.published_at',
] as const;

/** A row of an anomaly and its station. */
export type AnomalyRow = Omit<Selectable<AnomaliesTable>, 'provenance'> & {
  readonly station_key: string | null;
  readonly station_lng: number | null;
  readonly station_lat: number | null;
};

/** Converts a row. */
export function anomalyOf(row: AnomalyRow): AnomalyListItem {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    aoiId: row.aoi_id,
    collectionId: row.collection_id,
    station:
      row.station_id === null
        ? null
        : { id: row.station_id, key: row.station_key!, lng: row.station_lng!, lat: row.station_lat! },
    metric: row.metric,
    peril: row.peril as Peril,
    severity: row.severity as Severity,
    value: row.value,
    expected: row.expected,
    residual: row.residual,
    startedAt: row.started_at,
    detectedAt: row.detected_at,
    endedAt: row.ended_at,
  };
}

/** Lists anomalies of live areas and of perils with a subscription that is not cancelled. */
export function listAnomalies(
  db: Kysely<Database>,
  owner: Owner,
  filter: AnomalyFilter,
  page: PageRequest,
): Promise<Page<AnomalyListItem>> {
  return boundedPage<AnomalyRow, AnomalyListItem>(
    db,
    {
      order: sql`found.detected_at desc, found.id desc`,
      ...selectedAnomalies(owner, filter, page.after),
      complete: (rows) => withStations(rows, sql`anomalies.detected_at desc, anomalies.id desc`),
      recordOf: anomalyOf,
      position: (row) => [row.detected_at.toISOString(), row.id],
    },
    page,
  );
}

/** Picks the most severe of these anomalies. */
export async function pickAnomalies(
  db: Kysely<Database>,
  owner: Owner,
  filter: AnomalyFilter,
  size: PickSize,
): Promise<Picked<AnomalyListItem>> {
  const rank = sql`select array_position(${[...SEVERITIES]}::text[], found.severity) as size`;
  const { ids, total, isWhole } = await boundedPick(
    db,
    selectedAnomalies(owner, filter, undefined),
    rank,
    size,
  );
  const rows = sql`
    select anomalies.*, given.place from (${placesOf(ids)}) given join anomalies on anomalies.id = given.id`;
  const { rows: found } = await withStations(rows, sql`anomalies.place`).execute(db);
  return { items: found.map(anomalyOf), omitted: total - found.length, isWhole };
}

/** Completes the rows of some anomalies in an order of their columns. */
function withStations(rows: RawBuilder<unknown>, order: RawBuilder<unknown>): RawBuilder<AnomalyRow> {
  return sql<AnomalyRow>`
    select ${sql.join(ANOMALY_COLUMNS.map((column) => sql.ref(column)))}, station.*
    from (${rows}) as anomalies left join lateral (
      select key as station_key, position[0] as station_lng, position[1] as station_lat
      from stations where stations.id = anomalies.station_id limit 1
    ) station on true
    order by ${order}`;
}

/** How anomalies are selected. @param after position of the last anomaly of the page before */
function selectedAnomalies(
  owner: Owner,
  { since, until, bounds, publishedSince }: AnomalyFilter,
  after: PageRequest['after'],
): Pick<BoundedList<unknown, unknown>, 'inOrder' | 'tests' | 'selected'> {
  const theirs = sql`account_id = ${owner.accountId} and environment = ${owner.environment}`;
  const inRange = sql<boolean>`${since === undefined ? sql`true` : sql`detected_at >= ${since}`} and ${
    until === undefined ? sql`true` : sql`detected_at <= ${until}`
  } and ${
    after === undefined ? sql`true` : sql`(detected_at, id) < (${after[0]}::timestamptz, ${after[1]})`
  }`;
  // Scalar subqueries are evaluated row by row, with an index. A join might read all areas and subscriptions.
  const isVisible = sql<boolean>`(
    select deleted_at is null and ${bounds === undefined ? sql`true` : overlaps('aois.bounds', bounds)}
    from aois where aois.id = found.aoi_id) and (
    select true from subscriptions
    where subscriptions.aoi_id = found.aoi_id and status <> 'cancelled' and found.peril = any (perils) limit 1)`;
  const isPublished =
    publishedSince === undefined ? sql<boolean>`true` : sql<boolean>`published_at >= ${publishedSince}`;
  return {
    inOrder: (limit) => sql`
        select * from anomalies where ${theirs} and ${inRange} order by detected_at desc, id desc limit ${limit}`,
    tests: publishedSince === undefined ? isVisible : sql`${isPublished} and ${isVisible}`,
    ...(bounds !== undefined && {
      selected: {
        // Areas without an anomaly count too, so that the number of rows tells whether all were read.
        rows: (limit) => sql`
            select theirs.* from (${areasIn(owner, bounds, sql`id`, limit)}) area left join lateral (
              select * from anomalies where aoi_id = area.id limit ${limit}
            ) theirs on true limit ${limit}`,
        tests: sql`${inRange} and ${isPublished} and ${isVisible}`,
      },
    }),
    ...(publishedSince !== undefined && {
      selected: {
        rows: (limit) => sql`
            select * from anomalies where ${theirs} and ${isPublished} order by published_at limit ${limit}`,
        tests: sql`${inRange} and ${isVisible}`,
      },
    }),
  };
}
