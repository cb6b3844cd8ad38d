// Long file: one table of constants, each with its unit and source.
import { DAY_MS } from '../base/time.ts';

/** Name and version of the change model. Increase the version whenever any result for the same input changes. */
export const MODEL_VERSION = 'change-v0.27.0';

/** Name of the method, for the provenance of results. */
export const METHOD = 'scene-normalised-harmonic-bayes';

/**
 * The constants of the change model, the same for all data. "(our choice)" marks a design choice rather than a
 * published number.
 */
export const PARAMETERS = {
  /**
   * Side of a neighbourhood cell [pixels]; a pixel's neighbourhood is its cell and the eight around it (our choice).
   */
  cellPixels: 64,
  /** Maximum number of cells of a grid; it limits the memory of a survey (our choice). */
  maxCells: 256,
  /**
   * Approximate number of pixels per cell whose departures are surveyed, on a regular lattice (our choice). With nine
   * cells of 1024 pixels, the standard error of the median departure is 1.3 % of the spread.
   */
  surveyedPixels: 1024,
  /**
   * Number of bins of a survey's histogram over the metric's range (our choice). A median is accurate to a small part
   * of one bin.
   */
  histogramBins: 400,
  /**
   * Number of classes of like pixels in a grid, by the rank of their values (our choice). In most places four classes
   * separate forest, scrub, grass and bare ground.
   */
  likeClasses: 4,
  /**
   * A grid is divided into this many rows and this many columns of rectangular parts (our choice). A pixel is
   * compared with like pixels in the parts that do not touch its own part.
   */
  gridParts: 4,
  /**
   * If the value has fallen in at least this share of the like pixels far away, the fall counts as an effect of weather
   * or land use (our choice). The share is small because the fields of a region are cut over several weeks.
   */
  commonShare: 0.25,
  /**
   * Number of bins of a histogram of departures. The common fall, by which like pixels fall in the same scene, is
   * computed from the histogram, which is as wide as the metric's range (our choice): a bin of a normalised difference
   * is .02 wide.
   */
  fallBins: 100,
  /**
   * Minimum number of observed pixels of a class for an estimate of its level (our choice). With this number the
   * standard error of the median is .4 of the spread of the pixels.
   */
  minLikePixels: 10,
  /**
   * Maximum distance of the medians of a class in two scenes of a metric without seasons for them to be comparable [noise
   * floors] (our choice): .2 of a normalised difference. Beyond it the class has other pixels.
   */
  classFloors: 8,
  /** Minimum number of observed pixels for the median and spread of a neighbourhood (our choice). */
  minNeighbours: 50,
  /**
   * Minimum undisturbed share of the pixels of a neighbourhood for an estimate of the effect of weather (our choice).
   */
  minUndisturbedShare: 0.25,
  /** Minimum observed share of a grid for an estimate of the levels of a scene (our choice). */
  minSceneShare: 0.25,
  /**
   * Quantile of the values of a class in a scene that is the level of the class (our choice). With .75,
   * dry-season scenes of open land counted as comparable.
   */
  levelQuantile: 0.5,
  /**
   * A scene is comparable when its level is at least this share of the running maximum of the levels (by trial,
   * docs/methods/change.md).
   */
  comparableShare: 0.8,
  /**
   * Time span of the running maximum of the levels [ms]: three years (our choice). After this time a region that lost
   * its green can be monitored again.
   */
  levelMemoryMs: 3 * 365.25 * DAY_MS,
  /**
   * Maximum ratio of the spread of a scene to the typical spread (our choice). A scene with a greater spread shows
   * snow, haze or a bad mask, and is not used.
   */
  maxSpreadRatio: 3,

  /**
   * Minimum number of clear observations in the history from which an expected value is computed
   * (docs/methods/change.md).
   */
  minHistory: 3,
  /** Minimum number of clear observations for a harmonic baseline (docs/methods/change.md). */
  minHarmonicObservations: 15,
  /**
   * Minimum time from the first observation of a history to the scene at which a harmonic baseline is fitted to it
   * [ms]: one year. Until `fullHistoryMs` only a close fit is used (docs/methods/change.md).
   */
  minHarmonicSpanMs: 365.25 * DAY_MS,
  /**
   * Minimum time between the first and the last observation of a history for a harmonic baseline [ms] (our choice). It
   * is less than `minHarmonicSpanMs`, because the last weeks may be cloudy.
   */
  minHarmonicHistoryMs: 330 * DAY_MS,
  /**
   * Maximum length of the history that is fitted [ms]: the latest five years represent the present state (our choice).
   */
  maxHistoryMs: 5 * 365.25 * DAY_MS,
  /** Gap after which a history no longer represents the present state [ms]: two years (our choice). */
  maxGapMs: 2 * 365.25 * DAY_MS,
  /**
   * Minimum length of a history for a trend [ms]: the slope of a shorter history mostly shows weather (our choice).
   */
  minTrendSpanMs: 3 * 365.25 * DAY_MS,
  /**
   * Minimum number of observations per coefficient; it determines the number of harmonics (Zhu & Woodcock 2014,
   * doi:10.1016/j.rse.2014.01.011).
   */
  observationsPerCoefficient: 3,
  /** Maximum number of harmonics (docs/methods/change.md). */
  maxHarmonics: 3,
  /** Ridge on the harmonics [observations]: keeps a fit from oscillating in a seasonal gap (our choice). */
  ridge: 0.5,
  /**
   * Ridge on the slope [observations times squared years] (our choice). It is strong in short records, because a wrong
   * slope causes larger errors in extrapolation than no slope.
   */
  trendRidge: 400,
  /**
   * Absolute residual beyond which an observation is rejected before the next fit [robust standard deviations]
   * (Rousseeuw & Leroy 1987).
   */
  rejectBeyond: 3,
  /** Maximum number of rounds of rejecting and refitting (our choice). */
  rejectRounds: 3,
  /**
   * A baseline is fitted again when the number of observations in its history has grown by this factor (our choice).
   */
  refitGrowth: 1.1,

  /**
   * Weight of the typical spread of the neighbourhood when the scale of a pixel is estimated, as a number of
   * observations (our choice).
   */
  scalePrior: 6,
  /** Half-width of the season around a scene in which the scatter of a pixel is measured [ms] (our choice). */
  seasonHalfWidthMs: 45 * DAY_MS,
  /**
   * Maximum difference between the days of the year of an outlier and of the nearest observation in the history [ms]
   * (our choice). With a greater difference the outlier does not count towards confirmation.
   */
  supportMs: 30 * DAY_MS,
  /**
   * Correlation of the residuals of two indices in the same scene. They are correlated because indices share bands
   * (our choice; .6 to .8 for NDVI and NBR of the test series).
   */
  indexCorrelation: 0.7,
  /** Maximum absolute residual [standard deviations]; larger ones are clipped (by trial, docs/methods/change.md). */
  clip: 6,
  /**
   * Prior of the autocorrelation of residuals, assumed until it can be estimated, and weight of this prior [pairs of
   * observations] (our choice).
   */
  rhoPrior: 0.1,
  rhoPriorPairs: 12,
  /** Maximum autocorrelation: larger estimates are reduced to it (our choice). */
  rhoMax: 0.9,

  /**
   * Maximum number of pixels of the bank of like pixels, on a regular lattice (our choice): enough to find 40 like ones
   * of each kind of cover.
   */
  bankPixels: 400,
  /** Minimum number of pixels of the bank for which like pixels are evidence (our choice). */
  leastBank: 100,
  /** Number of like pixels of a pixel (as in the blind trial, docs/methods/change.md). */
  likePixels: 40,
  /**
   * Like pixels are more than this many rows or columns away (as in the blind trial): the field beside may be cut in
   * the same month.
   */
  likeApart: 4,
  /** Minimum history of a pixel that is compared with like pixels: number of observations and length [ms] (our choice). */
  minLikeHistory: 8,
  minLikeHistoryMs: 330 * DAY_MS,
  /** Minimum number of scenes in which two pixels are compared (our choice). */
  minLikeShared: 6,
  /** The like pixels are chosen again when the history has grown by this factor (our choice). */
  relistGrowth: 2,
  /**
   * Number of scenes by which a pixel of the bank is compared with the others (up to twice as many), and largest number
   * by which another pixel is compared with them (by trial: 12 finds as much as 24, in a third of the time).
   */
  comparedScenes: 24,
  quickScenes: 12,
  /** The usual difference from the like pixels is measured again when the history has grown by this factor (our choice). */
  likeRefit: 1.3,
  /** Maximum difference of two pixels in a scene that counts [metric unit]; more is a cloud (our choice). */
  likeClip: 0.5,
  /** Quantile of the history that is the high level of a pixel (our choice). */
  highQuantile: 0.9,
  /**
   * A value that is expected below this share of the high level shows no fall: leaves, snow or haze hide it (by trial:
   * .5 to .7).
   */
  dormantShare: 0.5,
  /**
   * Standard deviation of the difference of a pixel from its like pixels: expected before there are observations, and
   * smallest credible one [noise floors] (our choice).
   */
  likePriorFloors: 1.2,
  likeLeastFloors: 0.8,
  /**
   * CUSUM of the residuals from like pixels [standard deviations]: slack per observation (as in the blind trial), maximum
   * residual that counts, so that two clouds are no departure (by trial: 3.5 to 6), and maximum sum of a pixel of the
   * bank, so that it is a standard again soon (our choice).
   */
  cusumSlack: 1,
  cusumClip: 4,
  cusumCap: 24,
  /**
   * CUSUM above which a departure is suspected, is plain, so that neighbours may confirm it, and is certain by itself
   * (by trial: 5 to 8 and 14 to 20).
   */
  suspectCusum: 4,
  plainCusum: 7,
  /**
   * CUSUM above which a rise is evident for a larger group of neighbours (by trial: 5 and 7). A fall needs `plainCusum`:
   * floods, dry forest and cloud that the mask missed make falls of this size.
   */
  risenCusum: 5,
  certainCusum: 16,
  /**
   * Minimum median of three observations of a plain and of a certain departure [noise floors]: .08 and .12 of a
   * normalised difference (the latter as in the blind trial).
   */
  plainFloors: 3.2,
  certainFloors: 4.8,
  /**
   * Where a pixel lies between its own fit and its like pixels, and these are this far apart [noise floors], the scene is
   * odd and not judged (our choice).
   */
  oddFloors: 4,
  /**
   * Minimum number of separate places, away from a pixel, in which like pixels have fallen as low meanwhile, for its fall
   * to count as weather or custom for a year (our choice): a tenth of the like pixels, each elsewhere.
   */
  commonPlaces: 4,
  /**
   * Onset of a departure: the change point between a level before it and the level after it, at this share of the latter
   * (by trial). It is over .5, because the observations before it were selected as low.
   */
  onsetLevel: 0.7,

  /**
   * Weight of a new residual in the EWMA (docs/methods/change.md) and control limit [standard deviations] (Roberts
   * 1959, doi:10.1080/00401706.1959.10489860).
   */
  ewmaWeight: 0.3,
  ewmaSigmas: 3,
  /**
   * Absolute residual beyond which an observation is an outlier [standard deviations]: the square root of the .99
   * quantile of chi-square with one degree of freedom (6.634897; docs/methods/change.md).
   */
  outlierSigmas: 2.575829,
  /** Shift that a change is assumed to cause [standard deviations], larger with a short history (our choice). */
  shiftSigmas: { neighbourhood: 3, harmonic: 2 },
  /** Bounds of the probability of change from a single observation (Reiche et al. 2015, doi:10.3390/rs70504973). */
  minProbability: 0.1,
  maxProbability: 0.9,
  /** Probability of change before any evidence, and maximum probability after evidence (our choice). */
  priorProbability: 0.05,
  posteriorCap: 0.999,
  /** Minimum posterior probability to flag a change, and to confirm it (Reiche et al. 2015). */
  flagPosterior: 0.5,
  confirmPosterior: 0.975,
  /**
   * Number of consecutive outliers that flag a pixel: 3 (docs/methods/change.md), or 2 if the history is short and its
   * scenes are comparable (our choice).
   */
  flagRun: { comparable: 2, other: 3 },
  /**
   * A change is interrupted when the latest consecutive observations are evidence against it and their weights add up
   * to this number (our choice). The weight is 1 if the observation is somewhat against the change, 2 if it is
   * clearly against it.
   */
  restartAgainst: 2,
  /** Minimum number of outliers since the first anomaly for a confirmation (as in CCDC, docs/methods/change.md). */
  confirmOutliers: 6,
  /**
   * Minimum mean departure since the flag that confirms a small lasting change even though there are too few
   * outliers [standard errors]. In simulations with this value, fewer than 100 pixels of pure noise are confirmed per
   * million pixel-years.
   */
  sustainedSigmas: 6,
  /**
   * Minimum mean departure of such a small change [noise floors] (our choice). A smaller one may be a drift of the
   * sensor or of the fit.
   */
  sustainedFloors: 2,
  /** Minimum number of observations of such a small change since the flag: twice `confirmOutliers` (our choice). */
  sustainedObservations: 12,
  /**
   * Minimum duration of a departure for its confirmation [ms]. `beyond`: values outside what the ground has been, after
   * a full history. `harmonic`: the same after one year of history, or any values after a full one. 60 to 90 days are
   * usual; with 48 days a mown field was confirmed. `neighbourhood`: otherwise a whole year, because a short history
   * cannot distinguish a bad season from a loss (our choice). `likes`: from the onset, beside the like pixels and within
   * what the ground has been (by trial: 60 to 90; with 60, dry meadows were confirmed).
   */
  confirmAfterMs: {
    neighbourhood: 365.25 * DAY_MS,
    harmonic: 90 * DAY_MS,
    beyond: 60 * DAY_MS,
    likes: 75 * DAY_MS,
  },
  /**
   * Maximum time between two low observations that counts as duration of the departure [ms]: longer gaps hide what
   * happened (our choice).
   */
  maxStepMs: 64 * DAY_MS,
  /** Length of a full history [ms]: two years (docs/methods/change.md). */
  fullHistoryMs: 2 * 365.25 * DAY_MS,
  /** The same where the last half year may be dormant or clouded [ms] (our choice). */
  sufficientHistoryMs: (2 * 365.25 - 180) * DAY_MS,
  /**
   * Minimum moving average of a departure that is confirmed early [noise floors]: .1 of a normalised difference. The
   * blind trial of docs/methods/change.md used .12.
   */
  deepFloors: 4,
  /** Minimum number of low observations in a row of a departure that neighbours may confirm (by trial: 3 to 4). */
  plainRun: 4,
  /** Minimum number of neighbouring pixels that confirm each other (our choice). */
  jointPixels: 3,
  /**
   * Minimum number of neighbouring pixels that confirm each other before their departures have lasted as long as plain
   * ones: more pixels for less time (by trial: 3 to 8).
   */
  evidentPixels: 5,
  /**
   * Minimum time since the CUSUM of such a pixel left 0 [ms] (by trial). `beyond`: values outside what the ground has been,
   * in three scenes of a composite of 16 days. `within`: other values.
   */
  evidentAfterMs: { beyond: 30 * DAY_MS, within: 45 * DAY_MS },
  /**
   * Minimum size of both of the latest two observations of a fall that is evident early [noise floors]: .2 of a
   * normalised difference, twice `deepFloors` (by trial: with 6, a field and dry forest are confirmed).
   */
  earlyFloors: 8,
  /** Number of observations that show the size of such a fall when it is dated (our choice). */
  earlyRun: 2,
  /**
   * Minimum time for which observations in a row are low in such a fall (our choice): two scenes of a composite of 16
   * days, of which the last of a year has 13. Haze that the mask missed lasts for two scenes that are days apart.
   */
  earlyAfterMs: 12 * DAY_MS,
  /**
   * CUSUM of the absolute residuals from like pixels [standard deviations], for changes of seasonality: slack per look (a
   * single one counts at most `cusumClip`), and sum above which the pixel is evident (by trial: 6 and 8).
   */
  seasonalSlack: 1.5,
  seasonalCusum: 6,
  /** Minimum number of looks of `plainFloors` above, and of those below, since this CUSUM left 0 (by trial: 2 and 3). */
  seasonalLooks: 2,
  /** Minimum time since this CUSUM left 0 [ms]: more than one season (by trial: 75 to 200 days). */
  seasonalAfterMs: 200 * DAY_MS,
  /** Minimum number of the eight neighbours that show such a change too (by trial: 0, 3 and 5). */
  seasonalNeighbours: 3,
  /**
   * Least number of parts of a year (of 24), as a share of its looks, that depart where a plain departure that was noted
   * stands: of a fall those of the last quarter (by trial: 4 and 8; with 4, coppice that has nearly grown again stands), of a
   * rise those of the whole year (by trial: 6, 8 and 12).
   */
  plainParts: 8,
  /**
   * CUSUM above which a [fall of cover that keeps its level, rise of seasonal cover] is noted before it has lasted [standard
   * deviations], and the least number of the eight neighbours with such notes (by trial: 4 to 12 and 7 to 13, and 1 to 5).
   * Three looks add 9 at most, so 9 asks for a fourth.
   */
  noteCusum: [9, 8.9],
  noteNeighbours: 2,
  /**
   * Maximum time between the first anomalies of notes of plain falls of one change [ms] (by trial: 91 to 300 days). Where
   * clouds and winter hide the ground, the pixels of one clearing are dated months apart.
   */
  noteJoinMs: 200 * DAY_MS,
  /**
   * A season of plentiful looks that shows a fall of perennial cover: its length [ms], least number of looks (five sixths of
   * those of a composite of 16 days), share of them that are as low as the fall, and size of the fall in each metric [noise
   * floors], .05 of a normalised difference (by trial: 80 to 140 days, 5 to 8 looks, .4 to .67, 1.2 to 4).
   */
  seasonMs: 100 * DAY_MS,
  seasonLooks: 6,
  seasonShare: 0.5,
  seasonFloors: 2,
  /**
   * A season is clear if this quantile of the falls of earlier years in it is at most this size [noise floors] (by trial: 2
   * to 6).
   */
  clearQuantile: 0.2,
  clearFloors: 3,
  /**
   * Largest chance of as many low looks in a season, if looks were low as often as in earlier years, for a fall that no
   * neighbour has to confirm (by trial: .0003 to .01, docs/methods/change.md).
   */
  seasonChance: 0.001,
  /** Minimum number of outliers of a departure whose values are outside what the ground has been (our choice). */
  beyondOutliers: 4,
  /** Minimum distance of such a value from the range of the history [noise floors] (our choice). */
  beyondFloors: 1,
  /**
   * A fall is the custom of the season if this many observations in a row of an earlier year had this share of it or more (by
   * trial: 2 and 3; our choice). One may be a cloud that the mask missed.
   */
  customRun: 2,
  customShare: 0.75,
  /** Minimum number of observations of the history in the season of a scene for a range of this season (our choice). */
  minSeasonObservations: 6,
  /**
   * Maximum scale of steady ground [noise floors] (our choice). A large departure of such ground is not custom,
   * because custom would have shown in the scale.
   */
  steadyFloors: 2.5,
  /**
   * Maximum standard deviation of a fit to less than a full history, for which the fit is used [noise floors] (by
   * trial, docs/methods/change.md).
   */
  youngFitFloors: 4,
  /**
   * Perennial cover keeps at least this share of its high level (quantile .9) in three quarters of the observations (as
   * in the blind trial, docs/methods/change.md).
   */
  perennialShare: 0.7,
  /**
   * Minimum time from a low observation to a normal one in the same season for the season to count as normal again
   * [ms]: more than half a year, less than a year (our choice).
   */
  seasonAgainMs: 270 * DAY_MS,
  /** Minimum share of the seasons of a departure that must be normal again for its end (by trial: .5 to .75). */
  returnedSeason: 0.6,
  /**
   * Minimum number of parts of the year (of 24) that are low, and of those that are normal, in a change of seasonality
   * (our choice): two months each.
   */
  seasonParts: 4,
  /**
   * Maximum number of turns between low and normal parts in a year of such a change (our choice): two low seasons, as of
   * a double crop.
   */
  seasonTurns: 4,
  /**
   * Time since the latest low observation after which a suspicion is rejected [ms]: two years, in which its season was
   * not seen again (our choice).
   */
  suspicionWindowMs: 2 * 365.25 * DAY_MS,
  /**
   * Time after the confirmation within which a return to the old baseline is a recovery [ms]: one year (our choice).
   */
  recoveryWindowMs: 365.25 * DAY_MS,
  /**
   * An observation is normal again if it departs by less than this share of the largest size of the departure, else it
   * is low: at least half of the drop must be made good (as in the blind trial, docs/methods/change.md).
   */
  returnedShare: 0.5,
  /**
   * Number of normal observations in a row that end a suspicion of seasonal cover with a short history. Two suffice,
   * because clouds missed by the mask lower a green index and hardly ever raise it.
   */
  returnedRun: 2,
  /** Minimum number of consecutive normal observations at the end of any other departure (our choice). */
  recoveryRun: 3,

  /** Maximum time between the first anomalies of a pixel and of the seed of its object [ms]: a season (our choice). */
  joinWithinMs: 91 * DAY_MS,
  /** Share of the pixels of an object that must have departed for the object to begin (our choice). */
  onsetShare: 0.1,
  /**
   * Maximum size of a splinter, as a share of the object that it belongs to (our choice). A splinter below the minimum
   * mapping unit may exceed this share.
   */
  splinterShare: 0.1,
  /** Minimum number of pixels of a piece that is of one change with others one pixel apart (by trial: 1 and 2). */
  minPiecePixels: 2,
  /** Minimum share of confirmed pixels in an object with suspected pixels (by trial, docs/methods/change.md). */
  minConfirmedShare: 0.3,
  /**
   * Minimum mapping unit: this area [m2] and this number of pixels, or one pixel of at least a hectare (our choice).
   */
  minObjectAreaM2: 500,
  minObjectPixels: 3,
  singlePixelAreaM2: 10_000,
  /** Multiplies the score of a change without a full seasonal baseline (our choice, until it is calibrated). */
  shortHistoryConfidence: 0.9,
  /**
   * Maximum confidence of a change of greenness with a short history. `suspected`: the share of the suspicions in spliced
   * real series that came true (bench/claim-calibration.ts). `confirmed`: our choice, because the labelled claims hold
   * too few of this kind.
   */
  shortConfidence: { suspected: 0.2, confirmed: 0.9 },
  /**
   * How the fates of claims move the confidence of further claims. `variance`: between kinds of labelled ground, of the
   * log-odds by which more or fewer claims stood than expected. `falseStanding`: share of the false claims on labelled
   * ground that stood for a year or more. Both from bench/claim-experience.ts.
   */
  experience: { variance: 0.6, falseStanding: 0.46 },
  /** Multiplies the score of a suspected change (our choice, until it is calibrated). */
  suspectedConfidence: 0.5,
} as const;
