// Follows a pixel while it is watched and nothing is unusual, as src/change/pixel/pixel-monitor.ts does: one call takes
// it through all scenes up to the first that the engine has to look at. The records are then as they stand before this
// scene.
import { copyBytes } from './bytes';
import { forgetClass, isOutgrown, predictByClass } from './watch-class';
import { compareWithLikes } from './watch-likes';
import { expectedAt, leverage, refit } from './watch-fit';
import { roundToHalf } from './watch-half';
import { isPerennial, precedent } from './watch-range';
import { forgetDepartures, seasonSigma, updateSigma } from './watch-scatter';
import { accept, receiveAll } from './watch-receive';
import { addToSums, clearStatistics, isBeyondNow, isCalm, mayFlag, mayNote, weigh } from './watch-statistics';
import {
  before,
  lengthMs,
  rule,
  shared,
  Statistics,
  statistics,
  timeOf,
  Track,
  trackCount,
  trackOf,
} from './watch-record';

/** Added to the result of `watch` where the engine has only to look at the values of the scene, not at earlier ones. */
const LATE_DONE: i32 = 1 << 30;

/** What a look says: nothing is unusual, all of the scene is left to the engine, or only its own values are. */
const USUAL = 0;
const UNUSUAL = 1;
const USUAL_BEFORE = 2;

/**
 * Follows the pixel of the records from scene `from` on, while it is watched and nothing is unusual.
 * @param isFirst whether it is the first call for the pixel
 * @returns the first scene that was not looked at: one that is unusual, or `until`. `LATE_DONE` is added to a scene
 *   whose values were received, and which showed an earlier value to be observed, in which nothing was unusual
 */
export function watch(from: i32, until: i32, isFirst: bool): i32 {
  for (let m = 0; m < trackCount; m++) forget(trackOf(m), isFirst);
  for (let scene = from; scene < until; scene++) {
    const found = look(scene);
    if (found == UNUSUAL) return scene;
    if (found == USUAL_BEFORE) return scene | LATE_DONE;
  }
  return until;
}

/** Forgets what was derived of another history. */
function forget(track: Track, isFirst: bool): void {
  if (isFirst || track.listsDeparted != track.departed || track.listsCleared != track.cleared) {
    track.listsDeparted = track.departed;
    forgetDepartures(track);
  }
  if (!isFirst && track.listsCleared == track.cleared) return;
  track.listsCleared = track.cleared;
  track.differencesList = -1;
  track.levelsUntil = 0;
  track.valuesFrom = -1;
  track.levelFrom = -1;
  forgetClass(track);
}

/** Looks at the values of a scene, and before them at earlier ones that turn out to be observed. */
function look(scene: i32): i32 {
  const late = receiveAll(scene);
  // As in `#look` of src/change/pixel/pixel-monitor.ts.
  const isLate = late > statistics.last;
  if (isLate) {
    for (let m = 0; m < trackCount; m++) {
      const track = trackOf(m);
      track.isSeen = track.late == late ? 1 : 0;
      track.value = track.last;
    }
    if (!observe(late, scene)) return UNUSUAL;
    accept(scene);
    for (let m = 0; m < trackCount; m++) {
      const track = trackOf(m);
      track.isSeen = track.isObserved;
      track.value = track.last;
    }
  }
  let isSeen = false;
  for (let m = 0; m < trackCount; m++) if (trackOf(m).isSeen != 0) isSeen = true;
  if (isSeen && !observe(scene, scene)) return isLate ? USUAL_BEFORE : UNUSUAL;
  if (!isLate) accept(scene);
  return USUAL;
}

/**
 * Looks at the observations of a scene. Returns false, and leaves the statistics and the history as they are, if it is
 * unusual. @param now scene at which they become known
 */
