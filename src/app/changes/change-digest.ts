import type { Provenance } from '../../contract/changes.ts';
import { digestOf } from '../../base/canonical-json.ts';
import type { StatedChange } from './change-store.ts';

/** Digest of a change that a later run no longer found, computed from the previous digest of the change. */
export function rejectedDigest(digest: string): string {
  return digestOf([digest, 'rejected']);
}

/** A change that a later run no longer found. */
export function rejected<T extends Pick<StatedChange, 'status' | 'digest'>>(change: T): T {
  return { ...change, status: 'rejected', digest: rejectedDigest(change.digest) };
}

/** The result of a monitor run for one change, without its provenance. */
export type ChangeResult = Pick<
  StatedChange,
  | 'type'
  | 'status'
  | 'confidence'
  | 'metric'
  | 'magnitude'
  | 'areaM2'
  | 'geometry'
  | 'firstAnomalyAt'
  | 'detectedAt'
  | 'confirmedAt'
  | 'recoveredAt'
>;

/** Copies only the result fields of a change. */
export function resultOf(change: ChangeResult): ChangeResult {
  const { type, status, confidence, metric, magnitude, areaM2, geometry } = change;
  const { firstAnomalyAt, detectedAt, confirmedAt, recoveredAt } = change;
  return {
    type,
    status,
    confidence,
    metric,
    magnitude,
    areaM2,
    geometry,
    firstAnomalyAt,
    detectedAt,
    confirmedAt,
    recoveredAt,
  };
}

/** Digest of a change and its provenance. Random identifiers are left out, so that the digest can be recomputed. */
export function changeDigest(result: ChangeResult, provenance: Omit<Provenance, 'digest'>): string {
  const { id: _collectionId, ...named } = provenance.collection;
  return digestOf({ ...resultOf(result), ...provenance, collection: named });
}
