import { DAY_MS } from '../base/time.ts';

/** Name and version of the change model. Raise it whenever any answer for the same input changes. */
export const MODEL_VERSION = 'change-v0.7.0';

/** Name of the method, for provenance. */
export const METHOD = 'scene-normalised-harmonic-bayes';

/**
 * The constants of the change model, the same for all data. "(our choice)" marks a design choice rather than a published
 * number.
 */
export const PARAMETERS = {
  /** Side of a neighbourhood cell [pixels]; a pixel's neighbourhood is its cell and the eight around it (our choice). */
  cellPixels: 64,
  /** Largest number of cells of a grid; bounds the survey's memory (our choice). */
  maxCells: 256,
  /**
   * Pixels per cell whose departures are surveyed, on a lattice (our choice): nine cells of 1024 give their median to 1.3 %
   * of its spread.
   */
  surveyedPixels: 1024,
  /** Bins of a survey's histogram over the metric's range; a median is accurate to a small part of one bin (our choice). */
  histogramBins: 400,
  /**
   * Classes of like pixels in a grid, by rank of value (our choice): in most places four separate forest, scrub, grass and
   * bare ground.
   */
  likeClasses: 4,
  /**
   * A grid has this many rows and columns of parts; a pixel is compared with like pixels in parts that do not touch
   * its own (our choice).
   */
  gridParts: 4,
  /**
   * Share of the like pixels far away that must have fallen for a fall to count as weather or land use (our choice): fields
   * are cut over weeks.
   */
  commonShare: 0.25,
  /** Bins of the counts of such falls, over twice the metric's range (our choice): .02 of a normalised difference. */
  fallBins: 100,
  /**
   * Fewest observed pixels of a class for its level to be estimated: the median's standard error is then .4 of their
   * spread (our choice).
   */
  minLikePixels: 10,
  /** Fewest observed pixels for the median and spread of a neighbourhood (our choice). */
  minNeighbours: 50,
  /** Least undisturbed share of the surrounding pixels for them to show the effect of the weather (our choice). */
  minUndisturbedShare: 0.25,
  /** Least observed share of a grid for its level to be estimated (our choice). */
  minSceneShare: 0.25,
  /**
   * Quantile of a scene's values that must be green for the scene to be comparable: at .75 dry seasons of open land
   * passed (our choice).
   */
  levelQuantile: 0.5,
  /**
   * A scene is comparable when its level is at least this share of the running maximum (by trial,
   * docs/methods/change.md).
   */
  comparableShare: 0.8,
  /**
   * Time span of the running maximum [ms]: three years, so that a region that lost its green can be monitored again
   * (our choice).
   */
  levelMemoryMs: 3 * 365.25 * DAY_MS,
  /** A scene whose spread is this many times the typical one is snow, haze or a bad mask, and is not used (our choice). */
  maxSpreadRatio: 3,

  /** Fewest clear observations before a departure (docs/methods/change.md). */
  minHistory: 3,
  /** Clear observations that a harmonic baseline needs (docs/methods/change.md). */
  minHarmonicObservations: 15,
  /**
   * Time from the first observation to the scene for which a harmonic baseline is needed [ms]: two years
   * (docs/methods/change.md).
   */
  minHarmonicSpanMs: 2 * 365.25 * DAY_MS,
  /**
   * Part of that time that the history must cover [ms]: all but half a year, which cloud or dormancy may take at its
   * end (our choice).
   */
  minHarmonicHistoryMs: 1.5 * 365.25 * DAY_MS,
  /** Longest history that a baseline is fitted to [ms]: the latest five years represent the present state (our choice). */
  maxHistoryMs: 5 * 365.25 * DAY_MS,
  /** Gap after which a history no longer represents the present state [ms]: two years (our choice). */
  maxGapMs: 2 * 365.25 * DAY_MS,
  /** Span from which a trend is fitted [ms]: a slope from less is mostly weather (our choice). */
  minTrendSpanMs: 3 * 365.25 * DAY_MS,
  /**
   * Observations per coefficient, which decides the number of harmonics (Zhu & Woodcock 2014,
   * doi:10.1016/j.rse.2014.01.011).
   */
  observationsPerCoefficient: 3,
  /** Largest number of harmonics (docs/methods/change.md). */
  maxHarmonics: 3,
  /** Ridge on harmonics, in observations: keeps a fit with a seasonal gap from swinging (our choice). */
  ridge: 0.5,
  /**
   * Ridge on the slope, in squared years of observations (our choice). A slope needs a long record, because extrapolating a
   * wrong one costs more than leaving it out.
   */
  trendRidge: 400,
  /**
   * Residual beyond which an observation is left out of the refit [robust standard deviations] (Rousseeuw & Leroy
   * 1987).
   */
  rejectBeyond: 3,
  /** Rounds of rejecting and refitting (our choice). */
  rejectRounds: 3,
  /** A baseline is refitted when its history has grown by this factor (our choice). */
  refitGrowth: 1.1,

  /** Weight of the neighbourhood's typical spread in a pixel's own scale [observations] (our choice). */
  scalePrior: 6,
  /** Half-width of the season in which a local scale is measured [ms] (our choice). */
  seasonHalfWidthMs: 45 * DAY_MS,
  /** An outlier counts towards confirmation when the history has an observation this near in season [ms] (our choice). */
  supportMs: 30 * DAY_MS,
  /**
   * Correlation of the residuals of two indices of one scene, which share bands (ours; NDVI and NBR of the test
   * series: .6 to .8).
   */
  indexCorrelation: 0.7,
  /** Residuals are clipped to this many standard deviations (by trial, docs/methods/change.md). */
  clip: 6,
  /**
   * Autocorrelation of residuals assumed before it can be estimated, and its weight in pairs of observations (our choice).
   */
  rhoPrior: 0.1,
  rhoPriorPairs: 12,
  /** Largest autocorrelation used (our choice). */
  rhoMax: 0.9,

  /**
   * EWMA weight (docs/methods/change.md) and limit [standard deviations] (Roberts 1959,
   * doi:10.1080/00401706.1959.10489860).
   */
  ewmaWeight: 0.3,
  ewmaSigmas: 3,
  /**
   * Residual from which an observation is an outlier: square root of the .99 quantile of chi-square with one degree
   * of freedom (6.634897; docs/methods/change.md).
   */
  outlierSigmas: 2.575829,
  /** Shift assumed for a change [standard deviations], larger against a short history (our choice). */
  shiftSigmas: { neighbourhood: 3, harmonic: 2 },
  /** Bounds of one observation's probability of change (Reiche et al. 2015, doi:10.3390/rs70504973). */
  minProbability: 0.1,
  maxProbability: 0.9,
  /** Probability of change before any evidence, and its upper bound (our choice). */
  priorProbability: 0.05,
  posteriorCap: 0.999,
  /** Posterior probability that flags, and that confirms (Reiche et al. 2015). */
  flagPosterior: 0.5,
  confirmPosterior: 0.975,
  /**
   * Consecutive outliers that raise the first flag: 3 (docs/methods/change.md), 2 against a short history of
   * comparable scenes (our choice).
   */
  flagRun: { comparable: 2, other: 3 },
  /**
   * Weight of consecutive observations against a change that interrupts it; each weighs 1 (somewhat against) or 2
   * (clearly) (our choice).
   */
  restartAgainst: 2,
  /** Weight that ends a suspicion: three clearly normal observations (our choice; like `recoveryRun`). */
  normalAgainst: 6,
  /** Outliers since the first anomaly that a confirmation needs (as CCDC, docs/methods/change.md). */
  confirmOutliers: 6,
  /**
   * Mean departure since the first anomaly that confirms instead of outliers [standard errors], for small changes
   * that last (simulated: keeps pure noise under 100 confirmed per million pixel-years).
   */
  sustainedSigmas: 6,
  /**
   * Least mean departure of such a change [noise floors] (our choice): a smaller one may be drift of the sensor or of the
   * fit.
   */
  sustainedFloors: 2,
  /** Observations since the flag that such a change needs (our choice): twice the number of outliers. */
  sustainedObservations: 12,
  /**
   * Time that a departure must last to be confirmed [ms]: 90 days (usually 60 to 90; 48 confirmed a mown field).
   * Against a short history, which cannot distinguish a bad season from a loss, a whole year (our choice).
   */
  confirmAfterMs: { neighbourhood: 365.25 * DAY_MS, harmonic: 90 * DAY_MS },
  /**
   * Time after which a suspicion against a short history is rejected [ms]: two years, when a seasonal fit is possible
   * (our choice).
   */
  suspicionWindowMs: 2 * 365.25 * DAY_MS,
  /** Time after confirmation in which a return to the old baseline is a recovery [ms]: one year (our choice). */
  recoveryWindowMs: 365.25 * DAY_MS,
  /**
   * A departure from a short history is over when it has shrunk to this share of its own largest size (our choice): a field
   * that greens again is no loss, even in a bad year. It takes `returnedRun` observations in a row while suspected:
   * clouds missed by the mask lower a green index and hardly ever raise it. Once confirmed it takes `recoveryRun`
   * that are no outliers.
   */
  returnedShare: 0.5,
  returnedRun: 2,
  /** Consecutive normal observations that make a recovery (our choice). */
  recoveryRun: 3,

  /** Largest distance of a pixel's first anomaly from that of its object's seed [ms]: a season (our choice). */
  joinWithinMs: 91 * DAY_MS,
  /** Share of an object's pixels that must have departed for the object to have begun (our choice). */
  onsetShare: 0.1,
  /** Largest splinter as a share of the object that it belongs to (our choice); one below the mapping unit may be larger. */
  splinterShare: 0.1,
  /** Least share of confirmed pixels in a grown object (by trial, docs/methods/change.md). */
  minConfirmedShare: 0.3,
  /** Minimum mapping unit: this area [m2] and this many pixels, or a single pixel of at least a hectare (our choice). */
  minObjectAreaM2: 500,
  minObjectPixels: 3,
  singlePixelAreaM2: 10_000,
  /** Factor on the confidence of a change without a full seasonal baseline (our choice; until calibrated). */
  shortHistoryConfidence: 0.9,
  /** Factor on the confidence of a suspected change (our choice; until calibrated). */
  suspectedConfidence: 0.5,
} as const;
