// Running statistics of a pixel that is watched, as src/change/pixel/running-statistics.ts and departure-sums.ts have
// them.
import { isBeyond } from './watch-range';
import { lengthMs, rule, single, statistics, timeOf, Track } from './watch-record';

const NONE: i32 = -1;

function logLikelihoodRatio(z: f64, shift: f64): f64 {
  return shift * (z - shift / 2);
}

function updateFromInnovation(odds: f64, z: f64, earlier: f64, rho: f64, shift: f64, isFirst: bool): f64 {
  const deviation = sqrt(1 - rho * rho);
  const innovation = (z - rho * earlier) / deviation;
  const mean = ((isFirst ? 1 : 1 - rho) * shift) / deviation;
  const ratio = logLikelihoodRatio(innovation, mean);
  if (ratio <= 0 && odds == rule.priorOdds) return odds;
  const step = max(rule.minStep, min(rule.maxStep, ratio));
  return max(rule.priorOdds, min(rule.capOdds, odds + step));
}

/** Sum of the weights of the latest consecutive observations against a change. */
function againstAfter(against: i32, z: f64, shift: f64): i32 {
  const step = logLikelihoodRatio(z, shift);
  const weight = <i32>(step < 0) + <i32>(step <= rule.minStep);
  return weight > 0 ? against + weight : 0;
}

function isOver(odds: f64, against: i32): bool {
  return odds <= rule.spentOdds || <f64>against >= rule.restartAgainst;
}

/** Updates the statistics with the joint residual of a scene. */
export function weigh(scene: i32, z: f64, rho: f64, shift: f64, isSupported: bool): void {
  const s = statistics;
  s.ewma = (1 - rule.ewmaWeight) * s.ewma + rule.ewmaWeight * z;
  s.outlier = abs(z) > rule.outlierSigmas ? (z > 0 ? 1 : -1) : 0;
  if (s.outlier == 0 || s.outlier * s.run < 0) {
    s.run = 0;
    s.supportedRun = 0;
  }
  s.run += s.outlier;
  if (s.outlier != 0 && isSupported) s.supportedRun += 1;
  const isNotLow = logLikelihoodRatio(-z, shift) >= 0;
  s.fallOdds = updateFromInnovation(s.fallOdds, -z, -s.z, rho, shift, s.fallBegan == NONE);
  s.fallAgainst = againstAfter(s.fallAgainst, -z, shift);
  if (isOver(s.fallOdds, s.fallAgainst)) {
    s.fallBegan = NONE;
    s.fallOutlier = NONE;
  } else {
    if (s.fallBegan == NONE && isNotLow) s.fallBegan = scene;
    if (s.fallOutlier == NONE && -z > rule.outlierSigmas) s.fallOutlier = scene;
  }
  const isNotHigh = logLikelihoodRatio(z, shift) >= 0;
  s.riseOdds = updateFromInnovation(s.riseOdds, z, s.z, rho, shift, s.riseBegan == NONE);
  s.riseAgainst = againstAfter(s.riseAgainst, z, shift);
  if (isOver(s.riseOdds, s.riseAgainst)) {
    s.riseBegan = NONE;
    s.riseOutlier = NONE;
  } else {
    if (s.riseBegan == NONE && isNotHigh) s.riseBegan = scene;
    if (s.riseOutlier == NONE && z > rule.outlierSigmas) s.riseOutlier = scene;
  }
  s.z = z;
}

/** Whether a departure may be flagged: at least where the engine flags one. @param first the first metric */
export function mayFlag(first: Track): bool {
  const s = statistics;
  const isFitted = first.isFitted != 0;
  const run = isFitted ? rule.flagRun : rule.shortFlagRun;
  if (sideMayFlag(s.fallOdds, s.fallBegan, -s.run, run)) return true;
  // With a short history, rises of a metric with seasons are not flagged.
  return (isFitted || first.isYearly == 0) && sideMayFlag(s.riseOdds, s.riseBegan, s.run, run);
}

function sideMayFlag(odds: f64, began: i32, run: i32, enough: f64): bool {
  if (odds < rule.flagOdds || began == NONE) return false;
  return <f64>run >= enough || odds >= rule.confirmOdds;
}

function nextSum(sum: f64, z: f64): f64 {
  return max(0, sum + min(rule.cusumClip, z) - rule.cusumSlack);
}

