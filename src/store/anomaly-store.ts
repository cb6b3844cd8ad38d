import { sql, type Kysely, type Selectable } from 'kysely';
import type { Severity } from '../contract/anomalies.ts';
import type { Peril } from '../contract/fields.ts';
import type { AnomalyRecord, AnomalyStore } from '../app/stores.ts';
import { pageOf } from './page.ts';
import type { AnomaliesTable, Database } from './schema.ts';

function anomalyOf(row: Selectable<AnomaliesTable>): AnomalyRecord {
  return {
    id: row.id,
    accountId: row.account_id,
    environment: row.environment,
    aoiId: row.aoi_id,
    collectionId: row.collection_id,
    metric: row.metric,
    peril: row.peril as Peril,
    severity: row.severity as Severity,
    value: row.value,
    expected: row.expected,
    residual: row.residual,
    startedAt: row.started_at,
    detectedAt: row.detected_at,
    endedAt: row.ended_at,
    provenance: row.provenance as Readonly<Record<string, unknown>>,
  };
}

/** Anomalies in the database, visible while their area stands. */
export function anomalyStore(db: Kysely<Database>): AnomalyStore {
  const visible = (accountId: string, environment: AnomalyRecord['environment']) =>
    db
      .selectFrom('anomalies')
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
      return pageOf(rows.map(anomalyOf), page, (anomaly) => [anomaly.detectedAt.toISOString(), anomaly.id]);
    },
    async find(owner, id) {
      const row = await visible(owner.accountId, owner.environment)
        .where('anomalies.id', '=', id)
        .executeTakeFirst();
      return row && anomalyOf(row);
    },
    async ofFeed(aoiId, collectionId, peril) {
      const rows = await db
        .selectFrom('anomalies')
        .selectAll()
        .where('aoi_id', '=', aoiId)
        .where('collection_id', '=', collectionId)
        .where('peril', '=', peril)
        .orderBy('started_at')
        .execute();
      return rows.map(anomalyOf);
    },
    async put(anomaly) {
      const values = {
        severity: anomaly.severity,
        value: anomaly.value,
        expected: anomaly.expected,
        residual: anomaly.residual,
        detected_at: anomaly.detectedAt,
        ended_at: anomaly.endedAt,
        provenance: JSON.stringify(anomaly.provenance),
      };
      await db
        .insertInto('anomalies')
        .values({
          ...values,
          account_id: anomaly.accountId,
          environment: anomaly.environment,
          id: anomaly.id,
          aoi_id: anomaly.aoiId,
          collection_id: anomaly.collectionId,
          metric: anomaly.metric,
          peril: anomaly.peril,
          started_at: anomaly.startedAt,
        })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
        .execute();
    },
    async remove(id) {
      await db.deleteFrom('anomalies').where('id', '=', id).execute();
    },
  };
}
