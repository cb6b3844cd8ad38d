import { DAY_MS } from '../base/time.ts';

/** Name and version of the model behind every change; any change in an answer for the same input changes it. */
export const MODEL_VERSION = 'change-v0.7.0';

/** Name of the method, for provenance. */
export const METHOD = 'scene-normalised-harmonic-bayes';

/**
 * The one set of constants for all data. "(ours)" marks a design choice rather than a published number.
 */
export const PARAMETERS = {
  /** Side of a neighbourhood cell [pixels]; a pixel's neighbourhood is its cell and the eight around (ours). */
  cellPixels: 64,
  /** Most cells a grid is cut into, so that the survey's memory is bounded (ours). */
  maxCells: 256,
  /**
   * Pixels of a cell whose departures are surveyed, on a lattice of their own (ours): nine cells of so many tell their median
   * to 1.3 % of its spread.
   */
  surveyedPixels: 1024,
  /** Bins of a survey's histogram over the metric's range; a median is read to a small part of one bin (ours). */
  histogramBins: 400,
  /** Classes of like pixels in a grid, by rank of value (ours): four keep forest, scrub, grass and bare ground of most places apart. */
  likeClasses: 4,
  /** Rows and columns of parts of a grid: a pixel is compared with like ones in parts that do not touch its own (ours). */
  gridParts: 4,
  /** Share of the like pixels far away that must have fallen for a fall to be weather or custom (ours): fields are cut over weeks. */
  commonShare: 0.25,
  /** Bins of the counts that tell it, over twice the metric's range (ours): .02 of a normalised difference. */
  fallBins: 100,
  /** Fewest observed pixels of a class from which its level is told: the median's standard error is then .4 of their spread (ours). */
  minLikePixels: 10,
  /** Fewest observed pixels from which a neighbourhood's median and spread are taken (ours). */
  minNeighbours: 50,
  /** Least undisturbed share of the pixels around for them to tell what the weather did (ours). */
  minUndisturbedShare: 0.25,
  /** Least observed share of a grid for its level to be told (ours). */
  minSceneShare: 0.25,
  /** Quantile of a scene's values that must be green for the scene to be comparable: at .75 dry seasons of open land passed (ours). */
  levelQuantile: 0.5,
  /** A scene is comparable when its level is at least this share of the running maximum (trial, methods.md). */
  comparableShare: 0.8,
  /** How far back the running maximum looks [ms]: three years, so that a region that lost its green can be monitored again (ours). */
  levelMemoryMs: 3 * 365.25 * DAY_MS,
  /** A scene whose spread is this many times the typical one is snow, haze or a bad mask, and says nothing (ours). */
  maxSpreadRatio: 3,

  /** Fewest clear observations before a departure (methods.md). */
  minHistory: 3,
  /** Clear observations that a harmonic baseline needs (methods.md). */
  minHarmonicObservations: 15,
  /** Time from its first observation to the scene that a harmonic baseline is asked for [ms]: two years (methods.md). */
  minHarmonicSpanMs: 2 * 365.25 * DAY_MS,
  /** What of it the history must hold [ms]: all but half a year, which cloud or dormancy may take at its end (ours). */
  minHarmonicHistoryMs: 1.5 * 365.25 * DAY_MS,
  /** Longest history that a baseline is fitted to [ms]: the latest five years stand for the present state (ours). */
  maxHistoryMs: 5 * 365.25 * DAY_MS,
  /** Gap after which a history is no longer that of the present state [ms]: two years (ours). */
  maxGapMs: 2 * 365.25 * DAY_MS,
  /** Span from which a trend is fitted [ms]: a slope from less is mostly weather (ours). */
  minTrendSpanMs: 3 * 365.25 * DAY_MS,
  /** Observations per coefficient, which decides the number of harmonics (Zhu & Woodcock 2014, doi:10.1016/j.rse.2014.01.011). */
  observationsPerCoefficient: 3,
  /** Most harmonics (methods.md). */
  maxHarmonics: 3,
  /** Ridge on harmonics, in observations: keeps a fit with a seasonal gap from swinging (ours). */
  ridge: 0.5,
  /** Ridge on the slope, in squared years of observations: a slope is believed as its lever grows, since extrapolating one costs more than missing one (ours). */
  trendRidge: 400,
  /** Residual beyond which an observation is left out of the refit [robust standard deviations] (Rousseeuw & Leroy 1987). */
  rejectBeyond: 3,
  /** Rounds of rejecting and refitting (ours). */
  rejectRounds: 3,
  /** A baseline is refitted when its history has grown by this factor (ours). */
  refitGrowth: 1.1,

  /** Weight of the neighbourhood's typical spread in a pixel's own scale [observations] (ours). */
  scalePrior: 6,
  /** Half-width of the season in which a local scale is taken [ms] (ours). */
  seasonHalfWidthMs: 45 * DAY_MS,
  /** An outlier counts towards confirmation when the history holds an observation this near in season [ms] (ours). */
  supportMs: 30 * DAY_MS,
  /** Correlation of the residuals of two indices of one scene, which share bands (ours; NDVI and NBR of the test series: .6 to .8). */
  indexCorrelation: 0.7,
  /** Residuals are clipped to this many standard deviations (trial, methods.md). */
  clip: 6,
  /** Autocorrelation of residuals assumed before it can be estimated, weighing this many pairs (ours). */
  rhoPrior: 0.1,
  rhoPriorPairs: 12,
  /** Largest autocorrelation used (ours). */
  rhoMax: 0.9,

  /** EWMA weight (methods.md) and limit [standard deviations] (Roberts 1959, doi:10.1080/00401706.1959.10489860). */
  ewmaWeight: 0.3,
  ewmaSigmas: 3,
  /** An outlier: square root of the .99 quantile of chi-square with one degree of freedom (6.634897; methods.md). */
  outlierSigmas: 2.575829,
  /** Shift that a change is assumed to make [standard deviations]: against a short history it must be plain (ours). */
  shiftSigmas: { neighbourhood: 3, harmonic: 2 },
  /** Bounds of one observation's probability of change (Reiche et al. 2015, doi:10.3390/rs70504973). */
  minProbability: 0.1,
  maxProbability: 0.9,
  /** Probability of change before any evidence, and the bound that evidence can reach (ours). */
  priorProbability: 0.05,
  posteriorCap: 0.999,
  /** Posterior that flags and that confirms (Reiche et al. 2015). */
  flagPosterior: 0.5,
  confirmPosterior: 0.975,
  /** Outliers in a row that raise the first flag: 3 (methods.md), 2 against a short history of comparable scenes (ours). */
  flagRun: { comparable: 2, other: 3 },
  /** How firmly observations in a row must speak against a change (1 somewhat, 2 clearly, each) to interrupt it (ours). */
  restartAgainst: 2,
  /** How firmly they must speak to end a suspicion: three that are clearly normal (ours; as `recoveryRun`). */
  normalAgainst: 6,
  /** Outliers since the first anomaly that a confirmation needs (as CCDC, methods.md). */
  confirmOutliers: 6,
  /**
   * Mean departure since the first anomaly, in its standard errors, that confirms in their place: small changes that last
   * (simulated: keeps pure noise under 100 confirmed per million pixel-years).
   */
  sustainedSigmas: 6,
  /** Least mean departure of such a claim [noise floors] (ours): what is smaller is a drift of the sensor or of the fit. */
  sustainedFloors: 2,
  /** Observations since the flag that such a claim needs (ours): twice those of plain outliers. */
  sustainedObservations: 12,
  /**
   * Time that a departure must last to be confirmed [ms]: 90 days (methods.md: 60 to 90; 48 confirmed a mown field); against
   * a short history, which cannot tell a bad season from a loss, round a whole year (ours).
   */
  confirmAfterMs: { neighbourhood: 365.25 * DAY_MS, harmonic: 90 * DAY_MS },
  /** Time after which a suspicion against a short history is given up unconfirmed [ms]: two years, when the series itself can tell (ours). */
  suspicionWindowMs: 2 * 365.25 * DAY_MS,
  /** Time after confirmation in which a return to the old baseline is a recovery [ms]: one year (ours). */
  recoveryWindowMs: 365.25 * DAY_MS,
  /**
   * Share of its own size to which a departure from a short history has to have shrunk to be over (ours): a field that greens
   * again is no loss, though the year be bad. So many times in a row: twice while suspected, since what the mask misses
   * lowers a green index and hardly ever raises it; once confirmed `recoveryRun` times that are no outliers.
   */
  returnedShare: 0.5,
  returnedRun: 2,
  /** Normal observations in a row that make a recovery (ours). */
  recoveryRun: 3,

  /** Largest distance of a pixel's first anomaly from that of its object's seed [ms]: a season (ours). */
  joinWithinMs: 91 * DAY_MS,
  /** Share of an object's pixels that must have departed for it to have begun (ours). */
  onsetShare: 0.1,
  /** Largest size of a splinter as a share of the object that it belongs to (ours); one below the mapping unit may be larger. */
  splinterShare: 0.1,
  /** Least share of confirmed pixels in a grown object (trial, methods.md). */
  minConfirmedShare: 0.3,
  /** Minimum mapping unit: this area [m2] and this many pixels, or one pixel of at least a hectare (ours). */
  minObjectAreaM2: 500,
  minObjectPixels: 3,
  singlePixelAreaM2: 10_000,
  /** Factor on the confidence of a claim without a full seasonal baseline (ours; until calibrated). */
  shortHistoryConfidence: 0.9,
  /** Factor on the confidence of what is suspected and not confirmed (ours; until calibrated). */
  suspectedConfidence: 0.5,
} as const;
