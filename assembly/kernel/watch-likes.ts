// Comparison of a pixel with its like pixels, as src/change/pixel/like-reference.ts and like-comparison.ts have it.
import { Bank, nearest } from './nearest';
import { addToLargest, medianOfList, padList } from './watch-select';
import { valueAt } from './watch-sorted';
import { lengthMs, rule, sceneOf, shared, single, Track, valueOf } from './watch-record';
import { residuals } from './workspace';

/** Width of a guess of a median, so that some six values are within it [standard deviations x values]. */
const GUESS_WIDTH: f64 = 12;

/** Scale of the latest comparison [metric unit]. */
let scale: f64 = NaN;

/**
 * Compares the value of a track. If it has a seasonal fit, `expected` is that of the fit.
 * @param now scene at which the observation becomes known: the same or a later one
 */
export function compareWithLikes(track: Track, scene: i32, now: i32): void {
  track.likeResidual = NaN;
  track.likeZ = NaN;
  const count = track.count;
  if (track.lists == 0 || <f64>count < rule.minLikeHistory) return;
  if (lengthMs(track, sceneOf(track, count - 1)) < rule.minLikeHistoryMs) return;
  const isDue = track.at < 0 || <f64>count >= rule.relistGrowth * <f64>track.chosen;
  if (track.isOwn == 0 && isDue) choose(track, now);
  if (track.at < 0) return;
  const reference = referenceOf(track, scene, now);
  if (reference != reference) return;
  let expected = reference;
  if (track.isFitted != 0 && lengthMs(track, scene) >= rule.fullHistoryMs) {
    const own = track.expected;
    expected = max(min(own, expected), min(max(own, expected), track.value));
    const isOdd = abs(own - reference) > rule.oddFloors * track.noiseFloor;
    if (expected == track.value && isOdd) return;
  }
  track.likeResidual = track.value - expected;
  track.likeZ = max(-rule.clip, min(rule.clip, track.likeResidual / scale));
  track.isDormant = track.sense * reference < rule.dormantShare * track.high ? 1 : 0;
}

/** Chooses the member of the bank that resembles the pixel most; see src/change/kernel/bank-kernel.ts. */
function choose(track: Track, now: i32): void {
  const count = track.count;
  const quick = <i32>rule.quickScenes;
  const step = (count + quick - 1) / quick;
  let compared: usize = 0;
  for (let i = count - 1; i >= 0; i -= step) {
    store<i32>(track.bankScenes + (compared << 2), sceneOf(track, i));
    store<f64>(track.bankOwn + (compared << 3), valueOf(track, i));
    compared += 1;
  }
  const at = nearest(
    changetype<Bank>(track.bank),
    track.bankScenes,
    track.bankOwn,
    <i32>compared,
    now,
    <i32>rule.minLikeShared,
  );
  track.chosen = count;
  if (at < 0 || at == track.at) return;
  track.at = at;
  track.made = -1;
}

/** Value that the like pixels lead one to expect; NaN if there are too few. Sets `scale`. */
function referenceOf(track: Track, scene: i32, now: i32): f64 {
  const list = load<i32>(track.lists + ((<usize>(track.at * shared.times + now)) << 2));
  if (list < 0) return NaN;
  const made = load<i32>(track.listMade + ((<usize>list) << 2));
  if (made != track.made || <f64>track.count >= rule.likeRefit * <f64>track.measured)
    measure(track, list, made);
  if (<f64>track.likeObservations < rule.minLikeShared) return NaN;
  const slot = (<usize>(list * shared.times + scene)) << 2;
  scale = hypotenuse(track.likeSigma, <f64>load<f32>(track.likeSpread + slot));
  return <f64>load<f32>(track.median + slot) + track.offset;
}

/** Math.hypot of two numbers as V8 computes it, to the bit: scaled, with compensated summation. */
export function hypotenuse(a: f64, b: f64): f64 {
  const x = abs(a);
  const y = abs(b);
  if (x == Infinity || y == Infinity) return Infinity;
  const largest = max(x, y);
  if (largest == 0 || largest != largest) return largest;
  const p = x / largest;
  const first = p * p;
  const q = y / largest;
  const added = q * q; // nothing has to be compensated after the first number
  return sqrt(first + added) * largest;
}

/** Number of observations from the one with the rank of the high level to the highest. */
function highest(count: i32): i32 {
  return count - <i32>floor(rule.highQuantile * <f64>(count - 1));
}

/** High level of the history. Only as many levels are kept as a history of all scenes needs. */
function highOf(track: Track): f64 {
  const count = track.count;
  const most = highest(shared.times);
  for (let i = track.levelsUntil; i < count; i++)
    addToLargest(track.largestLevels, i, most, track.sense * valueOf(track, i));
  track.levelsUntil = count;
  return valueAt(track.largestLevels, min(count, most) - highest(count));
}

/** Measures the usual difference from the like pixels, its standard deviation, and the high level. */
function measure(track: Track, list: i32, made: i32): void {
  const count = track.count;
  track.made = made;
  track.measured = count;
  track.high = single(highOf(track));
  if (track.differencesList != list) {
    track.differencesList = list;
    track.differencesUntil = 0;
    track.differencesCount = 0;
  }
  const row = track.median + ((<usize>(list * shared.times)) << 2);
  const differences = track.differences;
  let n = track.differencesCount;
  for (let i = track.differencesUntil; i < count; i++) {
    const shown = <f64>load<f32>(row + ((<usize>sceneOf(track, i)) << 2));
    store<f64>(differences + ((<usize>n) << 3), valueOf(track, i) - shown);
    n += <i32>(shown == shown);
  }
  track.differencesCount = n;
  track.differencesUntil = count;
  // The latest offset and deviation are good guesses, also of another list.
  const isKnown = track.likeObservations > 0;
  const sigma = track.likeSigma;
  const width = (GUESS_WIDTH * sigma) / <f64>n;
  track.likeObservations = n;
  let offset: f64 = 0;
  let deviation: f64 = 0;
  if (n > 0) {
    const end = padList(differences, n);
    offset = medianOfList(differences, end, n, isKnown ? track.offset : NaN, width);
    const center = f64x2.splat(offset);
    for (let at = differences, to = residuals; at < end; at += 16, to += 16)
      v128.store(to, f64x2.abs(f64x2.sub(v128.load(at), center)));
    const guess = isKnown ? sigma / rule.madToSigma : NaN;
    deviation = rule.madToSigma * medianOfList(residuals, residuals + (end - differences), n, guess, width);
  }
  track.offset = single(offset);
  const prior = rule.likePriorFloors * track.noiseFloor;
  const variance =
    (<f64>n * (deviation * deviation) + rule.scalePrior * (prior * prior)) / (<f64>n + rule.scalePrior);
  track.likeSigma = single(max(rule.likeLeastFloors * track.noiseFloor, sqrt(variance)));
}
