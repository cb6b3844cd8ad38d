// Long file: the fit of one record and the regional shape that it is shrunk to, which use each other.
import { percentile } from '../../numerics/percentile.ts';
import { gevFromLMoments, gevQuantile, gevReturnLevel, gevWithShape, type Gev } from '../../numerics/gev.ts';
import { sampleLMoments, type LMoments } from '../../numerics/l-moments.ts';
import { normalQuantile } from '../../numerics/normal.ts';

/**
 * Distribution of the GEV shape over the sites of a region, with Hosking's sign (for k > 0 the distribution is
 * bounded).
 */
export interface RegionalShape {
  readonly mean: number;
  /** Standard deviation of the true shape between sites, without sampling error; positive. */
  readonly deviation: number;
}

/**
 * Distribution of the shape of yearly maximum gusts if no region is given (our choice): the mean is the shape of the
 * Gumbel distribution, which EN 1991-1-4 uses and which is on the safe side of most fits to gust records; the
 * deviation is 0.1.
 * @see doi:10.1017/S1350482799001103 (Palutikof et al. 1999)
 */
export const GUST_SHAPE: RegionalShape = { mean: 0, deviation: 0.1 };

/**
 * Minimum length of a record for a fit [years], and maximum ratio of a return period to the length of the record
 * [1]: a record of 20 years supports return periods up to 200 years.
 */
export const LEAST_YEARS = 10;
export const PERIODS_PER_YEAR = 10;

/**
 * Sampling variance of the L-moment shape near 0, multiplied by the years of the record.
 * @see doi:10.1080/00401706.1985.10488049 table 1 (Hosking, Wallis & Wood 1985)
 */
const SHAPE_VARIANCE = 0.5633;

/** Number of random records drawn for the intervals, and the seed, fixed so that all processes draw the same. */
const DRAW_COUNT = 1000;
const SEED = 0x9e3779b9;

/**
 * Minimum distance from a return level to either end of its interval, as a share of the width of the interval [1] (our
 * choice). A record with an extreme outlier may have a level outside the percentiles of the drawn records; the interval
 * is then extended beyond the level, not cut at it.
 */
const LEAST_SIDE = 0.1;

/** A return level and its 5th and 95th percentile, in the unit of the record: `low < level < high`. */
export interface ReturnLevel {
  readonly returnPeriodYears: number;
  readonly level: number;
  readonly low: number;
  readonly high: number;
}

/** Return levels of a record, and the distribution fitted to it. */
export interface ReturnLevels {
  /**
   * Fitted distribution. Its shape is a weighted mean of the shape of the record and the mean shape of the
   * region.
   */
  readonly gev: Gev;
  /** Shape fitted to the record alone. */
  readonly ownShape: number;
  readonly years: number;
  /** Maximum return period that the record supports [years]; levels of longer return periods are left out. */
  readonly longestYears: number;
  readonly levels: readonly ReturnLevel[];
}

/**
 * GEV fitted to the L-moments of a record. Its shape is the mean of the shape of the record and the mean shape
 * of the region, weighted by the variances of both.
 * @throws RangeError in the same cases as `gevFromLMoments`
 */
export function regionalGev(moments: LMoments, years: number, region: RegionalShape): Gev {
  const weight = region.deviation ** 2 / (region.deviation ** 2 + SHAPE_VARIANCE / years);
  const ownShape = gevFromLMoments(moments).shape;
  return gevWithShape(moments, weight * ownShape + (1 - weight) * region.mean);
}

/** Fits records of one length. The random records for the intervals are drawn only once. */
export interface ReturnLevelFitter {
  /**
   * @param annualMaxima one finite value per year, in any order
   * @throws RangeError on another length, a constant record, or a value that is not finite
   */
  fit(annualMaxima: ArrayLike<number>): ReturnLevels;
}

/**
 * Makes a fitter that computes return levels from yearly maxima by the GEV that `regionalGev` fits. Intervals
 * are computed by a parametric bootstrap. Records are drawn with shapes from the distribution of the region; the
 * errors of their levels, in units of l2, are adjusted by regression to the L-skewness of the fitted record.
 * Return periods longer than ten times the length of the record are left out.
 * @param years length of each record, at least ten
 * @param returnPeriodsYears each above 1
 * @throws RangeError on fewer than ten years or a return period of a year or less
 * @see doi:10.1093/genetics/162.4.2025 (Beaumont, Zhang & Balding 2002: the regression)
 */
