import { DAY_MS, formatDay } from '../../base/time.ts';
import { PARAMETERS } from '../../change/parameters.ts';
import { digestOf } from '../../base/canonical-json.ts';
import { isMotion, SAME_GROUND, type ClaimedChange } from './claimed-change.ts';
import type { FoundChange } from './search/found-change.ts';
import { pixelsInRuns } from '../../raster/pixel-runs.ts';
import type { ChangeOutline } from './change-store.ts';

/**
 * Maximum time between the first anomalies of one change according to two models [ms]. Within one model it is
 * `joinWithinMs`. Another model may date the beginning of the same change to the season before or after, so the limit
 * is one year. There is no limit where the new model finds a change that lasted until the recorded one began: it has found
 * the same change sooner.
 */
const OTHER_MODEL_MS = 366 * DAY_MS;

/** How the changes of a run relate to the recorded changes. */
export interface KnownChanges {
  /** The record that each found change continues. New changes have none. */
  readonly records: ReadonlyMap<ClaimedChange, ChangeOutline>;
  /**
   * For a new change on the ground of a change that was confirmed before: the record of that change, which another
   * found change continues. The old change now counts as several.
   */
  readonly partOf: ReadonlyMap<ClaimedChange, ChangeOutline>;
  /** For a record that no found change continues: the found change that covers its ground now, if there is one. */
  readonly coveredBy: ReadonlyMap<ChangeOutline, ClaimedChange>;
}

/**
 * Hash of the earliest flagged pixel and the date of its first anomaly. Two runs compute the same key for the same
 * change. The type is not included, because later scenes may alter it.
 */
export function objectKeyOf(object: FoundChange): string {
  return digestOf([object.seed.pixel, formatDay(object.seedAnomalyMs)]).slice(0, 32);
}

/**
 * Matches found changes with known records of all models. A change matches the record with the same object key. If
 * there is none, it matches a record by place and time, because with more scenes, another metric or another model the
 * same change may begin at another pixel or day. Each record matches one change at most.
 *
 * Several records or changes may match by place and time. Records of changes that were confirmed come first, because
 * their users were notified. Then comes the pair with the most pixels in common, less for pairs that are far apart in
 * time.
 * @param modelVersion version of the model that found the changes
 */
export function knownChanges(
  objects: readonly ClaimedChange[],
  records: readonly ChangeOutline[],
  modelVersion: string,
): KnownChanges {
  const isForeign: IsForeign = (record) => record.modelVersion !== modelVersion;
  const matched = new Map<ClaimedChange, ChangeOutline>();
  const taken = new Set<ChangeOutline>();
  const match = (object: ClaimedChange, record: ChangeOutline): void => {
    matched.set(object, record);
    taken.add(record);
  };
  const named = Map.groupBy(records, (record) => nameOf(record.collectionId, record.objectKey));
  for (const object of objects) {
    const [record] = (named.get(nameOf(object.collection.id, objectKeyOf(object))) ?? []).toSorted(
      byClaim(isForeign),
    );
    if (record !== undefined && !taken.has(record)) match(object, record);
  }
  const isNew = (object: ClaimedChange): boolean => !matched.has(object);
  const isFree = (record: ChangeOutline): boolean => !taken.has(record);
  const standing = objects.filter(({ status }) => status !== 'rejected');
  const known = standing.filter((object) => !isNew(object));
  // Most changes of a usual run have the key of their record. They are compared with the other records only.
  const covers = candidates(known, records.filter(isFree), isForeign);
  const pairs = candidates(standing.filter(isNew), records, isForeign);
  for (const { object, record } of pairs) if (isNew(object) && isFree(record)) match(object, record);
  // Pairs come best first, and the last entry of a key stays in a map.
  const worstFirst = [...pairs, ...covers].toReversed();
  return {
    records: matched,
    partOf: new Map(
      worstFirst
        .filter(({ object, record }) => isNew(object) && record.toldAs === 'confirmed')
        .map(({ object, record }) => [object, record]),
    ),
    coveredBy: new Map(
      worstFirst.filter(({ record }) => isFree(record)).map(({ object, record }) => [record, object]),
    ),
  };
}

function nameOf(collectionId: string, key: string): string {
  return `${collectionId} ${key}`;
}

