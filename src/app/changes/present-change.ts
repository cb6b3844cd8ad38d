import type { Change } from '../../contract/changes.ts';
import { formatTimestamp } from '../../base/time.ts';
import type { ChangeListItem, ChangeRecord } from './change-store.ts';

/** A change in the format of the API, without its provenance and versions: for lists and events. */
export function presentChange(
  change: Omit<ChangeListItem, 'aoiIds'>,
  aoiIds: readonly string[],
): Omit<Change, 'provenance' | 'versions'> {
  return {
    id: change.id,
    type: change.type,
    detected_at: change.detectedAt,
    confidence: change.confidence,
    status: change.status,
    first_anomaly_at: change.firstAnomalyAt,
    confirmed_at: change.confirmedAt,
    recovered_at: change.recoveredAt,
    geometry: change.geometry,
    area_m2: change.areaM2,
    magnitude: change.magnitude,
    metric: change.metric,
    aoi_ids: [...aoiIds],
    created_at: formatTimestamp(change.createdAt.getTime()),
    updated_at: formatTimestamp(change.updatedAt.getTime()),
  };
}

/** A change in the format of the API, complete. */
export function presentWholeChange(change: ChangeRecord, aoiIds: readonly string[]): Change {
  return { ...presentChange(change, aoiIds), provenance: change.provenance, versions: [...change.versions] };
}