function observe(scene: i32, now: i32): bool {
  const last = statistics.last;
  if (last >= 0 && timeOf(scene) - timeOf(last) > rule.maxGapMs) return false;
  for (let m = 0; m < trackCount; m++) {
    const track = trackOf(m);
    track.isJudged = 0;
    track.isKept = 0;
    track.isSettled = 0;
  }
  for (let m = 0; m < trackCount; m++) {
    const track = trackOf(m);
    if (track.isSeen == 0) continue;
    compare(track, scene, now);
    if (track.isKept != 0 && track.isFitted == 0 && isOutgrown) release(m, scene);
  }
  const isLearned = judge(scene, now);
  if (isLearned < 0) return false;
  for (let m = 0; m < trackCount; m++) keep(trackOf(m), scene, isLearned != 0);
  statistics.last = scene;
  return true;
}

/** Phenology class of the pixel; -1 while it is unknown. */
function classOf(track: Track): i32 {
  if (track.greenCount == 0 || track.dormantCount == 0) return -1;
  const green = floor(<f64>track.greenSum / <f64>track.greenCount + 0.5);
  const dormant = floor(<f64>track.dormantSum / <f64>track.dormantCount + 0.5);
  return <i32>(green * rule.likeClasses + dormant);
}

function f64At(list: usize, i: i32): f64 {
  return load<f64>(list + ((<usize>i) << 3));
}

/** Fall of like pixels far away, negative or 0. */
function commonFallOf(track: Track, scene: i32): f64 {
  const group = track.commonFall == 0 ? -1 : classOf(track);
  return group < 0 ? 0 : f64At(track.commonFall, track.part + group * shared.times + scene);
}

/** Compares the value of a metric with what is expected; see `look` in src/change/pixel/metric-track.ts. */
function compare(track: Track, scene: i32, now: i32): void {
  refit(track, scene);
  const isFitted = track.isFitted != 0;
  const isWitness = track.weight == 0;
  track.residual = NaN;
  track.departure = NaN;
  track.z = NaN;
  let isExpected = isFitted;
  if (isFitted) {
    if (!isWitness) track.expected = expectedAt(track, scene);
  } else isExpected = predictByClass(track, scene);
  const level = track.expected;
  compareWithLikes(track, scene, now);
  const slot = track.cell + scene;
  let usual = f64At(track.typical, slot);
  let here = f64At(track.spread, slot);
  let around = f64At(track.shift, slot);
  const phenology = isFitted && track.peerShift != 0 ? classOf(track) : -1;
  const group = phenology < 0 ? -1 : track.part + phenology * shared.times;
  const hasPeers = group >= 0 && !isNaN(f64At(track.peerShift, group + scene));
  if (!hasPeers && here / usual > rule.maxSpreadRatio) return;
  if (hasPeers) {
    usual = f64At(track.peerTypical, group + scene);
    here = f64At(track.peerSpread, group + scene);
    around = f64At(track.peerShift, group + scene);
    const stayed = f64At(track.peerStayed, group + scene);
    if (!isNaN(stayed) && !isWitness && isPerennial(track)) {
      around = stayed;
      here = usual;
    }
  } else if (isExpected && !isFitted) {
    const like = track.classStart + scene;
    if (isNaN(here) || f64At(track.classSpread, like) < here) {
      usual = f64At(track.classTypical, like);
      here = f64At(track.classSpread, like);
    }
  }
  const hasNeighbours = !isNaN(here);
  const ratio: f64 = hasNeighbours ? max(1, here / usual) : 1;
  if (ratio > rule.maxSpreadRatio) return;
  track.hasNeighbours = hasNeighbours ? 1 : 0;
  if (!isExpected || (!hasNeighbours && !isFitted)) {
    track.isKept = 1;
    return;
  }
  track.isJudged = 1;
  if (isWitness && isFitted) return;
  const shift: f64 = isNaN(around) ? 0 : around;
  const value = track.value;
  const fall: f64 = isFitted ? 0 : commonFallOf(track, scene);
  const lowest = level + min(min(0, shift), fall);
  const expected = max(lowest, min(level + max(0, shift), value));
  track.residual = value - expected;
  if (isWitness) return;
  const typical = hasNeighbours ? usual : max(usual, track.fitSigma);
  updateSigma(track);
  const variance = isFitted ? leverage(track, scene) : Math.PI / 2 / <f64>track.classCount;
  const own = max(track.sigma, seasonSigma(track, scene));
  const n = <f64>track.sigmaPairs;
  const prior = rule.scalePrior;
  const spread = sqrt((prior * typical * typical + n * own * own) / (prior + n));
  track.scale = spread * ratio * sqrt(1 + variance);
  if (isFitted && track.hasTrend == 0 && abs(track.residual) > rule.outlierSigmas * track.scale)
    allowPrecedent(track, scene, level, expected);
  track.z = max(-rule.clip, min(rule.clip, track.residual / track.scale));
  track.departure = track.residual / ratio;
}

