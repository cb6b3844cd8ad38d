import { formatTimestamp } from '../../base/time.ts';
import type { Incident, IncidentMembers as PresentedMembers } from '../../contract/incidents.ts';
import { toGeoJsonBbox } from '../../geo/bbox.ts';
import type { IncidentMembers, IncidentRecord } from './incident-store.ts';

/** An incident in the format of the API, for lists and events. */
export function presentIncident(incident: IncidentRecord): Incident {
  const { picturedChange, startedAt, endedAt, openedAt, updatedAt } = incident;
  return {
    id: incident.id,
    title: incident.title,
    severity: incident.severity,
    status: incident.status,
    perils: [...incident.perils],
    kinds: [...incident.kinds],
    started_at: formatTimestamp(startedAt.getTime()),
    ended_at: endedAt && formatTimestamp(endedAt.getTime()),
    last_observed_at: incident.lastObservedAt ? formatTimestamp(incident.lastObservedAt.getTime()) : null,
    past: incident.isPast,
    aoi_ids: [...incident.aoiIds],
    area_count: incident.areaCount,
    anomaly_count: incident.anomalyCount,
    change_count: incident.changeCount,
    area_m2: incident.areaM2,
    bbox: [...toGeoJsonBbox(incident.bounds)],
    images_url: picturedChange && `/v1/changes/${picturedChange}/images`,
    opened_at: formatTimestamp(openedAt.getTime()),
    updated_at: formatTimestamp(updatedAt.getTime()),
  };
}

/** What an incident consists of, in the format of the API. */
export function presentMembers({ anomalies, changes }: IncidentMembers): PresentedMembers {
  return {
    anomalies: anomalies.map(({ id, metric, peril, severity, aoiId, startedAt, endedAt }) => ({
      id,
      metric,
      peril,
      severity,
      status: endedAt === null ? 'active' : 'ended',
      aoi_id: aoiId,
      started_at: formatTimestamp(startedAt.getTime()),
      ended_at: endedAt && formatTimestamp(endedAt.getTime()),
      url: `/v1/anomalies/${id}`,
    })),
    changes: changes.map(({ id, type, status, confidence, areaM2, firstAnomalyAt, confirmedAt }) => ({
      id,
      type,
      status: status === 'recovered' ? 'recovered' : 'confirmed',
      confidence,
      area_m2: areaM2,
      first_anomaly_at: firstAnomalyAt,
      confirmed_at: confirmedAt,
      url: `/v1/changes/${id}`,
      images_url: `/v1/changes/${id}/images`,
    })),
  };
}
