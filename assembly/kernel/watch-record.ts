// Records of the pixel that `watch` follows, in the order in which src/change/kernel/watch-kernel.ts writes them. The
// records of a thread lie in its own memory, and one pixel after another uses them.

/** Limits of the engine, all f64; see `ruleNumbers` in src/change/kernel/watch-rule.ts. */
@unmanaged
export class Rule {
  fewestFitted: f64;
  refitGrowth: f64;
  maxHistoryMs: f64;
  minSpanMs: f64;
  minHistoryMs: f64;
  minTrendMs: f64;
  perCoefficient: f64;
  maxHarmonics: f64;
  rejectMedians: f64;
  rejectRounds: f64;
  historyCritical: f64;
  sufficientMs: f64;
  youngFitFloors: f64;
  fullHistoryMs: f64;
  maxSpreadRatio: f64;
  madToSigma: f64;
  rejectBeyond: f64;
  rhoPriorPairs: f64;
  rhoPrior: f64;
  rhoMax: f64;
  scalePrior: f64;
  clip: f64;
  outlierSigmas: f64;
  steadyFloors: f64;
  beyondFloors: f64;
  nearMs: f64;
  minSeasonObservations: f64;
  perennialShare: f64;
  minLikeHistory: f64;
  minLikeHistoryMs: f64;
  relistGrowth: f64;
  likeRefit: f64;
  minLikeShared: f64;
  oddFloors: f64;
  dormantShare: f64;
  highQuantile: f64;
  likePriorFloors: f64;
  likeLeastFloors: f64;
  cusumClip: f64;
  cusumSlack: f64;
  suspectCusum: f64;
  plainCusum: f64;
  recoveryWindowMs: f64;
  ewmaWeight: f64;
  shift: f64;
  maxStep: f64;
  minStep: f64;
  priorOdds: f64;
  spentOdds: f64;
  capOdds: f64;
  flagOdds: f64;
  confirmOdds: f64;
  flagRun: f64;
  restartAgainst: f64;
  indexCorrelation: f64;
  maxGapMs: f64;
  likeClasses: f64;
  roundingSteps: f64;
  quickScenes: f64;
  shortShift: f64;
  shortFlagRun: f64;
  minHistory: f64;
  classFloors: f64;
  plainFloors: f64;
  seasonalSlack: f64;
  seasonalCusum: f64;
  seasonalLooks: f64;
  seasonalAfterMs: f64;
  seasonFloors: f64;
}

/** What all pixels of a stack share, all i32. */
@unmanaged
export class Shared {
  times: i32;
  /** f64 by scene. */
  timesMs: usize;
  /** Earlier scenes in the same season; see src/change/scene/near-scenes.ts. */
  nearStarts: usize;
  nearScenes: usize;
  nearWeights: usize;
  nearSupports: usize;
}

/** Running statistics of a pixel; see src/change/pixel/running-statistics.ts. Pairs are of [fall, rise]. */
@unmanaged
export class Statistics {
  fallOdds: f64;
  riseOdds: f64;
  ewma: f64;
  z: f64;
  fallSum: f64;
  riseSum: f64;
  fallDepth: f64;
  riseDepth: f64;
  latest0: f64;
  latest1: f64;
  latest2: f64;
  twoSidedSum: f64;
  last: i32;
  fallBegan: i32;
  riseBegan: i32;
  fallOutlier: i32;
  riseOutlier: i32;
  fallAgainst: i32;
  riseAgainst: i32;
  run: i32;
  supportedRun: i32;
  outlier: i32;
  fallSumBegan: i32;
  riseSumBegan: i32;
  beyondRun: i32;
  twoSidedBegan: i32;
  /** Numbers of downward and of upward departures since then. */
  downLooks: i32;
  upLooks: i32;
}

