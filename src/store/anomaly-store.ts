import { sql, type Kysely, type Selectable } from 'kysely';
import type { Severity } from '../contract/anomalies.ts';
import type { Peril } from '../contract/fields.ts';
import type { AnomalyRecord, AnomalyStore } from '../app/anomalies/anomaly-store.ts';
import { ROWS_PER_INSERT } from './connection/insert-limit.ts';
import { longTransaction } from './connection/long-transaction.ts';
import { pageOf } from './connection/page.ts';
import type { AnomaliesTable, Database } from './schema.ts';

/** Columns of an anomaly without its provenance. */
const COLUMNS = [
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

type Row = Omit<Selectable<AnomaliesTable>, 'provenance'> & {
  readonly station_key: string | null;
  readonly station_lng: number | null;
  readonly station_lat: number | null;
};

function anomalyOf(row: Row): Omit<AnomalyRecord, 'provenance'> {
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

function withProvenance(row: Row & Pick<Selectable<AnomaliesTable>, 'provenance'>): AnomalyRecord {
  return { ...anomalyOf(row), provenance: row.provenance as Readonly<Record<string, unknown>> };
}

function columnsOf(anomaly: AnomalyRecord) {
  return {
    account_id: anomaly.accountId,
    environment: anomaly.environment,
    id: anomaly.id,
    aoi_id: anomaly.aoiId,
    collection_id: anomaly.collectionId,
    station_id: anomaly.station?.id ?? null,
    metric: anomaly.metric,
    peril: anomaly.peril,
    severity: anomaly.severity,
    value: anomaly.value,
    expected: anomaly.expected,
    residual: anomaly.residual,
    started_at: anomaly.startedAt,
    detected_at: anomaly.detectedAt,
    ended_at: anomaly.endedAt,
    provenance: JSON.stringify(anomaly.provenance),
  };
}

/**
 * Anomalies in the database. Anomalies of a deleted area are hidden.
 * Long function: one method per query; the list has the most filters.
 */
export function anomalyStore(db: Kysely<Database>): AnomalyStore {
  const anomalies = () =>
    db
      .selectFrom('anomalies')
      .leftJoin('stations', 'stations.id', 'anomalies.station_id')
      .select([
        'stations.key as station_key',
        sql<number | null>`stations.position[0]`.as('station_lng'),
        sql<number | null>`stations.position[1]`.as('station_lat'),
      ]);
  const visible = (accountId: string, environment: AnomalyRecord['environment']) =>
    anomalies()
      .innerJoin('aois', 'aois.id', 'anomalies.aoi_id')
      .selectAll('anomalies')
      .where('anomalies.account_id', '=', accountId)
      .where('anomalies.environment', '=', environment)
      .where('aois.deleted_at', 'is', null);
  return {
    async list(owner, filter, page) {
      let query = visible(owner.accountId, owner.environment).where((eb) =>
        eb.exists(
          eb
            .selectFrom('subscriptions')
            .select('subscriptions.id')
            .whereRef('subscriptions.aoi_id', '=', 'anomalies.aoi_id')
            .where('subscriptions.status', '<>', 'cancelled')
            .where(sql<boolean>`anomalies.peril = any (subscriptions.perils)`),
        ),
      );
      if (filter.since !== undefined) query = query.where('anomalies.detected_at', '>=', filter.since);
      if (filter.publishedSince !== undefined)
        query = query.where('anomalies.published_at', '>=', filter.publishedSince);
      if (page.after)
        query = query.where(
          sql<boolean>`(anomalies.detected_at, anomalies.id) < (${page.after[0]}::timestamptz, ${page.after[1]})`,
        );
      const rows = await query
        .orderBy('anomalies.detected_at', 'desc')
        .orderBy('anomalies.id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return pageOf(rows.map(withProvenance), page, (anomaly) => [
        anomaly.detectedAt.toISOString(),
        anomaly.id,
      ]);
    },
    async find(owner, id) {
      const row = await visible(owner.accountId, owner.environment)
        .where('anomalies.id', '=', id)
        .executeTakeFirst();
      return row && withProvenance(row);
    },
    async lock(aoiId) {
      // While the area is locked in this mode, other transactions can still write rows that refer to it.
      await db
        .selectFrom('aois')
        .select(['id', longTransaction().as('allowed')])
        .where('id', '=', aoiId)
        .forNoKeyUpdate()
        .execute();
    },
    async ofArea(aoiId) {
      const rows = await anomalies()
        .select(COLUMNS)
        .where('anomalies.aoi_id', '=', aoiId)
        .orderBy('anomalies.started_at')
        .execute();
      return rows.map(anomalyOf);
    },
    async put(anomalies) {
      for (let from = 0; from < anomalies.length; from += ROWS_PER_INSERT) {
        await db
          .insertInto('anomalies')
          .values(anomalies.slice(from, from + ROWS_PER_INSERT).map(columnsOf))
          .onConflict((conflict) =>
            conflict.column('id').doUpdateSet((eb) => ({
              severity: eb.ref('excluded.severity'),
              value: eb.ref('excluded.value'),
              expected: eb.ref('excluded.expected'),
              residual: eb.ref('excluded.residual'),
              started_at: eb.ref('excluded.started_at'),
              detected_at: eb.ref('excluded.detected_at'),
              ended_at: eb.ref('excluded.ended_at'),
              provenance: eb.ref('excluded.provenance'),
            })),
          )
          .execute();
      }
    },
    async remove(ids) {
      if (ids.length > 0) await db.deleteFrom('anomalies').where('id', 'in', ids).execute();
    },
  };
}