export function returnLevelFitter(
  years: number,
  returnPeriodsYears: readonly number[],
  region: RegionalShape = GUST_SHAPE,
): ReturnLevelFitter {
  if (!(years >= LEAST_YEARS))
    throw new RangeError(`${years} yearly maxima, at least ${LEAST_YEARS} expected`);
  for (const T of returnPeriodsYears)
    if (!(T > 1)) throw new RangeError(`return period ${T}, above 1 expected`);
  const longestYears = PERIODS_PER_YEAR * years;
  const asked = returnPeriodsYears.filter((T) => T <= longestYears);
  const drawn = drawRecords(years, asked, region);
  return {
    fit(annualMaxima) {
      if (annualMaxima.length !== years)
        throw new RangeError(`${annualMaxima.length} maxima, ${years} expected`);
      const moments = sampleLMoments(annualMaxima);
      const ownShape = gevFromLMoments(moments).shape;
      const gev = regionalGev(moments, years, region);
      const levels = asked.map((returnPeriodYears, i) => {
        const level = gevReturnLevel(gev, returnPeriodYears);
        const errors = adjusted(drawn.pivots[i]!, drawn.skewness, moments.t3);
        const low = moments.l1 + moments.l2 * percentile(errors, 0.05);
        const high = moments.l1 + moments.l2 * percentile(errors, 0.95);
        const margin = LEAST_SIDE * (high - low);
        return {
          returnPeriodYears,
          level,
          low: Math.min(level - margin, low),
          high: Math.max(level + margin, high),
        };
      });
      return { gev, ownShape, years, longestYears, levels };
    },
  };
}

/** Usual variance of the shape between the sites of a region: a standard deviation of 0.05 (our choice). */
const SHAPE_WITHIN = 0.05 ** 2;
/**
 * Usual variance of ln(l2/l1) between the sites of a region: a standard deviation of 0.1 (our choice). l2/l1 is the
 * relative spread between years.
 */
const SPREAD_WITHIN = 0.1 ** 2;
/**
 * Lower limit of the estimated variance between the sites of a region, as a fraction of its usual value [1] (our
 * choice). The uncertainty of the usual value is assumed to be about 100 %.
 */
const LEAST_WITHIN = 0.25;

/**
 * Sampling variance of the logarithm of l2/l1, multiplied by the years of the record, for a Gumbel distribution with
 * a mode of nine times the scale (4,000 drawn records each of 18, 40 and 80 years give 0.72, 0.68 and 0.68).
 */
const SPREAD_VARIANCE = 0.7;

/**
 * Estimates the true variance of a quantity between sites: a weighted mean of the usual variance and of the observed
 * variance minus the sampling variance. The weights account for the error of a variance estimated from this number of
 * sites.
 * @param squares sum of squared distances from the mean
 * @param sampling sampling variance of one site
 * @param rule usual variance
 */
function withinVariance(squares: number, sites: number, sampling: number, rule: number): number {
  if (sites < 2) return rule;
  const doubt = (2 * (rule + sampling) ** 2) / (sites - 1);
  const trust = rule ** 2 / (rule ** 2 + doubt);
  return Math.max(LEAST_WITHIN * rule, rule + trust * (squares / (sites - 1) - sampling - rule));
}

/**
 * Distribution of the shape in a region, from its records. The mean is that of the shapes of the records,
 * weighted by years, and moved towards the mean of `GUST_SHAPE` if there are few records. The deviation comes
 * from `withinVariance`, increased by the uncertainty of the mean.
 * @throws RangeError without a record of at least ten years, or when one is constant or not finite
 */
export function regionalShape(records: readonly ArrayLike<number>[]): RegionalShape {
  const sites = records
    .filter((record) => record.length >= LEAST_YEARS)
    .map((record) => ({ years: record.length, shape: gevFromLMoments(sampleLMoments(record)).shape }));
  if (sites.length === 0) throw new RangeError(`no record of at least ${LEAST_YEARS} years`);
  const years = sites.reduce((sum, site) => sum + site.years, 0);
  const mean = sites.reduce((sum, site) => sum + site.years * site.shape, 0) / years;
  const spread = sites.reduce((sum, site) => sum + (site.shape - mean) ** 2, 0);
  const sampling = (SHAPE_VARIANCE * sites.length) / years;
  const general = GUST_SHAPE.deviation ** 2;
  const within = withinVariance(spread, sites.length, sampling, SHAPE_WITHIN);
  const meanVariance = within / sites.length + SHAPE_VARIANCE / years;
  const weight = general / (general + meanVariance);
  return {
    mean: weight * mean + (1 - weight) * GUST_SHAPE.mean,
    deviation: Math.sqrt(within + weight * meanVariance),
  };
}

/** Distribution of ln(l2/l1) over the sites of a region. l2/l1 is the relative spread between years. */
export interface RegionalSpread {
  readonly mean: number;
  /** Standard deviation between sites of the true logarithm of l2/l1; positive. */
  readonly deviation: number;
}

/**
 * Estimates the distribution of the relative spread between years in a region, from its records of at least ten
 * years.
 * @throws RangeError in the same cases as `regionalShape`
 */
export function regionalSpread(records: readonly ArrayLike<number>[]): RegionalSpread {
  const sites = records
    .filter((record) => record.length >= LEAST_YEARS)
    .map((record) => ({ years: record.length, log: logSpread(sampleLMoments(record)) }));
  if (sites.length === 0) throw new RangeError(`no record of at least ${LEAST_YEARS} years`);
  const years = sites.reduce((sum, site) => sum + site.years, 0);
  const mean = sites.reduce((sum, site) => sum + site.years * site.log, 0) / years;
  const squares = sites.reduce((sum, site) => sum + (site.log - mean) ** 2, 0);
  const sampling = (SPREAD_VARIANCE * sites.length) / years;
  return { mean, deviation: Math.sqrt(withinVariance(squares, sites.length, sampling, SPREAD_WITHIN)) };
}

