// Range of the values that the history of a pixel shows, as src/change/pixel/history-range.ts has it.
import { expectedAt } from './watch-fit';
import { insert, valueAt } from './watch-sorted';
import { lengthMs, rule, sceneOf, shared, timeOf, Track, valueOf } from './watch-record';

/** First observation that counts: the first that is fitted, or the first of all. */
function firstOf(track: Track): i32 {
  return track.isFitted != 0 ? track.from : 0;
}

/** Sorts the fitted observations. Returns their number. */
function sortValues(track: Track): i32 {
  const from = firstOf(track);
  if (track.valuesFrom != from) {
    track.valuesFrom = from;
    track.valuesUntil = from;
  }
  for (let i = track.valuesUntil; i < track.count; i++)
    insert(track.sortedValues, i - from, valueOf(track, i));
  track.valuesUntil = track.count;
  return track.count - from;
}

function quantile(track: Track, q: f64): f64 {
  const count = sortValues(track);
  return valueAt(track.sortedValues, <i32>floor(q * <f64>(count - 1)));
}

/**
 * Whether the ground keeps most of its level in all seasons. Counts of the values mostly tell it without sorting them;
 * see src/change/pixel/perennial-level.ts. The answer does not depend on the limit.
 */
export function isPerennial(track: Track): bool {
  const count = track.count - firstOf(track);
  if (count <= 0) return false;
  const low = <i32>floor(0.25 * <f64>(count - 1));
  const high = <i32>floor(0.9 * <f64>(count - 1));
  countLevels(track);
  if (track.upToZero > high) return false;
  const isBelowShare = track.belowShare > low;
  if (isBelowShare && track.belowLimit <= high) return false;
  if (!isBelowShare && track.upToLimit > high) return true;
  const lowest = quantile(track, 0.25);
  const highest = quantile(track, 0.9);
  const between = (lowest / rule.perennialShare + highest) / 2;
  track.levelLimit = between > 0 ? between : NaN;
  track.levelShare = rule.perennialShare * track.levelLimit;
  track.levelFrom = -1; // the counts were those of another limit
  return highest > 0 && lowest >= rule.perennialShare * highest;
}

function countLevels(track: Track): void {
  const from = firstOf(track);
  if (track.levelFrom != from) {
    track.levelFrom = from;
    track.levelUntil = from;
    track.belowShare = 0;
    track.belowLimit = 0;
    track.upToLimit = 0;
    track.upToZero = 0;
  }
  const limit = track.levelLimit;
  const share = track.levelShare;
  for (let i = track.levelUntil; i < track.count; i++) {
    const value = valueOf(track, i);
    track.belowShare += <i32>(value < share);
    track.belowLimit += <i32>(value < limit);
    track.upToLimit += <i32>(value <= limit);
    track.upToZero += <i32>(value <= 0);
  }
  track.levelUntil = track.count;
}

/** Whether the value of the latest look is not custom; see src/change/pixel/beyond-custom.ts. */
export function isBeyond(track: Track, scene: i32): bool {
  const noiseFloor = track.noiseFloor;
  const isSteady = track.scale <= rule.steadyFloors * noiseFloor;
  const isFitted = track.isFitted != 0;
  const isKnown = isFitted && track.hasTrend != 0;
  if (isKnown && track.hasNeighbours != 0 && isSteady) return true;
  const margin = rule.beyondFloors * noiseFloor;
  const keepsLevel = isPerennial(track);
  const isFall = track.residual < 0;
  const until = track.pendingCount > 0 ? load<i32>(track.pendingScenes) : scene;
  const canBeLowest = isFitted && isFall && !keepsLevel && track.isSupported != 0;
  if (canBeLowest && track.value < lowest(track, until) - margin) return true;
  if (keepsLevel)
    return isFall ? track.value < quantile(track, 0.1) - margin : track.value > quantile(track, 0.9) + margin;
  return isFitted && (!isFall || isKnown) && isBeyondSeason(track, scene, isFall, margin);
}

/**
 * Largest earlier departure from the seasonal fit on the side of a sign, in the season of a scene; see `precedent` in
 * src/change/pixel/judge-baseline.ts.
 */
export function precedent(track: Track, scene: i32, side: f64): f64 {
  const starts = shared.nearStarts + ((<usize>scene) << 2);
  const end = load<i32>(starts, 4);
  let largest: f64 = 0;
  let earlier: f64 = 0;
  let last: f64 = -Infinity;
  let i = track.from;
  for (let k = load<i32>(starts); k < end; k++) {
    const at = load<i32>(shared.nearScenes + ((<usize>k) << 2));
    if (load<u8>(track.isHistory + <usize>at) == 0) continue;
    while (i < track.count && sceneOf(track, i) < at) i += 1;
    if (i == track.count || sceneOf(track, i) != at) continue;
    const departure = side * (valueOf(track, i) - expectedAt(track, at));
    if (timeOf(at) - last <= rule.nearMs) largest = max(largest, min(earlier, departure));
    earlier = departure;
    last = timeOf(at);
  }
  return side * largest;
}

/** Lowest value that two consecutive observations have shown in any season; NaN with less than two years. */
function lowest(track: Track, scene: i32): f64 {
  let least: f64 = NaN;
  if (lengthMs(track, scene) < rule.fullHistoryMs) return least;
  for (let i = 1; i < track.count; i++) {
    if (timeOf(sceneOf(track, i)) - timeOf(sceneOf(track, i - 1)) > rule.nearMs) continue;
    const shown = max(valueOf(track, i), valueOf(track, i - 1));
    if (!(shown >= least)) least = shown;
  }
  return least;
}

/** Whether the value is outside the range in the season of the scene; false where too little of it is known. */
function isBeyondSeason(track: Track, scene: i32, isFall: bool, margin: f64): bool {
  if (lengthMs(track, scene) < rule.fullHistoryMs) return false;
  const starts = shared.nearStarts + ((<usize>scene) << 2);
  const end = load<i32>(starts, 4);
  let low: f64 = Infinity;
  let high: f64 = -Infinity;
  let known = 0;
  let i = 0;
  for (let k = load<i32>(starts); k < end; k++) {
    const at = load<i32>(shared.nearScenes + ((<usize>k) << 2));
    while (i < track.count && sceneOf(track, i) < at) i += 1;
    if (i == track.count || sceneOf(track, i) != at) continue;
    low = min(low, valueOf(track, i));
    high = max(high, valueOf(track, i));
    known += 1;
  }
  if (<f64>known < rule.minSeasonObservations) return false;
  return isFall ? track.value < low - margin : track.value > high + margin;
}