/** Moves the expected value towards an earlier departure in the same season from which the pixel recovered. */
function allowPrecedent(track: Track, scene: i32, level: f64, expected: f64): void {
  const known = precedent(track, scene, track.residual > 0 ? 1 : -1);
  if (abs(known) <= track.scale) return;
  const other = level + known;
  track.residual = track.value - max(min(expected, other), min(max(expected, other), track.value));
}

/** Joint evidence of the metrics of a scene; see src/change/pixel/scene-evidence.ts. */
function jointOf(count: i32, sum: f64, first: f64, falls: bool, rises: bool): f64 {
  if (falls && rises) return first;
  const n = <f64>count;
  const z = sum / sqrt(n + n * (n - 1) * rule.indexCorrelation);
  return max(-rule.clip, min(rule.clip, z));
}

/** Decides on a scene. Returns 1 if all observations are added to the history, 0 if not, -1 if it is unusual. */
function judge(scene: i32, now: i32): i32 {
  copyBytes(before, changetype<usize>(statistics), offsetof<Statistics>());
  if (!weighLikes(scene)) return undo();
  let count = 0;
  let sum: f64 = 0;
  let rho: f64 = 0;
  let first: f64 = 0;
  let falls = false;
  let rises = false;
  let isSupported = false;
  let isSeasonal = true;
  for (let m = 0; m < trackCount; m++) {
    const track = trackOf(m);
    if (track.isJudged == 0 || track.weight == 0) continue;
    const turned = track.weight * track.z;
    if (count == 0) first = turned;
    count += 1;
    sum += turned;
    if (turned < -rule.outlierSigmas) falls = true;
    if (turned > rule.outlierSigmas) rises = true;
    rho += track.rho;
    if (track.isFitted == 0) isSeasonal = false;
    if (track.isSupported != 0) isSupported = true;
  }
  if (count == 0) return 0;
  weigh(
    scene,
    jointOf(count, sum, first, falls, rises),
    rho / <f64>count,
    isSeasonal ? rule.shift : rule.shortShift,
    isSupported,
  );
  if (mayFlag(trackOf(0))) return undo();
  return isCalm(now, trackOf(0)) ? 1 : 0;
}

/** Adds the comparison with like pixels to the sums. Returns false if they show more than the engine passes over. */
function weighLikes(scene: i32): bool {
  let count = 0;
  let sum: f64 = 0;
  let first: f64 = 0;
  let firstTrack = -1;
  let falls = false;
  let rises = false;
  for (let m = 0; m < trackCount; m++) {
    const track = trackOf(m);
    if (track.isJudged + track.isKept == 0 || isNaN(track.likeZ)) continue;
    const turned = track.weight * track.likeZ;
    if (count == 0) {
      first = turned;
      firstTrack = m;
    }
    count += 1;
    sum += turned;
    if (turned < -rule.outlierSigmas) falls = true;
    if (turned > rule.outlierSigmas) rises = true;
  }
  if (count == 0) return true;
  addToSums(scene, jointOf(count, sum, first, falls, rises), trackOf(firstTrack));
  if (mayNote(trackOf(0), scene)) return false;
  if (mayShow(trackOf(0), scene)) return false;
  return statistics.fallSum <= rule.plainCusum && statistics.riseSum <= rule.plainCusum;
}

