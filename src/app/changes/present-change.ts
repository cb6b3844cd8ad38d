import type { Change } from '../../contract/changes.ts';
import { formatTimestamp } from '../../base/time.ts';
import { presentResult } from './change-digest.ts';
import type { ChangeListItem, ChangeRecord } from './change-store.ts';

/** A change in the format of the API, without its provenance and versions: for lists and events. */
export function presentChange<Geometry>(
  change: Omit<ChangeListItem, 'aoiIds' | 'geometry'> & { readonly geometry: Geometry },
  aoiIds: readonly string[],
): Omit<Change, 'provenance' | 'versions' | 'geometry'> & { geometry: Geometry } {
  return {
    id: change.id,
    ...presentResult(change),
    aoi_ids: [...aoiIds],
    created_at: formatTimestamp(change.createdAt.getTime()),
    updated_at: formatTimestamp(change.updatedAt.getTime()),
  };
}

/** A change in the format of the API, complete. */
export function presentWholeChange(change: ChangeRecord, aoiIds: readonly string[]): Change {
  return { ...presentChange(change, aoiIds), provenance: change.provenance, versions: [...change.versions] };
}