/** Whether a record was made by another model than the one that found the changes. */
type IsForeign = (record: ChangeOutline) => boolean;

/** Orders records of the same key: those of this model first, then those that stand, then the oldest. */
function byClaim(isForeign: IsForeign): (a: ChangeOutline, b: ChangeOutline) => number {
  const rank = (record: ChangeOutline): number =>
    (isForeign(record) ? 2 : 0) + (record.status === 'rejected' ? 1 : 0);
  return (a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1);
}

/** A found change and a record that may be the same change. */
interface Candidate {
  readonly object: ClaimedChange;
  readonly record: ChangeOutline;
  readonly rank: number;
  readonly score: number;
}

/** Pairs that may be the same change by place and time, best first. */
function candidates(
  objects: readonly ClaimedChange[],
  records: readonly ChangeOutline[],
  isForeign: IsForeign,
): readonly Candidate[] {
  const pairs: Candidate[] = [];
  for (const record of records) {
    const rank = rankOf(record, isForeign);
    if (rank === undefined) continue;
    // A motion may reach a ring years after its middle.
    const withinMs = isMotion(record.type)
      ? Infinity
      : isForeign(record)
        ? OTHER_MODEL_MS
        : PARAMETERS.joinWithinMs;
    const { runs } = record.provenance.pixels;
    const [first, end] = [runs[0]!, runs.at(-2)! + runs.at(-1)!];
    const firstAnomalyMs = Date.parse(record.firstAnomalyAt);
    for (const object of objects) {
      const apartMs = Math.abs(firstAnomalyMs - object.firstAnomalyMs);
      const isNear = apartMs <= withinMs || (isForeign(record) && lastsUntil(object, firstAnomalyMs));
      // A collection may have thousands of changes. Most pairs are left out by these two comparisons.
      if (!isNear || object.pixels[0]! >= end || object.pixels.at(-1)! < first) continue;
      const shared = sharedPixels(object, record, isForeign);
      const nearness = apartMs <= withinMs ? 1 - apartMs / (2 * withinMs) : withinMs / (2 * apartMs);
      if (shared > 0) pairs.push({ object, record, rank, score: shared * nearness });
    }
  }
  return pairs.toSorted(
    (a, b) => a.rank - b.rank || b.score - a.score || (a.record.id < b.record.id ? -1 : 1),
  );
}

/** Whether a found change began before a time and had not recovered then. */
function lastsUntil({ firstAnomalyMs, recoveredMs }: ClaimedChange, timeMs: number): boolean {
  return firstAnomalyMs <= timeMs && (recoveredMs === null || timeMs < recoveredMs);
}

/**
 * Priority of a record among those that match by place and time; undefined if it matches by its key only. A rejected
 * record matches by its key only. Exception: a confirmed change of another model that was taken back.
 */
function rankOf(record: ChangeOutline, isForeign: IsForeign): number | undefined {
  if (record.status !== 'rejected') return record.toldAs === 'confirmed' ? 0 : 1;
  return record.toldAs === 'confirmed' && isForeign(record) ? 2 : undefined;
}

/**
 * Number of pixels that a found change and a record have in common; 0 if it is less than half of the smaller one, or
 * if they cannot be the same change. The same change may be stated for another metric, and then with another sign. A
 * model keeps to one main metric for each kind of change, so its own records match only in the same collection.
 */
function sharedPixels(object: ClaimedChange, record: ChangeOutline, isForeign: IsForeign): number {
  const isSameCollection = record.collectionId === object.collection.id;
  const isMoving = isMotion(record.type) || isMotion(object.type);
  if (!isSameCollection && (isMoving || !isForeign(record))) return 0;
  const isMeasuredAlike = record.metric === object.metric;
  if (isMeasuredAlike && Math.sign(record.magnitude) !== Math.sign(object.magnitude)) return 0;
  const { runs } = record.provenance.pixels;
  const shared = pixelsInRuns(object.pixels, runs);
  if (shared === 0) return 0;
  const size = runs.reduce((sum, part, i) => sum + (i % 2 === 1 ? part : 0), 0);
  return shared >= SAME_GROUND * Math.min(size, object.pixels.length) ? shared : 0;
}