/** Whether a clear season may show a fall. `track` is of the first metric. */
function mayShow(track: Track, scene: i32): bool {
  if (statistics.fallDepth < rule.seasonFloors || -statistics.latest2 < rule.seasonFloors) return false;
  if (track.isFitted == 0) return false;
  return lengthMs(track, scene) >= rule.fullHistoryMs && isPerennial(track);
}

function undo(): i32 {
  copyBytes(changetype<usize>(statistics), before, offsetof<Statistics>());
  return -1;
}

/** Settles the observation of a metric, and adds all withheld ones to the history. */
function keep(track: Track, scene: i32, isLearned: bool): void {
  if (track.isSeen != 0 && track.isSettled == 0) settle(track, scene);
  if (isLearned) learnWithheld(track);
}

/** Withholds the observation of a metric, or adds it to the history if it has no expected value. */
function settle(track: Track, scene: i32): void {
  if (track.isKept != 0 && track.pendingCount == 0) learn(track, scene, track.value, NaN);
  else if (track.isJudged + track.isKept != 0) {
    const i = <usize>track.pendingCount;
    const isLater = track.weight == 0 && track.isFitted != 0 && track.isJudged != 0;
    store<i32>(track.pendingScenes + (i << 2), scene);
    store<f64>(track.pendingValues + (i << 3), track.value);
    store<f32>(track.pendingDepartures + (i << 2), <f32>roundToHalf(track.departure));
    store<f32>(track.pendingResiduals + (i << 2), <f32>track.residual);
    store<i32>(track.pendingFroms + (i << 2), track.from);
    store<i32>(track.pendingTos + (i << 2), isLater ? track.to : 0);
    track.pendingCount += 1;
  }
}

/**
 * Adds the withheld observations to the history and clears the evidence, because a metric has outgrown its history.
 * Nothing is unusual after it: one scene is too little evidence. The metrics before this one have been looked at.
 */
function release(outgrown: i32, scene: i32): void {
  for (let m = 0; m < outgrown; m++) {
    const track = trackOf(m);
    if (track.isSeen == 0 || track.isSettled != 0) continue;
    track.wasBeyond = isBeyondNow(track, scene) ? 1 : 0;
    settle(track, scene);
    track.isSettled = 1;
  }
  for (let m = 0; m < trackCount; m++) learnWithheld(trackOf(m));
  clearStatistics();
}

/** Adds the withheld observations to the history. */
function learnWithheld(track: Track): void {
  for (let i: usize = 0; i < <usize>track.pendingCount; i++)
    learn(
      track,
      load<i32>(track.pendingScenes + (i << 2)),
      load<f64>(track.pendingValues + (i << 3)),
      load<f32>(track.pendingDepartures + (i << 2)),
    );
  track.pendingCount = 0;
}

/** Adds an observation to the history; see `add` in src/change/pixel/judge-baseline.ts and history.ts. */
function learn(track: Track, scene: i32, value: f64, departure: f32): void {
  const count = <usize>track.count;
  store<i32>(track.scenes + (count << 2), scene);
  store<f64>(track.values + (count << 3), value);
  store<f32>(track.departures + ((<usize>scene) << 2), departure);
  store<u8>(track.isHistory + <usize>scene, 1);
  track.count += 1;
  const edges = <i32>rule.likeClasses - 1;
  const at = track.edges + ((<usize>(scene * edges)) << 3);
  if (isNaN(load<f64>(at))) return;
  let rank = 0;
  for (let k = 0; k < edges; k++) rank += <i32>(value > f64At(at, k));
  track.rankSum += rank;
  track.rankCount += 1;
  if (load<u8>(track.isGreen + <usize>scene) == 1) {
    track.greenSum += rank;
    track.greenCount += 1;
  } else {
    track.dormantSum += rank;
    track.dormantCount += 1;
  }
}
