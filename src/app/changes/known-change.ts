import { formatDay } from '../../base/time.ts';
import { PARAMETERS } from '../../change/parameters.ts';
import { digestOf } from '../../base/canonical-json.ts';
import type { ClaimedChange } from './claimed-change.ts';
import type { FoundChange } from './search/find-changes.ts';
import { pixelsOfRuns } from '../../raster/pixel-runs.ts';
import type { ChangeRecord } from './change-store.ts';

/** Share of the smaller one's pixels from which an object is a change that was known under another name. */
const SAME_GROUND = 0.5;

/**
 * Hash of the earliest flagged pixel and its first anomaly date: two runs name the same change the same way. The type is
 * no part of it, since later scenes may tell more of what a change is.
 */
export function keyOf(object: FoundChange): string {
  return digestOf([object.seed.pixel, formatDay(object.seedAnomalyMs)]).slice(0, 32);
}

/**
 * Which known change each object is; what is new has none. First by name. What more scenes or another metric made begin
 * with another pixel or on another day is told by its ground: the same direction, first anomalies as near as those of one
 * object, and half of the smaller one's pixels shared; the one that shares most stands.
 */
export function knownChanges(
  objects: readonly ClaimedChange[],
  records: readonly ChangeRecord[],
): ReadonlyMap<ClaimedChange, ChangeRecord> {
  const free = new Map(records.map((record) => [nameOf(record.collectionId, record.objectKey), record]));
  const found = new Map<ClaimedChange, ChangeRecord>();
  for (const object of objects) {
    const name = nameOf(object.collection.id, keyOf(object));
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

/** Pixels that an object and a record have in common, if they may be one change; else 0. */
function sharedPixels(object: ClaimedChange, record: ChangeRecord): number {
  if (record.collectionId !== object.collection.id || record.status === 'rejected') return 0;
  const isMeasuredAlike = record.metric === object.metric; // another metric may move the other way
  if (isMeasuredAlike && Math.sign(record.magnitude) !== Math.sign(object.magnitude)) return 0;
  const apartMs = Math.abs(Date.parse(record.firstAnomalyAt) - object.firstAnomalyMs);
  if (apartMs > PARAMETERS.joinWithinMs) return 0;
  const theirs = pixelsOfRuns(record.provenance.pixels.runs);
  const shared = object.pixels.reduce((count, pixel) => count + (theirs.has(pixel) ? 1 : 0), 0);
  return shared >= SAME_GROUND * Math.min(theirs.size, object.pixels.length) ? shared : 0;
}
