import type { Change, Provenance } from '../../contract/changes.ts';
import { digestOf } from '../../base/canonical-json.ts';
import type { StatedChange } from './change-store.ts';

/**
 * Number of the recipe by which the digest of a change is computed, for its provenance. A provenance without a number
 * was made by recipe 1, of releases before 1.4.0. docs/provenance.md describes both.
 */
export const DIGEST_RECIPE = 2;

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

/** The result of a change in the format of the API. */
export function presentResult<Geometry>(
  change: Omit<ChangeResult, 'geometry'> & { readonly geometry: Geometry },
): Omit<Change, 'id' | 'aoi_ids' | 'created_at' | 'updated_at' | 'provenance' | 'versions' | 'geometry'> & {
  geometry: Geometry;
} {
  return {
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
  };
}

/** Digest of a change and its provenance, by the recipe of the provenance. Random identifiers are left out. */
export function changeDigest(result: ChangeResult, provenance: Omit<Provenance, 'digest'>): string {
  const { id: _collectionId, ...collection } = provenance.collection;
  const named = { ...provenance, collection };
  if (provenance.digest_recipe === undefined) return digestOf({ ...firstRecipeResult(result), ...named });
  return digestOf({ ...presentResult(result), provenance: named });
}

function firstRecipeResult(change: ChangeResult): ChangeResult {
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

/** The change as a release before 1.4.0 would have stated it, with a digest by recipe 1. */
export function byFirstRecipe(change: StatedChange): StatedChange {
  const {
    digest: _digest,
    digest_recipe: _recipe,
    series: _series,
    mask_encodings: _encodings,
    ...known
  } = change.provenance;
  const scenes = known.scenes.map(({ reading: _reading, ...scene }) => scene);
  return withDigest({ ...change, provenance: { ...known, scenes, digest: '' } });
}

/**
 * Confidence of a rejected change: it is no longer claimed to be real. What was stated before is kept in its versions.
 */
export const REJECTED_CONFIDENCE = 0;

/** A change that a later run no longer found. */
export function rejected<T extends StatedChange>(change: T): T {
  return withDigest({
    ...change,
    status: 'rejected',
    confidence: REJECTED_CONFIDENCE,
    provenance: { ...change.provenance, digest_recipe: DIGEST_RECIPE },
  });
}

/** Replaces the digest of a change by that of its content. */
function withDigest<T extends StatedChange>(change: T): T {
  const { digest: _digest, ...provenance } = change.provenance;
  const digest = changeDigest(change, provenance);
  return { ...change, digest, provenance: { ...provenance, digest } };
}

/** Digest of a change that a release before 1.4.0 no longer found, from the digest of the change before that. */
export function firstRejectedDigest(digest: string): string {
  return digestOf([digest, 'rejected']);
}
