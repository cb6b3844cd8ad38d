import { sql, type Kysely, type Selectable } from 'kysely';
import type { AnomalyRecord, AnomalyStore } from '../app/anomalies/anomaly-store.ts';
import { ROWS_PER_INSERT } from './connection/insert-limit.ts';
import { longTransaction } from './connection/long-transaction.ts';
import { markAnomalies } from './incidents/incident-marks.ts';
import {
  ANOMALY_COLUMNS,
  anomalyOf,
  listAnomalies,
  pickAnomalies,
  type AnomalyRow,
} from './lists/anomaly-list.ts';
import type { AnomaliesTable, Database } from './schema.ts';

function withProvenance(row: AnomalyRow & Pick<Selectable<AnomaliesTable>, 'provenance'>): AnomalyRecord {
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
    list: (owner, filter, page) => listAnomalies(db, owner, filter, page),
    pick: (owner, filter, size) => pickAnomalies(db, owner, filter, size),
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
        .select(ANOMALY_COLUMNS)
        .where('anomalies.aoi_id', '=', aoiId)
        .orderBy('anomalies.started_at')
        .execute();
      return rows.map(anomalyOf);
    },
    async put(anomalies, past) {
      for (let from = 0; from < anomalies.length; from += ROWS_PER_INSERT) {
        await db
          .insertInto('anomalies')
          .values(anomalies.slice(from, from + ROWS_PER_INSERT).map(columnsOf))
          .onConflict((conflict) =>
            conflict.columns(['id', 'account_id']).doUpdateSet((eb) => ({
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
      await markAnomalies(
        db,
        anomalies.map(({ id }) => id),
        past,
      );
    },
    async remove(ids) {
      if (ids.length === 0) return;
      await markAnomalies(db, ids);
      await db.deleteFrom('anomalies').where('id', 'in', ids).execute();
    },
  };
}