/** Updates the sums of the departures from like pixels. @param first the first metric that was compared with them */
export function addToSums(scene: i32, z: f64, first: Track): void {
  const s = statistics;
  const floors = (first.weight * first.likeResidual) / first.noiseFloor;
  s.latest0 = s.latest1;
  s.latest1 = s.latest2;
  s.latest2 = single(floors);
  addToTwoSided(scene, z, floors);
  const low = min(s.latest0, s.latest1);
  const high = max(s.latest0, s.latest1);
  const median = max(low, min(high, s.latest2));
  if (first.isDormant == 0) {
    s.fallSum = nextSum(s.fallSum, -z);
    if (s.fallSum == 0) {
      s.fallSumBegan = NONE;
      s.fallDepth = 0;
    } else {
      if (s.fallSumBegan == NONE) s.fallSumBegan = scene;
      s.fallDepth = max(s.fallDepth, -median);
    }
  }
  s.riseSum = nextSum(s.riseSum, z);
  if (s.riseSum == 0) {
    s.riseSumBegan = NONE;
    s.riseDepth = 0;
  } else {
    if (s.riseSumBegan == NONE) s.riseSumBegan = scene;
    s.riseDepth = max(s.riseDepth, median);
  }
  if (s.fallSum == 0 && s.riseSum == 0) clearSums();
  else
    s.beyondRun = (first.isSettled != 0 ? first.wasBeyond != 0 : isBeyondNow(first, scene))
      ? s.beyondRun + 1
      : 0;
}

/** Updates the sum of the departures on either side; see src/change/pixel/departure-sums.ts. */
function addToTwoSided(scene: i32, z: f64, floors: f64): void {
  const s = statistics;
  const sum: f64 = max(0, s.twoSidedSum + min(rule.cusumClip, abs(z)) - rule.seasonalSlack);
  if (sum == 0) {
    clearTwoSided();
    return;
  }
  s.twoSidedSum = single(sum);
  if (s.twoSidedBegan == NONE) s.twoSidedBegan = scene;
  if (abs(floors) < rule.plainFloors) return;
  const most = <i32>rule.seasonalLooks;
  if (floors < 0) s.downLooks = min(most, s.downLooks + 1);
  else s.upLooks = min(most, s.upLooks + 1);
}

/** Whether the engine may note that the pixel departs on both sides. `track` is of the first metric. */
export function mayNote(track: Track, scene: i32): bool {
  const s = statistics;
  if (s.twoSidedSum <= rule.seasonalCusum) return false;
  const least = min(s.downLooks, s.upLooks);
  if (<f64>least < rule.seasonalLooks) return false;
  const began = s.twoSidedBegan;
  if (timeOf(scene) - timeOf(began) < rule.seasonalAfterMs) return false;
  return track.count == 0 || lengthMs(track, began) >= rule.sufficientMs;
}

/** Whether the value of the latest look is not custom. The history is still that of the look. */
export function isBeyondNow(track: Track, scene: i32): bool {
  return abs(track.z) > 1 && isBeyond(track, scene);
}

/** Clears all evidence. */
export function clearStatistics(): void {
  const s = statistics;
  s.fallOdds = rule.priorOdds;
  s.riseOdds = rule.priorOdds;
  s.fallBegan = NONE;
  s.riseBegan = NONE;
  s.fallOutlier = NONE;
  s.riseOutlier = NONE;
  s.fallAgainst = 0;
  s.riseAgainst = 0;
  s.ewma = 0;
  s.run = 0;
  s.supportedRun = 0;
  s.outlier = 0;
  s.z = 0;
  clearSums();
  clearTwoSided();
}

function clearTwoSided(): void {
  const s = statistics;
  s.twoSidedSum = 0;
  s.twoSidedBegan = NONE;
  s.downLooks = 0;
  s.upLooks = 0;
}

function clearSums(): void {
  const s = statistics;
  s.fallSum = 0;
  s.riseSum = 0;
  s.fallSumBegan = NONE;
  s.riseSumBegan = NONE;
  s.fallDepth = 0;
  s.riseDepth = 0;
  s.latest0 = 0;
  s.latest1 = 0;
  s.latest2 = 0;
  s.beyondRun = 0;
}

/** Whether the latest observations show no sign of a change, so that they are added to the history. */
export function isCalm(now: i32, first: Track): bool {
  const s = statistics;
  if (first.isFitted == 0) {
    if (s.fallBegan != NONE || s.riseBegan != NONE) return false;
  } else if (max(s.fallOdds, s.riseOdds) > rule.spentOdds) return false;
  return !holds(s.fallSum, s.fallSumBegan, now) && !holds(s.riseSum, s.riseSumBegan, now);
}

function holds(sum: f64, began: i32, now: i32): bool {
  return sum > rule.suspectCusum && timeOf(now) - timeOf(began) < rule.recoveryWindowMs;
}