/**
 * Returns the L-moments of a record with l2 moved towards l1 times the relative spread of the region, weighted
 * by the variances of both. Reason: a short record determines the mean gust well, but not the spread between
 * years.
 * @see Hosking & Wallis 1997, Regional Frequency Analysis, chapter 6 (the index flood)
 */
export function regionalMoments(moments: LMoments, years: number, region: RegionalSpread): LMoments {
  const weight = region.deviation ** 2 / (region.deviation ** 2 + SPREAD_VARIANCE / years);
  const log = weight * logSpread(moments) + (1 - weight) * region.mean;
  return { ...moments, l2: moments.l1 * Math.exp(log) };
}

/** Logarithm of l2/l1. @throws RangeError for a constant record, or if its mean is not positive */
function logSpread({ l1, l2 }: LMoments): number {
  if (!(l1 > 0 && l2 > 0)) throw new RangeError(`l1 ${l1} and l2 ${l2}: expected gusts that differ`);
  return Math.log(l2 / l1);
}

/**
 * For each drawn record: its L-skewness, and the true level of each return period relative to the l1 and l2 of the
 * record.
 */
interface DrawnRecords {
  readonly skewness: Float64Array;
  /** `(true level - l1) / l2`, by return period and record; does not depend on location and scale of the record. */
  readonly pivots: readonly Float64Array[];
}

function drawRecords(
  years: number,
  returnPeriodsYears: readonly number[],
  region: RegionalShape,
): DrawnRecords {
  const skewness = new Float64Array(DRAW_COUNT);
  const pivots = returnPeriodsYears.map(() => new Float64Array(DRAW_COUNT));
  const random = uniform(SEED);
  const sample = new Float64Array(years);
  for (let draw = 0; draw < DRAW_COUNT; draw++) {
    // The shapes are stratified draws, independent of the random sample below.
    const k = region.mean + region.deviation * normalQuantile((draw + 0.5) / DRAW_COUNT);
    const gev = { location: 0, scale: 1, shape: Math.max(-0.9, k) }; // at a shape of -1 the mean would be infinite
    for (let i = 0; i < years; i++) sample[i] = gevQuantile(gev, random());
    const { l1, l2, t3 } = sampleLMoments(sample);
    skewness[draw] = t3;
    for (let i = 0; i < pivots.length; i++)
      pivots[i]![draw] = (gevReturnLevel(gev, returnPeriodsYears[i]!) - l1) / l2;
  }
  return { skewness, pivots };
}

/** Adjusts the pivots to an L-skewness of `t3` by quadratic regression, limited to the range of the drawn records. */
function adjusted(pivots: Float64Array, skewness: Float64Array, t3: number): Float64Array {
  const n = pivots.length;
  // Use logarithms if possible, because the spread of rare levels is proportional to the levels.
  const positive = pivots.every((pivot) => pivot > 0);
  const y = positive ? pivots.map(Math.log) : pivots;
  const mean = skewness.reduce((sum, s) => sum + s, 0) / n;
  const [low, high] = [skewness.reduce((a, b) => Math.min(a, b)), skewness.reduce((a, b) => Math.max(a, b))];
  const at = Math.min(high, Math.max(low, t3)) - mean;
  const [slope, bend] = quadraticSlopes(skewness, mean, y);
  return y.map((value, i) => {
    const x = skewness[i]! - mean;
    const moved = value + slope * (at - x) + bend * (at * at - x * x);
    return positive ? Math.exp(moved) : moved;
  });
}

/** Coefficients of x and x^2 in the least-squares fit of y on 1, x, x^2, where x is `xs` minus `mean`. */
function quadraticSlopes(xs: Float64Array, mean: number, y: Float64Array): readonly [number, number] {
  const n = xs.length;
  let [s2, s3, s4, t0, t1, t2] = [0, 0, 0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    const x = xs[i]! - mean;
    s2 += x * x;
    s3 += x * x * x;
    s4 += x * x * x * x;
    t0 += y[i]!;
    t1 += x * y[i]!;
    t2 += x * x * y[i]!;
  }
  // The sum of x is 0, so the intercept drops out of the first equation and is replaced in the second.
  const square = s4 - (s2 * s2) / n;
  const right = t2 - (s2 * t0) / n;
  const determinant = s2 * square - s3 * s3;
  return [(t1 * square - s3 * right) / determinant, (s2 * right - s3 * t1) / determinant];
}

/** Uniform random numbers within (0, 1) from a 32-bit state (mulberry32). */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (((t ^ (t >>> 14)) >>> 0) + 0.5) / 2 ** 32;
  };
}