/** One metric of a pixel. */
@unmanaged
export class Track {
  // What the engine and the kernel hand to each other; see `MetricTrack.exchange`.
  before: f64;
  last: f64;
  rho: f64;
  sigma: f64;
  fitSigma: f64;
  offset: f64;
  high: f64;
  likeSigma: f64;
  // Constants of the metric.
  noiseFloor: f64;
  sense: f64;
  /** Weight in the evidence; 0 if the metric is a witness, which only reports how it moved. */
  weight: f64;
  quantum: f64;
  /** 1 if the metric has seasons. */
  isYearly: f64;
  // The latest look.
  value: f64;
  expected: f64;
  residual: f64;
  scale: f64;
  z: f64;
  departure: f64;
  likeResidual: f64;
  likeZ: f64;
  // Sums of the autocorrelation up to the first departure that was clipped; see `lagOne`.
  lagLargest: f64;
  lagBefore: f64;
  lagProducts: f64;
  lagSquares: f64;
  /** A level between perennial and seasonal pixels that were compared last, and the share of it that is kept. */
  levelLimit: f64;
  levelShare: f64;
  // Baseline from the class of the pixel; see src/change/pixel/class-baseline.ts.
  difference: f64;
  lowestSelected: f64;
  highestSelected: f64;
  highestLeftOut: f64;
  // Handed over, continued.
  lastScene: i32;
  /** Whether the latest value is decided (0), lies on a line (1), or waits for the next (2); see watch-receive.ts. */
  place: i32;
  count: i32;
  /** Numbers of times that the history was cleared, and that its departures were computed anew. */
  cleared: i32;
  departed: i32;
  rankSum: i32;
  rankCount: i32;
  greenSum: i32;
  greenCount: i32;
  dormantSum: i32;
  dormantCount: i32;
  sigmaPairs: i32;
  sigmaCount: i32;
  isFitted: i32;
  from: i32;
  to: i32;
  fitObservations: i32;
  fitStart: i32;
  columnBits: i32;
  isFactored: i32;
  harmonics: i32;
  hasTrend: i32;
  pendingCount: i32;
  /** First slot of the pixel's cell in `[cell][scene]`, and of its part of the grid in `[part][class][scene]`. */
  cell: i32;
  part: i32;
  at: i32;
  isOwn: i32;
  chosen: i32;
  measured: i32;
  made: i32;
  likeObservations: i32;
  isDormant: i32;
  // Addresses; see `TrackArrays` in src/change/kernel/watch-kernel.ts.
  series: usize;
  scenes: usize;
  values: usize;
  departures: usize;
  isHistory: usize;
  pendingScenes: usize;
  pendingValues: usize;
  pendingDepartures: usize;
  pendingResiduals: usize;
  /** Part of the history from which a witness computes its residual later; see `PendingObservations`. */
  pendingFroms: usize;
  pendingTos: usize;
  coefficients: usize;
  kept: usize;
  factors: usize;
  inverses: usize;
  edges: usize;
  isGreen: usize;
  shift: usize;
  spread: usize;
  typical: usize;
  comparable: usize;
  level: usize;
  least: usize;
  classMedian: usize;
  widening: usize;
  classSpread: usize;
  classTypical: usize;
  /** 0 where there are no common falls. */
  commonFall: usize;
  /** 0 where there are no peers. */
  peerShift: usize;
  peerSpread: usize;
  peerTypical: usize;
  peerStayed: usize;
  /** 0 where there are no like pixels. */
  lists: usize;
  listMade: usize;
  median: usize;
  likeSpread: usize;
  /** Record of the bank, and room for what its members are compared with. */
  bank: usize;
  bankScenes: usize;
  bankOwn: usize;
  sortedSizes: usize;
  /** Differences from the medians of a list of like pixels, and the largest levels. */
  differences: usize;
  largestLevels: usize;
  sortedValues: usize;
  sortedClass: usize;
  // Sorted lists and counts of the history, and how often it had been cleared and had departed when they were made.
  listsCleared: i32;
  listsDeparted: i32;
  classStart: i32;
  classSelected: i32;
  classUntil: i32;
  classCount: i32;
  lagUntil: i32;
  lagPairs: i32;
  levelFrom: i32;
  levelUntil: i32;
  belowShare: i32;
  belowLimit: i32;
  upToLimit: i32;
  upToZero: i32;
  sizesUntil: i32;
  sizesCount: i32;
  differencesUntil: i32;
  differencesCount: i32;
  differencesList: i32;
  levelsUntil: i32;
  valuesFrom: i32;
  valuesUntil: i32;
  /** Scene of the latest value if the value of the present scene shows that it was observed; -1 if not. */
  late: i32;
  /** Whether the present scene has a value, and `place` after it. */
  isGiven: i32;
  nextPlace: i32;
  /** Whether this value is an observation. */
  isObserved: i32;
  // The latest look, continued.
  isSeen: i32;
  isJudged: i32;
  /** Whether the observation has no expected value. */
  isKept: i32;
  isSupported: i32;
  /** Whether the observation was withheld or added to the history before the other metrics were looked at. */
  isSettled: i32;
  /** Whether the value was not custom, if `isSettled`. */
  wasBeyond: i32;
  hasNeighbours: i32;
  status: i32;
}

export let rule: Rule = changetype<Rule>(0);
export let shared: Shared = changetype<Shared>(0);
export let statistics: Statistics = changetype<Statistics>(0);
/** Copy of the statistics from before the current look. */
export let before: usize = 0;
export let tracks: usize = 0;
export let trackCount: i32 = 0;

/** Sets the addresses of the records; `tracksAt` is that of `count` tracks, one after the other. */
export function setWatch(
  ruleAt: usize,
  sharedAt: usize,
  statisticsAt: usize,
  beforeAt: usize,
  tracksAt: usize,
  count: i32,
): void {
  rule = changetype<Rule>(ruleAt);
  shared = changetype<Shared>(sharedAt);
  statistics = changetype<Statistics>(statisticsAt);
  before = beforeAt;
  tracks = tracksAt;
  trackCount = count;
}

/** Size of the record of a metric [bytes]. */
export function trackBytes(): usize {
  return (offsetof<Track>() + 7) & ~7;
}

export function trackOf(m: i32): Track {
  return changetype<Track>(tracks + <usize>m * trackBytes());
}

export function timeOf(scene: i32): f64 {
  return load<f64>(shared.timesMs + ((<usize>scene) << 3));
}

/** Scene of an observation of the history, and its value. */
export function sceneOf(track: Track, i: i32): i32 {
  return load<i32>(track.scenes + ((<usize>i) << 2));
}

export function valueOf(track: Track, i: i32): f64 {
  return load<f64>(track.values + ((<usize>i) << 3));
}

/** Time from the first observation of the history to a scene [ms]. The history is not empty. */
export function lengthMs(track: Track, scene: i32): f64 {
  return timeOf(scene) - timeOf(sceneOf(track, 0));
}

/** Rounds to single precision. */
export function single(value: f64): f64 {
  return <f64>(<f32>value);
}
