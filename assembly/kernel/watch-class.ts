// Baseline of a pixel from its class, as src/change/pixel/class-baseline.ts has it.
import { insert, medianOfSorted } from './watch-sorted';
import { rule, sceneOf, shared, Track, valueOf } from './watch-record';

/** Whether the latest predicted scene is comparable, but too few scenes of the history are comparable with it. */
export let isOutgrown: bool = false;

function f64At(list: usize, i: i32): f64 {
  return load<f64>(list + ((<usize>i) << 3));
}

/** Computes `expected` at a scene. Returns false if the history is not sufficient for the scene. */
export function predictByClass(track: Track, scene: i32): bool {
  isOutgrown = false;
  track.classStart = -1;
  if (track.rankCount == 0) return false;
  const mean = <f64>track.rankSum / <f64>track.rankCount;
  const nearest = floor(mean + 0.5);
  const start = <i32>nearest * shared.times;
  track.classStart = start;
  if (load<u8>(track.comparable + <usize>(start + scene)) != 1) return false;
  updateDifference(track, start, scene);
  isOutgrown = <f64>track.classCount < rule.minHistory;
  if (isOutgrown) return false;
  const beyond = mean - nearest;
  let between: f64 = 0;
  if (beyond != 0) {
    const lower = beyond > 0 ? start : start - shared.times;
    between = beyond * f64At(track.widening, lower + scene);
  }
  track.expected = track.difference + f64At(track.classMedian, start + scene) + between;
  return true;
}

/** Forgets the differences of another history. */
export function forgetClass(track: Track): void {
  track.classSelected = -1;
}

/** Updates the median difference from those observations that are comparable with a scene. */
function updateDifference(track: Track, start: i32, scene: i32): void {
  const count = track.count;
  let low = f64At(track.least, start + scene);
  let high: f64 = Infinity;
  const isSeasonal = low != -Infinity;
  let levels = track.level;
  if (!isSeasonal) {
    const reach = rule.classFloors * track.noiseFloor;
    const shown = f64At(track.classMedian, start + scene);
    low = shown - reach;
    high = shown + reach;
    levels = track.classMedian;
  }
  const isSame =
    track.classSelected == start &&
    low <= track.lowestSelected &&
    track.highestSelected <= high &&
    (isSeasonal ? !(low <= track.highestLeftOut) : isNaN(track.highestLeftOut));
  if (isSame && track.classUntil == count) return;
  if (!isSame) {
    track.classSelected = start;
    track.classUntil = 0;
    track.classCount = 0;
    track.lowestSelected = Infinity;
    track.highestSelected = -Infinity;
    track.highestLeftOut = NaN;
  }
  for (let i = track.classUntil; i < count; i++) {
    const slot = start + sceneOf(track, i);
    const its = f64At(levels, slot);
    if (its >= low && its <= high) {
      track.lowestSelected = min(track.lowestSelected, its);
      track.highestSelected = max(track.highestSelected, its);
      insert(track.sortedClass, track.classCount, valueOf(track, i) - f64At(track.classMedian, slot));
      track.classCount += 1;
    } else if (!isNaN(its) && !(its <= track.highestLeftOut)) track.highestLeftOut = its;
  }
  track.classUntil = count;
  track.difference = track.classCount == 0 ? NaN : medianOfSorted(track.sortedClass, track.classCount);
}
