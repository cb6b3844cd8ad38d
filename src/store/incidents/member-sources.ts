import { sql, type Kysely } from 'kysely';
import type { AnomalySource, ChangeSource } from '../../app/incidents/incident-store.ts';
import type { Owner } from '../../app/owner.ts';
import type { Severity } from '../../contract/anomalies.ts';
import type { Peril } from '../../contract/fields.ts';
import { parseBox } from '../connection/bounds.ts';
import type { Database } from '../schema.ts';
import { MEMBER_STATUSES } from './incident-marks.ts';
import { ownedBy as of } from './owned-by.ts';

/** Those of some anomalies that may be members now. */
export async function anomalySources(
  db: Kysely<Database>,
  owner: Owner,
  ids: readonly string[],
): Promise<readonly AnomalySource[]> {
  const rows = await db
    .selectFrom('anomalies')
    .innerJoin('aois', 'aois.id', 'anomalies.aoi_id')
    .leftJoin('stations', 'stations.id', 'anomalies.station_id')
    .select([
      'anomalies.id',
      'anomalies.metric',
      'anomalies.peril',
      'anomalies.severity',
      'anomalies.residual',
      'anomalies.started_at',
      'anomalies.ended_at',
      'anomalies.aoi_id',
      'aois.name',
      'aois.bounds',
      'anomalies.station_id',
      sql<number | null>`stations.position[0]`.as('lng'),
      sql<number | null>`stations.position[1]`.as('lat'),
    ])
    .where(of(owner, 'anomalies'))
    .where('anomalies.id', '=', sql<string>`any(${ids})`)
    .where('aois.deleted_at', 'is', null)
    // As in the list of anomalies.
    .where(
      sql<boolean>`exists (select from subscriptions where subscriptions.aoi_id = anomalies.aoi_id
        and status <> 'cancelled' and anomalies.peril = any (perils))`,
    )
    .execute();
  return rows.map((row) => ({
    id: row.id,
    metric: row.metric,
    peril: row.peril as Peril,
    severity: row.severity as Severity,
    residual: row.residual,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    aoi: { id: row.aoi_id, name: row.name, bounds: parseBox(row.bounds) },
    station: row.lng === null || row.lat === null ? null : { lng: row.lng, lat: row.lat },
  }));
}

/** Those of some changes that may be members now, with the owner's areas. */
export async function changeSources(
  db: Kysely<Database>,
  owner: Owner,
  ids: readonly string[],
): Promise<readonly ChangeSource[]> {
  const rows = await db
    .selectFrom('aoi_changes as link')
    .innerJoin('aois', 'aois.id', 'link.aoi_id')
    .innerJoin('changes', 'changes.id', 'link.change_id')
    .select([
      'changes.id',
      'changes.type',
      'changes.area_m2',
      'changes.bounds',
      'changes.first_anomaly_at',
      'changes.recovered_at',
      'link.aoi_id',
      'aois.name',
    ])
    .where(of(owner, 'link'))
    .where('link.change_id', '=', sql<string>`any(${ids})`)
    .where('aois.deleted_at', 'is', null)
    .where('changes.status', 'in', [...MEMBER_STATUSES])
    .where('changes.confirmed_at', 'is not', null) // a suspicion may recover too
    .orderBy('link.aoi_id')
    .execute();
  return [...Map.groupBy(rows, ({ id }) => id).values()].map((links) => {
    const [row] = links as [(typeof links)[number]];
    return {
      id: row.id,
      type: row.type,
      areaM2: row.area_m2,
      bounds: parseBox(row.bounds),
      firstAnomalyAt: row.first_anomaly_at,
      recoveredAt: row.recovered_at,
      areas: links.map(({ aoi_id: id, name }) => ({ id, name })),
    };
  });
}
