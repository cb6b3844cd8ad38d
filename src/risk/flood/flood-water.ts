import { reducedVariate } from '../hazard-curve.ts';
import { SETTLED_HEIGHTS, type SettledHeights } from './flood-ground.ts';

/** Return periods [years] of the flood curve. A river starts to overflow its banks at about the first of them. */
export const FLOOD_RETURN_PERIODS = [2, 5, 10, 25, 50, 100, 250, 500] as const;

/**
 * Extreme sea level above mean sea level (tide and surge): a Gumbel prior for any open coast [m]. It gives 1.6 m
 * at 10 years and 2.3 m at 100 years, the middle of the range of 1 to 5 m mapped world-wide (our choice, based on
 * the range in the source).
 * @see doi:10.1038/ncomms11969 figure 4 (Muis et al. 2016)
 */
const SEA_LEVEL_LOCATION_M = 0.93;
const SEA_LEVEL_SCALE_M = 0.3;

/**
 * Spread of the extreme sea level between coasts, as the standard deviation of its logarithm [1] (our choice,
 * based on the same range).
 */
export const SEA_LEVEL_LOG_SPREAD = 0.45;

/**
 * Decrease of the flood level of the sea with distance inland [m/km]; studies use 0.1 to 1.
 * @see doi:10.5194/nhess-19-973-2019 (Vafeidis et al. 2019)
 */
export const INLAND_FALL_M_PER_KM = 0.3;
/** Spread of this decrease, as the standard deviation of its logarithm [1]: nine in ten lie within the studies' range. */
export const INLAND_FALL_LOG_SPREAD = 0.7;

/** A class of rivers: their discharge, and how far from the river a flood reaches. */
export interface RiverClass {
  /** Two-year discharge [m3/s] (our choice: the order of magnitude of the mapped rivers of the class). */
  readonly bankfullM3s: number;
  /** Distance at which its floods end [km]: their stage falls linearly to 0 there (our choice: widths of flood plains). */
  readonly reachKm: number;
  /** How high settled places stand above rivers of the class. */
  readonly heights: SettledHeights;
}

/** Two classes of rivers of Natural Earth: all rivers, and large rivers (its first five ranks). */
export const ANY_RIVER: RiverClass = { bankfullM3s: 600, reachKm: 8, heights: SETTLED_HEIGHTS.water };
export const MAJOR_RIVER: RiverClass = { bankfullM3s: 6000, reachKm: 40, heights: SETTLED_HEIGHTS.major };

/** Share of the stage [0-1] that is left at a distance from a river [km]. */
export function stageShare({ reachKm }: RiverClass, km: number): number {
  return km < reachKm ? 1 - km / reachKm : 0;
}

/**
 * Spread of flood stages between the rivers of a class, as the standard deviation of their logarithm [1] (our
 * choice).
 */
export const STAGE_LOG_SPREAD = 0.5;

/**
 * Coefficient of variation of the yearly highest discharge [1]: the mean of 2,370 catchments of Europe. Their mean skewness,
 * 1.28, is near that of the Gumbel distribution, 1.14. Drier climates have more, large rivers less.
 * @see doi:10.5194/hess-25-5535-2021 (Lun et al. 2021, abstract)
 */
const DISCHARGE_VARIATION = 0.52;
/** Standard deviation and mean of the standard Gumbel distribution [1]: pi / sqrt(6) and Euler's constant. */
const GUMBEL_DEVIATION = Math.PI / Math.sqrt(6);
const GUMBEL_MEAN = 0.5772156649;

/**
 * Rise of the water level on the flood plain, relative to the rise that the same discharge would cause within a
 * channel [1] (our choice).
 */
export const OVERBANK_SHARE = 0.5;

/**
 * Two-year discharge [m3/s] of a river with an upstream area A [km2], `1.5 A^0.7` (our choice for humid climates:
 * 190 m3/s for 1,000 km2, 6,600 m3/s for the 160,000 km2 of the Rhine).
 */
export function bankfullDischargeM3s(upstreamAreaKm2: number): number {
  return 1.5 * upstreamAreaKm2 ** 0.7;
}

/**
 * Bankfull depth of a river [m] from its two-year discharge [m3/s], `0.27 Q2^0.30`.
 * @see doi:10.1002/wrcr.20440 equation 2 (Andreadis, Schumann & Pavelsky 2013)
 */
export function bankfullDepthM(bankfullM3s: number): number {
  return 0.27 * bankfullM3s ** 0.3;
}

/** Prior water levels, one per return period. */
export interface WaterLevels {
  /** Extreme sea level [m above mean sea level]. */
  readonly seaM: Float64Array;
  /**
   * Stage above the bank relative to the bankfull depth [1]: half of `(Q_T/Q2)^0.6 - 1` (Manning, wide channel).
   */
  readonly stageRatio: Float64Array;
}

/** Prior water levels at return periods [years]. Return periods of a year or less count as LEAST_PERIOD_YEARS. */
export function waterLevels(returnPeriodsYears: ArrayLike<number>): WaterLevels {
  const variates = Float64Array.from(returnPeriodsYears, (T) =>
    reducedVariate(Math.max(T, LEAST_PERIOD_YEARS)),
  );
  const discharge = (y: number): number => 1 + (DISCHARGE_VARIATION * (y - GUMBEL_MEAN)) / GUMBEL_DEVIATION; // over its mean
  const usual = discharge(reducedVariate(2));
  return {
    seaM: variates.map((y) => Math.max(0, SEA_LEVEL_LOCATION_M + SEA_LEVEL_SCALE_M * y)),
    stageRatio: variates.map((y) => {
      const growth = Math.max(1, discharge(y) / usual);
      return OVERBANK_SHARE * (growth ** 0.6 - 1);
    }),
  };
}

/** Minimum return period [years]: return periods of yearly maxima are above one year. */
export const LEAST_PERIOD_YEARS = 1.001;
