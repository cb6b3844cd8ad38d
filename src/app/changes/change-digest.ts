import type { Provenance } from '../../contract/changes.ts';
import { digestOf } from '../../base/canonical-json.ts';
import type { NewChange } from './change-store.ts';

/** Digest of a change that a later run found no more, by the digest that it had. */
export function takenBackDigest(digest: string): string {
  return digestOf([digest, 'rejected']);
}

/** What a run of the monitor says of a change, besides why. */
export type ChangeResult = Pick<
  NewChange,
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

/** The result alone of a whole change. */
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

/** Digest over a change and its provenance. Identifiers are drawn at random, so they are no part of what can be recomputed. */
export function changeDigest(result: ChangeResult, provenance: Omit<Provenance, 'digest'>): string {
  const { id: _collectionId, ...named } = provenance.collection;
  return digestOf({ ...resultOf(result), ...provenance, collection: named });
}
