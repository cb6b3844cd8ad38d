import type { Selectable } from 'kysely';
import type { IncidentRecord } from '../../app/incidents/incident-store.ts';
import type { IncidentStatus } from '../../contract/incidents.ts';
import type { Severity } from '../../contract/anomalies.ts';
import type { Peril } from '../../contract/fields.ts';
import { boxText, parseBox } from '../connection/bounds.ts';
import type { IncidentsTable } from '../tables/incident-tables.ts';

/** Converts a row of `incidents`. */
export function incidentOf(
  row: Selectable<IncidentsTable> & { readonly last_observed_at?: Date | null },
): IncidentRecord {
  return {
    accountId: row.account_id,
    environment: row.environment,
    id: row.id,
    title: row.title,
    severity: row.severity as Severity,
    perils: row.perils as Peril[],
    kinds: row.kinds,
    startedAt: row.started_at,
    status: row.status as IncidentStatus,
    endedAt: row.status === 'closed' ? row.ended_at : null,
    isPast: row.past,
    areaM2: row.area_m2,
    bounds: parseBox(row.bounds),
    aoiIds: row.aoi_ids,
    areaCount: row.area_count,
    anomalyCount: row.anomaly_count,
    changeCount: row.change_count,
    picturedChange: row.pictured_change,
    openedAt: row.opened_at,
    updatedAt: row.updated_at,
    lastObservedAt: row.last_observed_at,
  };
}

/** Columns of an incident. */
export function columnsOf(incident: IncidentRecord) {
  return {
    account_id: incident.accountId,
    environment: incident.environment,
    id: incident.id,
    title: incident.title,
    severity: incident.severity,
    status: incident.status,
    past: incident.isPast,
    area_m2: incident.areaM2,
    perils: [...incident.perils],
    kinds: [...incident.kinds],
    started_at: incident.startedAt,
    ended_at: incident.endedAt,
    bounds: boxText(incident.bounds),
    aoi_ids: [...incident.aoiIds],
    area_count: incident.areaCount,
    anomaly_count: incident.anomalyCount,
    change_count: incident.changeCount,
    pictured_change: incident.picturedChange,
    opened_at: incident.openedAt,
    updated_at: incident.updatedAt,
    merged_into: null,
  };
}
