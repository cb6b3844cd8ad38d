import { formatDay } from '../../base/time.ts';
import { PARAMETERS } from '../../change/parameters.ts';
import { digestOf } from '../../base/canonical-json.ts';
import { SAME_GROUND, type ClaimedChange } from './claimed-change.ts';
import type { FoundChange } from './search/found-change.ts';
import { pixelsOfRuns } from '../../raster/pixel-runs.ts';
import type { ChangeRecord } from './change-store.ts';

/**
 * Hash of the earliest flagged pixel and the date of its first anomaly. Two runs compute the same key for the same
 * change. The type is not included, because later scenes may alter it.
 */
export function objectKeyOf(object: FoundChange): string {
  return digestOf([object.seed.pixel, formatDay(object.seedAnomalyMs)]).slice(0, 32);
}

/**
 * Matches found changes with known records; a new change has no match. A change matches the record with the same object
 * key. If there is none, it matches a record on the same ground, because with more scenes or another metric the same
 * change may begin at another pixel or day. Two changes are on the same ground if they have the same direction
 * (compared only if the metric is the same), their first anomalies are at most `joinWithinMs` apart, and they have at
 * least half of the smaller change's pixels in common. Of several such records, the one with the most pixels in common
 * matches.
 */
export function knownChanges(
  objects: readonly ClaimedChange[],
  records: readonly ChangeRecord[],
): ReadonlyMap<ClaimedChange, ChangeRecord> {
  const free = new Map(records.map((record) => [nameOf(record.collectionId, record.objectKey), record]));
  const found = new Map<ClaimedChange, ChangeRecord>();
  for (const object of objects) {
    const name = nameOf(object.collection.id, objectKeyOf(object));
    const record = free.get(name);
    if (record === undefined) continue;
    found.set(object, record);
    free.delete(name);
  }
  for (const object of objects) {
    if (found.has(object) || object.status === 'rejected') continue;
    let best: { readonly name: string; readonly shared: number } | undefined;
    for (const [name, record] of free) {
      const shared = sharedPixels(object, record);
      if (shared > (best?.shared ?? 0)) best = { name, shared };
    }
    if (best === undefined) continue;
    found.set(object, free.get(best.name)!);
    free.delete(best.name);
  }
  return found;
}

function nameOf(collectionId: string, key: string): string {
  return `${collectionId} ${key}`;
}

/** Number of pixels that a found change and a record have in common; 0 if they cannot be the same change. */
function sharedPixels(object: ClaimedChange, record: ChangeRecord): number {
  if (record.collectionId !== object.collection.id || record.status === 'rejected') return 0;
  const isMeasuredAlike = record.metric === object.metric; // the same change may raise one metric and lower another
  if (isMeasuredAlike && Math.sign(record.magnitude) !== Math.sign(object.magnitude)) return 0;
  const apartMs = Math.abs(Date.parse(record.firstAnomalyAt) - object.firstAnomalyMs);
  if (apartMs > PARAMETERS.joinWithinMs) return 0;
  const theirs = pixelsOfRuns(record.provenance.pixels.runs);
  const shared = object.pixels.reduce((count, pixel) => count + (theirs.has(pixel) ? 1 : 0), 0);
  return shared >= SAME_GROUND * Math.min(theirs.size, object.pixels.length) ? shared : 0;
}
